/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame.h"

#include "rdma-engine.h"

#include <ns3/assert.h>
#include <ns3/object.h>
#include <ns3/simulator-impl.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

static_assert(sizeof(QbbFrame) <= 192, "a frame takes at most three cache lines");

bool
QbbFrameFields::UsesRareFields() const
{
    if (type != QbbFrameType::ROCE || intRoom > 0 || hasFabric)
    {
        return true;
    }
    const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(opcode);
    return !info.valid || info.immDt || info.ieth || info.atomicEth || info.atomicAck;
}

/// \return true if the fields that few frames use have their defaults
bool
HasDefaults(const QbbFrameRareFields& fields)
{
    static_assert(std::has_unique_object_representations_v<QbbFrameRareFields>,
                  "the bytes of equal fields are equal");
    const auto defaults = QbbFrameRareFields();
    return std::memcmp(&fields, &defaults, sizeof(fields)) == 0;
}

/**
 * Memory of pools: chunks of frames, and for each thread a list of its free frames.
 *
 * An arena deletes itself once its last pool has left and the last frame has been returned.
 */
class QbbFrameArena
{
  public:
    /** \param frame a frame of an arena \return the arena */
    static QbbFrameArena& Of(const QbbFrame* frame)
    {
        // A chunk begins at a multiple of its size, so that a frame needs no address of its arena.
        const auto address = reinterpret_cast<uintptr_t>(frame) / sizeof(Chunk) * sizeof(Chunk);
        return *reinterpret_cast<const Chunk*>(address)->arena;
    }

    QbbFrame* Take()
    {
        Stock& stock = GetStock();
        if (stock.nFree == 0)
        {
            Refill(stock);
        }
        return stock.free[--stock.nFree];
    }

    void GiveBack(QbbFrame* frame)
    {
        // To write or read the rare fields of each frame would be a cache miss for each frame.
        if (frame->packet || m_orphaned || frame->UsesRareFields())
        {
            GiveBackHard(frame);
            return;
        }
        NS_ASSERT_MSG(frame->telemetry.empty(), "telemetry records in a frame without room");
        NS_ASSERT_MSG(HasDefaults(*frame), "a frame has fields that its opcode does not have");
        Add(GetStock(), frame);
    }

    void AddPool()
    {
        ++m_pools;
    }

    void RemovePool()
    {
        if (--m_pools > 0)
        {
            return;
        }
        m_orphaned = true;
        m_late = GetInUse();
        if (m_late == 0)
        {
            delete this;
        }
    }

    void SetThreads(uint32_t threads)
    {
        if (threads == 1 && m_threads == 1)
        {
            return;
        }
        std::vector<QbbFrame*> free = std::exchange(m_surplus, {});
        const auto take = [&free](Stock& stock) {
            free.insert(free.end(), stock.free.begin(), stock.free.begin() + stock.nFree);
            stock.nFree = 0;
        };
        take(m_first);
        std::for_each(m_others.begin(), m_others.end(), take);
        // A stock keeps its blocks if fewer threads run than before: frames of them may be in use.
        m_others.resize(std::max<std::size_t>(m_others.size(), threads - 1));
        m_threads = threads;
        for (std::size_t i = 0; i < free.size(); ++i)
        {
            const std::size_t thread = i * threads / free.size();
            Add(thread == 0 ? m_first : m_others[thread - 1], free[i]);
        }
    }

    /** \return number of frames allocated */
    uint32_t GetCapacity() const
    {
        uint32_t count = m_first.capacity;
        for (const Stock& stock : m_others)
        {
            count += stock.capacity;
        }
        return count;
    }

    /** \return number of frames in use */
    uint32_t GetInUse() const
    {
        uint32_t count = GetCapacity() - m_first.nFree - static_cast<uint32_t>(m_surplus.size());
        for (const Stock& stock : m_others)
        {
            count -= stock.nFree;
        }
        return count;
    }

  private:
    static constexpr std::size_t CHUNK_BYTES = 16384; //!< size and alignment of a chunk

    /** Frames, and the arena to which they return. */
    struct alignas(CHUNK_BYTES) Chunk
    {
        /// Number of frames of a chunk.
        static constexpr std::size_t FRAMES = (CHUNK_BYTES - alignof(QbbFrame)) / sizeof(QbbFrame);

        QbbFrameArena* arena{nullptr};       //!< arena of the frames
        std::array<QbbFrame, FRAMES> frames; //!< the frames
    };

    static_assert(sizeof(Chunk) == CHUNK_BYTES, "Of() finds a chunk by its size");

    /** Free frames of a thread, and the memory that the thread has allocated. */
    struct alignas(64) Stock
    {
        std::vector<QbbFrame*> free;            //!< the first nFree places hold the free frames
        uint32_t nFree{0};                      //!< number of free frames
        uint32_t capacity{0};                   //!< number of frames in the blocks
        std::vector<std::vector<Chunk>> blocks; //!< the memory
    };

    void Add(Stock& stock, QbbFrame* frame)
    {
        if (stock.nFree == stock.free.size())
        {
            MakeRoom(stock);
        }
        stock.free[stock.nFree++] = frame;
    }

    Stock& GetStock()
    {
        return m_threads == 1 ? m_first : FindStock();
    }

    Stock& FindStock()
    {
        const RdmaEngine* const engine = RdmaEngine::GetRunning();
        const uint32_t thread = engine ? engine->GetThread() : 0;
        return thread == 0 ? m_first : m_others[thread - 1];
    }

    // Rare cases have separate functions, so that the frequent ones save few registers.

    [[gnu::noinline]] void GiveBackHard(QbbFrame* frame)
    {
        if (frame->packet)
        {
            QbbFreePacket(frame->packet);
        }
        if (frame->UsesRareFields())
        {
            static_cast<QbbFrameRareFields&>(*frame) = QbbFrameRareFields();
            frame->telemetry.clear();
        }
        if (!m_orphaned)
        {
            Add(GetStock(), frame);
            return;
        }
        // The frame's last pool is gone, and any thread may destroy the frame.
        if (m_late.fetch_sub(1, std::memory_order_acq_rel) == 1)
        {
            delete this;
        }
    }

    /** Gives a thread free frames: of the surplus, or new ones. */
    [[gnu::noinline]] void Refill(Stock& stock)
    {
        {
            const std::lock_guard lock(m_mutex);
            const std::size_t count = std::min(m_surplus.size(), BATCH);
            if (count > 0)
            {
                stock.free.resize(std::max(stock.free.size(), count));
                std::copy(m_surplus.end() - count, m_surplus.end(), stock.free.begin());
                stock.nFree = static_cast<uint32_t>(count);
                m_surplus.resize(m_surplus.size() - count);
                return;
            }
        }
        Grow(stock);
    }

    /**
     * Makes room for a further free frame. If a thread keeps sending frames to another one, the
     * other one has free frames that the first one lacks.
     */
    [[gnu::noinline]] void MakeRoom(Stock& stock)
    {
        const std::size_t most = stock.capacity + 2 * BATCH;
        if (stock.free.size() < most)
        {
            stock.free.resize(most);
            return;
        }
        const std::lock_guard lock(m_mutex);
        const auto first = stock.free.begin() + (stock.nFree - BATCH);
        m_surplus.insert(m_surplus.end(), first, first + BATCH);
        stock.nFree -= BATCH;
    }

    void Grow(Stock& stock)
    {
        // The first blocks are small, because a small fabric needs only a few frames.
        stock.blocks.emplace_back(std::min(stock.blocks.size() + 1, MOST_CHUNKS));
        stock.capacity += static_cast<uint32_t>(stock.blocks.back().size() * Chunk::FRAMES);
        stock.free.resize(std::max<std::size_t>(stock.free.size(), stock.capacity));
        for (Chunk& chunk : stock.blocks.back())
        {
            chunk.arena = this;
            for (std::size_t i = Chunk::FRAMES; i-- > 0;)
            {
                stock.free[stock.nFree++] = &chunk.frames[i];
            }
        }
    }

    /// Greatest number of chunks of a block. The C library takes larger blocks from outside the
    /// heap, where there are no large pages (RdmaLargePages).
    static constexpr std::size_t MOST_CHUNKS = 6;

    static constexpr std::size_t BATCH = 256; //!< frames that move at a time to or from m_surplus

    Stock m_first;                    //!< stock of thread 0
    std::vector<Stock> m_others;      //!< stocks of the other threads
    std::mutex m_mutex;               //!< for m_surplus
    std::vector<QbbFrame*> m_surplus; //!< free frames of no thread
    uint32_t m_threads{1};            //!< number of threads
    uint32_t m_pools{0};              //!< number of pools
    bool m_orphaned{false};           //!< true once the last pool has left
    std::atomic<uint32_t> m_late{0};  //!< frames in use since the last pool left
};

void
QbbFrameDeleter::GiveBack(QbbFrame* frame)
{
    QbbFrameArena::Of(frame).GiveBack(frame);
}

/**
 * Holds the pool of a simulation. The object is aggregated to the simulator.
 */
class QbbFrameMemory : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::QbbFrameMemory").SetParent<Object>().SetGroupName("Rdma");
        return tid;
    }

    QbbFramePool pool; //!< the pool
};

NS_OBJECT_ENSURE_REGISTERED(QbbFrameMemory);

QbbFramePool::QbbFramePool(Memory memory)
{
    if (memory == Memory::OWN)
    {
        m_arena = new QbbFrameArena;
        m_arena->AddPool();
    }
}

QbbFramePool::~QbbFramePool()
{
    Leave();
}

QbbFramePool&
QbbFramePool::OfSimulation()
{
    const Ptr<SimulatorImpl> simulator = Simulator::GetImplementation();
    auto memory = simulator->GetObject<QbbFrameMemory>();
    if (!memory)
    {
        memory = CreateObject<QbbFrameMemory>();
        simulator->AggregateObject(memory);
    }
    return memory->pool;
}

void
QbbFramePool::Leave()
{
    if (m_arena)
    {
        m_arena->RemovePool();
    }
}

void
QbbFramePool::Share(const QbbFramePool& other)
{
    NS_ASSERT_MSG(other.m_arena, "a pool without memory");
    if (m_arena != other.m_arena)
    {
        Leave();
        m_arena = other.m_arena;
        m_arena->AddPool();
    }
}

QbbFramePtr
QbbFramePool::Allocate()
{
    return Allocate(QbbFrameHeaders());
}

QbbFramePtr
QbbFramePool::Allocate(const QbbFrameHeaders& headers, const QbbFrameExtensions& extensions)
{
    if (!m_arena)
    {
        Share(OfSimulation());
    }
    // A frame in the pool has no packet, no telemetry records, and defaults in its rare fields.
    QbbFrame& frame = *m_arena->Take();
    static_cast<QbbFrameHeaders&>(frame) = headers;
    static_cast<QbbFrameExtensions&>(frame) = extensions;
    frame.arrival = RdmaEventTime();
    return QbbFramePtr(&frame);
}

uint32_t
QbbFramePool::GetCapacity() const
{
    return m_arena ? m_arena->GetCapacity() : 0;
}

uint32_t
QbbFramePool::GetInUse() const
{
    return m_arena ? m_arena->GetInUse() : 0;
}

void
QbbFramePool::SetThreads(uint32_t threads)
{
    NS_ASSERT_MSG(m_arena, "a pool without memory");
    m_arena->SetThreads(threads);
}

void
QbbFreePacket(Ptr<Packet>& packet)
{
    if (RdmaEngine* engine = RdmaEngine::GetRunning(); engine && engine->GetGroup() > 0)
    {
        engine->AddNote([packet] {});
    }
    packet = nullptr;
}

uint32_t
QbbFlowHash(uint32_t srcIp, uint32_t dstIp, uint8_t protocol, uint16_t srcPort, uint16_t dstPort)
{
    // Two rounds of the 64-bit finaliser of MurmurHash3 give full avalanche over all input bits.
    auto mix = [](uint64_t x) {
        x ^= x >> 33;
        x *= 0xff51afd7ed558ccdULL;
        x ^= x >> 33;
        x *= 0xc4ceb9fe1a85ec53ULL;
        x ^= x >> 33;
        return x;
    };
    const uint64_t addresses = (uint64_t{srcIp} << 32) | dstIp;
    const uint64_t rest = (uint64_t{protocol} << 32) | (uint64_t{srcPort} << 16) | dstPort;
    return static_cast<uint32_t>(mix(mix(addresses) ^ rest) >> 32);
}

} // namespace ns3
