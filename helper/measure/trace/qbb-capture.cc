/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-capture.h"

#include "qbb-frame-codec.h"
#include "qbb-time.h"

#include <memory>

namespace ns3
{

QbbCapture::QbbCapture(Ptr<PcapFileWrapper> file)
    : m_file(file)
{
}

void
QbbCapture::Begin(QbbNetDevice& port, Ptr<PcapFileWrapper> file, bool isPromiscuous)
{
    const std::shared_ptr<QbbCapture> capture(new QbbCapture(file));
    port.AddFrameWatcher(isPromiscuous,
                         [capture](const QbbFrame& frame) { capture->Write(frame); });
}

void
QbbCapture::Write(const QbbFrame& frame)
{
    m_bytes.resize(QbbFrameCodec::SerializedSize(frame));
    QbbFrameCodec::Serialize(frame, m_bytes.data());
    m_file->Write(TimeStep(QbbEventNow().GetFs()),
                  m_bytes.data(),
                  static_cast<uint32_t>(m_bytes.size()));
}

} // namespace ns3
