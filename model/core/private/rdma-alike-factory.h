/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ALIKE_FACTORY_H
#define RDMA_ALIKE_FACTORY_H

#include <ns3/attribute.h>
#include <ns3/double.h>
#include <ns3/nstime.h>
#include <ns3/object-factory.h>
#include <ns3/pointer.h>
#include <ns3/ptr.h>
#include <ns3/type-id.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Creates many objects with the attributes that an ObjectFactory gives them. ns-3 looks each
 * attribute up by name for each object, which takes most of the time of a port. This factory lets
 * ns-3 create one object, the pattern, and sets further objects to its values.
 *
 * Values that a new object has already are not set. If an attribute of the pattern cannot be read,
 * or is an object, ns-3 creates all objects.
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
        return m_isUsed ? MakeAlike() : m_factory.Create<T>();
    }

  private:
    /// A value of an attribute
    struct Value
    {
        TypeId::AttributeInformation attribute; //!< the attribute
        Ptr<AttributeValue> value;              //!< its value
    };

    /** \return a new object with the values */
    Ptr<T> MakeAlike() const
    {
        Ptr<T> object = m_pattern->MakeBare();
        for (const Value& value : m_values)
        {
            value.attribute.accessor->Set(PeekPointer(object), *value.value);
        }
        return object;
    }

    /** \return true if objects can be set to the values of the pattern, which m_values then has */
    bool ReadPattern()
    {
        const Ptr<T> bare = m_pattern->MakeBare();
        if (!bare)
        {
            return false;
        }
        std::vector<Value> all;
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
                all.push_back({info, value});
            }
            isRoot = !type.HasParent() || type.GetParent() == type;
        }
        for (const Value& value : all)
        {
            if (!HasValue(*bare, value))
            {
                m_values.push_back(value);
            }
        }
        // The setter of one attribute may change another one.
        const Ptr<T> trial = MakeAlike();
        const bool isAlike = std::all_of(all.begin(), all.end(), [&](const Value& value) {
            return !HasValue(*bare, value) || HasValue(*trial, value);
        });
        m_values = isAlike ? m_values : all;
        return true;
    }

    /** \return true if an attribute of an object is certain to have a value */
    static bool HasValue(const T& object, const Value& wanted)
    {
        const auto& [attribute, value] = wanted;
        const Ptr<AttributeValue> present = attribute.checker->Create();
        if (!attribute.accessor->Get(&object, *present))
        {
            return false;
        }
        if (const auto* const time = dynamic_cast<const TimeValue*>(PeekPointer(value)))
        {
            return dynamic_cast<const TimeValue&>(*present).Get() == time->Get();
        }
        if (const auto* const real = dynamic_cast<const DoubleValue*>(PeekPointer(value)))
        {
            return dynamic_cast<const DoubleValue&>(*present).Get() == real->Get();
        }
        // The text of other values may be rounded.
        const std::string name = attribute.checker->GetValueTypeName();
        const std::string type =
            name.substr(name.rfind(':') + 1); // ns-3 leaves "ns3::" out at times
        const bool isExact = type == "BooleanValue" || type == "DataRateValue" ||
                             type == "EnumValue" || type == "Mac48AddressValue" ||
                             type == "PointerValue" || type == "StringValue" ||
                             type == "UintegerValue";
        return isExact && present->SerializeToString(attribute.checker) ==
                              value->SerializeToString(attribute.checker);
    }

    ObjectFactory m_factory; //!< factory of the objects
    Ptr<T> m_pattern;        //!< first object, which nobody else gets; null: none yet
    bool m_isUsed{false};    //!< objects are set to the values of the pattern
    /// Values of the pattern that a new object lacks, in the order in which ns-3 sets attributes
    std::vector<Value> m_values;
};

} // namespace ns3

#endif /* RDMA_ALIKE_FACTORY_H */
