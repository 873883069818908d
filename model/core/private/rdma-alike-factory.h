/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ALIKE_FACTORY_H
#define RDMA_ALIKE_FACTORY_H

#include <ns3/attribute.h>
#include <ns3/object-factory.h>
#include <ns3/pointer.h>
#include <ns3/ptr.h>
#include <ns3/type-id.h>

#include <utility>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Creates many objects with the attributes that an ObjectFactory gives them. ns-3 looks each
 * attribute up by name for each object, which takes most of the time of a port. This factory lets
 * ns-3 create one object, the pattern, and sets further objects to its values.
 *
 * If an attribute of the pattern cannot be read, or is an object, ns-3 creates all objects.
 *
 * \tparam T class of the objects, with a member MakeBare()
 */
template <typename T>
class RdmaAlikeFactory
{
  public:
    /** \param factory factory of the objects, whose settings do not change any more */
    explicit RdmaAlikeFactory(const ObjectFactory& factory)
        : m_factory(factory)
    {
    }

    /** \return a new object */
    Ptr<T> Create()
    {
        if (!m_pattern)
        {
            m_pattern = m_factory.Create<T>();
            m_isUsed = ReadPattern();
        }
        auto object = m_isUsed ? m_pattern->MakeBare() : m_factory.Create<T>();
        for (const auto& [accessor, value] : m_values)
        {
            accessor->Set(PeekPointer(object), *value);
        }
        return object;
    }

  private:
    /** \return true if objects can be set to the values of the pattern, which m_values then has */
    bool ReadPattern()
    {
        if (!m_pattern->MakeBare())
        {
            return false;
        }
        std::vector<std::pair<Ptr<const AttributeAccessor>, Ptr<AttributeValue>>> values;
        bool isRoot = false;
        for (TypeId type = m_pattern->GetInstanceTypeId(); !isRoot; type = type.GetParent())
        {
            for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
            {
                const TypeId::AttributeInformation info = type.GetAttribute(i);
                if (!(info.flags & TypeId::ATTR_CONSTRUCT))
                {
                    continue;
                }
                const Ptr<AttributeValue> value = info.checker->Create();
                if (!info.accessor->HasGetter() || !info.accessor->HasSetter() ||
                    !info.accessor->Get(PeekPointer(m_pattern), *value))
                {
                    return false;
                }
                const auto* const pointer = dynamic_cast<const PointerValue*>(PeekPointer(value));
                if (pointer && pointer->GetObject())
                {
                    return false;
                }
                values.emplace_back(info.accessor, value);
            }
            isRoot = !type.HasParent() || type.GetParent() == type;
        }
        m_values = std::move(values);
        return true;
    }

    ObjectFactory m_factory; //!< factory of the objects
    Ptr<T> m_pattern;        //!< first object, which nobody else gets; null: none yet
    bool m_isUsed{false};    //!< objects are set to the values of the pattern
    std::vector<std::pair<Ptr<const AttributeAccessor>, Ptr<AttributeValue>>>
        m_values; //!< values of the pattern, in the order in which ns-3 sets attributes
};

} // namespace ns3

#endif /* RDMA_ALIKE_FACTORY_H */
