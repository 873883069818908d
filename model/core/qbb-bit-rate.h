/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BIT_RATE_H
#define QBB_BIT_RATE_H

#include <ns3/data-rate.h>

#include <cstdint>
#include <ostream>
#include <type_traits>

namespace ns3
{

/**
 * \ingroup rdma
 * Bits per second, of a type of their own.
 *
 * It costs what a uint64_t costs. ns3::DataRate, which users write and attributes hold, is not
 * inline: this is what it becomes where frames pass. Times at a rate are QbbLineRate's.
 *
 * Numbers of floating point do not become a rate by themselves: whoever computes with them says
 * how they are rounded.
 */
class QbbBitRate
{
    /** Allows an operation for integers alone. \tparam I the type */
    template <typename I>
    using IfInteger = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>, int>;

  public:
    constexpr QbbBitRate() = default;

    /** \param bitsPerSecond the rate */
    explicit constexpr QbbBitRate(uint64_t bitsPerSecond)
        : m_rate(bitsPerSecond)
    {
    }

    /** \param rate the rate */
    explicit QbbBitRate(const DataRate& rate)
        : m_rate(rate.GetBitRate())
    {
    }

    /** Numbers of floating point are rounded by whoever has them. */
    template <typename F, std::enable_if_t<std::is_floating_point_v<F>, int> = 0>
    explicit QbbBitRate(F bitsPerSecond) = delete;

    /** \return the rate in bit/s, as a number */
    constexpr uint64_t Get() const
    {
        return m_rate;
    }

    /** \return the rate in bit/s, as a number, for formulas */
    explicit constexpr operator double() const
    {
        return static_cast<double>(m_rate);
    }

    /** \return the rate as users have it */
    DataRate ToDataRate() const
    {
        return DataRate(m_rate);
    }

    /** \param other is added \return this */
    constexpr QbbBitRate& operator+=(QbbBitRate other)
    {
        m_rate += other.m_rate;
        return *this;
    }

    /** \param other is subtracted; at most this \return this */
    constexpr QbbBitRate& operator-=(QbbBitRate other)
    {
        m_rate -= other.m_rate;
        return *this;
    }

    /** \return the sum \param a a rate \param b a rate */
    friend constexpr QbbBitRate operator+(QbbBitRate a, QbbBitRate b)
    {
        return QbbBitRate(a.m_rate + b.m_rate);
    }

    /** \return the difference \param a a rate \param b a rate, at most \p a */
    friend constexpr QbbBitRate operator-(QbbBitRate a, QbbBitRate b)
    {
        return QbbBitRate(a.m_rate - b.m_rate);
    }

    /** \return the multiple \param a a rate \param factor an integer */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbBitRate operator*(QbbBitRate a, I factor)
    {
        return QbbBitRate(a.m_rate * static_cast<uint64_t>(factor));
    }

    /** \return the multiple \param factor an integer \param a a rate */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbBitRate operator*(I factor, QbbBitRate a)
    {
        return a * factor;
    }

    /** \return the part, rounded down \param a a rate \param divisor an integer, not 0 */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbBitRate operator/(QbbBitRate a, I divisor)
    {
        return QbbBitRate(a.m_rate / static_cast<uint64_t>(divisor));
    }

    /** \return how often \p b goes into \p a \param a a rate \param b a rate, not 0 */
    friend constexpr uint64_t operator/(QbbBitRate a, QbbBitRate b)
    {
        return a.m_rate / b.m_rate;
    }

    /** \return true if they are equal \param a a rate \param b a rate */
    friend constexpr bool operator==(QbbBitRate a, QbbBitRate b)
    {
        return a.m_rate == b.m_rate;
    }

    /** \return true if they differ \param a a rate \param b a rate */
    friend constexpr bool operator!=(QbbBitRate a, QbbBitRate b)
    {
        return a.m_rate != b.m_rate;
    }

    /** \return true if \p a is slower \param a a rate \param b a rate */
    friend constexpr bool operator<(QbbBitRate a, QbbBitRate b)
    {
        return a.m_rate < b.m_rate;
    }

    /** \return true if \p a is not faster \param a a rate \param b a rate */
    friend constexpr bool operator<=(QbbBitRate a, QbbBitRate b)
    {
        return a.m_rate <= b.m_rate;
    }

    /** \return true if \p a is faster \param a a rate \param b a rate */
    friend constexpr bool operator>(QbbBitRate a, QbbBitRate b)
    {
        return a.m_rate > b.m_rate;
    }

    /** \return true if \p a is not slower \param a a rate \param b a rate */
    friend constexpr bool operator>=(QbbBitRate a, QbbBitRate b)
    {
        return a.m_rate >= b.m_rate;
    }

    /**
     * Writes the number alone, as columns of tables have it; a message adds the unit.
     *
     * \param os the stream
     * \param rate the rate
     * \return the stream
     */
    friend std::ostream& operator<<(std::ostream& os, QbbBitRate rate)
    {
        return os << rate.m_rate;
    }

  private:
    uint64_t m_rate{0}; //!< bit/s
};

static_assert(sizeof(QbbBitRate) == sizeof(uint64_t) && std::is_trivially_copyable_v<QbbBitRate>,
              "a rate costs what a number costs");

inline namespace QbbUnits
{

/** \return bits per second \param count how many */
constexpr QbbBitRate operator""_bps(unsigned long long count)
{
    return QbbBitRate(count);
}

/** \return megabits per second \param count how many */
constexpr QbbBitRate operator""_mbps(unsigned long long count)
{
    return QbbBitRate(count * 1'000'000);
}

/** \return gigabits per second \param count how many */
constexpr QbbBitRate operator""_gbps(unsigned long long count)
{
    return QbbBitRate(count * 1'000'000'000);
}

} // namespace QbbUnits

} // namespace ns3

#endif /* QBB_BIT_RATE_H */
