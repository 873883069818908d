/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-application.h"

#include <ns3/boolean.h>
#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * Measurements of RdmaClient and RdmaServer, compared with times worked out by hand.
 */

using namespace ns3;

namespace
{

/** Latencies as ib_send_lat, ib_write_lat, ib_read_lat and ib_atomic_lat measure them. */
class ApplicationLatencyTestCase : public TestCase
{
  public:
    ApplicationLatencyTestCase()
        : TestCase("ping-pong: half of the round trip, READs and atomics all of it")
    {
    }

  private:
    void DoRun() override
    {
        struct Row
        {
            const char* operation;
            const char* size;
            RdmaPs first;
            RdmaPs others;
        };

        const Row rows[] = {
            // SEND of 4 B: 66 B, 2 011 840 each way. The answer leaves behind the acknowledgement
            // of the message, 86 x 80 = 6880. Every message but the first also leaves behind an
            // acknowledgement.
            {"Send", "4", (2 * 2'011'840_ps + 6880_ps) / 2, (2 * 2'011'840_ps + 2 * 6880_ps) / 2},
            // 4 B of immediate data more: 2 012 480
            {"SendWithImm", "4", 2'012'480_ps + 3440_ps, 2'012'480_ps + 6880_ps},
            // WRITE of 8 B: 86 B, 2 015 040
            {"Write", "8", 2'015'040_ps + 3440_ps, 2'015'040_ps + 6880_ps},
            {"WriteWithImm", "8", 2'015'680_ps + 3440_ps, 2'015'680_ps + 6880_ps},
            // see ReadLatencyTestCase of rdma-transport-read
            {"Read", "1000", 4'185'600_ps, 4'185'600_ps},
            {"FetchAndAdd", "1000", 4'028'800_ps, 4'028'800_ps},
            {"CompareAndSwap", "1000", 4'028'800_ps, 4'028'800_ps},
        };
        for (const Row& row : rows)
        {
            ApplicationPair pair;
            pair.AddServer();
            pair.AddClient({{"Operation", row.operation},
                            {"Pattern", "PingPong"},
                            {"MessageSize", row.size},
                            {"Iterations", "100"}});
            const RdmaClientResult result = pair.Run();
            NS_TEST_EXPECT_MSG_EQ(result.status, "done", row.operation);
            NS_TEST_ASSERT_MSG_EQ(result.latency.has_value(), true, row.operation);
            NS_TEST_EXPECT_MSG_EQ(result.latency->min, row.first, row.operation << ", first");
            NS_TEST_EXPECT_MSG_EQ(result.latency->max, row.others, row.operation << ", others");
            NS_TEST_EXPECT_MSG_EQ(result.latency->medianPs,
                                  static_cast<double>(row.others),
                                  row.operation);
            NS_TEST_EXPECT_MSG_EQ(result.iterations, 100U, row.operation);
            NS_TEST_ASSERT_MSG_EQ(pair.iterations.size(), 100U, row.operation);
            const RdmaIteration& last = pair.iterations.back();
            NS_TEST_EXPECT_MSG_EQ(last.number, 99U, row.operation);
            NS_TEST_EXPECT_MSG_EQ(last.latency, row.others, row.operation);
            NS_TEST_EXPECT_MSG_EQ(result.end, last.end, row.operation);
            const bool atomic = row.size == std::string("1000") && row.operation[0] != 'R';
            NS_TEST_EXPECT_MSG_EQ((result.messageBytes == 8 || !atomic), true, row.operation);
        }
    }
};

/** Bandwidth as ib_write_bw measures it. */
class ApplicationBandwidthTestCase : public TestCase
{
  public:
    ApplicationBandwidthTestCase()
        : TestCase("bulk: the line is full, one message at a time, several queue pairs")
    {
    }

  private:
    void DoRun() override
    {
        // A WRITE of 64 KiB: 1102 B and 63 times 1086 B, 5 664 000 of the line. The switch has the
        // first frame of all at 1110 x 80 + 1 us = 1 088 800 and sends without a gap; the last
        // frame begins 88 480 before the end of that and takes 1094 x 80 + 1 us = 1 087 520, the
        // acknowledgement 2 011 840.
        constexpr RdmaPs MESSAGE = 5'664'000_ps;
        constexpr RdmaPs REST = 1'088'800_ps - 88'480_ps + 1'087'520_ps + 2'011'840_ps;

        struct Row
        {
            const char* depth;
            const char* queuePairs;
            const char* iterations;
            RdmaPs end;
        };

        const Row rows[] = {
            {"128", "1", "100", 100 * MESSAGE + REST},
            {"128", "4", "25", 100 * MESSAGE + REST},
            {"1", "1", "100", 100 * (MESSAGE + REST)},
        };
        for (const Row& row : rows)
        {
            ApplicationPair pair;
            pair.AddServer();
            pair.AddClient({{"QueueDepth", row.depth},
                            {"QueuePairs", row.queuePairs},
                            {"Iterations", row.iterations}});
            const RdmaClientResult result = pair.Run();
            NS_TEST_EXPECT_MSG_EQ(result.status, "done", "status");
            NS_TEST_EXPECT_MSG_EQ(result.end, row.end, row.depth << " " << row.queuePairs);
            NS_TEST_EXPECT_MSG_EQ(result.bytes, 6'553'600U, "bytes");
            const double seconds = static_cast<double>(row.end) * 1e-12;
            NS_TEST_EXPECT_MSG_EQ_TOL(result.bandwidthBps, 6'553'600 * 8 / seconds, 1, "bit/s");
            NS_TEST_EXPECT_MSG_EQ_TOL(result.messagesPerSecond, 100 / seconds, 1e-3, "messages/s");
            NS_TEST_EXPECT_MSG_EQ(pair.server->GetMessagesReceived(), 100U, "at the server");
            NS_TEST_EXPECT_MSG_EQ(pair.server->GetBytesReceived(), 6'553'600U, "at the server");
        }
    }
};

/** Every operation with every pattern over both transports. */
class AllTestCase : public TestCase
{
  public:
    AllTestCase()
        : TestCase("all operations and patterns over both transports")
    {
    }

  private:
    void DoRun() override
    {
        static const char* const operations[] = {"Write",
                                                 "WriteWithImm",
                                                 "Send",
                                                 "SendWithImm",
                                                 "Read",
                                                 "CompareAndSwap",
                                                 "FetchAndAdd"};
        ForBothTransports([&](RdmaWireFormat format) {
            for (const std::string operation : operations)
            {
                const bool read = operation[0] == 'R' || operation[0] == 'C' || operation[0] == 'F';
                for (const std::string pattern : {"Bulk", "RequestResponse", "PingPong"})
                {
                    if (read && pattern == "RequestResponse")
                    {
                        continue;
                    }
                    const std::string what = GetTestName(format) + " " + operation + " " + pattern;
                    ApplicationPair pair(format);
                    // Peers may access registered memory only.
                    for (const uint32_t host : {0, 1})
                    {
                        pair.test.fabric->GetNic(host)->SetAttribute("GlobalKey",
                                                                     BooleanValue(false));
                    }
                    pair.AddServer({{"ReceiveDepth", "16"}});
                    pair.AddClient({{"Operation", operation},
                                    {"Pattern", pattern},
                                    {"MessageSize", "3000"},
                                    {"ResponseSize", "5000"},
                                    {"QueueDepth", "16"},
                                    {"QueuePairs", "3"},
                                    {"Iterations", "50"}});
                    const RdmaClientResult result = pair.Run();
                    NS_TEST_EXPECT_MSG_EQ(result.status, "done", what);
                    NS_TEST_EXPECT_MSG_EQ(result.iterations, 150U, what);
                    NS_TEST_EXPECT_MSG_EQ(pair.ended.size(), 1U, what);
                    NS_TEST_EXPECT_MSG_EQ(pair.server->GetMessagesReceived(),
                                          (read ? 0U : 150U),
                                          what);
                    NS_TEST_EXPECT_MSG_EQ(pair.server->GetNConnections(), 3U, what);
                    NS_TEST_EXPECT_MSG_EQ(pair.server->GetNFailed(), 0U, what);
                    uint64_t acknowledged = 0;
                    for (uint32_t i = 0; i < 3; ++i)
                    {
                        acknowledged += pair.server->GetQueuePair(i)->GetPacketsAcknowledged();
                    }
                    // answers of 5000 or 3000 B at path MTU 1024
                    const uint64_t packets = pattern == "Bulk" || read ? 0
                                             : pattern == "PingPong"   ? 3
                                                                       : 5;
                    NS_TEST_EXPECT_MSG_EQ(acknowledged, 150 * packets, what);
                    if (read && operation != "Read")
                    {
                        // Each queue pair has a word of memory that counts its atomics.
                        const auto& memory = pair.test.fabric->GetNic(1)->GetMemory();
                        for (uint64_t i = 0; i < 3; ++i)
                        {
                            const uint64_t address =
                                (uint64_t{RdmaServer::DEFAULT_PORT} << 47) + i * 4096;
                            NS_TEST_EXPECT_MSG_EQ(memory.GetWord(address), 50U, what);
                        }
                    }
                }
            }
        });
    }
};

/** Requests and their answers. */
class RequestResponseTestCase : public TestCase
{
  public:
    RequestResponseTestCase()
        : TestCase("request-response: the full time; intervals; a shared receive queue")
    {
    }

  private:
    void DoRun() override
    {
        {
            // SEND of 64 B: 126 B, 2 x (134 x 80 + 1 us) = 2 021 440. The answer, 1062 B behind an
            // acknowledgement: 6880 + 2 x (1070 x 80 + 1 us) = 2 178 080.
            ApplicationPair pair;
            pair.AddServer();
            pair.AddClient({{"Operation", "Send"},
                            {"Pattern", "RequestResponse"},
                            {"MessageSize", "64"},
                            {"ResponseSize", "1000"},
                            {"Interval", "10us"},
                            {"Iterations", "5"}});
            const RdmaClientResult result = pair.Run();
            NS_TEST_EXPECT_MSG_EQ(result.status, "done", "status");
            for (const auto& iteration : pair.iterations)
            {
                NS_TEST_EXPECT_MSG_EQ(iteration.begin, iteration.number * 10_us, "begins");
                NS_TEST_EXPECT_MSG_EQ(iteration.latency, 2'021'440_ps + 2'178'080_ps, "takes");
            }
        }
        {
            // Four requests at a time, each answered by 100 packets: an iteration begins whenever
            // one ends.
            ApplicationPair pair;
            pair.AddServer();
            pair.AddClient({{"Pattern", "RequestResponse"},
                            {"MessageSize", "8"},
                            {"ResponseSize", "102400"},
                            {"QueueDepth", "4"},
                            {"Iterations", "20"}});
            pair.Run();
            NS_TEST_ASSERT_MSG_EQ(pair.iterations.size(), 20U, "iterations");
            for (uint64_t i = 4; i < 20; ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(pair.iterations[i].begin,
                                      pair.iterations[i - 4].end,
                                      "iteration " << i);
            }
        }
        {
            // Two clients share as many receive requests as they use at a time.
            ApplicationPair pair(RdmaWireFormat::ROCE, 3);
            pair.AddServer({{"SharedReceiveQueue", "true"}, {"ReceiveDepth", "4"}});
            for (const uint32_t host : {0, 2})
            {
                pair.AddClient({{"Operation", "Send"},
                                {"Pattern", "PingPong"},
                                {"MessageSize", "100"},
                                {"QueuePairs", "2"},
                                {"Iterations", "50"}},
                               Time(0),
                               host);
            }
            pair.Run();
            NS_TEST_EXPECT_MSG_EQ(pair.ended.size(), 2U, "both");
            NS_TEST_EXPECT_MSG_EQ(pair.server->GetMessagesReceived(), 200U, "messages");
            for (uint32_t i = 0; i < 4; ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(pair.server->GetQueuePair(i)->GetStats().naksSent, 0U, "RNR");
            }
        }
        {
            // Messages of both directions have the class.
            ApplicationPair pair;
            pair.AddServer();
            pair.AddClient({{"Pattern", "PingPong"}, {"Priority", "5"}, {"Iterations", "2"}});
            pair.Run();
            for (const uint32_t host : {0, 1})
            {
                const auto& classes =
                    pair.test.fabric->GetNic(host)->GetPort(0)->GetCounters().classes;
                NS_TEST_EXPECT_MSG_GT(classes[5].rxFrames, 128U, "host " << host);
                NS_TEST_EXPECT_MSG_EQ(classes[3].rxFrames, 0U, "host " << host);
            }
        }
    }
};

/** The suite. */
class RdmaApplicationTestSuite : public TestSuite
{
  public:
    RdmaApplicationTestSuite()
        : TestSuite("rdma-application")
    {
        AddTestCase(new ApplicationLatencyTestCase);
        AddTestCase(new ApplicationBandwidthTestCase);
        AddTestCase(new AllTestCase);
        AddTestCase(new RequestResponseTestCase);
    }
};

RdmaApplicationTestSuite g_rdmaApplicationTestSuite; //!< registers the suite

} // namespace
