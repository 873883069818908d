/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_BUFFER_SETTINGS_H
#define QBB_BUFFER_SETTINGS_H

#include <ns3/attribute-accessor-helper.h>
#include <ns3/object.h>

#include <type_traits>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma
 * Attributes of a QbbBufferManager: accessors that refuse a change while the switch runs.
 */
class QbbBufferSettings : public Object
{
  public:
    /** Locks the attributes, because the memory is not divided again during the simulation. */
    void SetRunning()
    {
        m_running = true;
    }

  protected:
    ~QbbBufferSettings() override = default;

    /** Aborts with a message after SetRunning(). */
    void RefuseWhileRunning() const;

    /**
     * \tparam Value the attribute's value class
     * \tparam First a data member of the policy
     * \tparam Others a member of First if First is a struct
     * \return accessor of an attribute that must not be set while the switch runs
     */
    template <typename Value, auto First, auto... Others>
    static Ptr<const AttributeAccessor> MakeAttribute()
    {
        return MakeAccessorHelper<Value>(&QbbBufferSettings::Set<First, Others...>,
                                         &QbbBufferSettings::Get<First, Others...>);
    }

  private:
    template <typename Class, typename Member>
    static Class* GetClass(Member Class::*member);

    /// Class of a pointer to member.
    template <auto First>
    using ClassOf = std::remove_pointer_t<decltype(GetClass(First))>;

    /// Type of a data member, or of a member of that member.
    template <auto First, auto... Others>
    using TypeOf = std::decay_t<decltype(((std::declval<ClassOf<First>&>().*First).*....*Others))>;

    template <auto First, auto... Others>
    void Set(TypeOf<First, Others...> value)
    {
        RefuseWhileRunning();
        ((static_cast<ClassOf<First>&>(*this).*First).*....*Others) = value;
    }

    template <auto First, auto... Others>
    TypeOf<First, Others...> Get() const
    {
        return ((static_cast<const ClassOf<First>&>(*this).*First).*....*Others);
    }

    bool m_running{false}; //!< SetRunning() was called
};

} // namespace ns3

#endif /* QBB_BUFFER_SETTINGS_H */
