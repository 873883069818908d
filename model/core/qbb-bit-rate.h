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
 * A bit rate in bits per second, as a distinct type.
 *
 * A QbbBitRate costs no more than a uint64_t. Users and attributes hold rates as ns3::DataRate,
 * whose functions are not inline, so the code that processes frames uses QbbBitRate instead.
 * QbbLineRate computes transmission times at a rate.
 *
 * A floating-point number does not convert to a rate: the caller must round it explicitly.
 */
class QbbBitRate
{
    /** Enables an operator for integer types only. \tparam I operand type */
    template <typename I>
    using IfInteger = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>, int>;

  public:
    constexpr QbbBitRate() = default;

    /** \param bitsPerSecond the rate in bit/s */
    explicit constexpr QbbBitRate(uint64_t bitsPerSecond)
        : m_rate(bitsPerSecond)
    {
    }

    /** \param rate the rate */
    explicit QbbBitRate(const DataRate& rate)
        : m_rate(rate.GetBitRate())
    {
    }

    /** Deleted: the caller must round a floating-point rate explicitly. */
    template <typename F, std::enable_if_t<std::is_floating_point_v<F>, int> = 0>
    explicit QbbBitRate(F bitsPerSecond) = delete;

    /** \return the rate in bit/s as an integer */
    constexpr uint64_t Get() const
    {
        return m_rate;
    }

    /** \return the rate in bit/s as a floating-point number, for formulas */
    explicit constexpr operator double() const
    {
        return static_cast<double>(m_rate);
    }

    /** \return the rate as the ns3::DataRate of scripts and attributes */
    DataRate ToDataRate() const
    {
        return DataRate(m_rate);
    }

    /** \param other rate to add \return *this */
    constexpr QbbBitRate& operator+=(QbbBitRate other)
    {
        m_rate += other.m_rate;
        return *this;
    }

    /** \param other rate to subtract, at most *this \return *this */
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

    /** \return the product of rate and factor \param a a rate \param factor an integer */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbBitRate operator*(QbbBitRate a, I factor)
    {
        return QbbBitRate(a.m_rate * static_cast<uint64_t>(factor));
    }

    /** \return the product of factor and rate \param factor an integer \param a a rate */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbBitRate operator*(I factor, QbbBitRate a)
    {
        return a * factor;
    }

    /** \return the quotient, rounded down \param a a rate \param divisor an integer, not 0 */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbBitRate operator/(QbbBitRate a, I divisor)
    {
        return QbbBitRate(a.m_rate / static_cast<uint64_t>(divisor));
    }

    /** \return the ratio of \p a to \p b, rounded down \param a a rate \param b a rate, not 0 */
    friend constexpr uint64_t operator/(QbbBitRate a, QbbBitRate b)
    {
        return a.m_rate / b.m_rate;
    }

    /** \return true if both are equal \param a a rate \param b a rate */
    friend constexpr bool operator==(QbbBitRate a, QbbBitRate b)
    {
        return a.m_rate == b.m_rate;
    }

    /** \return true if both differ \param a a rate \param b a rate */
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
     * Writes the rate in bit/s as a bare number for table columns; messages add the unit.
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
    uint64_t m_rate{0}; //!< rate in bit/s
};

static_assert(sizeof(QbbBitRate) == sizeof(uint64_t) && std::is_trivially_copyable_v<QbbBitRate>,
              "a rate costs what a number costs");

inline namespace QbbUnits
{

/** \return a rate given in bits per second \param count number of bit/s */
constexpr QbbBitRate operator""_bps(unsigned long long count)
{
    return QbbBitRate(count);
}

/** \return a rate given in megabits per second \param count number of Mb/s */
constexpr QbbBitRate operator""_mbps(unsigned long long count)
{
    return QbbBitRate(count * 1'000'000);
}

/** \return a rate given in gigabits per second \param count number of Gb/s */
constexpr QbbBitRate operator""_gbps(unsigned long long count)
{
    return QbbBitRate(count * 1'000'000'000);
}

} // namespace QbbUnits

} // namespace ns3

#endif /* QBB_BIT_RATE_H */
