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
 * Writes a frame on one line: size in bytes from MAC address to FCS, addresses, and the header
 * fields of its frame type.
 *
 * \param os output stream
 * \param frame the frame
 */
void QbbWriteFrame(std::ostream& os, const QbbFrameFields& frame);

/**
 * \ingroup rdma
 * Writes the frames of a port to an ascii trace in the format that QbbHelper describes.
 *
 * The trace sources of the port keep the object alive.
 */
class QbbAsciiTrace : public SimpleRefCount<QbbAsciiTrace>
{
  public:
    /**
     * \param port port to trace
     * \param stream output stream
     * \param context path that precedes the names of trace sources, with a slash at the end; if
     *        empty, lines contain neither context nor name
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

    Ptr<OutputStreamWrapper> m_stream; //!< output stream
    std::string m_context;             //!< path of the port, or empty
    QbbFramePool m_pool;               //!< memory for the parsed frames
};

} // namespace ns3

#endif /* QBB_ASCII_TRACE_H */
