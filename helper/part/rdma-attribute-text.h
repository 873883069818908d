/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ATTRIBUTE_TEXT_H
#define RDMA_ATTRIBUTE_TEXT_H

#include <ns3/attribute.h>
#include <ns3/type-id.h>

#include <string>

/**
 * \file
 * \ingroup rdma
 * Values of attributes as text, read more strictly than ns-3 reads them.
 *
 * ns-3 takes "7 apples" for 7, "-1" for the largest number without a sign, and, in optimized
 * builds, an unknown name of an enumeration for one of its values. Here each of these is an error.
 */

namespace ns3
{

/**
 * \ingroup rdma
 * Reads the value of an attribute.
 *
 * - Numbers are decimal, without a unit: "1000", "0.5", "1e-3".
 * - Times have a unit from "ps" to "s", rates one from "bps" to "Tbps" (rdma-units.h).
 * - Booleans are true, false, 1 or 0; enumerations take the names that the attribute has.
 * - Types are names of registered classes; text is taken as it is.
 *
 * Other values are read by ns-3. Objects are not values here: see RdmaPart.
 *
 * \param attribute an attribute, as TypeId::LookupAttributeByName() tells of it
 * \param text the value
 * \return the value, which the attribute's checker accepts
 * \throws std::invalid_argument with the text and what is accepted
 */
Ptr<AttributeValue> ReadRdmaAttribute(const TypeId::AttributeInformation& attribute,
                                      const std::string& text);

/**
 * \ingroup rdma
 * \param attribute an attribute
 * \param value a value of that attribute
 * \return the value as text, which ReadRdmaAttribute() takes for the same value
 */
std::string FormatRdmaAttribute(const TypeId::AttributeInformation& attribute,
                                const AttributeValue& value);

/**
 * \ingroup rdma
 * \param type a class
 * \param name one of its attributes, or of its base classes'
 * \return true if the user gave a default value, as --ns3::Class::Attribute= and
 *         Config::SetDefault() do, other than the class's own
 */
bool IsRdmaDefaultGiven(TypeId type, const std::string& name);

/**
 * \ingroup rdma
 * \param attribute an attribute
 * \return what it accepts, for messages: "1 to 255", "Paper, Nic", "a time, 1ps to 4s"
 */
std::string DescribeRdmaAttribute(const TypeId::AttributeInformation& attribute);

} // namespace ns3

#endif /* RDMA_ATTRIBUTE_TEXT_H */
