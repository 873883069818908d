/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-test-application.h"

#include <ns3/test.h>

/**
 * \file
 * \ingroup rdma-tests
 * Begin and end of RdmaClient and RdmaServer, and their messages on errors.
 */

using namespace ns3;

namespace
{

/** Start and stop times of RdmaClient and RdmaServer. */
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
                NS_TEST_EXPECT_MSG_EQ(result.begin, 50_us, serverUs << " " << clientUs);
                NS_TEST_EXPECT_MSG_EQ(pair.iterations.at(0).end,
                                      50_us + 2'015'040_ps + 2'011'840_ps,
                                      serverUs << " " << clientUs);
            }
        }
        {
            // A WRITE of 1 KiB takes the line for 1122 x 80 = 89 760. The first WRITE completes
            // after 2 x (1110 x 80 + 1 us) + 2 011 840 = 4 189 440. By 100 us 1 + 1067 WRITEs
            // complete.
            ApplicationPair pair;
            pair.AddServer();
            pair.AddClient({{"Iterations", "0"}, {"MessageSize", "1024"}});
            pair.client->SetStopTime(MicroSeconds(100));
            const RdmaClientResult result = pair.Run();
            NS_TEST_EXPECT_MSG_EQ(result.status, "stopped", "status");
            NS_TEST_EXPECT_MSG_EQ(result.iterations, 1068U, "iterations");
            NS_TEST_EXPECT_MSG_EQ(result.end, 4'189'440_ps + 1067 * 89'760_ps, "the last of them");
            NS_TEST_EXPECT_MSG_EQ(pair.ended.size(), 1U, "ended once");
            // The client finishes the 128 requests that it has posted.
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

/** Errors end the client, which reports the reason. */
class ApplicationFailureTestCase : public TestCase
{
  public:
    ApplicationFailureTestCase()
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
                // An error on one queue pair ends the other queue pair, too.
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
                // A message takes 5.7 us. The client works until the server stops at 200 us.
                NS_TEST_EXPECT_MSG_GT(pair.iterations.size(), 30U, "iterations");
                NS_TEST_EXPECT_MSG_LT(pair.iterations.back().end, 203_us, "until then");
            }
            {
                // The message of 8 B arrives at 2 015 040, and its acknowledgement leaves at once.
                // The answer waits for the line for 6880 (IRN: 7200) and is never sent.
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
                RdmaTestPair::At(100_us, [&]() { pair.test.fabric->SetLinkUp(1, false); });
                const RdmaClientResult result = pair.Run();
                NS_TEST_EXPECT_MSG_EQ(result.status.substr(0, 20),
                                      "IBV_WC_RETRY_EXC_ERR",
                                      GetTestName(format));
            }
        });
    }
};

/** The suite. */
class RdmaApplicationEndsTestSuite : public TestSuite
{
  public:
    RdmaApplicationEndsTestSuite()
        : TestSuite("rdma-application-ends")
    {
        AddTestCase(new StartAndStopTestCase);
        AddTestCase(new ApplicationFailureTestCase);
    }
};

RdmaApplicationEndsTestSuite g_rdmaApplicationEndsTestSuite; //!< registers the suite

} // namespace
