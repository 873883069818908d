/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_PS_H
#define QBB_PS_H

#include <cstdint>
#include <limits>
#include <ostream>
#include <type_traits>

namespace ns3
{

/**
 * \ingroup rdma
 * Picoseconds: an instant since the simulation began, or the time between two.
 *
 * A count of 64 bits with a sign, of a type of its own, so that it is never taken for a number of
 * bytes or packets, for femtoseconds or for a rate. It costs what an int64_t costs. ns3::Time does
 * not: it counts the objects of it that exist before the simulation runs, and divides where it
 * must not be femtoseconds.
 *
 * Numbers of floating point do not become picoseconds by themselves: whoever computes with them
 * says how they are rounded.
 */
class QbbPs
{
    /** Allows an operation for integers alone. \tparam I the type */
    template <typename I>
    using IfInteger = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>, int>;

  public:
    constexpr QbbPs() = default;

    /** \param ps picoseconds */
    explicit constexpr QbbPs(int64_t ps)
        : m_ps(ps)
    {
    }

    /** Numbers of floating point are rounded by whoever has them. */
    template <typename F, std::enable_if_t<std::is_floating_point_v<F>, int> = 0>
    explicit QbbPs(F ps) = delete;

    /** \return the picoseconds as a number */
    constexpr int64_t Get() const
    {
        return m_ps;
    }

    /** \return the picoseconds as a number, for formulas */
    explicit constexpr operator double() const
    {
        return static_cast<double>(m_ps);
    }

    /** \param other is added \return this */
    constexpr QbbPs& operator+=(QbbPs other)
    {
        m_ps += other.m_ps;
        return *this;
    }

    /** \param other is subtracted \return this */
    constexpr QbbPs& operator-=(QbbPs other)
    {
        m_ps -= other.m_ps;
        return *this;
    }

    /** \param factor an integer \return this, so many times as long */
    template <typename I, IfInteger<I> = 0>
    constexpr QbbPs& operator*=(I factor)
    {
        m_ps *= static_cast<int64_t>(factor);
        return *this;
    }

    /** \param divisor an integer, not 0 \return this, a part of it, rounded towards 0 */
    template <typename I, IfInteger<I> = 0>
    constexpr QbbPs& operator/=(I divisor)
    {
        m_ps /= static_cast<int64_t>(divisor);
        return *this;
    }

    /** \return the opposite */
    constexpr QbbPs operator-() const
    {
        return QbbPs(-m_ps);
    }

    /** \return the sum \param a a time \param b a time */
    friend constexpr QbbPs operator+(QbbPs a, QbbPs b)
    {
        return QbbPs(a.m_ps + b.m_ps);
    }

    /** \return the difference \param a a time \param b a time */
    friend constexpr QbbPs operator-(QbbPs a, QbbPs b)
    {
        return QbbPs(a.m_ps - b.m_ps);
    }

    /** \return the multiple \param a a time \param factor an integer */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbPs operator*(QbbPs a, I factor)
    {
        return a *= factor;
    }

    /** \return the multiple \param factor an integer \param a a time */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbPs operator*(I factor, QbbPs a)
    {
        return a *= factor;
    }

    /** \return the part, rounded towards 0 \param a a time \param divisor an integer, not 0 */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbPs operator/(QbbPs a, I divisor)
    {
        return a /= divisor;
    }

    /** \return how often \p b goes into \p a \param a a time \param b a time, not 0 */
    friend constexpr int64_t operator/(QbbPs a, QbbPs b)
    {
        return a.m_ps / b.m_ps;
    }

    /** \return what the division leaves \param a a time \param b a time, not 0 */
    friend constexpr QbbPs operator%(QbbPs a, QbbPs b)
    {
        return QbbPs(a.m_ps % b.m_ps);
    }

    /** \return true if they are equal \param a a time \param b a time */
    friend constexpr bool operator==(QbbPs a, QbbPs b)
    {
        return a.m_ps == b.m_ps;
    }

    /** \return true if they differ \param a a time \param b a time */
    friend constexpr bool operator!=(QbbPs a, QbbPs b)
    {
        return a.m_ps != b.m_ps;
    }

    /** \return true if \p a is earlier, or shorter \param a a time \param b a time */
    friend constexpr bool operator<(QbbPs a, QbbPs b)
    {
        return a.m_ps < b.m_ps;
    }

    /** \return true if \p a is not later, or longer \param a a time \param b a time */
    friend constexpr bool operator<=(QbbPs a, QbbPs b)
    {
        return a.m_ps <= b.m_ps;
    }

    /** \return true if \p a is later, or longer \param a a time \param b a time */
    friend constexpr bool operator>(QbbPs a, QbbPs b)
    {
        return a.m_ps > b.m_ps;
    }

    /** \return true if \p a is not earlier, or shorter \param a a time \param b a time */
    friend constexpr bool operator>=(QbbPs a, QbbPs b)
    {
        return a.m_ps >= b.m_ps;
    }

    /**
     * Writes the number alone, as columns of tables have it; a message adds the unit.
     *
     * \param os the stream
     * \param ps the time
     * \return the stream
     */
    friend std::ostream& operator<<(std::ostream& os, QbbPs ps)
    {
        return os << ps.m_ps;
    }

  private:
    int64_t m_ps{0}; //!< picoseconds
};

static_assert(sizeof(QbbPs) == sizeof(int64_t) && std::is_trivially_copyable_v<QbbPs>,
              "a time costs what a number costs");

/**
 * \ingroup rdma
 * No instant: later than all of them.
 */
inline constexpr QbbPs QBB_NEVER{std::numeric_limits<int64_t>::max()};

/**
 * \ingroup rdma
 * Units as suffixes of numbers. The namespace is inline: who uses ns3 has them.
 */
inline namespace QbbUnits
{

/** \return picoseconds \param count how many */
constexpr QbbPs operator""_ps(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count));
}

/** \return nanoseconds \param count how many */
constexpr QbbPs operator""_ns(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000);
}

/** \return microseconds \param count how many */
constexpr QbbPs operator""_us(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000'000);
}

/** \return milliseconds \param count how many */
constexpr QbbPs operator""_ms(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000'000'000);
}

/** \return seconds \param count how many */
constexpr QbbPs operator""_s(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000'000'000'000);
}

} // namespace QbbUnits

} // namespace ns3

#endif /* QBB_PS_H */
