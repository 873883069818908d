/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-ideal-fct.h"

#include "qbb-int128.h"
#include "qbb-line-rate.h"
#include "rdma-units.h"

#include <algorithm>
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

void
CheckIdealInput(const std::string& what, uint64_t value, uint64_t min, uint64_t max)
{
    if (value < min || value > max)
    {
        throw std::invalid_argument("ideal FCT: " + what + ": " + std::to_string(value) +
                                    "; accepted: " + std::to_string(min) + " to " +
                                    std::to_string(max));
    }
}

QbbPs
CheckIdealResult(QbbInt128 fct)
{
    if (fct > RDMA_MAX_TIME.Get())
    {
        throw std::invalid_argument("ideal FCT: it is too long; accepted: at most " +
                                    FormatRdmaTime(RDMA_MAX_TIME));
    }
    return QbbPs(static_cast<int64_t>(fct));
}

/**
 * Closed form for links on which every byte takes whole picoseconds. The start of the last frame on
 * the last link equals the longest chain of waits, a path through the grid of frames and links. A
 * step to the next frame waits for the link (frame and gap); a step to the next link waits for the
 * arrival of the frame. Only the first and the last frame may differ in size, so a path is
 * determined by the link p where it leaves the first frame and the link m where it reaches the last
 * frame. In between, the path takes all but one of its frame steps on the slowest link of p..m.
 */
QbbPs
GetClosedForm(const std::vector<RdmaIdealHop>& path,
              const RdmaIdealFrames& frames,
              const RdmaLineOverhead& overhead)
{
    const std::size_t hops = path.size();
    std::vector<QbbInt128> byteTime;
    for (const auto& hop : path)
    {
        byteTime.push_back(QbbLineRate(hop.rate).BytesToPs(1).Get());
    }
    // Element h is the time of a frame from the sender over the links before link h.
    const auto sum = [&](uint32_t bytes) {
        std::vector<QbbInt128> sums(hops + 1, 0);
        for (std::size_t h = 0; h < hops; ++h)
        {
            sums[h + 1] =
                sums[h] + byteTime[h] * (overhead.preambleBytes + bytes) + path[h].delay.Get();
        }
        return sums;
    };
    const auto last = sum(frames.lastBytes);
    if (frames.count == 1)
    {
        return CheckIdealResult(last[hops]);
    }
    const auto first = sum(frames.firstBytes);
    const auto middle = sum(frames.middleBytes);
    const QbbInt128 lineBytes = overhead.preambleBytes + overhead.gapBytes;
    const QbbInt128 firstLine = lineBytes + frames.firstBytes;
    const QbbInt128 middleLine = lineBytes + frames.middleBytes;
    QbbInt128 longest = 0;
    for (std::size_t p = 0; p < hops; ++p)
    {
        const QbbInt128 head = first[p] + firstLine * byteTime[p];
        if (frames.count == 2)
        {
            longest = std::max(longest, head + last[hops] - last[p]);
            continue;
        }
        QbbInt128 slowest = 0;
        for (std::size_t m = p; m < hops; ++m)
        {
            slowest = std::max(slowest, byteTime[m]);
            const QbbInt128 steps =
                middleLine * (byteTime[m] + slowest * static_cast<QbbInt128>(frames.count - 3));
            longest =
                std::max(longest, head + middle[m] - middle[p] + steps + last[hops] - last[m]);
        }
    }
    return CheckIdealResult(longest);
}

/// Instant at which a port becomes idle: whole picoseconds plus a fraction in units of 1/rate ps.
struct Port
{
    QbbLineRate rate;
    QbbPs delay;
    QbbPs free;
    uint64_t fraction;
};

/// Computes the completion time frame by frame and link by link, for arbitrary rates.
QbbPs
GetByRecursion(const std::vector<RdmaIdealHop>& path,
               const RdmaIdealFrames& frames,
               const RdmaLineOverhead& overhead)
{
    std::vector<Port> ports;
    for (const auto& hop : path)
    {
        ports.push_back({QbbLineRate(hop.rate), hop.delay, 0_ps, 0});
    }
    QbbPs arrival;
    for (uint64_t i = 0; i < frames.count; ++i)
    {
        const uint64_t bytes = overhead.preambleBytes + (i + 1 == frames.count ? frames.lastBytes
                                                         : i == 0              ? frames.firstBytes
                                                                  : frames.middleBytes);
        arrival = 0_ps;
        for (Port& port : ports)
        {
            if (arrival > port.free)
            {
                port.free = arrival;
                port.fraction = 0;
            }
            uint64_t fraction = port.fraction;
            arrival = port.free + port.rate.BytesToPs(bytes, fraction) + port.delay;
            port.free += port.rate.BytesToPs(bytes + overhead.gapBytes, port.fraction);
            CheckIdealResult(std::max(arrival, port.free).Get());
        }
    }
    return arrival;
}

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

QbbPs
GetRdmaIdealFct(const std::vector<RdmaIdealHop>& path,
                const RdmaIdealFrames& frames,
                const RdmaLineOverhead& overhead)
{
    CheckIdealInput("links of the path",
                    path.size(),
                    1,
                    static_cast<uint64_t>(RDMA_MAX_TIME.Get()));
    bool isExact = true;
    for (const auto& hop : path)
    {
        CheckIdealInput("rate in bit/s", hop.rate.Get(), 1, RDMA_MAX_RATE.Get());
        CheckIdealInput("delay in ps",
                        static_cast<uint64_t>(hop.delay.Get()),
                        0,
                        static_cast<uint64_t>(RDMA_MAX_DELAY.Get()));
        isExact = isExact && QbbLineRate(hop.rate).IsExact();
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
    return isExact ? GetClosedForm(path, frames, overhead) : GetByRecursion(path, frames, overhead);
}

} // namespace ns3
