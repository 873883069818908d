/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_FIXED_TYPE_ID_H
#define RDMA_FIXED_TYPE_ID_H

#include <ns3/abort.h>
#include <ns3/attribute.h>
#include <ns3/object-base.h>
#include <ns3/ptr.h>
#include <ns3/type-id.h>

#include <atomic>
#include <string>
#include <utility>

namespace ns3
{

/**
 * \ingroup rdma
 * Base class of objects whose attributes the first queue pair fixes, with the function that
 * RdmaFixedTypeId asks for.
 */
class RdmaFixedByUse
{
  public:
    /** Notes that a queue pair has read the attributes. */
    void NoteUse() const
    {
        if (!m_used.load(std::memory_order_relaxed))
        {
            m_used.store(true, std::memory_order_relaxed);
        }
    }

    /** \return null before the first NoteUse(), then what a user can do instead of a change */
    const char* GetFixed() const
    {
        return m_used.load(std::memory_order_relaxed)
                   ? "before the first queue pair uses the object. Attributes Transport and "
                     "CongestionControl of RdmaNic give later queue pairs another object"
                   : nullptr;
    }

    /**
     * Changes attributes although queue pairs may have read them. For callers that pass the new
     * values on to these queue pairs.
     *
     * \tparam F a function without arguments
     * \param change sets the attributes
     */
    template <typename F>
    void ChangeForAll(F change)
    {
        const bool used = m_used.exchange(false);
        change();
        m_used.store(used);
    }

  protected:
    ~RdmaFixedByUse() = default;

  private:
    mutable std::atomic<bool> m_used{false}; //!< NoteUse() has been called
};

/**
 * \ingroup rdma
 * Makes the TypeId of a class whose attributes are read once: a queue pair reads the attributes of
 * its congestion control when it is connected. A later value would have no effect, so it ends the
 * program with a message. The value that the attribute has already is accepted.
 *
 *     static TypeId tid = RdmaFixedTypeId<RdmaCongestionControl>("ns3::RdmaTimely")
 *                             .SetParent<RdmaCongestionControl>()
 *                             .AddConstructor<RdmaTimely>()
 *                             .AddAttribute(...);
 *
 * The functions are those of TypeId.
 *
 * \tparam T the class or its base class, with a function `const char* GetFixed() const`. It returns
 *         null while the attributes may change, else what a user can do instead
 */
template <typename T>
class RdmaFixedTypeId
{
  public:
    /** \param name name of the class with its namespace */
    explicit RdmaFixedTypeId(const std::string& name)
        : m_tid(name)
    {
    }

    /** \tparam Parent parent class \return this object */
    template <typename Parent>
    RdmaFixedTypeId& SetParent()
    {
        m_tid = m_tid.SetParent<Parent>();
        return *this;
    }

    /** \param group name of the group \return this object */
    RdmaFixedTypeId& SetGroupName(const std::string& group)
    {
        m_tid = m_tid.SetGroupName(group);
        return *this;
    }

    /** \tparam C the class, which has a default constructor \return this object */
    template <typename C>
    RdmaFixedTypeId& AddConstructor()
    {
        m_tid = m_tid.AddConstructor<C>();
        return *this;
    }

    /**
     * Adds an attribute that is read once.
     *
     * \param name name of the attribute
     * \param help its description
     * \param initialValue its default
     * \param accessor sets and gets the value
     * \param checker checks values
     * \return this object
     */
    RdmaFixedTypeId& AddAttribute(const std::string& name,
                                  const std::string& help,
                                  const AttributeValue& initialValue,
                                  Ptr<const AttributeAccessor> accessor,
                                  Ptr<const AttributeChecker> checker)
    {
        auto once = Create<Accessor>(m_tid.GetName() + "::" + name, accessor, checker);
        m_tid = m_tid.AddAttribute(name, help, initialValue, once, checker);
        return *this;
    }

    /**
     * Adds an attribute that may change at any time.
     *
     * \param name name of the attribute
     * \param help its description
     * \param initialValue its default
     * \param accessor sets and gets the value
     * \param checker checks values
     * \return this object
     */
    RdmaFixedTypeId& AddLiveAttribute(const std::string& name,
                                      const std::string& help,
                                      const AttributeValue& initialValue,
                                      Ptr<const AttributeAccessor> accessor,
                                      Ptr<const AttributeChecker> checker)
    {
        m_tid = m_tid.AddAttribute(name, help, initialValue, accessor, checker);
        return *this;
    }

    /**
     * \param name name of the trace source
     * \param help its description
     * \param accessor connects sinks
     * \param callback name of the type of its sinks
     * \return this object
     */
    RdmaFixedTypeId& AddTraceSource(const std::string& name,
                                    const std::string& help,
                                    Ptr<const TraceSourceAccessor> accessor,
                                    const std::string& callback)
    {
        m_tid = m_tid.AddTraceSource(name, help, accessor, callback);
        return *this;
    }

    /** \return the TypeId */
    operator TypeId() const
    {
        return m_tid;
    }

  private:
    /** Refuses other values than the present one once the attributes are fixed. */
    class Accessor : public AttributeAccessor
    {
      public:
        /**
         * \param name name of the class and of the attribute
         * \param inner sets and gets the value
         * \param checker checker of the attribute
         */
        Accessor(std::string name,
                 Ptr<const AttributeAccessor> inner,
                 Ptr<const AttributeChecker> checker)
            : m_name(std::move(name)),
              m_inner(inner),
              m_checker(checker)
        {
        }

        bool Set(ObjectBase* object, const AttributeValue& value) const override
        {
            const auto owner = dynamic_cast<const T*>(object);
            if (const char* instead = owner ? owner->GetFixed() : nullptr)
            {
                const auto present = m_checker->Create();
                m_inner->Get(object, *present);
                const std::string before = present->SerializeToString(m_checker);
                const std::string after = value.SerializeToString(m_checker);
                NS_ABORT_MSG_IF(before != after,
                                "rdma: " << m_name << " is changed from " << before << " to "
                                         << after
                                         << " too late to have an effect; accepted: " << instead);
                return true;
            }
            return m_inner->Set(object, value);
        }

        bool Get(const ObjectBase* object, AttributeValue& value) const override
        {
            return m_inner->Get(object, value);
        }

        bool HasGetter() const override
        {
            return m_inner->HasGetter();
        }

        bool HasSetter() const override
        {
            return m_inner->HasSetter();
        }

      private:
        std::string m_name;                    //!< name of the class and of the attribute
        Ptr<const AttributeAccessor> m_inner;  //!< sets and gets the value
        Ptr<const AttributeChecker> m_checker; //!< checker of the attribute
    };

    TypeId m_tid; //!< the TypeId
};

} // namespace ns3

#endif /* RDMA_FIXED_TYPE_ID_H */
