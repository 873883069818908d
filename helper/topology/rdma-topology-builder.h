/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TOPOLOGY_BUILDER_H
#define RDMA_TOPOLOGY_BUILDER_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"
#include "rdma-topology.h"

#include <ns3/object.h>
#include <ns3/uinteger.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \brief Properties of the links of a topology.
 */
struct RdmaTopologyRates
{
    RdmaBitRate hostRate{100_gbps};   //!< links between a host and a switch
    RdmaBitRate uplinkRate{100_gbps}; //!< links between two switches
    RdmaPs delay{1_us};               //!< propagation delay of every link
    double errorRate{0.0};            //!< frame loss probability of every link, [0, 1)
};

/**
 * \ingroup rdma
 * \brief Makes topologies of one form; attributes set the size.
 *
 * A form is a part (RdmaPart): programs accept every registered form as text, as in
 * `--topology=leaf-spine:4x16x4` or `--topology='ns3::OwnTopology[Columns=4]'`.
 * examples/own/rdma-own-topology.cc is an example of a user-defined form.
 *
 * The forms of the module number the hosts first, then the further NICs of hosts, then the switches
 * tier by tier from the hosts up,
 * and add the links of hosts before the links between switches, by means of RdmaTopologyDraft.
 */
class RdmaTopologyBuilder : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    /**
     * \param rates rates, delay and error rate of the links
     * \return the topology, which passes RdmaTopology::Validate()
     * \throws std::invalid_argument for attributes or rates that make no topology
     * \throws RdmaFileError for a file that cannot be read
     */
    virtual RdmaTopology Build(const RdmaTopologyRates& rates) const = 0;

    /** \return true if the topology has its own rates, and Build() ignores its argument */
    virtual bool HasOwnRates() const
    {
        return false;
    }

  protected:
    /** An attribute that is a number. */
    template <typename Form>
    struct Number
    {
        const char* name;                      //!< name of the attribute
        const char* help;                      //!< meaning of the number
        uint32_t value;                        //!< default value
        uint32_t Form::*member;                //!< where the value is stored
        uint32_t min{1};                       //!< smallest value
        uint32_t max{RdmaTopology::MAX_NODES}; //!< largest value
    };

    /**
     * \param name name of a form's class
     * \param numbers attributes of the form
     * \return the TypeId of the form, to which more attributes can be added
     */
    template <typename Form>
    static TypeId MakeFormType(const std::string& name,
                               const std::vector<Number<Form>>& numbers = {})
    {
        TypeId tid = TypeId(name)
                         .SetParent<RdmaTopologyBuilder>()
                         .SetGroupName("Rdma")
                         .AddConstructor<Form>();
        for (const Number<Form>& number : numbers)
        {
            tid.AddAttribute(number.name,
                             number.help,
                             UintegerValue(number.value),
                             MakeUintegerAccessor(number.member),
                             MakeUintegerChecker<uint32_t>(number.min, number.max));
        }
        return tid;
    }
};

/**
 * \ingroup rdma
 * \param text a form with its parameters, a short name ("fat-tree:8") or a class
 *        ("ns3::RdmaFatTree[K=8]"); RdmaPartName::GetAll() lists the short names
 * \return the builder
 * \throws std::invalid_argument for anything else, and for a number out of its range
 */
Ptr<RdmaTopologyBuilder> MakeRdmaTopologyBuilder(const std::string& text);

/**
 * \ingroup rdma
 * \param text a form as MakeRdmaTopologyBuilder() takes it
 * \param rates properties of the links, unless the topology has its own rates
 * \return the topology of the form
 * \throws std::invalid_argument as MakeRdmaTopologyBuilder() and RdmaTopologyBuilder::Build() do
 * \throws RdmaFileError for a file that cannot be read
 */
RdmaTopology MakeRdmaTopology(const std::string& text,
                              const RdmaTopologyRates& rates = RdmaTopologyRates());

} // namespace ns3

#endif /* RDMA_TOPOLOGY_BUILDER_H */
