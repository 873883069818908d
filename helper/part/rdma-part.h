/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PART_H
#define RDMA_PART_H

#include "rdma-part-name.h"

#include <ns3/abort.h>
#include <ns3/object.h>
#include <ns3/type-id.h>

#include <memory>
#include <ostream>
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
 *     ns3::RdmaDcqcn[Preset=Nic|G=0.01]   a class with values of its attributes
 *     dcqcn-nic                           a short name (RdmaPartName)
 *     dcqcn-nic[G=0.01]                   a short name with further values
 *     fat-tree:8                          a short name with its parameters
 *
 * If an attribute holds an object, its value is the text of another part: brackets nest. A value
 * may be in single or double quotes. Between quotes, brackets and vertical bars are ordinary
 * characters, and the quote itself is written twice. ReadRdmaAttribute() reads the values.
 *
 * Every registered class is known by its name, whether the module or a user's script defines it.
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
     * \throws std::invalid_argument that names the error and the accepted values. Errors are: an
     *         unknown name (the message suggests the nearest name), a class of another kind, an
     *         abstract class, an unknown attribute, an invalid value, brackets or quotes that do
     *         not match, and text after the closing bracket
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

    /** \param attribute name of an attribute \return true if the class has this attribute */
    bool HasAttribute(const std::string& attribute) const;

    /** \param attribute name of an attribute \return true if the text sets this attribute */
    bool Has(const std::string& attribute) const;

    /**
     * Sets an attribute and overrides the value in the text. Throws std::invalid_argument if there
     * is no part, if the class has no such attribute, or if the attribute does not take the value.
     *
     * \param attribute name of the attribute
     * \param value value of the attribute
     */
    void Set(const std::string& attribute, const AttributeValue& value);

    /**
     * As Set(), with the value as text.
     *
     * \param attribute name of the attribute
     * \param text value of the attribute, as in the text of a part
     */
    void SetText(const std::string& attribute, const std::string& text);

    /** \return the part as text with its full class name; Parse() reads the text back */
    std::string ToText() const;

    /** \return a new object, whose object-valued attributes are new as well; null: no part */
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
        std::string attribute;                //!< name of the attribute
        std::string text;                     //!< the value as text
        Ptr<AttributeValue> value;            //!< parsed value; null for an object
        std::shared_ptr<const RdmaPart> part; //!< part of an object-valued attribute
    };

    /** \param text a part \param kind base class of the part \param none word for no part, or "" */
    static RdmaPart ParseOr(const std::string& text, TypeId kind, const std::string& none);
    /** \param text pairs Attribute=value, separated by vertical bars */
    void ReadSettings(const std::string& text);
    /**
     * \param text parameters, which follow the colon
     * \param entry short name, which precedes the colon
     */
    void ReadParameters(const std::string& text, const RdmaPartName::Entry& entry);
    void ReadSetting(const std::string& attribute, const std::string& text);
    /** Forgets the value of an attribute. */
    void Erase(const std::string& attribute);

    TypeId m_type;                   //!< the class
    std::vector<Setting> m_settings; //!< in the order in which they were read
};

/**
 * \ingroup rdma
 * Word for no part, in the text of an RdmaPartOf; empty: there must be a part.
 */
template <typename Kind>
inline constexpr const char* RDMA_NO_PART = "none";

/**
 * \ingroup rdma
 * A part of one kind, as a parameter of a helper. A text converts to the part:
 *
 *     helper.SetCongestionControl("dcqcn[G=0.01]");
 *
 * \tparam Kind base class that the part must have
 */
template <typename Kind>
class RdmaPartOf : public RdmaPart
{
  public:
    /** \param text a part, or RDMA_NO_PART \throws std::invalid_argument as Parse() does */
    RdmaPartOf(const std::string& text)
        : RdmaPart(*RDMA_NO_PART<Kind> ? ParseOptional(text, Kind::GetTypeId(), RDMA_NO_PART<Kind>)
                                       : Parse(text, Kind::GetTypeId()))
    {
    }

    /** \copydoc RdmaPartOf(const std::string&) */
    RdmaPartOf(const char* text)
        : RdmaPartOf(std::string(text))
    {
    }

    /** \param part a part of the kind, or no part. Aborts for a part of another kind. */
    RdmaPartOf(const RdmaPart& part)
        : RdmaPart(part)
    {
        NS_ABORT_MSG_IF(part.IsNone() ? !*RDMA_NO_PART<Kind>
                                      : part.GetType() != Kind::GetTypeId() &&
                                            !part.GetType().IsChildOf(Kind::GetTypeId()),
                        "rdma: " << part.ToText() << " is no " << Kind::GetTypeId().GetName());
    }
};

/**
 * \ingroup rdma
 * Checks a value for an attribute before an object factory of ns-3 takes the value, which ends the
 * program for a wrong one.
 *
 * \param type a class
 * \param attribute name of an attribute of the class
 * \param value value for the attribute
 * \return the value in the attribute's own type
 * \throws std::invalid_argument for an unknown attribute, with the nearest name and all names, and
 *         for a value that is not accepted, with the accepted values
 */
Ptr<AttributeValue> CheckRdmaAttribute(TypeId type,
                                       const std::string& attribute,
                                       const AttributeValue& value);

/**
 * \ingroup rdma
 * \param kind a base class
 * \return the classes of the kind that have a constructor, including user classes, in
 *         alphabetical order
 */
std::vector<TypeId> GetRdmaPartTypes(TypeId kind);

/**
 * \ingroup rdma
 * Prints one line for each part of a kind: short name, class with settings, and description.
 * Classes without a short name follow.
 *
 * \param os output stream
 * \param kind a base class
 */
void PrintRdmaParts(std::ostream& os, TypeId kind);

/**
 * \ingroup rdma
 * \param entry a short name
 * \return the name with its parameters, as in "clos:Tiers[xRadix]"; parameters in brackets are
 *         optional
 */
std::string FormatRdmaPartName(const RdmaPartName::Entry& entry);

/**
 * \ingroup rdma
 * Finds the word that a user probably meant. Parameters after a colon or bracket are ignored.
 *
 * \param text a word written by a user
 * \param words the known words
 * \return the nearest of \p words; empty if no word is near enough
 */
std::string FindNearestRdmaWord(const std::string& text, const std::vector<std::string>& words);

/**
 * \ingroup rdma
 * \param words some words
 * \return the words, separated by commas
 */
std::string JoinRdmaWords(const std::vector<std::string>& words);

/**
 * \ingroup rdma
 * \param text a text
 * \param by separator
 * \return the pieces between the separators that are outside of brackets and quotes
 */
std::vector<std::string> SplitRdmaPart(const std::string& text, char by);

} // namespace ns3

#endif /* RDMA_PART_H */
