/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_HOST_H
#define RDMA_HOST_H

#include "rdma-nic.h"
#include "rdma-note-box.h"
#include "rdma-note-bus.h"
#include "rdma-ps.h"

#include <ns3/nstime.h>
#include <ns3/object.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Software of a host that is told of ports that go down or up (RdmaHost::AddPortListener()).
 */
class RdmaPortListener
{
  public:
    virtual ~RdmaPortListener() = default;

    /**
     * A port has been down or up for RdmaNic::FailoverDelay. The call comes from an event of the
     * NIC's node.
     *
     * \param nic number of the NIC in its host
     * \param port number of the port at the NIC
     * \param up true if the port is up
     */
    virtual void PortChanged(uint32_t nic, uint32_t port, bool up) = 0;
};

/**
 * \ingroup rdma
 * A host: a named set of NICs, each of which is a node of the simulation.
 *
 * The NICs may run on different threads, so software of the host that uses several NICs runs as
 * events of each of them. Such events tell each other what happened by notes, which take the time
 * BusDelay from one NIC to another: the way over PCIe through the memory of the host. A note to the
 * own NIC takes no time. Data that a NIC receives is in the host's memory at once.
 *
 * A host with one NIC needs no such object.
 */
class RdmaHost : public Object
{
  public:
    /** \return the object TypeId */
    static TypeId GetTypeId();

    RdmaHost();
    ~RdmaHost() override;

    /** \param name name of the host, for messages */
    void SetName(const std::string& name)
    {
        m_name = name;
    }

    /** \return name of the host */
    const std::string& GetName() const
    {
        return m_name;
    }

    /**
     * Adds a NIC, before the first note is sent. Aborts with a message if the NIC has a host.
     *
     * \param nic NIC of a node
     */
    void AddNic(Ptr<RdmaNic> nic);

    /** \return number of NICs */
    uint32_t GetNNics() const
    {
        return static_cast<uint32_t>(m_nics.size());
    }

    /** \param nic number of a NIC, from 0 \return the NIC */
    RdmaNic& GetNic(uint32_t nic) const
    {
        return *m_nics[nic];
    }

    /** \return time that a note takes from one NIC to another */
    RdmaPs GetBusDelay() const
    {
        return m_busDelay;
    }

    /** The host's software will add port listeners. To be called before the run. */
    void WatchPorts();

    /**
     * The host's software will send notes between NICs, and add port listeners. To be called before
     * the run.
     */
    void UseBus();

    /**
     * Sends a note, in an event of the sending NIC's node.
     *
     * \param from number of the sending NIC
     * \param to number of the receiving NIC
     * \param note the note, which is read BusDelay later, or before the function returns if both
     *        NICs are the same
     */
    void Send(uint32_t from, uint32_t to, const RdmaNote& note);

    /**
     * Adds a listener, in an event of the NIC's node.
     *
     * \param nic number of a NIC
     * \param listener is called until RemovePortListener()
     */
    void AddPortListener(uint32_t nic, RdmaPortListener* listener);

    /**
     * Removes a listener, in an event of the NIC's node.
     *
     * \param nic number of a NIC
     * \param listener a listener of AddPortListener(); another one is ignored
     */
    void RemovePortListener(uint32_t nic, RdmaPortListener* listener);

  protected:
    void DoDispose() override;

  private:
    void SetBusDelay(Time delay);
    Time GetBusDelayTime() const;

    std::string m_name;                 //!< name of the host
    RdmaPs m_busDelay{0};               //!< attribute BusDelay
    std::vector<Ptr<RdmaNic>> m_nics;   //!< NICs by number
    std::unique_ptr<RdmaNoteBus> m_bus; //!< carries notes among the NICs; null before UseBus()
    std::vector<std::vector<RdmaPortListener*>> m_listeners; //!< listeners of each NIC
};

} // namespace ns3

#endif /* RDMA_HOST_H */
