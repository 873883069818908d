/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ATTRIBUTE_TEXT_H
#define RDMA_ATTRIBUTE_TEXT_H

#include <ns3/attribute.h>
#include <ns3/type-id.h>

#include <functional>
#include <string>

/**
 * \file
 * \ingroup rdma
 * Values of attributes as text, read more strictly than ns-3 reads them.
 *
 * ns-3 takes "7 apples" for 7, "-1" for the largest number without a sign, and, in optimized
 * builds, an unknown name of an enumeration for one of its values. The functions of this file
 * refuse such values.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Reads the value of an attribute.
 *
 * - Numbers are decimal, without a unit: "1000", "0.5", "1e-3". Numbers of bytes, whose attributes
 *   have names that end with Bytes or Size, may have one: "4MB", "64KiB" (ParseRdmaBytes()).
 * - Times have a unit from "ps" to "s", rates one from "bps" to "Tbps" (rdma-units.h).
 * - Booleans are true, false, 1 or 0; enumerations take the names of their values.
 * - Types are names of registered classes; text is taken as it is.
 *
 * Other values are read by ns-3. RdmaPart reads objects; this function does not.
 *
 * \param attribute description of an attribute, from TypeId::LookupAttributeByName()
 * \param text the value
 * \return the value, which the attribute's checker accepts
 * \throws std::invalid_argument naming the text and the accepted values
 */
Ptr<AttributeValue> ReadRdmaAttribute(const TypeId::AttributeInformation& attribute,
                                      const std::string& text);

/**
 * \ingroup rdma
 * \param attribute an attribute
 * \param value a value of that attribute
 * \return the value as text; ReadRdmaAttribute() reads the text back
 */
std::string FormatRdmaAttribute(const TypeId::AttributeInformation& attribute,
                                const AttributeValue& value);

/**
 * \ingroup rdma
 * \param type a class
 * \param name name of an attribute of the class or of a base class
 * \return true if the user replaced the default value of the attribute, with
 *         --ns3::Class::Attribute= or Config::SetDefault()
 */
bool IsRdmaDefaultGiven(TypeId type, const std::string& name);

/**
 * \ingroup rdma
 * Replaces the default value of an attribute, unless the user did (IsRdmaDefaultGiven()).
 *
 * \param type the class that has the attribute, as in "ns3::RoceTransport"
 * \param name name of the attribute
 * \param value new default value
 */
void SetRdmaDefault(const std::string& type, const std::string& name, const AttributeValue& value);

/**
 * \ingroup rdma
 * \param attribute an attribute
 * \return accepted values of the attribute, for messages: "1 to 255", "Paper, Nic", "a time, 1ps to
 * 4s"
 */
std::string DescribeRdmaAttribute(const TypeId::AttributeInformation& attribute);

/**
 * \ingroup rdma
 * Makes a checker for an attribute of type StringValue whose text must have a certain form.
 *
 * \param read reads the text, and throws std::invalid_argument for a text that is not accepted
 * \param accepted the accepted texts, for messages, as in "none, or numbers as in 3x1"
 * \return the checker
 */
Ptr<const AttributeChecker> MakeRdmaTextChecker(std::function<void(const std::string&)> read,
                                                const std::string& accepted);

} // namespace ns3

#endif /* RDMA_ATTRIBUTE_TEXT_H */
