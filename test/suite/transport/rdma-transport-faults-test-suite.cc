/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-verbs.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * Results of faults on both sides, with both transports: requests that the peer's memory does
 * not allow, that make no sense, or that nobody answers.
 */

using namespace ns3;

namespace
{

/// The region of the requests. The word at its end is only partly in the region.
constexpr uint64_t REGION = 4096;
constexpr uint64_t REGION_BYTES = 10'004;
/// The last word that is wholly in the region.
constexpr uint64_t LAST_WORD = REGION + 9992;

/** A request that is wrong, or just right. */
struct Fault
{
    const char* name;        //!< description of the request
    RdmaWrOpcode opcode;     //!< operation of the request
    uint64_t address;        //!< remote address
    uint64_t length;         //!< bytes
    RdmaMemoryAccess access; //!< access rights of the region
    RdmaWcStatus status;     //!< resulting status
    bool stale{false};       //!< the region is deregistered
    uint32_t keyOffset{0};   //!< offset of the key from the right key
};

constexpr auto WRITE = RdmaWrOpcode::RDMA_WRITE;
constexpr auto IMM = RdmaWrOpcode::RDMA_WRITE_WITH_IMM;
constexpr auto READ = RdmaWrOpcode::RDMA_READ;
constexpr auto CAS = RdmaWrOpcode::ATOMIC_CMP_AND_SWP;
constexpr auto ADD = RdmaWrOpcode::ATOMIC_FETCH_AND_ADD;
constexpr auto GOOD = RdmaWcStatus::SUCCESS;
constexpr auto DENIED = RdmaWcStatus::REM_ACCESS_ERR;
constexpr auto INVALID = RdmaWcStatus::REM_INV_REQ_ERR;
constexpr RdmaMemoryAccess ALL{true, true, true};

const Fault FAULTS[] = {
    {"write", WRITE, REGION, REGION_BYTES, ALL, GOOD},
    {"write with immediate", IMM, REGION, REGION_BYTES, ALL, GOOD},
    {"read", READ, REGION, REGION_BYTES, ALL, GOOD},
    {"compare and swap", CAS, REGION, 8, ALL, GOOD},
    {"fetch and add", ADD, LAST_WORD, 8, ALL, GOOD},
    {"write of the last byte", WRITE, REGION + REGION_BYTES - 1, 1, ALL, GOOD},
    {"read of the last byte", READ, REGION + REGION_BYTES - 1, 1, ALL, GOOD},
    {"write of nothing", WRITE, 1, 0, {}, GOOD, true, 77},
    {"read of nothing", READ, 1, 0, {}, GOOD, true, 77},

    {"write with a wrong key", WRITE, REGION, 8, ALL, DENIED, false, 1},
    {"write with immediate and a wrong key", IMM, REGION, 5000, ALL, DENIED, false, 256},
    {"read with a wrong key", READ, REGION, 5000, ALL, DENIED, false, 1},
    {"atomic with a wrong key", ADD, REGION, 8, ALL, DENIED, false, 1},
    {"write with an old key", WRITE, REGION, 5000, ALL, DENIED, true},
    {"read with an old key", READ, REGION, 8, ALL, DENIED, true},
    {"atomic with an old key", CAS, REGION, 8, ALL, DENIED, true},

    {"write from before the region", WRITE, REGION - 1, 8, ALL, DENIED},
    {"read from before the region", READ, REGION - 1, 8, ALL, DENIED},
    {"atomic before the region", ADD, REGION - 8, 8, ALL, DENIED},
    {"write beyond the region", WRITE, REGION + 1, REGION_BYTES, ALL, DENIED},
    {"write of one byte beyond", WRITE, REGION + REGION_BYTES, 1, ALL, DENIED},
    {"read beyond the region", READ, REGION + 1, REGION_BYTES, ALL, DENIED},
    {"atomic half in the region", CAS, LAST_WORD + 8, 8, ALL, DENIED},
    {"write beyond the last address", WRITE, UINT64_MAX, 8, ALL, DENIED},

    {"write without the right", WRITE, REGION, 5000, {false, true, true}, DENIED},
    {"write with immediate without the right", IMM, REGION, 8, {false, true, true}, DENIED},
    {"read without the right", READ, REGION, 5000, {true, false, true}, DENIED},
    {"atomic without the right", ADD, REGION, 8, {true, true, false}, DENIED},

    {"atomic beside a word", ADD, REGION + 4, 8, ALL, INVALID},
    {"atomic beside a word that is not there", CAS, 1, 8, {}, INVALID, true},
};

/** Requests to a memory region. */
class MemoryTestCase : public TestCase
{
  public:
    /** \param format of the transport */
    explicit MemoryTestCase(RdmaWireFormat format)
        : TestCase(GetTestName(format) + ": keys, bounds, rights and alignment"),
          m_format(format)
    {
    }

  private:
    void DoRun() override
    {
        for (const Fault& fault : FAULTS)
        {
            Run(fault, false);
            Run(fault, true);
        }
    }

    /** \param fault the request \param read a READ and an atomic are outstanding before it */
    void Run(const Fault& fault, bool read)
    {
        const std::string what =
            GetTestName(m_format) + ", " + fault.name + (read ? " behind a READ" : "");
        RdmaTestPair pair([&](RdmaTestFabric& test) {
            SetTestTransport(test, m_format);
            test.helper.SetNicAttribute("GlobalKey", BooleanValue(false));
        });
        auto& memory = pair.test.fabric->GetNic(1)->GetMemory();
        const uint32_t good = memory.Register(0, 100'000, ALL);
        const uint32_t key = memory.Register(REGION, REGION_BYTES, fault.access);
        if (fault.stale)
        {
            memory.Deregister(key);
        }
        memory.SetWord(REGION, 7);
        pair.receiver->PostReceive({100, 10'000});
        pair.receiver->PostReceive({101, 10'000});
        RdmaSendRequest request;
        request.rKey = good;
        request.length = 3000;
        request.id = 1;
        request.opcode = read ? READ : WRITE;
        pair.sender->PostSend(request);
        request.id = 2;
        request.opcode = read ? ADD : WRITE;
        pair.sender->PostSend(request);
        request.id = 3;
        request.opcode = fault.opcode;
        request.length = fault.length;
        request.remoteAddress = fault.address;
        request.rKey = key + fault.keyOffset;
        request.compareAdd = 7;
        pair.sender->PostSend(request);
        pair.Post(4, RdmaWrOpcode::SEND, 10'000);
        pair.Read(5, 0);
        pair.test.Run();

        // Requests before the fault succeed, requests after the fault are flushed.
        const bool fine = fault.status == GOOD;
        static const char* const names[] =
            {"RDMA_WRITE", "RDMA_WRITE", "SEND", "SEND", "RDMA_READ", "COMP_SWAP", "FETCH_ADD"};
        std::ostringstream log;
        log << (read ? "1 RDMA_READ 3000 IBV_WC_SUCCESS; 2 FETCH_ADD 8 IBV_WC_SUCCESS; "
                     : "1 RDMA_WRITE 3000 IBV_WC_SUCCESS; 2 RDMA_WRITE 3000 IBV_WC_SUCCESS; ")
            << "3 " << names[static_cast<int>(fault.opcode)] << " " << fault.length << " "
            << fault.status << "; 4 SEND 10000 "
            << (fine ? "IBV_WC_SUCCESS" : "IBV_WC_WR_FLUSH_ERR") << "; 5 RDMA_READ 0 "
            << (fine ? "IBV_WC_SUCCESS; " : "IBV_WC_WR_FLUSH_ERR; ");
        NS_TEST_EXPECT_MSG_EQ(pair.GetSendLog(), log.str(), what);
        std::string receives = "100 RECV 0 IBV_WC_WR_FLUSH_ERR; 101 RECV 0 IBV_WC_WR_FLUSH_ERR; ";
        if (fine && fault.opcode == IMM)
        {
            receives = "100 RECV_RDMA_WITH_IMM 10004 imm 0 IBV_WC_SUCCESS; "
                       "101 RECV 10000 IBV_WC_SUCCESS; ";
        }
        else if (fine)
        {
            receives = "100 RECV 10000 IBV_WC_SUCCESS; ";
        }
        NS_TEST_EXPECT_MSG_EQ(pair.GetReceiveLog(), receives, what);
        for (const auto& qp : {pair.sender, pair.receiver})
        {
            const auto state = fine ? RdmaQpState::RTS : RdmaQpState::ERR;
            NS_TEST_EXPECT_MSG_EQ((qp->GetState() == state), true, what << ", state");
        }
        const bool changed = fine && fault.opcode == CAS;
        NS_TEST_EXPECT_MSG_EQ(memory.GetWord(REGION), (changed ? 0U : 7U), what << ", word");
        // A refused request leaves no state behind.
        NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*pair.test.fabric), "", what);
    }

    RdmaWireFormat m_format;
};

/** Key 0, which allows everything or nothing. */
class GlobalKeyTestCase : public TestCase
{
  public:
    GlobalKeyTestCase()
        : TestCase("key 0 with GlobalKey and without")
    {
    }

  private:
    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            for (const RdmaWrOpcode opcode : {WRITE, READ, ADD})
            {
                for (const bool global : {false, true})
                {
                    RdmaTestPair pair([&](RdmaTestFabric& test) {
                        SetTestTransport(test, format);
                        test.helper.SetNicAttribute("GlobalKey", BooleanValue(global));
                    });
                    pair.Post(1, opcode, 5000);
                    pair.test.Run();
                    NS_TEST_ASSERT_MSG_EQ(pair.sends.size(), 1U, "completions");
                    NS_TEST_EXPECT_MSG_EQ(pair.sends[0].status,
                                          (global ? GOOD : DENIED),
                                          GetTestName(format));
                }
            }
        });
    }
};

/** Peers that never answer. */
class DeadPeerTestCase : public TestCase
{
  public:
    DeadPeerTestCase()
        : TestCase("peers in ERR or RESET, queue pairs that do not exist, links down for good")
    {
    }

  private:
    static void SetState(Ptr<RdmaQueuePair> qp, RdmaQpState state)
    {
        RdmaQpAttributes attributes;
        attributes.state = state;
        qp->Modify(attributes);
    }

    void DoRun() override
    {
        for (const RdmaWrOpcode opcode : {WRITE, RdmaWrOpcode::SEND, READ, ADD})
        {
            ForBothTransports([&](RdmaWireFormat format) {
                const std::string name =
                    GetTestName(format) + " " + std::to_string(static_cast<int>(opcode));
                Run(format, opcode, name + ", ERR", [](RdmaTestPair& pair) {
                    SetState(pair.receiver, RdmaQpState::ERR);
                });
                Run(format, opcode, name + ", RESET", [](RdmaTestPair& pair) {
                    SetState(pair.receiver, RdmaQpState::RESET);
                });
                Run(format, opcode, name + ", INIT", [](RdmaTestPair& pair) {
                    SetState(pair.receiver, RdmaQpState::RESET);
                    SetState(pair.receiver, RdmaQpState::INIT);
                });
                Run(format, opcode, name + ", no queue pair", [](RdmaTestPair& pair) {
                    SetState(pair.sender, RdmaQpState::RESET);
                    SetState(pair.sender, RdmaQpState::INIT);
                    pair.sender->Connect(pair.receiver->GetLocalAddress(), 999);
                });
                Run(format, opcode, name + ", peer of another", [](RdmaTestPair& pair) {
                    SetState(pair.receiver, RdmaQpState::RESET);
                    SetState(pair.receiver, RdmaQpState::INIT);
                    pair.receiver->Connect(Ipv4Address("10.9.9.9"), 2);
                });
                Run(format, opcode, name + ", its link", [](RdmaTestPair& pair) {
                    pair.test.fabric->SetLinkUp(1, false);
                });
                Run(format, opcode, name + ", way back lost", [](RdmaTestPair& pair) {
                    std::list<uint32_t> all;
                    for (uint32_t i = 0; i < 100; ++i)
                    {
                        all.push_back(i);
                    }
                    LoseFrames(pair.sender->GetPort(), all);
                });
            });
        }
    }

    template <typename T>
    void Run(RdmaWireFormat format, RdmaWrOpcode opcode, const std::string& what, T kill)
    {
        // Three tries, 100 us each. IRN's responder may have answered, so that the request counts
        // as arrived only with its response: what is lost is the answer, and the requests are
        // repeated.
        RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format, 2); });
        kill(pair);
        if (pair.receiver->GetState() == RdmaQpState::RTS && opcode == RdmaWrOpcode::SEND)
        {
            pair.receiver->PostReceive({100, 8});
        }
        pair.sender->PostReceive({50, 8});
        pair.Post(1, opcode, 8);
        pair.Post(2, WRITE, 8);
        pair.test.Run();
        NS_TEST_ASSERT_MSG_EQ(pair.sends.size(), 2U, what);
        NS_TEST_EXPECT_MSG_EQ(pair.sends[0].id, 1U, what);
        NS_TEST_EXPECT_MSG_EQ(pair.sends[0].status, RdmaWcStatus::RETRY_EXC_ERR, what);
        NS_TEST_EXPECT_MSG_EQ(pair.sends[0].time, 300_us, what);
        NS_TEST_EXPECT_MSG_EQ(pair.sends[1].status, RdmaWcStatus::WR_FLUSH_ERR, what);
        NS_TEST_EXPECT_MSG_EQ((pair.sender->GetState() == RdmaQpState::ERR), true, what);
        const auto flushed = pair.sender->GetReceiveCompletionQueue()->Poll(10);
        NS_TEST_EXPECT_MSG_EQ((flushed.size() == 1 || what.find("no queue") != std::string::npos),
                              true,
                              what);
    }
};

/** Receives that are too short, or not there. */
class ReceiveTestCase : public TestCase
{
  public:
    ReceiveTestCase()
        : TestCase("a receive that is too short, and none at all")
    {
    }

  private:
    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            for (const uint64_t length : {100, 101, 3000})
            {
                RdmaTestPair pair([&](RdmaTestFabric& test) { SetTestTransport(test, format); });
                pair.receiver->PostReceive({100, 8});
                pair.receiver->PostReceive({101, 100});
                pair.receiver->PostReceive({102, 100});
                pair.Post(1, RdmaWrOpcode::SEND, 8);
                pair.Post(2, RdmaWrOpcode::SEND, length);
                pair.Post(3, RdmaWrOpcode::SEND_WITH_IMM, 8);
                pair.test.Run();
                const bool fits = length == 100;
                NS_TEST_ASSERT_MSG_EQ(pair.sends.size(), 3U, GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ(pair.sends[1].status,
                                      (fits ? GOOD : INVALID),
                                      GetTestName(format) << " " << length);
                NS_TEST_EXPECT_MSG_EQ(pair.sends[2].status,
                                      (fits ? GOOD : RdmaWcStatus::WR_FLUSH_ERR),
                                      GetTestName(format) << " " << length);
                NS_TEST_ASSERT_MSG_EQ(pair.receives.size(), 3U, GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ(pair.receives[1].status,
                                      (fits ? GOOD : RdmaWcStatus::LOC_LEN_ERR),
                                      GetTestName(format) << " " << length);
                NS_TEST_EXPECT_MSG_EQ(pair.receives[2].status,
                                      (fits ? GOOD : RdmaWcStatus::WR_FLUSH_ERR),
                                      GetTestName(format) << " " << length);
            }
            for (const RdmaWrOpcode opcode : {RdmaWrOpcode::SEND, RdmaWrOpcode::SEND_WITH_IMM, IMM})
            {
                // rnr_retry 2: the third NAK is one too many. Packets behind the request have come
                // early, but are not executed. The READ before the request succeeds.
                RdmaTestPair pair([&](RdmaTestFabric& test) {
                    SetTestTransport(test, format);
                    test.helper.SetTransportAttribute("RnrRetryCount", UintegerValue(2));
                });
                pair.Read(1, 5000);
                pair.Post(2, opcode, 3000);
                pair.Post(3, WRITE, 5000);
                pair.test.Run();
                NS_TEST_ASSERT_MSG_EQ(pair.sends.size(), 3U, GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ(pair.sends[0].status, GOOD, GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ(pair.sends[1].status,
                                      RdmaWcStatus::RNR_RETRY_EXC_ERR,
                                      GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ(pair.sends[2].status,
                                      RdmaWcStatus::WR_FLUSH_ERR,
                                      GetTestName(format));
                // IRN sends one more NAK for each of the five packets that came early.
                NS_TEST_EXPECT_MSG_EQ(pair.receiver->GetStats().naksSent,
                                      (format == RdmaWireFormat::IRN ? 8U : 3U),
                                      GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ(pair.GetArrivals(), "", GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ((pair.receiver->GetState() == RdmaQpState::RTS),
                                      true,
                                      "the responder has done nothing wrong");
            }
        });
    }
};

/** The suite. */
class RdmaTransportFaultsTestSuite : public TestSuite
{
  public:
    RdmaTransportFaultsTestSuite()
        : TestSuite("rdma-transport-faults")
    {
        AddTestCase(new MemoryTestCase(RdmaWireFormat::ROCE));
        AddTestCase(new MemoryTestCase(RdmaWireFormat::IRN));
        AddTestCase(new GlobalKeyTestCase);
        AddTestCase(new DeadPeerTestCase);
        AddTestCase(new ReceiveTestCase);
    }
};

RdmaTransportFaultsTestSuite g_rdmaTransportFaultsTestSuite; //!< registers the suite

} // namespace
