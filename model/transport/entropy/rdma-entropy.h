/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_ENTROPY_H
#define RDMA_ENTROPY_H

#include "rdma-congestion-control.h"
#include "rdma-ps.h"

#include <ns3/object.h>
#include <ns3/random-variable-stream.h>

#include <cstdint>
#include <memory>

namespace ns3
{

class RdmaNic;

/**
 * \ingroup rdma
 * Chooses the entropy of each packet of one queue pair.
 *
 * An entropy is a number from 0 to RdmaEntropy::GetEntropies() - 1, and stands for a UDP source
 * port. Switches choose among equal-cost ports by a hash of the port. The chooser sees numbers and
 * times, and neither packets nor the simulator.
 */
class RdmaEntropyChooser
{
  public:
    virtual ~RdmaEntropyChooser() = default;

    /**
     * \param now current time
     * \return entropy of the packet that is sent now: the first transmission of a packet, or a
     *         retransmission
     */
    virtual uint16_t Choose(RdmaPs now) = 0;

    /**
     * The peer has received a packet. Called for each ACK and NAK, if the peer repeats source ports
     * (RdmaNic::EchoSourcePort).
     *
     * \param entropy entropy of the packet; GetEntropies() and above: a port that this chooser does
     *        not use
     * \param marked true: the acknowledgement echoes a CE mark
     * \param now current time
     */
    virtual void OnReturn(uint32_t entropy, bool marked, RdmaPs now)
    {
    }

    /** The retransmission timer has expired. \param now current time */
    virtual void OnTimeout(RdmaPs now)
    {
    }
};

/**
 * \ingroup rdma
 * How a NIC spreads the packets of a queue pair over paths: by the UDP source port of each packet,
 * which is the entropy of the switches' ECMP. Without an RdmaEntropy, a queue pair has one port,
 * and all its packets take one path.
 *
 * Entropies concern packets of requests and responses: WRITE, SEND, READ and atomic requests, and
 * READ and atomic responses. The n-th entropy of a queue pair is the port 49152 + (P + n) mod
 * 16384, where P is the port that the queue pair has without entropies. Acknowledgements and NAKs
 * have the port P, or with RdmaNic::EchoSourcePort that of the packet that they acknowledge. CNPs
 * have P.
 *
 * Each NIC has its own object, with its own random numbers. A new kind of entropy is one source
 * file in model/transport/entropy: a subclass of this class, a subclass of RdmaEntropyChooser, and
 * an RdmaPartName. Programs select it by `--entropy=NAME`. The first queue pair that a NIC connects
 * fixes the attributes.
 */
class RdmaEntropy : public Object
{
  public:
    /// Number of UDP source ports that RoCE uses as entropy: 49152 to 65535.
    static constexpr uint32_t MOST_ENTROPIES = 1 << 14;

    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    RdmaEntropy();

    /** \return the chooser of a new queue pair, which may keep a reference to this object */
    virtual std::unique_ptr<RdmaEntropyChooser> MakeChooser() = 0;

    /**
     * \return true if choosers need OnReturn(), and hence peers that repeat ports
     *         (RdmaNic::EchoSourcePort, which RdmaFabricHelper turns on). A run with other NICs is
     *         refused
     */
    virtual bool NeedsPortEcho() const
    {
        return false;
    }

    /**
     * \return the ECN marking that choosers expect of switches. The marking of the congestion
     * control goes first
     */
    virtual RdmaMarking GetMarking() const
    {
        return RdmaMarking::NONE;
    }

    /** \return number of entropies of a queue pair, 1 to MOST_ENTROPIES */
    uint32_t GetEntropies() const
    {
        return m_entropies;
    }

    /** \return true if packets of a queue pair may overtake each other: there are several entropies
     */
    bool MayReorder() const
    {
        return m_entropies > 1;
    }

    /** \return a random entropy */
    uint16_t Draw()
    {
        return static_cast<uint16_t>(m_random->GetInteger(0, m_entropies - 1));
    }

    /**
     * \param stream first random stream to use
     * \return number of random streams used: 1
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * Notes the NIC that uses the object. Aborts with a message if another NIC does.
     *
     * \param nic the NIC
     */
    void Take(const RdmaNic* nic);

    /** Notes that a queue pair has read the attributes. */
    void NoteUse()
    {
        m_used = true;
    }

    /** \return null before NoteUse(), then what a user can do instead of a change */
    const char* GetFixed() const
    {
        return m_used
                   ? "before the NIC connects its first queue pair. Attribute Entropy of RdmaNic "
                     "gives later queue pairs another object"
                   : nullptr;
    }

  private:
    uint32_t m_entropies{MOST_ENTROPIES}; //!< attribute Entropies
    Ptr<UniformRandomVariable> m_random;  //!< random entropies
    const RdmaNic* m_nic{nullptr};        //!< the NIC that uses the object; null: none
    bool m_used{false};                   //!< NoteUse() has been called
};

} // namespace ns3

#endif /* RDMA_ENTROPY_H */
