/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-flow-runner.h"
#include "rdma-instrument.h"
#include "rdma-output-file.h"
#include "rdma-part-name.h"
#include "rdma-refuse.h"

#include <ns3/string.h>

#include <map>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes a CSV file with a row for each queue pair of each flow: `queue-pairs:FILE`. A flow has
 * several queue pairs if its hosts have several NICs or ports, or if RdmaConnectionPlan asks for
 * several.
 *
 * column | unit | meaning
 * ------ | ---- | -------
 * id | | id of the flow
 * queue_pair | | number of the queue pair in the flow, from 0
 * src_nic, src_port | | NIC in the sending host, port at the NIC
 * dst_nic, dst_port | | NIC in the receiving host, port at the NIC
 * chunks | | chunks acknowledged; empty for a flow with one queue pair, which has none
 * bytes | bytes | bytes of these chunks; for a flow with one queue pair those of the flow, once all
 * are acknowledged, else 0
 * packets_sent, packets_retransmitted, timeouts | | counters of the sending queue pair
 * out_of_order | | packets that the receiving queue pair got before an earlier one
 * status | | ok, down (the port of the sender is down), or the error of the queue pair or, with one
 * queue pair, of the flow
 */
class RdmaQueuePairTable : public RdmaInstrument
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    void Begin(Ptr<RdmaFabric> fabric, Ptr<RdmaFlowRunnerBase> runner) override;
    void Finish() override;

  private:
    void WriteRow(uint64_t index,
                  uint32_t number,
                  const RdmaLanePorts& ports,
                  const RdmaLaneResult& lane,
                  bool hasChunks,
                  const std::string& status);

    std::string m_path;           //!< attribute File
    RdmaOutputFile m_file;        //!< the file
    Ptr<RdmaFlowRunner> m_runner; //!< runner of the flows
};

NS_OBJECT_ENSURE_REGISTERED(RdmaQueuePairTable);

/// Name under which programs take the class.
const RdmaPartName g_queuePairsName("queue-pairs",
                                    RdmaQueuePairTable::GetTypeId(),
                                    "",
                                    "CSV file with a row for each queue pair of each flow",
                                    {"File"});

TypeId
RdmaQueuePairTable::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaQueuePairTable")
                            .SetParent<RdmaInstrument>()
                            .SetGroupName("Rdma")
                            .AddConstructor<RdmaQueuePairTable>()
                            .AddAttribute("File",
                                          "Name of the CSV file.",
                                          StringValue("queue-pairs.csv"),
                                          MakeStringAccessor(&RdmaQueuePairTable::m_path),
                                          MakeStringChecker());
    return tid;
}

void
RdmaQueuePairTable::Begin(Ptr<RdmaFabric>, Ptr<RdmaFlowRunnerBase> runner)
{
    m_runner = DynamicCast<RdmaFlowRunner>(runner);
    RefuseRdmaIf(!m_runner, "flows without queue pairs; accepted: transports of RDMA");
    m_file.OpenForRun(m_path);
}

void
RdmaQueuePairTable::Finish()
{
    m_file.GetStream() << "id,queue_pair,src_nic,src_port,dst_nic,dst_port,chunks,bytes,"
                          "packets_sent,packets_retransmitted,timeouts,out_of_order,status\n";
    std::map<uint64_t, std::string> statuses; // by flow id
    for (const RdmaFlowResult& result : m_runner->GetResults())
    {
        statuses[result.flow.id] = result.status;
    }
    for (uint64_t i = 0; i < m_runner->GetNFlows(); ++i)
    {
        if (const RdmaHostConnection* connection = m_runner->GetConnection(i))
        {
            for (uint32_t number = 0; number < connection->GetNLanes(); ++number)
            {
                const RdmaLane& lane = connection->GetLane(number);
                const RdmaLaneResult result = connection->GetResult(number);
                WriteRow(i,
                         number,
                         {lane.source.nic,
                          lane.source.port,
                          lane.destination.nic,
                          lane.destination.port},
                         result,
                         true,
                         result.error    ? GetRdmaWcStatusName(*result.error)
                         : result.isDown ? "down"
                                         : "ok");
            }
            continue;
        }
        RdmaLaneResult result;
        std::string status = "ok";
        if (const auto sender = m_runner->GetSender(i))
        {
            result.source = sender->GetStats();
            const bool hasPosted = result.source.packetsSent > 0;
            result.bytes =
                hasPosted && sender->GetOutstandingSends() == 0 ? m_runner->GetFlow(i).bytes : 0;
            if (sender->GetState() == RdmaQpState::ERR)
            {
                result.bytes = 0;
                status = statuses[m_runner->GetFlow(i).id];
            }
        }
        if (const auto receiver = m_runner->GetReceiver(i))
        {
            result.destination = receiver->GetStats();
        }
        WriteRow(i, 0, m_runner->GetPortPair(i), result, false, status);
    }
    m_file.Close(IsCut());
}

void
RdmaQueuePairTable::WriteRow(uint64_t index,
                             uint32_t number,
                             const RdmaLanePorts& ports,
                             const RdmaLaneResult& lane,
                             bool hasChunks,
                             const std::string& status)
{
    std::ostream& os = m_file.GetStream();
    os << m_runner->GetFlow(index).id << "," << number << "," << ports.sourceNic << ","
       << ports.sourcePort << "," << ports.destinationNic << "," << ports.destinationPort << ",";
    if (hasChunks)
    {
        os << lane.chunks;
    }
    os << "," << lane.bytes << "," << lane.source.packetsSent << ","
       << lane.source.packetsRetransmitted << "," << lane.source.timeouts << ","
       << lane.destination.outOfOrder << "," << status << "\n";
}

} // namespace ns3
