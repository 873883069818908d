/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_ASCII_TRACE_H
#define QBB_ASCII_TRACE_H

#include "qbb-frame.h"
#include "qbb-net-device.h"

#include <ns3/output-stream-wrapper.h>
#include <ns3/packet.h>
#include <ns3/ptr.h>
#include <ns3/simple-ref-count.h>

#include <ostream>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes a frame on one line: bytes from MAC address to FCS, addresses, and what its type has.
 *
 * \param os where to
 * \param frame the frame
 */
void QbbWriteFrame(std::ostream& os, const QbbFrameFields& frame);

/**
 * \ingroup rdma
 * Writes a port's frames into an ascii trace; QbbHelper describes the lines.
 *
 * The port's trace sources keep it alive.
 */
class QbbAsciiTrace : public SimpleRefCount<QbbAsciiTrace>
{
  public:
    /**
     * \param port whose frames
     * \param stream where to
     * \param context what the names of trace sources are written after, with a slash at the end;
     *        empty to leave out context and name
     */
    static void Connect(Ptr<QbbNetDevice> port,
                        Ptr<OutputStreamWrapper> stream,
                        const std::string& context);

  private:
    void Enqueue(Ptr<const Packet> packet);
    void Dequeue(Ptr<const Packet> packet);
    void Receive(Ptr<const Packet> packet);
    void Drop(Ptr<const Packet> packet, QbbDropReason reason);
    std::ostream& Write(char event, const char* source, const Packet& packet);

    Ptr<OutputStreamWrapper> m_stream; //!< where to
    std::string m_context;             //!< path of the port, or empty
    QbbFramePool m_pool;               //!< for frames that are parsed to be written
};

} // namespace ns3

#endif /* QBB_ASCII_TRACE_H */
