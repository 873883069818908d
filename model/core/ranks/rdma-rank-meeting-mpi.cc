/* SPDX-License-Identifier: GPL-2.0-only */

// CMake compiles this file if ns-3 has its module mpi.

#include "rdma-ranks.h"

#include <ns3/mpi-interface.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <mpi.h>

namespace ns3
{

namespace
{

constexpr int FIRST_PIECE = 0; // tag
constexpr int NEXT_PIECE = 1;  // tag

/// Bytes of a piece. OpenMPI passes on up to 4096 bytes at once, its own header included.
constexpr std::size_t PIECE = 4000;

/**
 * A meeting of ranks by messages of MPI, on a communicator of its own.
 *
 * Bytes go to another rank in pieces that MPI passes on at once. A larger message would wait until
 * its receiver asks for it. The first piece tells the number of all bytes.
 */
class MpiMeeting final : public RdmaRankMeeting
{
  public:
    /** Every rank creates its meetings in the same order. \param ranks communicator of all ranks */
    explicit MpiMeeting(MPI_Comm ranks);
    ~MpiMeeting() override;

    MpiMeeting(const MpiMeeting&) = delete;
    MpiMeeting& operator=(const MpiMeeting&) = delete;

    // Inherited from RdmaRankMeeting
    void Meet(const std::vector<std::string>& outgoing,
              std::vector<std::string>& incoming) override;

  private:
    /** First piece to a rank. */
    struct First
    {
        std::size_t total{0};                                //!< number of bytes of all pieces
        std::array<char, PIECE - sizeof(std::size_t)> bytes; //!< the first bytes
    };

    void Send(int rank, const std::string& bytes);
    void Receive(int rank, std::string& bytes);

    MPI_Comm m_ranks;                    //!< communicator of the meeting
    int m_rank{0};                       //!< number of this rank
    std::vector<First> m_sent;           //!< first pieces to each rank
    std::vector<First> m_received;       //!< first pieces from each rank
    std::vector<MPI_Request> m_receipts; //!< receptions of first pieces, by rank
    std::vector<MPI_Request> m_sendings; //!< all sendings of a meeting
};

MpiMeeting::MpiMeeting(MPI_Comm ranks)
{
    MPI_Comm_dup(ranks, &m_ranks);
    MPI_Comm_rank(m_ranks, &m_rank);
    int number = 0;
    MPI_Comm_size(m_ranks, &number);
    m_sent.resize(number);
    m_received.resize(number);
    m_receipts.resize(number, MPI_REQUEST_NULL);
}

MpiMeeting::~MpiMeeting()
{
    int isOver = 0;
    MPI_Finalized(&isOver);
    if (!isOver)
    {
        MPI_Comm_free(&m_ranks);
    }
}

void
MpiMeeting::Meet(const std::vector<std::string>& outgoing, std::vector<std::string>& incoming)
{
    const auto number = static_cast<int>(m_sent.size());
    for (int rank = 0; rank < number; ++rank)
    {
        if (rank != m_rank)
        {
            MPI_Irecv(&m_received[rank],
                      sizeof(First),
                      MPI_BYTE,
                      rank,
                      FIRST_PIECE,
                      m_ranks,
                      &m_receipts[rank]);
        }
    }
    for (int rank = 0; rank < number; ++rank)
    {
        if (rank != m_rank)
        {
            Send(rank, outgoing[rank]);
        }
    }
    for (int rank = 0; rank < number; ++rank)
    {
        if (rank != m_rank)
        {
            Receive(rank, incoming[rank]);
        }
    }
    MPI_Waitall(static_cast<int>(m_sendings.size()), m_sendings.data(), MPI_STATUSES_IGNORE);
    m_sendings.clear();
}

void
MpiMeeting::Send(int rank, const std::string& bytes)
{
    First& first = m_sent[rank];
    first.total = bytes.size();
    const std::size_t count = std::min(bytes.size(), first.bytes.size());
    std::memcpy(first.bytes.data(), bytes.data(), count);
    MPI_Isend(&first,
              static_cast<int>(offsetof(First, bytes) + count),
              MPI_BYTE,
              rank,
              FIRST_PIECE,
              m_ranks,
              &m_sendings.emplace_back());
    for (std::size_t begin = count; begin < bytes.size(); begin += PIECE)
    {
        MPI_Isend(bytes.data() + begin,
                  static_cast<int>(std::min(PIECE, bytes.size() - begin)),
                  MPI_BYTE,
                  rank,
                  NEXT_PIECE,
                  m_ranks,
                  &m_sendings.emplace_back());
    }
}

void
MpiMeeting::Receive(int rank, std::string& bytes)
{
    MPI_Wait(&m_receipts[rank], MPI_STATUS_IGNORE);
    const First& first = m_received[rank];
    bytes.resize(first.total);
    const std::size_t count = std::min(bytes.size(), first.bytes.size());
    std::memcpy(bytes.data(), first.bytes.data(), count);
    for (std::size_t begin = count; begin < bytes.size(); begin += PIECE)
    {
        MPI_Recv(bytes.data() + begin,
                 static_cast<int>(std::min(PIECE, bytes.size() - begin)),
                 MPI_BYTE,
                 rank,
                 NEXT_PIECE,
                 m_ranks,
                 MPI_STATUS_IGNORE);
    }
}

} // namespace

std::unique_ptr<RdmaRankMeeting>
RdmaRanks::MakeMeeting()
{
    return std::make_unique<MpiMeeting>(MpiInterface::GetCommunicator());
}

} // namespace ns3
