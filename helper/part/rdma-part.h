/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PART_H
#define RDMA_PART_H

#include "rdma-part-name.h"

#include <ns3/abort.h>
#include <ns3/object.h>
#include <ns3/type-id.h>

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A part of a simulation as text: a class and values of its attributes.
 *
 *     RdmaPart part = RdmaPart::Parse("dcqcn[G=0.01]", RdmaCongestionControl::GetTypeId());
 *     Ptr<RdmaCongestionControl> control = part.Create<RdmaCongestionControl>();
 *
 * The text is one of
 *
 *     ns3::RdmaDcqcn                      a class
 *     ns3::RdmaDcqcn[Preset=Nic|G=0.01]   and values of its attributes
 *     dcqcn-nic                           a short name (RdmaPartName)
 *     dcqcn-nic[G=0.01]                   and more values, or other ones
 *     fat-tree:8                          a short name with its parameters
 *
 * The value of an attribute that holds an object is again such a text, in its brackets. A value may
 * stand in single or double quotes, between which brackets and bars are letters as others are; the
 * quote itself is written twice there. Values are read as ReadRdmaAttribute() reads them.
 *
 * The part of the module and that of a user's own script are the same: a class that is registered
 * is known here.
 */
class RdmaPart
{
  public:
    /** No part. */
    RdmaPart() = default;

    /**
     * \param text a part
     * \param kind base class that the part must have
     * \return the part
     * \throws std::invalid_argument with what is wrong and what is accepted: an unknown name, with
     *         the nearest that there is; a class of another kind, or an abstract one; an unknown
     *         attribute; a value that the attribute does not take; brackets or quotes that do not
     *         match, or text behind them
     */
    static RdmaPart Parse(const std::string& text, TypeId kind);

    /**
     * \param text a part, or the word for no part
     * \param kind base class that the part must have
     * \param none the word for no part
     * \return the part, or no part
     * \throws std::invalid_argument as Parse() does
     */
    static RdmaPart ParseOptional(const std::string& text,
                                  TypeId kind,
                                  const std::string& none = "none");

    /** \return true if this is no part */
    bool IsNone() const
    {
        return m_type == TypeId();
    }

    /** \return the class */
    TypeId GetType() const
    {
        return m_type;
    }

    /** \param attribute its name \return true if the class, or a base class of it, has it */
    bool HasAttribute(const std::string& attribute) const;

    /** \param attribute its name \return true if the text has a value for it */
    bool Has(const std::string& attribute) const;

    /**
     * Sets an attribute, whatever the text says. Aborts with a message if there is no part, if the
     * class has no such attribute, or if the attribute does not take the value.
     *
     * \param attribute its name
     * \param value its value
     */
    void Set(const std::string& attribute, const AttributeValue& value);

    /** \return the text with the name of the class, which Parse() takes for the same part */
    std::string ToText() const;

    /** \return a new object, with new objects in attributes that hold one; null: no part */
    Ptr<Object> CreateObject() const;

    /** \tparam T the kind, or a base class of it \return a new object, as CreateObject() */
    template <typename T>
    Ptr<T> Create() const
    {
        const Ptr<Object> object = CreateObject();
        const Ptr<T> part = DynamicCast<T>(object);
        NS_ABORT_MSG_IF(object && !part,
                        "rdma: " << m_type.GetName() << " is no " << T::GetTypeId().GetName());
        return part;
    }

  private:
    /** An attribute and its value. */
    struct Setting
    {
        std::string attribute;                //!< its name
        std::string text;                     //!< the value as text
        Ptr<AttributeValue> value;            //!< the value; null: it is an object
        std::shared_ptr<const RdmaPart> part; //!< the object, of which each part has one of its own
    };

    /** \param text a part \param kind its base class \param none a word that is accepted too */
    static RdmaPart ParseOr(const std::string& text, TypeId kind, const std::string& none);
    /** \param text pairs Attribute=value, separated by vertical bars */
    void ReadSettings(const std::string& text);
    /**
     * \param text what stood behind the colon
     * \param entry the short name before it
     */
    void ReadParameters(const std::string& text, const RdmaPartName::Entry& entry);
    void ReadSetting(const std::string& attribute, const std::string& text);

    TypeId m_type;                   //!< the class
    std::vector<Setting> m_settings; //!< in the order in which they were read
};

} // namespace ns3

#endif /* RDMA_PART_H */
