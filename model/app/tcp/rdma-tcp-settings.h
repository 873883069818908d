/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TCP_SETTINGS_H
#define RDMA_TCP_SETTINGS_H

#include <ns3/node.h>
#include <ns3/nstime.h>
#include <ns3/type-id.h>

#include <cstdint>

namespace ns3
{

class RdmaTcpSocket;

/**
 * \ingroup rdma
 * TCP settings of the connections of an RdmaTcpFlowRunner. The values are attributes of the runner.
 */
class RdmaTcpSettings
{
  public:
    /** Throws std::invalid_argument if the settings contradict each other or name no TCP type. */
    void CheckSettings() const;

    /**
     * Creates a socket with the settings, and with the round-trip time estimator and the loss
     * recovery that the attributes of TcpL4Protocol select. Before the first round-trip time
     * measurement, its timeout is MinRto.
     *
     * \param node a node with an Internet stack
     * \return the socket, not bound
     */
    Ptr<RdmaTcpSocket> MakeSocket(Ptr<Node> node) const;

  protected:
    ~RdmaTcpSettings() = default;

    /** \param tid type of a class derived from the settings \return the type with the attributes */
    static TypeId AddAttributes(TypeId tid);

    /** \return the longest time that an acknowledgement waits for further segments */
    Time GetAckDelay() const
    {
        return m_delAckCount > 1 ? m_delAckTimeout : Time(0);
    }

    Time m_minRto;             //!< attribute MinRto; not 0 when sockets are made
    uint32_t m_segmentSize{0}; //!< attribute SegmentSize
    uint32_t m_bufferSize{0};  //!< attribute BufferSize

  private:
    TypeId m_congestionControl; //!< attribute CongestionControl
    uint32_t m_initialCwnd{0};  //!< attribute InitialCwnd
    uint32_t m_dataRetries{0};  //!< attribute DataRetries
    uint32_t m_delAckCount{0};  //!< attribute DelAckCount
    Time m_delAckTimeout;       //!< attribute DelAckTimeout
    bool m_useEcn{false};       //!< attribute UseEcn
};

} // namespace ns3

#endif /* RDMA_TCP_SETTINGS_H */
