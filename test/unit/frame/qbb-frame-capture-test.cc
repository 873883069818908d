/* SPDX-License-Identifier: GPL-2.0-only */

// Writes a capture with a frame of each kind, which tshark and scapy judge in
// test/check-capture-test.py and test/irn-dissector-test.py. The file goes to the folder that the
// environment variable RDMA_CAPTURE_DIR names, else to GoogleTest's folder for temporary files.

#include "qbb-frame-codec.h"
#include "qbb-frame-samples.h"
#include "qbb-hex.h"

#include <ns3/pcap-file-wrapper.h>
#include <ns3/pcap-file.h>

#include <cstdlib>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr uint32_t LINKTYPE_ETHERNET = 1;

/** The stack's frames in the capture: EtherType and the bytes after it. */
const std::pair<uint16_t, std::string> PACKETS[] = {
    // ARP request.
    {0x0806, "00010800 06040001 02000000000a 0a000001 000000000000 0a000002"},
    // ICMP echo request, checksums as computed.
    {0x0800, "4500001c 00010000 400166de 0a000001 0a000002 0800f7fd 00010001"},
    // TCP SYN without checksums, as ns-3 sends it by default.
    {0x0800,
     "45020028 00000000 40060000 0a000001 0a000002 03e80050 00000001 00000000 50020000"
     "00000000"},
    // UDP datagram of four bytes.
    {0x0800, "45000020 00000000 40110000 0a000001 0a000002 04000009 000c0000 01020304"},
};

} // namespace

TEST(QbbFrameCapture, OneFrameOfEachKind)
{
    const char* folder = std::getenv("RDMA_CAPTURE_DIR");
    const std::string path =
        (folder ? std::string(folder) + "/" : ::testing::TempDir()) + "rdma-frame-kinds.pcap";
    QbbFramePool pool;
    std::vector<QbbFramePtr> frames;
    auto add = [&]() -> QbbFrame& {
        frames.push_back(pool.Allocate());
        frames.back()->srcMac = Mac48Address("02:00:00:00:00:0a");
        frames.back()->dstMac = Mac48Address("02:00:00:00:00:0b");
        return *frames.back();
    };

    for (const bool tagged : {false, true})
    {
        for (const RdmaOpcode opcode : ALL_OPCODES)
        {
            QbbFrame& frame = add();
            const RdmaOpcodeInfo& info = GetRdmaOpcodeInfo(opcode);
            const bool cnp = opcode == RdmaOpcode::CNP;
            frame.tagged = tagged;
            frame.tci = tagged ? 0x6001 : 0;
            frame.dscp = cnp ? 48 : 26;
            frame.ecn = 2;
            frame.ttl = 64;
            frame.srcIp = 0x0a000001;
            frame.dstIp = 0x0a000002;
            frame.srcPort = 0xc000;
            frame.opcode = static_cast<uint8_t>(opcode);
            frame.becn = cnp;
            frame.migReq = !cnp;
            frame.destQp = 0x12;
            frame.psn = static_cast<uint32_t>(frames.size());
            frame.payload = info.payload ? 1021 : 0;
            frame.ackReq = info.last && info.request;
            frame.virtualAddress = info.reth || info.atomicEth ? 0x7f0000001000 : 0;
            frame.rKey = info.reth || info.atomicEth ? 0x1234 : 0;
            frame.dmaLength = info.reth ? 4096 : 0;
            frame.immediate = info.immDt || info.ieth ? 0xcafef00d : 0;
            frame.swapOrAdd = info.atomicEth ? 0x1111111122222222 : 0;
            frame.compare = info.atomicEth || info.atomicAck ? 0x3333333344444444 : 0;
            frame.syndrome = info.aeth ? 0x1f : 0;
            frame.msn = info.aeth ? 0x70809 : 0;
            frame.wqeSn = info.irnMessage ? 0x10203 : 0;
            frame.offset = info.irnMessage ? 2048 : 0;
            frame.selectivePsn = info.irnSelective ? 0x40506 : 0;
            FinishRoce(frame);
        }
    }
    for (const RdmaOpcode opcode :
         {RdmaOpcode::ACKNOWLEDGE, RdmaOpcode::IRN_ACKNOWLEDGE, RdmaOpcode::IRN_READ_ACKNOWLEDGE})
    {
        QbbFrame& nak = add();
        nak.srcIp = 0x0a000002;
        nak.dstIp = 0x0a000001;
        nak.ttl = 64;
        nak.opcode = static_cast<uint8_t>(opcode);
        nak.syndrome = 0x60;
        nak.selectivePsn = GetRdmaOpcodeInfo(opcode).irnSelective ? 7 : 0;
        FinishRoce(nak);
    }
    QbbFrame& xoff = add();
    xoff.classEnable = 0x18;
    xoff.quanta[3] = 0xffff;
    xoff.quanta[4] = 0x8000;
    FinishMacControl(xoff, QbbFrameType::PFC);
    QbbFrame& xon = add();
    xon.classEnable = 0x08;
    FinishMacControl(xon, QbbFrameType::PFC);
    QbbFrame& pause = add();
    pause.quanta[0] = 0x1234;
    FinishMacControl(pause, QbbFrameType::PAUSE);
    for (const auto& [etherType, hex] : PACKETS)
    {
        const std::vector<uint8_t> sdu = Hex(hex);
        QbbParseResult made =
            QbbFrameCodec::FromSdu(Create<Packet>(sdu.data(), static_cast<uint32_t>(sdu.size())),
                                   etherType,
                                   Mac48Address("02:00:00:00:00:0a"),
                                   Mac48Address("02:00:00:00:00:0b"),
                                   std::nullopt,
                                   pool);
        ASSERT_TRUE(made) << made.error;
        frames.push_back(std::move(made.frame));
    }

    {
        // CreateObject() sets attributes (the length captured of a frame); a constructor does not.
        Ptr<PcapFileWrapper> file = CreateObject<PcapFileWrapper>();
        file->Open(path, std::ios::out);
        ASSERT_FALSE(file->Fail()) << path;
        file->Init(LINKTYPE_ETHERNET);
        for (size_t i = 0; i < frames.size(); ++i)
        {
            file->Write(MicroSeconds(i), QbbFrameCodec::ToPacket(*frames[i]));
        }
    }

    // Read the file back: its bytes parse to the frames that were written.
    PcapFile file;
    file.Open(path, std::ios::in);
    for (const QbbFramePtr& frame : frames)
    {
        std::vector<uint8_t> bytes(2000);
        uint32_t seconds = 0;
        uint32_t micros = 0;
        uint32_t included = 0;
        uint32_t original = 0;
        uint32_t read = 0;
        file.Read(bytes.data(), 2000, seconds, micros, included, original, read);
        ASSERT_FALSE(file.Fail());
        ASSERT_EQ(read, frame->size - 4);
        ASSERT_EQ(included, original);
        const QbbParseResult parsed = QbbFrameCodec::Parse(bytes.data(), read, pool);
        ASSERT_TRUE(parsed) << parsed.error;
        EXPECT_EQ(Differences(*parsed.frame, *frame), "");
    }
}
