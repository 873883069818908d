/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_QUANTITY_H
#define RDMA_QUANTITY_H

#include <ostream>
#include <type_traits>

namespace ns3
{

/**
 * \ingroup rdma
 * Base of an integer with a distinct type that can be compared and written, but not computed with.
 * All operators take two objects of the derived class and no plain numbers.
 *
 * \tparam T the derived class
 * \tparam Count type of the integer
 */
template <typename T, typename Count>
class RdmaOrdered
{
  public:
    /** \return true if both are equal \param a left operand \param b right operand */
    friend constexpr bool operator==(T a, T b)
    {
        return a.m_count == b.m_count;
    }

    /** \return true if both differ \param a left operand \param b right operand */
    friend constexpr bool operator!=(T a, T b)
    {
        return a.m_count != b.m_count;
    }

    /** \return true if \p a is smaller \param a left operand \param b right operand */
    friend constexpr bool operator<(T a, T b)
    {
        return a.m_count < b.m_count;
    }

    /** \return true if \p a is not larger \param a left operand \param b right operand */
    friend constexpr bool operator<=(T a, T b)
    {
        return a.m_count <= b.m_count;
    }

    /** \return true if \p a is larger \param a left operand \param b right operand */
    friend constexpr bool operator>(T a, T b)
    {
        return a.m_count > b.m_count;
    }

    /** \return true if \p a is not smaller \param a left operand \param b right operand */
    friend constexpr bool operator>=(T a, T b)
    {
        return a.m_count >= b.m_count;
    }

    /**
     * Writes the integer as a bare number for table columns; messages add the unit.
     *
     * \param os the stream
     * \param value the value
     * \return the stream
     */
    friend std::ostream& operator<<(std::ostream& os, T value)
    {
        return os << value.m_count;
    }

  protected:
    constexpr RdmaOrdered() = default;

    /** \param count the integer */
    explicit constexpr RdmaOrdered(Count count)
        : m_count(count)
    {
    }

    Count m_count{0}; //!< the integer in the unit of the derived class
};

/**
 * \ingroup rdma
 * Base of an integer with a distinct type and a unit. Values of the type can be added, and
 * multiplied by integers; the ratio of two values is an integer. The derived class declares its
 * constructors, because Python's bindings do not see inherited ones.
 *
 * \tparam T the derived class
 * \tparam Count type of the integer
 */
template <typename T, typename Count>
class RdmaQuantity : public RdmaOrdered<T, Count>
{
    /** Enables an operator for integer types only. \tparam I operand type */
    template <typename I>
    using IfInteger = std::enable_if_t<std::is_integral_v<I> && !std::is_same_v<I, bool>, int>;

  public:
    /** \return the integer, in the unit of the derived class */
    constexpr Count Get() const
    {
        return this->m_count;
    }

    /** \return the integer as a floating-point number, for formulas */
    explicit constexpr operator double() const
    {
        return static_cast<double>(Get());
    }

    /** \param other value to add \return *this */
    constexpr T& operator+=(T other)
    {
        this->m_count += other.Get();
        return static_cast<T&>(*this);
    }

    /** \param other value to subtract; at most *this if the type has no sign \return *this */
    constexpr T& operator-=(T other)
    {
        this->m_count -= other.Get();
        return static_cast<T&>(*this);
    }

    /** \param factor integer to multiply by \return *this */
    template <typename I, IfInteger<I> = 0>
    constexpr T& operator*=(I factor)
    {
        this->m_count *= static_cast<Count>(factor);
        return static_cast<T&>(*this);
    }

    /** Divides and rounds towards 0. \param divisor an integer, not 0 \return *this */
    template <typename I, IfInteger<I> = 0>
    constexpr T& operator/=(I divisor)
    {
        this->m_count /= static_cast<Count>(divisor);
        return static_cast<T&>(*this);
    }

    /** \return the sum \param a left operand \param b right operand */
    friend constexpr T operator+(T a, T b)
    {
        return a += b;
    }

    /** \return the difference \param a left operand \param b right operand, as for -= */
    friend constexpr T operator-(T a, T b)
    {
        return a -= b;
    }

    /** \return the product \param a a value \param factor an integer */
    template <typename I, IfInteger<I> = 0>
    friend constexpr T operator*(T a, I factor)
    {
        return a *= factor;
    }

    /** \return the product \param factor an integer \param a a value */
    template <typename I, IfInteger<I> = 0>
    friend constexpr T operator*(I factor, T a)
    {
        return a *= factor;
    }

    /** \return the quotient, rounded towards 0 \param a a value \param divisor an integer, not 0 */
    template <typename I, IfInteger<I> = 0>
    friend constexpr T operator/(T a, I divisor)
    {
        return a /= divisor;
    }

    /** \return the ratio \p a / \p b, rounded towards 0 \param a a value \param b a value, not 0 */
    friend constexpr Count operator/(T a, T b)
    {
        return a.Get() / b.Get();
    }

    /** \return the remainder of the division \param a a value \param b a value, not 0 */
    friend constexpr T operator%(T a, T b)
    {
        return T(a.Get() % b.Get());
    }

  protected:
    constexpr RdmaQuantity() = default;

    /** \param count the integer, in the unit of the derived class */
    explicit constexpr RdmaQuantity(Count count)
        : RdmaOrdered<T, Count>(count)
    {
    }
};

} // namespace ns3

#endif /* RDMA_QUANTITY_H */
