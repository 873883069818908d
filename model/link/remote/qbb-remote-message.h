/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_REMOTE_MESSAGE_H
#define QBB_REMOTE_MESSAGE_H

#include <ns3/packet.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * Makes the messages of MPI by which bytes cross to another rank.
 *
 * \param bytes the bytes
 * \param rank number of the rank that sends
 * \return messages that together hold the bytes; more than one if there are more than
 *         QbbRemoteMessages::FRAGMENT_BYTES
 */
std::vector<Ptr<Packet>> MakeQbbRemoteMessages(const std::string& bytes, uint32_t rank);

/**
 * \ingroup rdma
 * Restores the bytes from the messages of MakeQbbRemoteMessages().
 */
class QbbRemoteMessages
{
  public:
    /** Bytes of a fragment. ns-3's messages have at most 2000 bytes, with its own headers. */
    static constexpr uint32_t FRAGMENT_BYTES = 1900;

    /**
     * Takes the next message. Fragments of one call of MakeQbbRemoteMessages() may come in any
     * order. Fragments of two calls by one rank must not mix.
     *
     * \param message message of MakeQbbRemoteMessages()
     * \return all bytes of a call of MakeQbbRemoteMessages(), if no further message of that call is
     * to come; otherwise no value
     */
    std::optional<std::string> Take(const Packet& message);

  private:
    /** Bytes from a rank, received in part. */
    struct Part
    {
        std::string bytes;    //!< the bytes
        uint32_t received{0}; //!< number of fragments that have come
    };

    std::map<uint32_t, Part> m_parts; //!< by sending rank
};

} // namespace ns3

#endif /* QBB_REMOTE_MESSAGE_H */
