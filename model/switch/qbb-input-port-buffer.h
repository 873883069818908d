/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef QBB_INPUT_PORT_BUFFER_H
#define QBB_INPUT_PORT_BUFFER_H

#include "qbb-buffer-manager.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * A static buffer for each input port, as input-queued switches have it, and those of the IRN paper
 * (SIGCOMM 2018: 240 KB a port, PFC threshold 220 KB) and of Liu et al.'s OMNeT++ model (credits of
 * 64 bytes, high and low watermarks).
 *
 * What has come in through a port is in that port's PortBufferBytes and nowhere else, wherever it
 * is to leave. A port with n lossless classes has
 *
 *     PortBufferBytes = n x XOFF + LossyReserveBytes   S, the part that all classes fill
 *                     + n x headroom                   for each lossless class
 *
 * where XOFF, the high watermark, is XoffBytes, and headroom what that leaves; or, with XoffBytes
 * 0, headroom is what QbbPfcHeadroom says, and XOFF what that leaves. A port without lossless
 * classes has S = PortBufferBytes.
 *
 * Lossless. A frame goes to S if its class stays at or below XOFF in it, and S has room. If not,
 * its class is paused and the frame goes to the class's headroom; only a class that was told to
 * pause gets there. If the headroom is full, the frame is dropped (HEADROOM_FULL). Headroom of the
 * computed size rules that out for a sender that obeys PFC; an XoffBytes that leaves less is the
 * user's decision. XON comes when the class holds at most the low watermark XonBytes, headroom
 * included, and S has room for what is in headroom, which is moved there, and XOFF - XonBytes more;
 * and in any case when it holds nothing. Whatever leaves the port's buffer can bring it.
 *
 * Lossy. The lossy classes of a port fill S first come, first served. Beside lossless classes they
 * have LossyReserveBytes, which these do not fill, so that congestion notifications and the like
 * get through a port that is full; and they may hold LossyBytes of S together, half of it by
 * default, so that they can pause a lossless class no sooner than at half of what it would have
 * alone. What does not fit is dropped (BUFFER_FULL).
 *
 * With n lossless classes that all have much to send each gets its XOFF, an equal part of S; one
 * alone may not hold more than that either, so that it never takes what another is promised.
 *
 * A frame takes whole cells of CellBytes. All sizes here, also those of GetUsage() and
 * GetEgressBytes(), are cells times their size. The computed headroom is then what the line bytes
 * of QbbPfcHeadroom can fill at worst, which for cells of 64 bytes is 1.5 times as much: frames of
 * 65 bytes take two cells each. Egress queues are counted and not limited.
 */
class QbbInputPortBuffer : public QbbBufferManager
{
  public:
    /**
     * \brief Get the type ID.
     * \return the object TypeId
     */
    static TypeId GetTypeId();

    void Configure(const std::vector<QbbPortProfile>& ports) override;
    QbbAdmission Admit(uint16_t ingressPort,
                       uint16_t egressPort,
                       uint8_t priority,
                       uint32_t bytes) override;
    bool Release(uint16_t ingressPort,
                 uint16_t egressPort,
                 uint8_t priority,
                 uint32_t bytes) override;
    bool IsPaused(uint16_t ingressPort, uint8_t priority) const override;
    bool MayResume(uint16_t ingressPort,
                   uint8_t priority,
                   const std::vector<uint64_t>& stuckBytes) const override;
    QbbIngressUsage GetIngress(uint16_t ingressPort, uint8_t priority) const override;
    uint32_t GetEgressBytes(uint16_t egressPort, uint8_t priority) const override;
    QbbBufferUsage GetUsage() const override;
    bool IsEmpty() const override;
    void ResetPeaks() override;
    uint32_t GetNPorts() const override;

    /** \param port port number \return bytes in its buffer */
    uint32_t GetPortBytes(uint16_t port) const;

    /**
     * \param profile one of a switch's ports
     * \return the smallest PortBufferBytes that it can be configured with, the other attributes
     *         being as they are now. Ends the program with a message if the profile makes no sense
     */
    uint64_t GetLeastBytes(const QbbPortProfile& profile) const;

  private:
    template <auto Member, typename T>
    void Set(T value)
    {
        RefuseWhileRunning();
        this->*Member = value;
    }

    template <auto Member, typename T>
    T Get() const
    {
        return this->*Member;
    }

    /** An (ingress port, priority). */
    struct Group
    {
        uint32_t shared{0};       //!< in use of S
        uint32_t headroom{0};     //!< in use of headroom
        uint32_t peak{0};         //!< highest total
        uint32_t peakHeadroom{0}; //!< highest headroom
        bool lossless{false};     //!< never dropped
        bool paused{false};       //!< between XOFF and XON

        /** \return all its bytes */
        uint32_t GetBytes() const
        {
            return shared + headroom;
        }
    };

    /** The buffer of an input port. */
    struct Port
    {
        uint32_t sharedSize{0};    //!< S
        uint32_t shared{0};        //!< in use of it
        uint32_t lossy{0};         //!< of that, by lossy classes
        uint32_t lossyLimit{0};    //!< most that these may hold
        uint32_t xoff{0};          //!< high watermark of a lossless class
        uint32_t xon{0};           //!< low watermark
        uint32_t headroomLimit{0}; //!< headroom of a lossless class, or of all of them
        uint32_t nHeadrooms{0};    //!< how many of these
        uint32_t headroom{0};      //!< in use by all lossless classes
        bool oneHeadroom{false};   //!< QbbPortProfile::oneHeadroom
        uint8_t paused{0};         //!< classes between XOFF and XON
    };

    static bool MayGoOn(const Port& port, const Group& group);
    bool ResumeThoseThatMay(uint16_t number);
    uint32_t GetIndex(uint16_t port, uint8_t priority) const;
    uint32_t RoundDown(uint32_t bytes) const;
    uint64_t GetHeadroom(const QbbPortProfile& profile) const;
    Port MakePort(const QbbPortProfile& profile, std::size_t number) const;

    uint32_t m_portBufferBytes{240'000}; //!< attribute PortBufferBytes
    uint32_t m_xoffBytes{0};             //!< attribute XoffBytes
    uint32_t m_xonBytes{0};              //!< attribute XonBytes
    uint32_t m_lossyBytes{0};            //!< attribute LossyBytes
    uint32_t m_lossyReserve{4096};       //!< attribute LossyReserveBytes
    uint32_t m_cellBytes{1};             //!< attribute CellBytes

    uint32_t m_cell{1};             //!< CellBytes as configured
    uint32_t m_portSize{0};         //!< PortBufferBytes as configured, in whole cells
    std::vector<Port> m_ports;      //!< by ingress port
    std::vector<Group> m_groups;    //!< by ingress port and priority
    std::vector<uint32_t> m_queues; //!< bytes by egress port and priority
    uint64_t m_used{0};             //!< all bytes
    uint64_t m_headroomUsed{0};     //!< in headroom
    uint64_t m_peakUsed{0};         //!< highest m_used
    uint64_t m_peakHeadroomUsed{0}; //!< highest m_headroomUsed
};

} // namespace ns3

#endif /* QBB_INPUT_PORT_BUFFER_H */
