/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_CAPTURE_H
#define QBB_CAPTURE_H

#include "qbb-net-device.h"

#include <ns3/pcap-file-wrapper.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Writes the frames of a port to a capture file, straight from the fields of the frames. No packet
 * of ns-3 is made, so ports of any thread may be captured.
 */
class QbbCapture
{
  public:
    /**
     * Begins to capture. The port keeps the file open.
     *
     * \param port port to capture
     * \param file file with a header
     * \param isPromiscuous true: all frames; false: without received frames for other addresses
     */
    static void Begin(QbbNetDevice& port, Ptr<PcapFileWrapper> file, bool isPromiscuous);

  private:
    explicit QbbCapture(Ptr<PcapFileWrapper> file);

    void Write(const QbbFrame& frame);

    Ptr<PcapFileWrapper> m_file;  //!< the file
    std::vector<uint8_t> m_bytes; //!< bytes of a frame
};

} // namespace ns3

#endif /* QBB_CAPTURE_H */
