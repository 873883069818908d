/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_PART_NAME_H
#define RDMA_PART_NAME_H

#include <ns3/type-id.h>

#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A short name by which programs select a part: `dcqcn-nic` is ns3::RdmaDcqcn[Preset=Nic].
 *
 * The source file of a part's class defines an RdmaPartName at file scope for each name of the
 * part, next to NS_OBJECT_ENSURE_REGISTERED. No other file of the module lists the name:
 *
 *     const RdmaPartName g_dcqcnNicName("dcqcn-nic",
 *                                       RdmaDcqcn::GetTypeId(),
 *                                       "Preset=Nic",
 *                                       "DCQCN with the parameters of ConnectX NICs");
 *
 * Parameters may follow a name after a colon; each parameter is the value of an attribute. With
 * the parameters {"Leaves", "Spines"} the text `leaf-spine:4x2` means [Leaves=4|Spines=2]. A
 * parameter with a question mark, as in {"Leaves", "Spines?"}, and all parameters after it may be
 * omitted. A parameter with an asterisk, as in {"Path*"}, must be the last; it takes the whole rest
 * of the text, and also brackets and quotes if it is the only parameter. The first parameter must
 * have a value unless it is marked by a question mark or an asterisk. The value of a sole parameter
 * is the whole text up to the brackets, even if the text contains an 'x'.
 */
class RdmaPartName
{
  public:
    /** A short name and the part that it selects. */
    struct Entry
    {
        std::string name;     //!< short name, for instance "dcqcn-nic"
        TypeId type;          //!< class of the part
        std::string settings; //!< attributes and values, as in "A=1|B=2"; may be empty
        std::string help;     //!< one-line description for users
        /// Attributes set by the text after a colon; see RdmaPartName.
        std::vector<std::string> parameters;
    };

    /**
     * \param name short name: lower-case letters, digits and hyphens
     * \param type class of the part
     * \param settings attributes and values, as in "A=1|B=2"; may be empty
     * \param help one-line description for users, without a full stop
     * \param parameters attributes set by the text after a colon, where 'x' separates the values
     */
    RdmaPartName(const std::string& name,
                 TypeId type,
                 const std::string& settings,
                 const std::string& help,
                 const std::vector<std::string>& parameters = {});

    /**
     * Aborts with a message if two parts of a kind have the same name.
     *
     * \param kind base class of the parts to list
     * \return the names of the parts of \p kind, in alphabetical order
     */
    static std::vector<Entry> GetAll(TypeId kind);
};

} // namespace ns3

#endif /* RDMA_PART_NAME_H */
