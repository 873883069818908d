/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-application-helper.h"
#include "rdma-client.h"
#include "rdma-server.h"
#include "rdma-test-verbs.h"

#include <ns3/boolean.h>
#include <ns3/string.h>
#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * RdmaClient and RdmaServer: what they measure, against times worked out by hand; when they begin
 * and end, and what they say of errors.
 */

using namespace ns3;

namespace
{

/**
 * Two hosts at one switch as in RdmaTestPair, a server on host 1 and a client on host 0: a byte
 * takes 80 ps, a frame of s bytes gets from host to host in 2 x ((8 + s) x 80 + 1 us) and takes (s
 * + 20) x 80 of the line.
 */
struct ApplicationPair
{
    /** \param format of the transport \param hosts how many, the server is on host 1 */
    explicit ApplicationPair(RdmaWireFormat format = RdmaWireFormat::ROCE, uint32_t hosts = 2)
    {
        SetTestTransport(test, format);
        test.Install(MakeRdmaStar(hosts, MakeTestRates(100, 100, 1000)), {});
    }

    /** \param attributes names and values of the server's attributes, and its start */
    void AddServer(const std::vector<std::pair<std::string, std::string>>& attributes = {},
                   Time start = Time(0))
    {
        RdmaServerHelper helper;
        for (const auto& [name, value] : attributes)
        {
            helper.SetAttribute(name, StringValue(value));
        }
        auto applications = helper.Install(test.fabric->GetNode(1));
        applications.Start(start);
        server = DynamicCast<RdmaServer>(applications.Get(0));
    }

    /**
     * \param attributes names and values of the client's attributes
     * \param start its start
     * \param host its host
     */
    void AddClient(const std::vector<std::pair<std::string, std::string>>& attributes = {},
                   Time start = Time(0),
                   uint32_t host = 0)
    {
        RdmaClientHelper helper(test.fabric->GetAddress(1));
        for (const auto& [name, value] : attributes)
        {
            helper.SetAttribute(name, StringValue(value));
        }
        auto applications = helper.Install(test.fabric->GetNode(host));
        applications.Start(start);
        client = DynamicCast<RdmaClient>(applications.Get(0));
        client->TraceConnectWithoutContext(
            "Iteration",
            Callback<void, const RdmaIteration&>(
                [this](const RdmaIteration& iteration) { iterations.push_back(iteration); }));
        client->TraceConnectWithoutContext(
            "Ended",
            Callback<void, const RdmaClientResult&>(
                [this](const RdmaClientResult& result) { ended.push_back(result); }));
    }

    /** \return what the client measured, after the run */
    RdmaClientResult Run()
    {
        test.Run();
        return client->GetResult();
    }

    RdmaTestFabric test;                   //!< the fabric
    Ptr<RdmaServer> server;                //!< on host 1
    Ptr<RdmaClient> client;                //!< the last that was added
    std::vector<RdmaIteration> iterations; //!< of all clients
    std::vector<RdmaClientResult> ended;   //!< of all clients
};

/** Latencies as ib_send_lat, ib_write_lat, ib_read_lat and ib_atomic_lat have them. */
class LatencyTestCase : public TestCase
{
  public:
    LatencyTestCase()
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
            int64_t firstPs;
            int64_t othersPs;
        };

        const Row rows[] = {
            // SEND of 4 B: 66 B, 2 011 840 each way. The answer goes out behind the acknowledgement
            // of the message, 86 x 80 = 6880; so does every message but the first.
            {"Send", "4", (2 * 2'011'840 + 6880) / 2, (2 * 2'011'840 + 2 * 6880) / 2},
            // 4 B of immediate data more: 2 012 480
            {"SendWithImm", "4", 2'012'480 + 3440, 2'012'480 + 6880},
            // WRITE of 8 B: 86 B, 2 015 040
            {"Write", "8", 2'015'040 + 3440, 2'015'040 + 6880},
            {"WriteWithImm", "8", 2'015'680 + 3440, 2'015'680 + 6880},
            // see LatencyTestCase of rdma-transport-read
            {"Read", "1000", 4'185'600, 4'185'600},
            {"FetchAndAdd", "1000", 4'028'800, 4'028'800},
            {"CompareAndSwap", "1000", 4'028'800, 4'028'800},
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
            NS_TEST_EXPECT_MSG_EQ(result.latency->minPs, row.firstPs, row.operation << ", first");
            NS_TEST_EXPECT_MSG_EQ(result.latency->maxPs, row.othersPs, row.operation << ", others");
            NS_TEST_EXPECT_MSG_EQ(result.latency->medianPs, row.othersPs, row.operation);
            NS_TEST_EXPECT_MSG_EQ(result.iterations, 100U, row.operation);
            NS_TEST_ASSERT_MSG_EQ(pair.iterations.size(), 100U, row.operation);
            const RdmaIteration& last = pair.iterations.back();
            NS_TEST_EXPECT_MSG_EQ(last.number, 99U, row.operation);
            NS_TEST_EXPECT_MSG_EQ(last.latencyPs, row.othersPs, row.operation);
            NS_TEST_EXPECT_MSG_EQ(result.endPs, last.endPs, row.operation);
            const bool atomic = row.size == std::string("1000") && row.operation[0] != 'R';
            NS_TEST_EXPECT_MSG_EQ((result.messageBytes == 8 || !atomic), true, row.operation);
        }
    }
};

/** Bandwidth as ib_write_bw has it. */
class BandwidthTestCase : public TestCase
{
  public:
    BandwidthTestCase()
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
        constexpr int64_t MESSAGE_PS = 5'664'000;
        constexpr int64_t REST_PS = 1'088'800 - 88'480 + 1'087'520 + 2'011'840;

        struct Row
        {
            const char* depth;
            const char* queuePairs;
            const char* iterations;
            int64_t endPs;
        };

        const Row rows[] = {
            {"128", "1", "100", 100 * MESSAGE_PS + REST_PS},
            {"128", "4", "25", 100 * MESSAGE_PS + REST_PS},
            {"1", "1", "100", 100 * (MESSAGE_PS + REST_PS)},
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
            NS_TEST_EXPECT_MSG_EQ(result.endPs, row.endPs, row.depth << " " << row.queuePairs);
            NS_TEST_EXPECT_MSG_EQ(result.bytes, 6'553'600U, "bytes");
            const double seconds = static_cast<double>(row.endPs) * 1e-12;
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
                    // Nothing is allowed that is not registered.
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
                        // Each queue pair has a word, which counts.
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
                NS_TEST_EXPECT_MSG_EQ(iteration.beginPs,
                                      static_cast<int64_t>(iteration.number) * 10'000'000,
                                      "begins");
                NS_TEST_EXPECT_MSG_EQ(iteration.latencyPs, 2'021'440 + 2'178'080, "takes");
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
                NS_TEST_EXPECT_MSG_EQ(pair.iterations[i].beginPs,
                                      pair.iterations[i - 4].endPs,
                                      "iteration " << i);
            }
        }
        {
            // Two clients and as many receives as they use at a time.
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
            // The class of both directions.
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

/** When they begin and end. */
class StartAndStopTestCase : public TestCase
{
  public:
    StartAndStopTestCase()
        : TestCase("starts in any order, stops, servers that never start")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& [serverUs, clientUs] : {std::pair{10, 50}, std::pair{50, 10}, {50, 50}})
        {
            for (const bool serverFirst : {false, true})
            {
                ApplicationPair pair;
                if (serverFirst)
                {
                    pair.AddServer({}, MicroSeconds(serverUs));
                }
                pair.AddClient({{"Iterations", "3"}, {"MessageSize", "8"}}, MicroSeconds(clientUs));
                if (!serverFirst)
                {
                    pair.AddServer({}, MicroSeconds(serverUs));
                }
                const RdmaClientResult result = pair.Run();
                NS_TEST_EXPECT_MSG_EQ(result.status, "done", serverUs << " " << clientUs);
                NS_TEST_EXPECT_MSG_EQ(result.beginPs, 50'000'000, serverUs << " " << clientUs);
                NS_TEST_EXPECT_MSG_EQ(pair.iterations.at(0).endPs,
                                      50'000'000 + 2'015'040 + 2'011'840,
                                      serverUs << " " << clientUs);
            }
        }
        {
            // A WRITE of 1 KiB takes 1122 x 80 = 89 760 of the line, the first is complete after 2
            // x (1110 x 80 + 1 us) + 2 011 840 = 4 189 440. Up to 100 us that makes 1 + 1067.
            ApplicationPair pair;
            pair.AddServer();
            pair.AddClient({{"Iterations", "0"}, {"MessageSize", "1024"}});
            pair.client->SetStopTime(MicroSeconds(100));
            const RdmaClientResult result = pair.Run();
            NS_TEST_EXPECT_MSG_EQ(result.status, "stopped", "status");
            NS_TEST_EXPECT_MSG_EQ(result.iterations, 1068U, "iterations");
            NS_TEST_EXPECT_MSG_EQ(result.endPs, 4'189'440 + 1067 * 89'760, "the last of them");
            NS_TEST_EXPECT_MSG_EQ(pair.ended.size(), 1U, "ended once");
            // What was posted is finished all the same: 128 at a time.
            NS_TEST_EXPECT_MSG_EQ(pair.server->GetMessagesReceived(), 1068U + 128, "messages");
            NS_TEST_EXPECT_MSG_EQ(RdmaTestBooks::CheckRest(*pair.test.fabric), "", "rest");
        }
        {
            ApplicationPair pair;
            pair.AddServer({{"Port", "7"}});
            pair.AddClient();
            NS_TEST_EXPECT_MSG_EQ(pair.Run().status,
                                  "there is no server at 10.0.0.2:18515",
                                  "no such port");
        }
        {
            ApplicationPair pair;
            pair.AddServer({}, Seconds(100));
            pair.AddClient();
            pair.client->SetStopTime(Seconds(5));
            NS_TEST_EXPECT_MSG_EQ(pair.Run().status,
                                  "the server at 10.0.0.2:18515 has not started",
                                  "too late");
            NS_TEST_EXPECT_MSG_EQ(pair.ended.size(), 1U, "ended");
        }
        {
            ApplicationPair pair;
            pair.AddClient({}, Seconds(20));
            pair.AddServer();
            NS_TEST_EXPECT_MSG_EQ(pair.Run().status, "not started", "not started");
        }
    }
};

/** Errors end the client, and it says why. */
class FailureTestCase : public TestCase
{
  public:
    FailureTestCase()
        : TestCase("errors: no room, a server that ends, a link that goes down")
    {
    }

  private:
    void DoRun() override
    {
        ForBothTransports([&](RdmaWireFormat format) {
            {
                ApplicationPair pair(format);
                pair.AddServer({{"ReceiveSize", "1000"}});
                std::vector<RdmaWcStatus> failures;
                pair.server->TraceConnectWithoutContext(
                    "Failed",
                    Callback<void, const RdmaWorkCompletion&>(
                        [&](const RdmaWorkCompletion& completion) {
                            failures.push_back(completion.status);
                        }));
                pair.AddClient({{"Operation", "Send"}, {"QueuePairs", "2"}, {"QueueDepth", "4"}});
                const RdmaClientResult result = pair.Run();
                NS_TEST_EXPECT_MSG_EQ(result.status,
                                      "IBV_WC_REM_INV_REQ_ERR on queue pair 2 after 0 iterations",
                                      GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ((pair.client->GetState() == RdmaClient::State::FAILED),
                                      true,
                                      "state");
                NS_TEST_EXPECT_MSG_EQ(pair.ended.size(), 1U, "ended once");
                NS_TEST_ASSERT_MSG_GT(failures.size(), 0U, "the server knows");
                NS_TEST_EXPECT_MSG_EQ(failures[0], RdmaWcStatus::LOC_LEN_ERR, "why");
                // Nothing goes on on the other one.
                for (uint32_t i = 0; i < 2; ++i)
                {
                    NS_TEST_EXPECT_MSG_EQ(
                        (pair.server->GetQueuePair(i)->GetState() == RdmaQpState::ERR &&
                         pair.client->GetQueuePairs()[i]->GetState() == RdmaQpState::ERR),
                        true,
                        "queue pairs " << i);
                }
                NS_TEST_EXPECT_MSG_EQ(pair.test.fabric->GetNic(1)->GetMemory().GetNRegions(),
                                      0U,
                                      "memory");
            }
            {
                ApplicationPair pair(format);
                pair.AddServer();
                pair.server->SetStopTime(MicroSeconds(200));
                pair.AddClient({{"Iterations", "0"}});
                const RdmaClientResult result = pair.Run();
                NS_TEST_EXPECT_MSG_EQ(result.status,
                                      "IBV_WC_RETRY_EXC_ERR on queue pair 2 after " +
                                          std::to_string(pair.iterations.size()) + " iterations",
                                      GetTestName(format));
                // A message takes 5.7 us; up to then it has been at work.
                NS_TEST_EXPECT_MSG_GT(pair.iterations.size(), 30U, "iterations");
                NS_TEST_EXPECT_MSG_LT(pair.iterations.back().endPs, 203'000'000, "until then");
            }
            {
                // The message of 8 B is there at 2 015 040 and acknowledged at once; its answer
                // waits for 6880 (IRN: 7200), and does not go out any more.
                ApplicationPair pair(format);
                pair.AddServer();
                pair.server->SetStopTime(PicoSeconds(2'020'000));
                pair.AddClient(
                    {{"Pattern", "PingPong"}, {"MessageSize", "8"}, {"Iterations", "0"}});
                NS_TEST_EXPECT_MSG_EQ(pair.Run().status,
                                      "the server has stopped; 0 iterations done",
                                      GetTestName(format));
                NS_TEST_EXPECT_MSG_EQ(pair.server->GetMessagesReceived(), 1U, "arrived");
            }
            {
                // The link goes down.
                ApplicationPair pair(format);
                pair.AddServer();
                pair.AddClient({{"Operation", "FetchAndAdd"}, {"Iterations", "0"}});
                RdmaTestPair::At(100'000'000, [&]() { pair.test.fabric->SetLinkUp(1, false); });
                const RdmaClientResult result = pair.Run();
                NS_TEST_EXPECT_MSG_EQ(result.status.substr(0, 20),
                                      "IBV_WC_RETRY_EXC_ERR",
                                      GetTestName(format));
            }
        });
    }
};

/** The suite. */
class RdmaApplicationTestSuite : public TestSuite
{
  public:
    RdmaApplicationTestSuite()
        : TestSuite("rdma-application")
    {
        AddTestCase(new LatencyTestCase);
        AddTestCase(new BandwidthTestCase);
        AddTestCase(new AllTestCase);
        AddTestCase(new RequestResponseTestCase);
        AddTestCase(new StartAndStopTestCase);
        AddTestCase(new FailureTestCase);
    }
};

RdmaApplicationTestSuite g_rdmaApplicationTestSuite; //!< registers the suite

} // namespace
