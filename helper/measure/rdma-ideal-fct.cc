/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-ideal-fct.h"

#include "rdma-int128.h"
#include "rdma-line-rate.h"
#include "rdma-units.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

constexpr uint64_t MAX_IDEAL_FRAME_BYTES = 1 << 20;
constexpr uint64_t MAX_IDEAL_OVERHEAD_BYTES = 1024;
constexpr uint64_t MAX_MTU_BYTES = 65536;
constexpr uint64_t MAX_HEADER_BYTES = 65536;
constexpr uint64_t MIN_ETHERNET_BYTES = 64;
constexpr uint64_t MAX_PAD_BYTES = 64;

[[noreturn, gnu::noinline]] void
RefuseIdealInput(const char* what, uint64_t value, uint64_t min, uint64_t max)
{
    throw std::invalid_argument(std::string("ideal FCT: ") + what + ": " + std::to_string(value) +
                                "; accepted: " + std::to_string(min) + " to " +
                                std::to_string(max));
}

inline void
CheckIdealInput(const char* what, uint64_t value, uint64_t min, uint64_t max)
{
    if (value < min || value > max)
    {
        RefuseIdealInput(what, value, min, max);
    }
}

RdmaPs
CheckIdealResult(RdmaInt128 fct)
{
    if (fct > RDMA_MAX_TIME.Get())
    {
        throw std::invalid_argument("ideal FCT: it is too long; accepted: at most " +
                                    FormatRdmaTime(RDMA_MAX_TIME));
    }
    return RdmaPs(static_cast<int64_t>(fct));
}

/** Makes a line rate for a link, unless the link before on the path has this rate. */
void
SetLineRate(RdmaLineRate& line, RdmaBitRate rate)
{
    if (line.GetBitRate() != rate)
    {
        line = RdmaLineRate(rate);
    }
}

/**
 * Closed form for links on which every byte takes whole picoseconds. The start of the last frame on
 * the last link equals the longest chain of waits, a path through the grid of frames and links. A
 * step to the next frame waits for the link (frame and gap); a step to the next link waits for the
 * arrival of the frame. Only the first and the last frame may differ in size, so a path is
 * determined by the link p where it leaves the first frame and the link m where it reaches the last
 * frame. In between, the path takes all but one of its frame steps on the slowest link of p..m.
 */
RdmaPs
GetClosedForm(const std::vector<RdmaIdealHop>& path,
              const RdmaIdealFrames& frames,
              const RdmaLineOverhead& overhead)
{
    const std::size_t hops = path.size();
    if (frames.count == 1)
    {
        RdmaInt128 fct = 0;
        RdmaLineRate line;
        for (const auto& hop : path)
        {
            SetLineRate(line, hop.rate);
            fct += line.BytesToPs(1).Get() * RdmaInt128{overhead.preambleBytes + frames.lastBytes} +
                   hop.delay.Get();
        }
        return CheckIdealResult(fct);
    }
    std::vector<RdmaInt128> byteTime;
    byteTime.reserve(hops);
    for (const auto& hop : path)
    {
        byteTime.push_back(RdmaLineRate(hop.rate).BytesToPs(1).Get());
    }
    // Element h is the time of a frame from the sender over the links before link h.
    const auto sum = [&](uint32_t bytes) {
        std::vector<RdmaInt128> sums(hops + 1, 0);
        for (std::size_t h = 0; h < hops; ++h)
        {
            sums[h + 1] =
                sums[h] + byteTime[h] * (overhead.preambleBytes + bytes) + path[h].delay.Get();
        }
        return sums;
    };
    const auto last = sum(frames.lastBytes);
    const auto first = sum(frames.firstBytes);
    const auto middle = sum(frames.middleBytes);
    const RdmaInt128 lineBytes = overhead.preambleBytes + overhead.gapBytes;
    const RdmaInt128 firstLine = lineBytes + frames.firstBytes;
    const RdmaInt128 middleLine = lineBytes + frames.middleBytes;
    RdmaInt128 longest = 0;
    for (std::size_t p = 0; p < hops; ++p)
    {
        const RdmaInt128 head = first[p] + firstLine * byteTime[p];
        if (frames.count == 2)
        {
            longest = std::max(longest, head + last[hops] - last[p]);
            continue;
        }
        RdmaInt128 slowest = 0;
        for (std::size_t m = p; m < hops; ++m)
        {
            slowest = std::max(slowest, byteTime[m]);
            const RdmaInt128 steps =
                middleLine * (byteTime[m] + slowest * static_cast<RdmaInt128>(frames.count - 3));
            longest =
                std::max(longest, head + middle[m] - middle[p] + steps + last[hops] - last[m]);
        }
    }
    return CheckIdealResult(longest);
}

/**
 * Computes the completion time frame by frame and link by link, for arbitrary rates.
 *
 * Middle frames are equal, so ports repeat themselves: the first slowest port has frames waiting
 * from some frame on, and its fraction returns after a number of frames, the period. Ports behind
 * are not slower and follow. If their state relative to the slowest port is the same after a
 * period, it is so after each further period, which the function then skips.
 */
class IdealRecursion
{
  public:
    IdealRecursion(const std::vector<RdmaIdealHop>& path,
                   const RdmaIdealFrames& frames,
                   const RdmaLineOverhead& overhead)
        : m_frames(frames),
          m_overhead(overhead)
    {
        for (const auto& hop : path)
        {
            m_slowest =
                !m_ports.empty() && hop.rate < path[m_slowest].rate ? m_ports.size() : m_slowest;
            m_ports.push_back({RdmaLineRate(hop.rate), hop.delay, 0_ps, 0});
        }
        m_rate = path[m_slowest].rate.Get();
    }

    RdmaPs Run()
    {
        uint64_t next = FIRST_SKIP;
        while (m_sent < m_frames.count)
        {
            Send();
            if (m_sent == next)
            {
                next = Skip() ? m_frames.count : 2 * m_sent;
            }
        }
        return m_arrival;
    }

  private:
    /// Instant at which a port becomes idle: whole ps plus a fraction in units of 1/rate ps.
    struct Port
    {
        RdmaLineRate rate; //!< rate of the link
        RdmaPs delay;      //!< delay of the link
        RdmaPs free;       //!< whole picoseconds of the instant
        uint64_t fraction; //!< fraction of the instant
    };

    static constexpr uint64_t FIRST_SKIP = 1024;        //!< frames before the first try to skip
    static constexpr uint64_t LONGEST_PERIOD = 1 << 20; //!< in frames
    static constexpr RdmaPs ROUNDING = 1_ns; //!< more than what rounding takes from a backlog

    void Send()
    {
        const bool isLast = m_sent + 1 == m_frames.count;
        const uint64_t bytes = m_overhead.preambleBytes + (isLast        ? m_frames.lastBytes
                                                           : m_sent == 0 ? m_frames.firstBytes
                                                                         : m_frames.middleBytes);
        m_arrival = m_first > 0 ? m_ports[m_first].free : 0_ps;
        for (std::size_t h = m_first; h < m_ports.size(); ++h)
        {
            Port& port = m_ports[h];
            if (h == m_slowest)
            {
                m_backlog = port.free - m_arrival;
            }
            if (m_arrival > port.free)
            {
                port.free = m_arrival;
                port.fraction = 0;
            }
            uint64_t fraction = port.fraction;
            m_arrival = port.free + port.rate.BytesToPs(bytes, fraction) + port.delay;
            port.free += port.rate.BytesToPs(bytes + m_overhead.gapBytes, port.fraction);
            CheckIdealResult(std::max(m_arrival, port.free).Get());
        }
        ++m_sent;
    }

    /** \return state of the slowest port and of those behind, relative to the slowest port */
    std::vector<std::pair<RdmaPs, uint64_t>> GetState() const
    {
        std::vector<std::pair<RdmaPs, uint64_t>> state;
        for (std::size_t h = m_slowest; h < m_ports.size(); ++h)
        {
            state.emplace_back(m_ports[h].free - m_ports[m_slowest].free, m_ports[h].fraction);
        }
        return state;
    }

    /** \return true if no further try is useful */
    bool Skip()
    {
        constexpr uint64_t PS_PER_BYTE_AT_1BPS = 8'000'000'000'000;
        const uint64_t line = m_overhead.preambleBytes + m_frames.middleBytes + m_overhead.gapBytes;
        const uint64_t rest = line * (PS_PER_BYTE_AT_1BPS % m_rate) % m_rate;
        const uint64_t period = m_rate / std::gcd(m_rate, rest);
        if (period > LONGEST_PERIOD || m_frames.count - m_sent <= 2 * period)
        {
            return true;
        }
        // The last frame may be longer than the others and come later to the slowest port.
        RdmaPs least = ROUNDING;
        for (std::size_t h = 0; h < m_slowest; ++h)
        {
            least += m_ports[h].rate.BytesToPs(m_overhead.preambleBytes + m_frames.lastBytes);
        }
        if (m_slowest > 0 && m_backlog < least)
        {
            return false;
        }
        const auto before = GetState();
        for (uint64_t i = 0; i < period; ++i)
        {
            Send();
        }
        if (GetState() != before)
        {
            return false;
        }
        const uint64_t periods = (m_frames.count - m_sent - 1) / period;
        const RdmaInt128 time = RdmaInt128{period} * line * PS_PER_BYTE_AT_1BPS / m_rate * periods;
        m_first = m_slowest; // ports before are faster, and nothing waits for them any more
        for (std::size_t h = m_first; h < m_ports.size(); ++h)
        {
            m_ports[h].free = CheckIdealResult(m_ports[h].free.Get() + time);
        }
        m_sent += periods * period;
        return true;
    }

    const RdmaIdealFrames& m_frames;
    const RdmaLineOverhead& m_overhead;
    std::vector<Port> m_ports;
    std::size_t m_slowest{0}; //!< first of the slowest ports
    std::size_t m_first{0};   //!< first port that still matters
    uint64_t m_rate{0};       //!< rate of the slowest port in bit/s
    uint64_t m_sent{0};       //!< frames that have been sent
    RdmaPs m_arrival{0};      //!< arrival of the last frame sent
    RdmaPs m_backlog{0};      //!< time for which the last frame waited for the slowest port
};

} // namespace

RdmaIdealFrames
MakeRdmaIdealFrames(uint64_t bytes,
                    uint32_t mtu,
                    uint32_t headerBytes,
                    uint32_t firstExtraBytes,
                    uint32_t lastExtraBytes,
                    uint32_t padBytes)
{
    CheckIdealInput("bytes", bytes, 1, RDMA_MAX_FLOW_BYTES);
    CheckIdealInput("MTU", mtu, 1, MAX_MTU_BYTES);
    CheckIdealInput("header bytes", headerBytes, 0, MAX_HEADER_BYTES);
    CheckIdealInput("extra bytes of the first frame", firstExtraBytes, 0, MAX_HEADER_BYTES);
    CheckIdealInput("extra bytes of the last frame", lastExtraBytes, 0, MAX_HEADER_BYTES);
    CheckIdealInput("padding", padBytes, 1, MAX_PAD_BYTES);
    const auto size = [headerBytes, padBytes](uint64_t payload, uint64_t extra) {
        const uint64_t padded = (payload + padBytes - 1) / padBytes * padBytes;
        return static_cast<uint32_t>(std::max(MIN_ETHERNET_BYTES, headerBytes + padded + extra));
    };
    RdmaIdealFrames frames;
    frames.count = (bytes - 1) / mtu + 1;
    const uint64_t lastPayload = bytes - (frames.count - 1) * mtu;
    const bool isOnly = frames.count == 1;
    frames.firstBytes = isOnly ? 0 : size(mtu, firstExtraBytes);
    frames.middleBytes = frames.count <= 2 ? 0 : size(mtu, 0);
    frames.lastBytes = size(lastPayload, lastExtraBytes + (isOnly ? uint64_t{firstExtraBytes} : 0));
    return frames;
}

RdmaPs
GetRdmaIdealFct(const std::vector<RdmaIdealHop>& path,
                const RdmaIdealFrames& frames,
                const RdmaLineOverhead& overhead)
{
    CheckIdealInput("links of the path",
                    path.size(),
                    1,
                    static_cast<uint64_t>(RDMA_MAX_TIME.Get()));
    bool isExact = true;
    RdmaLineRate line;
    for (const auto& hop : path)
    {
        CheckIdealInput("rate in bit/s", hop.rate.Get(), 1, RDMA_MAX_RATE.Get());
        CheckIdealInput("delay in ps",
                        static_cast<uint64_t>(hop.delay.Get()),
                        0,
                        static_cast<uint64_t>(RDMA_MAX_DELAY.Get()));
        SetLineRate(line, hop.rate);
        isExact = isExact && line.IsExact();
    }
    CheckIdealInput("number of frames", frames.count, 1, RDMA_MAX_FLOW_BYTES);
    CheckIdealInput("bytes of the last frame", frames.lastBytes, 1, MAX_IDEAL_FRAME_BYTES);
    if (frames.count >= 2)
    {
        CheckIdealInput("bytes of the first frame", frames.firstBytes, 1, MAX_IDEAL_FRAME_BYTES);
    }
    if (frames.count >= 3)
    {
        CheckIdealInput("bytes of a middle frame", frames.middleBytes, 1, MAX_IDEAL_FRAME_BYTES);
    }
    CheckIdealInput("preamble bytes", overhead.preambleBytes, 0, MAX_IDEAL_OVERHEAD_BYTES);
    CheckIdealInput("gap bytes", overhead.gapBytes, 0, MAX_IDEAL_OVERHEAD_BYTES);
    return isExact ? GetClosedForm(path, frames, overhead)
                   : IdealRecursion(path, frames, overhead).Run();
}

} // namespace ns3
