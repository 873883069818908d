/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_REMOTE_BATCH_H
#define QBB_REMOTE_BATCH_H

#include "qbb-frame.h"
#include "rdma-event-time.h"
#include "rdma-ps.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ns3
{

/**
 * \ingroup rdma
 * Where and when a frame crosses to another rank of MPI.
 */
struct QbbRemoteCrossing
{
    uint32_t cable{0};  //!< number of the cable, equal on all ranks
    uint32_t end{0};    //!< end of the cable that sends, 0 or 1
    RdmaEventTime sent; //!< time of the event in which the transmission begins
    RdmaPs arrival{0};  //!< instant at which the last bit arrives at the receiver
};

/**
 * \ingroup rdma
 * Frames that cross to another rank of MPI together, as bytes.
 *
 * The bytes hold the fields of a frame in their memory layout, because all ranks run one program;
 * they are not the wire bytes of QbbFrameCodec.
 * Words of zeros are left out. RDMA payload, which is virtual, takes no bytes. A packet of ns-3
 * crosses with its tags.
 */
class QbbRemoteBatch
{
  public:
    /** Adds a frame. \param crossing where and when the frame crosses \param frame the frame */
    void Add(const QbbRemoteCrossing& crossing, const QbbFrame& frame);

    /**
     * Moves the bytes of all frames.
     *
     * \param bytes the bytes are appended here
     * \return earliest arrival of a frame; RDMA_NEVER if there is none
     */
    RdmaPs MoveTo(std::string& bytes);

  private:
    char* Extend(std::size_t count);

    std::string m_bytes;           //!< bytes of all frames, and room for more
    std::size_t m_size{0};         //!< number of bytes of all frames
    RdmaPs m_earliest{RDMA_NEVER}; //!< earliest arrival of a frame
};

/**
 * \ingroup rdma
 * Reads the frames of a QbbRemoteBatch, in the order in which they were added.
 */
class QbbRemoteBatchReader
{
  public:
    /** \param bytes bytes of a batch, which must outlive the reader */
    explicit QbbRemoteBatchReader(std::string_view bytes);

    /** \return true if all frames have been read */
    bool IsAtEnd() const
    {
        return m_rest.empty();
    }

    /** \return where and when the next frame crosses; TakeFrame() has to follow */
    QbbRemoteCrossing TakeCrossing();

    /** \param pool pool of the receiver \return the frame of the latest TakeCrossing() */
    QbbFramePtr TakeFrame(QbbFramePool& pool);

  private:
    std::string_view TakeBytes(std::size_t count);

    QbbFrameHeaders m_headers;       //!< headers of the present frame
    QbbFrameExtensions m_extensions; //!< further headers of the present frame
    QbbFrameRareFields m_rareFields; //!< rare fields of the present frame
    uint32_t m_hops{0};              //!< number of telemetry records of the present frame
    uint32_t m_packetBytes{0};       //!< bytes of the present frame's packet of ns-3; 0: none
    std::string_view m_rest;         //!< bytes that have not been read
};

} // namespace ns3

#endif /* QBB_REMOTE_BATCH_H */
