/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-conweave.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint8_t REROUTED_FLAG = 0x80; //!< flag of QbbConWeaveTag::rerouted
constexpr uint32_t HOP_SHIFT = 4;       //!< position of QbbConWeaveTag::hop in its byte
constexpr uint8_t HOP_MASK = 3;         //!< bits of QbbConWeaveTag::hop
constexpr uint8_t KIND_MASK = 7;        //!< bits of QbbConWeaveTag::kind

/** Writes 16 bits, the high byte first. \param bytes place of two bytes \param value the value */
void
WriteConWeave16(uint8_t* bytes, uint16_t value)
{
    bytes[0] = static_cast<uint8_t>(value >> 8);
    bytes[1] = static_cast<uint8_t>(value);
}

/** \param bytes place of two bytes \return their value, the high byte first */
uint16_t
ReadConWeave16(const uint8_t* bytes)
{
    return static_cast<uint16_t>(bytes[0] << 8 | bytes[1]);
}

} // namespace

std::array<uint8_t, QbbConWeaveTag::BYTES>
QbbConWeaveTag::Write() const
{
    std::array<uint8_t, BYTES> bytes{};
    bytes[0] = static_cast<uint8_t>(static_cast<uint8_t>(kind) | hop << HOP_SHIFT |
                                    (rerouted ? REROUTED_FLAG : 0));
    bytes[1] = epoch;
    WriteConWeave16(&bytes[2], path.ports[0]);
    WriteConWeave16(&bytes[4], path.ports[1]);
    WriteConWeave16(&bytes[6], sent);
    WriteConWeave16(&bytes[8], tailSent);
    return bytes;
}

std::optional<QbbConWeaveTag>
QbbConWeaveTag::Read(const uint8_t* bytes)
{
    const uint8_t kind = bytes[0] & KIND_MASK;
    if (kind > static_cast<uint8_t>(Kind::NOTIFY))
    {
        return std::nullopt;
    }
    QbbConWeaveTag tag;
    tag.kind = static_cast<Kind>(kind);
    tag.rerouted = bytes[0] & REROUTED_FLAG;
    tag.hop = (bytes[0] >> HOP_SHIFT) & HOP_MASK;
    tag.epoch = bytes[1];
    tag.path.ports = {ReadConWeave16(&bytes[2]), ReadConWeave16(&bytes[4])};
    tag.sent = ReadConWeave16(&bytes[6]);
    tag.tailSent = ReadConWeave16(&bytes[8]);
    return tag;
}

QbbConWeaveTag
QbbConWeaveSender::Send(RdmaPs now,
                        RdmaPs roundTrip,
                        const QbbConWeaveTimes& times,
                        const Candidate& candidate)
{
    const bool idle = IsIdle(now, times);
    QbbConWeaveTag tag;
    tag.path = m_path;
    if (idle || m_stable)
    {
        if (idle && (candidate.free || m_lostPath))
        {
            m_path = candidate.path;
            m_lostPath = false;
            tag.path = m_path;
        }
        ++m_epoch;
        m_rerouted = false;
        m_deadline = now + roundTrip + times.replyExtra;
        tag.kind = QbbConWeaveTag::Kind::RTT_REQUEST;
    }
    else if (m_deadline < now)
    {
        // The frame itself still takes the old path. Without a free path the frames behind it do
        // so, too, and the CLEAR starts the next attempt.
        m_deadline = RDMA_NEVER;
        m_tailSent = QbbConWeaveTag::MakeStamp(now);
        if (candidate.free)
        {
            m_path = candidate.path;
        }
        tag.kind = QbbConWeaveTag::Kind::TAIL;
        tag.tailSent = m_tailSent;
        m_rerouted = true;
    }
    else if (m_rerouted)
    {
        tag.rerouted = true;
        tag.tailSent = m_tailSent;
    }
    m_stable = false;
    m_lastFrame = now;
    tag.epoch = m_epoch;
    tag.sent = QbbConWeaveTag::MakeStamp(now);
    return tag;
}

bool
QbbConWeaveSender::Answer(const QbbConWeaveTag& tag, RdmaPs now)
{
    const bool isClear = tag.kind == QbbConWeaveTag::Kind::CLEAR;
    const bool isLate = !isClear && (m_deadline <= now || m_deadline == RDMA_NEVER);
    if (tag.epoch != m_epoch || isClear != m_rerouted || isLate)
    {
        return false;
    }
    m_deadline = RDMA_NEVER;
    m_stable = true;
    return true;
}

RdmaPs
QbbConWeaveReceiver::GetWait(const QbbConWeaveTimes& times) const
{
    if (!m_knowsOldPath)
    {
        return times.resumeDefault + times.resumeExtra;
    }
    const RdmaPs gap = QbbConWeaveTag::GetDifference(m_oldPathSent, m_tailSent);
    return std::max(gap, RdmaPs(0)) + times.resumeExtra;
}

QbbConWeaveReceiver::Fate
QbbConWeaveReceiver::Receive(const QbbConWeaveTag& tag,
                             RdmaPs now,
                             const QbbConWeaveTimes& times,
                             Missed& missed)
{
    const bool forgotten = m_lastFrame < now - FORGET;
    m_lastFrame = now;
    const auto ahead = static_cast<int8_t>(static_cast<uint8_t>(tag.epoch - m_epoch));
    Fate fate;
    if (ahead < 0 && !forgotten)
    {
        return fate;
    }
    const bool isTail = tag.kind == QbbConWeaveTag::Kind::TAIL;
    if (ahead != 0 || forgotten)
    {
        fate.releaseFirst = m_holding;
        missed.lost += m_missesTail || m_holding;
        m_epoch = tag.epoch;
        m_holding = false;
        m_missesTail = false;
        m_passes = false;
        m_knowsOldPath = false;
    }
    if (!tag.rerouted)
    {
        m_knowsOldPath = true;
        m_oldPathSent = tag.sent;
        m_oldPathReceived = now;
    }
    if (isTail || tag.rerouted)
    {
        m_tailSent = tag.tailSent;
    }
    if (isTail)
    {
        missed.early += m_missesTail;
        m_missesTail = false;
        fate.releaseAfter = m_holding;
        m_holding = false;
        m_passes = true;
    }
    else if (!tag.rerouted)
    {
        if (m_holding)
        {
            m_deadline = now + GetWait(times);
        }
    }
    else if (!m_passes)
    {
        if (!m_holding)
        {
            m_deadline = (m_knowsOldPath ? m_oldPathReceived : now) + GetWait(times);
            m_holding = m_deadline > now;
            m_passes = m_missesTail = !m_holding;
        }
        fate.hold = m_holding;
    }
    fate.answer = isTail || tag.kind == QbbConWeaveTag::Kind::RTT_REQUEST;
    fate.notify = true;
    return fate;
}

void
QbbConWeaveReceiver::GiveUp()
{
    m_holding = false;
    m_passes = true;
    m_missesTail = true;
}

} // namespace ns3
