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
 * A time in picoseconds: an instant since the start of the simulation, or a duration.
 *
 * A signed 64-bit count with a distinct type, which cannot be mistaken for a number of bytes or
 * packets, for femtoseconds or for a rate. A QbbPs costs no more than an int64_t. ns3::Time costs
 * more: it keeps track of all Time objects created before the simulation runs, and it needs a
 * division to convert femtoseconds to another unit.
 *
 * A floating-point number does not convert to picoseconds: the caller must round it explicitly.
 */
class QbbPs
{
    /** Enables an operator for integer types only. \tparam I operand type */
    template <typename I>
    using IfInteger = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>, int>;

  public:
    constexpr QbbPs() = default;

    /** \param ps number of picoseconds */
    explicit constexpr QbbPs(int64_t ps)
        : m_ps(ps)
    {
    }

    /** Deleted: the caller must round floating-point picoseconds explicitly. */
    template <typename F, std::enable_if_t<std::is_floating_point_v<F>, int> = 0>
    explicit QbbPs(F ps) = delete;

    /** \return the picoseconds as an integer */
    constexpr int64_t Get() const
    {
        return m_ps;
    }

    /** \return the picoseconds as a floating-point number, for formulas */
    explicit constexpr operator double() const
    {
        return static_cast<double>(m_ps);
    }

    /** \param other time to add \return *this */
    constexpr QbbPs& operator+=(QbbPs other)
    {
        m_ps += other.m_ps;
        return *this;
    }

    /** \param other time to subtract \return *this */
    constexpr QbbPs& operator-=(QbbPs other)
    {
        m_ps -= other.m_ps;
        return *this;
    }

    /** \param factor integer to multiply with \return *this */
    template <typename I, IfInteger<I> = 0>
    constexpr QbbPs& operator*=(I factor)
    {
        m_ps *= static_cast<int64_t>(factor);
        return *this;
    }

    /** Divides and rounds towards 0. \param divisor an integer, not 0 \return *this */
    template <typename I, IfInteger<I> = 0>
    constexpr QbbPs& operator/=(I divisor)
    {
        m_ps /= static_cast<int64_t>(divisor);
        return *this;
    }

    /** \return the negated time */
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

    /** \return the product of time and factor \param a a time \param factor an integer */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbPs operator*(QbbPs a, I factor)
    {
        return a *= factor;
    }

    /** \return the product of factor and time \param factor an integer \param a a time */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbPs operator*(I factor, QbbPs a)
    {
        return a *= factor;
    }

    /** \return the quotient, rounded towards 0 \param a a time \param divisor an integer, not 0 */
    template <typename I, IfInteger<I> = 0>
    friend constexpr QbbPs operator/(QbbPs a, I divisor)
    {
        return a /= divisor;
    }

    /** \return the ratio \p a / \p b, rounded towards 0 \param a a time \param b a time, not 0 */
    friend constexpr int64_t operator/(QbbPs a, QbbPs b)
    {
        return a.m_ps / b.m_ps;
    }

    /** \return the remainder of the division \param a a time \param b a time, not 0 */
    friend constexpr QbbPs operator%(QbbPs a, QbbPs b)
    {
        return QbbPs(a.m_ps % b.m_ps);
    }

    /** \return true if both are equal \param a a time \param b a time */
    friend constexpr bool operator==(QbbPs a, QbbPs b)
    {
        return a.m_ps == b.m_ps;
    }

    /** \return true if both differ \param a a time \param b a time */
    friend constexpr bool operator!=(QbbPs a, QbbPs b)
    {
        return a.m_ps != b.m_ps;
    }

    /** \return true if \p a is earlier or shorter \param a a time \param b a time */
    friend constexpr bool operator<(QbbPs a, QbbPs b)
    {
        return a.m_ps < b.m_ps;
    }

    /** \return true if \p a is neither later nor longer \param a a time \param b a time */
    friend constexpr bool operator<=(QbbPs a, QbbPs b)
    {
        return a.m_ps <= b.m_ps;
    }

    /** \return true if \p a is later or longer \param a a time \param b a time */
    friend constexpr bool operator>(QbbPs a, QbbPs b)
    {
        return a.m_ps > b.m_ps;
    }

    /** \return true if \p a is neither earlier nor shorter \param a a time \param b a time */
    friend constexpr bool operator>=(QbbPs a, QbbPs b)
    {
        return a.m_ps >= b.m_ps;
    }

    /**
     * Writes the picoseconds as a bare number for table columns; messages add the unit.
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
 * A value later than every instant, which means "never".
 */
inline constexpr QbbPs QBB_NEVER{std::numeric_limits<int64_t>::max()};

/**
 * \ingroup rdma
 * Literal suffixes for units. The namespace is inline: `using namespace ns3` makes them available.
 */
inline namespace QbbUnits
{

/** \return a time given in picoseconds \param count number of picoseconds */
constexpr QbbPs operator""_ps(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count));
}

/** \return a time given in nanoseconds \param count number of nanoseconds */
constexpr QbbPs operator""_ns(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000);
}

/** \return a time given in microseconds \param count number of microseconds */
constexpr QbbPs operator""_us(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000'000);
}

/** \return a time given in milliseconds \param count number of milliseconds */
constexpr QbbPs operator""_ms(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000'000'000);
}

/** \return a time given in seconds \param count number of seconds */
constexpr QbbPs operator""_s(unsigned long long count)
{
    return QbbPs(static_cast<int64_t>(count) * 1'000'000'000'000);
}

} // namespace QbbUnits

} // namespace ns3

#endif /* QBB_PS_H */
