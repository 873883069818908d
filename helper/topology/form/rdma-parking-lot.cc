/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-attribute-text.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"
#include "rdma-topology-builders.h"
#include "rdma-topology-draft.h"
#include "rdma-units.h"

#include <ns3/string.h>

namespace ns3
{

namespace
{

/// Accepted values of the attribute Senders.
const char* const PARKING_LOT_SENDERS = "senders on each switch, as in 3x1 (1 or more), or a "
                                        "number of switches with one sender each (2 or more)";

/** \param text attribute Senders \return senders of each switch \throws std::invalid_argument */
std::vector<uint32_t>
ReadParkingLotSenders(const std::string& text)
{
    const auto numbers = ParseRdmaIntegers(text, 1, RdmaTopology::MAX_NODES);
    if (numbers.size() > 1)
    {
        return numbers;
    }
    RefuseRdmaIf(numbers.front() < 2, "one switch");
    return std::vector<uint32_t>(numbers.front(), 1);
}

} // namespace

/** A chain of switches, `parking-lot:4` or `parking-lot:3x1` (MakeRdmaParkingLot()). */
class RdmaParkingLot : public RdmaTopologyBuilder
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeFormType<RdmaParkingLot>("ns3::RdmaParkingLot")
                .AddAttribute("Senders",
                              "Senders on each switch, from the far end of the chain to the "
                              "receiver's, as in "
                              "3x1; one number alone: that many switches with one sender each.",
                              StringValue(""),
                              MakeStringAccessor(&RdmaParkingLot::m_senders),
                              MakeRdmaTextChecker(
                                  [](const std::string& text) {
                                      return text.empty() ? std::vector<uint32_t>()
                                                          : ReadParkingLotSenders(text);
                                  },
                                  PARKING_LOT_SENDERS));
        return tid;
    }

    RdmaTopology Build(const RdmaTopologyRates& rates) const override
    {
        RefuseRdmaIf(m_senders.empty(),
                     std::string("ns3::RdmaParkingLot: Senders ''; accepted: ") +
                         PARKING_LOT_SENDERS);
        return MakeRdmaParkingLot(ReadParkingLotSenders(m_senders), rates);
    }

  private:
    std::string m_senders; //!< attribute Senders
};

NS_OBJECT_ENSURE_REGISTERED(RdmaParkingLot);

const RdmaPartName g_rdmaParkingLotName("parking-lot",
                                        RdmaParkingLot::GetTypeId(),
                                        "",
                                        "a chain of switches with one receiver at its end",
                                        {"Senders*"});

RdmaTopology
MakeRdmaParkingLot(const std::vector<uint32_t>& senders, const RdmaTopologyRates& rates)
{
    RdmaTopologyDraft draft("parking-lot", rates);
    draft.CheckCount("switches", senders.size(), 2, RdmaTopology::MAX_NODES);
    draft.CountNodes(senders.size() + 1);
    for (const uint32_t n : senders)
    {
        draft.CheckCount("senders on a switch", n);
        draft.CountNodes(n);
        draft.CheckPorts(uint64_t{n} + 2);
    }
    std::vector<uint32_t> place; // place of each host in the chain
    for (uint32_t i = 0; i < senders.size(); ++i)
    {
        place.insert(place.end(), senders[i], i);
    }
    place.push_back(static_cast<uint32_t>(senders.size() - 1)); // the receiver
    draft.AddHosts(place.size());
    const uint32_t first = draft.AddSwitches("chain", senders.size());
    for (uint32_t host = 0; host < first; ++host)
    {
        draft.LinkHost(host, first + place[host]);
    }
    for (uint32_t i = 1; i < senders.size(); ++i)
    {
        draft.LinkSwitches(first + i - 1, first + i);
    }
    return draft.Finish();
}

} // namespace ns3
