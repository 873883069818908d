/* SPDX-License-Identifier: GPL-2.0-only */

// CMake compiles this file if ns-3 has its module mpi, and else rdma-ranks.cc.

#include "rdma-ranks.h"

#include <ns3/abort.h>
#include <ns3/global-value.h>
#include <ns3/mpi-interface.h>
#include <ns3/string.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <list>
#include <mpi.h>
#include <utility>

namespace ns3
{

namespace
{

constexpr const char* SIMULATOR_CLASS = "SimulatorImplementationType"; // ns-3's global value

/** MPI of the process, from the first RdmaRanks::Begin() to the end of the program. */
class Session
{
  public:
    Session()
    {
        int count = 0;
        char** arguments = nullptr;
        MpiInterface::Enable(&count, &arguments);
    }

    ~Session()
    {
        if (MpiInterface::IsEnabled())
        {
            MpiInterface::Disable();
        }
    }

    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

constexpr int FIRST_PIECE = 0; // tag
constexpr int NEXT_PIECE = 1;  // tag

/// Bytes of a piece. OpenMPI passes on up to 4096 bytes at once, its own header included.
constexpr std::size_t PIECE = 4000;

/**
 * Mail of ranks by messages of MPI, on a communicator of its own.
 *
 * Bytes go to another rank in pieces that MPI passes on at once. A larger message would wait until
 * its receiver asks for it. The first piece tells the number of all bytes.
 */
class MpiMail final : public RdmaRankMail
{
  public:
    /** Every rank creates its mails in the same order. \param ranks communicator of all ranks */
    explicit MpiMail(MPI_Comm ranks);
    ~MpiMail() override;

    MpiMail(const MpiMail&) = delete;
    MpiMail& operator=(const MpiMail&) = delete;

    // Inherited from RdmaRankMail
    void Send(uint32_t rank, std::string_view bytes) override;
    void Receive(uint32_t rank, std::string& bytes) override;

  private:
    /** A piece, as it is received. */
    using Piece = std::array<char, PIECE>;

    /** Bytes on their way to a rank. */
    struct Sending
    {
        std::string bytes;                 //!< number of bytes that follow, and the bytes
        std::vector<MPI_Request> requests; //!< sendings of the pieces
    };

    Sending& GetFreeSending();
    void Expect(uint32_t rank);

    MPI_Comm m_ranks;                    //!< communicator of the mail
    std::vector<Piece> m_received;       //!< first pieces from each rank
    std::vector<MPI_Request> m_receipts; //!< receptions of first pieces, by rank
    std::list<Sending> m_sendings;       //!< bytes on their way, the oldest first, and free objects
};

MpiMail::MpiMail(MPI_Comm ranks)
{
    MPI_Comm_dup(ranks, &m_ranks);
    int number = 0;
    MPI_Comm_size(m_ranks, &number);
    m_received.resize(number);
    m_receipts.resize(number, MPI_REQUEST_NULL);
}

MpiMail::~MpiMail()
{
    int isOver = 0;
    MPI_Finalized(&isOver);
    if (isOver)
    {
        return;
    }
    for (MPI_Request& receipt : m_receipts)
    {
        if (receipt != MPI_REQUEST_NULL)
        {
            MPI_Cancel(&receipt);
            MPI_Wait(&receipt, MPI_STATUS_IGNORE);
        }
    }
    MPI_Comm_free(&m_ranks);
}

MpiMail::Sending&
MpiMail::GetFreeSending()
{
    int isFree = 0;
    if (!m_sendings.empty())
    {
        auto& requests = m_sendings.front().requests;
        MPI_Testall(static_cast<int>(requests.size()),
                    requests.data(),
                    &isFree,
                    MPI_STATUSES_IGNORE);
    }
    if (!isFree)
    {
        return m_sendings.emplace_back();
    }
    m_sendings.splice(m_sendings.end(), m_sendings, m_sendings.begin());
    m_sendings.back().requests.clear();
    return m_sendings.back();
}

void
MpiMail::Send(uint32_t rank, std::string_view bytes)
{
    Expect(rank); // An answer that finds its memory ready costs less.
    Sending& sending = GetFreeSending();
    const std::size_t total = bytes.size();
    sending.bytes.assign(reinterpret_cast<const char*>(&total), sizeof(total));
    sending.bytes += bytes;
    for (std::size_t begin = 0; begin < sending.bytes.size(); begin += PIECE)
    {
        MPI_Isend(sending.bytes.data() + begin,
                  static_cast<int>(std::min(PIECE, sending.bytes.size() - begin)),
                  MPI_BYTE,
                  static_cast<int>(rank),
                  begin == 0 ? FIRST_PIECE : NEXT_PIECE,
                  m_ranks,
                  &sending.requests.emplace_back());
    }
}

/** Prepares for the next first piece of a rank. */
void
MpiMail::Expect(uint32_t rank)
{
    if (m_receipts[rank] == MPI_REQUEST_NULL)
    {
        MPI_Irecv(m_received[rank].data(),
                  PIECE,
                  MPI_BYTE,
                  static_cast<int>(rank),
                  FIRST_PIECE,
                  m_ranks,
                  &m_receipts[rank]);
    }
}

void
MpiMail::Receive(uint32_t rank, std::string& bytes)
{
    Expect(rank);
    MPI_Wait(&m_receipts[rank], MPI_STATUS_IGNORE);
    std::size_t total = 0;
    std::memcpy(&total, m_received[rank].data(), sizeof(total));
    bytes.resize(total);
    const std::size_t count = std::min(total, PIECE - sizeof(total));
    std::memcpy(bytes.data(), m_received[rank].data() + sizeof(total), count);
    for (std::size_t begin = count; begin < bytes.size(); begin += PIECE)
    {
        MPI_Recv(bytes.data() + begin,
                 static_cast<int>(std::min(PIECE, bytes.size() - begin)),
                 MPI_BYTE,
                 static_cast<int>(rank),
                 NEXT_PIECE,
                 m_ranks,
                 MPI_STATUS_IGNORE);
    }
}

} // namespace

bool
RdmaRanks::Begin()
{
    if (MpiInterface::IsEnabled())
    {
        return AreSeveral();
    }
    StringValue before;
    GlobalValue::GetValueByName(SIMULATOR_CLASS, before);
    static const Session session;
    // MpiInterface::Enable() replaces the value by ns-3's simulator for ranks.
    GlobalValue::Bind(SIMULATOR_CLASS, before);
    if (!IsFirst())
    {
        NS_ABORT_MSG_IF(!std::freopen("/dev/null", "w", stdout),
                        "rdma: /dev/null cannot be opened for the output of rank " << GetRank());
    }
    return AreSeveral();
}

uint32_t
RdmaRanks::GetNumber()
{
    return MpiInterface::GetSize();
}

uint32_t
RdmaRanks::GetRank()
{
    return MpiInterface::GetSystemId();
}

std::vector<std::string>
RdmaRanks::Exchange(const std::string& text)
{
    std::vector<std::string> texts(GetNumber());
    texts[GetRank()] = text;
    if (AreSeveral())
    {
        static const std::unique_ptr<RdmaRankMail> mail = MakeMail();
        for (uint32_t rank = 0; rank < GetNumber(); ++rank)
        {
            if (rank != GetRank())
            {
                mail->Send(rank, text);
            }
        }
        for (uint32_t rank = 0; rank < GetNumber(); ++rank)
        {
            if (rank != GetRank())
            {
                mail->Receive(rank, texts[rank]);
            }
        }
    }
    return texts;
}

std::unique_ptr<RdmaRankMail>
RdmaRanks::MakeMail()
{
    return std::make_unique<MpiMail>(MpiInterface::GetCommunicator());
}

} // namespace ns3
