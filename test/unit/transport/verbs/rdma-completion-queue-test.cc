/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-completion-queue.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace ns3;

namespace
{

/** \param id identifier \return a completion with it */
RdmaWorkCompletion
MakeCompletion(uint64_t id)
{
    RdmaWorkCompletion completion;
    completion.id = id;
    completion.bytes = 10 * id;
    completion.status = id % 2 ? RdmaWcStatus::WR_FLUSH_ERR : RdmaWcStatus::SUCCESS;
    return completion;
}

/** \param completions completions \return their identifiers */
std::vector<uint64_t>
Ids(const std::vector<RdmaWorkCompletion>& completions)
{
    std::vector<uint64_t> ids;
    for (const auto& completion : completions)
    {
        ids.push_back(completion.id);
    }
    return ids;
}

} // namespace

TEST(RdmaCompletionQueue, Poll)
{
    auto queue = CreateObject<RdmaCompletionQueue>();
    EXPECT_EQ(queue->GetSize(), 0U);
    EXPECT_TRUE(queue->Poll(10).empty());
    for (uint64_t id = 1; id <= 7; ++id)
    {
        queue->Add(MakeCompletion(id));
    }
    EXPECT_EQ(queue->GetSize(), 7U);
    EXPECT_TRUE(queue->Poll(0).empty());
    EXPECT_EQ(Ids(queue->Poll(3)), (std::vector<uint64_t>{1, 2, 3})); // the oldest
    EXPECT_EQ(queue->GetSize(), 4U);
    queue->Add(MakeCompletion(8));
    const auto rest = queue->Poll(UINT32_MAX);
    EXPECT_EQ(Ids(rest), (std::vector<uint64_t>{4, 5, 6, 7, 8}));
    EXPECT_EQ(rest[1].bytes, 50U);
    EXPECT_EQ(rest[1].status, RdmaWcStatus::WR_FLUSH_ERR);
    EXPECT_EQ(rest[2].status, RdmaWcStatus::SUCCESS);
    EXPECT_EQ(queue->GetSize(), 0U);
}

TEST(RdmaCompletionQueue, CallbackInPlaceOfPolling)
{
    auto queue = CreateObject<RdmaCompletionQueue>();
    queue->Add(MakeCompletion(1)); // before there is a callback
    std::vector<uint64_t> seen;
    queue->SetCallback(RdmaCompletionQueue::CompletionCallback(
        [&seen](const RdmaWorkCompletion& completion) { seen.push_back(completion.id); }));
    queue->Add(MakeCompletion(2));
    queue->Add(MakeCompletion(3));
    EXPECT_EQ(seen, (std::vector<uint64_t>{1, 2, 3})); // 1 was queued before
    EXPECT_EQ(queue->GetSize(), 0U);
    queue->SetCallback(RdmaCompletionQueue::CompletionCallback());
    queue->Add(MakeCompletion(4));
    EXPECT_EQ(seen.size(), 3U);
    EXPECT_EQ(Ids(queue->Poll(9)), std::vector<uint64_t>{4});
}

TEST(RdmaCompletionQueue, CallbackThatReplacesItself)
{
    // The callback gets the completion that it waits for, and goes back to polling from within.
    auto queue = CreateObject<RdmaCompletionQueue>();
    const auto alive = std::make_shared<std::vector<uint64_t>>();
    queue->SetCallback(RdmaCompletionQueue::CompletionCallback(
        [queue, alive](const RdmaWorkCompletion& completion) {
            queue->SetCallback(RdmaCompletionQueue::CompletionCallback());
            alive->push_back(completion.id); // its completions are still there
        }));
    queue->Add(MakeCompletion(5));
    queue->Add(MakeCompletion(6));
    EXPECT_EQ(*alive, std::vector<uint64_t>{5});
    EXPECT_EQ(Ids(queue->Poll(9)), std::vector<uint64_t>{6});
    EXPECT_EQ(alive.use_count(), 1); // the replaced callback is gone
}

TEST(RdmaCompletionQueue, CallbackThatPollsAndAdds)
{
    // Completions that follow from within a callback come after it, one level down.
    auto queue = CreateObject<RdmaCompletionQueue>();
    std::vector<uint64_t> seen;
    queue->SetCallback(RdmaCompletionQueue::CompletionCallback(
        [&seen, &queue](const RdmaWorkCompletion& completion) {
            seen.push_back(completion.id);
            EXPECT_TRUE(queue->Poll(1).empty());
            if (completion.id < 5)
            {
                queue->Add(MakeCompletion(completion.id + 1));
            }
        }));
    queue->Add(MakeCompletion(1));
    EXPECT_EQ(seen, (std::vector<uint64_t>{1, 2, 3, 4, 5}));
    EXPECT_EQ(queue->GetSize(), 0U);
}

TEST(RdmaCompletionQueue, NotificationsAreOneShot)
{
    // ibv_req_notify_cq(): one event for each request, of completions after the request only.
    auto queue = CreateObject<RdmaCompletionQueue>();
    uint32_t events = 0;
    queue->SetNotificationCallback(
        RdmaCompletionQueue::NotificationCallback([&events, queue](Ptr<RdmaCompletionQueue> which) {
            EXPECT_EQ(which, queue);
            ++events;
        }));
    queue->Add(MakeCompletion(2));
    EXPECT_EQ(events, 0U) << "nothing is requested";
    queue->RequestNotification(RdmaNotification::NEXT);
    EXPECT_EQ(events, 0U) << "an older completion does not count";
    queue->Add(MakeCompletion(4));
    EXPECT_EQ(events, 1U);
    EXPECT_EQ(queue->GetRequestedNotification(), RdmaNotification::NONE);
    queue->Add(MakeCompletion(6));
    EXPECT_EQ(events, 1U);
    EXPECT_EQ(Ids(queue->Poll(9)), (std::vector<uint64_t>{2, 4, 6})) << "the event takes nothing";
    queue->Dispose();
}

TEST(RdmaCompletionQueue, SolicitedNotifications)
{
    auto queue = CreateObject<RdmaCompletionQueue>();
    uint32_t events = 0;
    queue->SetNotificationCallback(RdmaCompletionQueue::NotificationCallback(
        [&events](Ptr<RdmaCompletionQueue>) { ++events; }));
    RdmaWorkCompletion solicited = MakeCompletion(2);
    solicited.solicited = true;
    queue->RequestNotification(RdmaNotification::SOLICITED);
    queue->Add(MakeCompletion(2));
    EXPECT_EQ(events, 0U) << "a success that is not solicited";
    queue->Add(solicited);
    EXPECT_EQ(events, 1U);
    queue->RequestNotification(RdmaNotification::SOLICITED);
    queue->Add(MakeCompletion(1));
    EXPECT_EQ(events, 2U) << "a completion without success";
    // A request for the next completion stands, whichever request comes after it.
    queue->RequestNotification(RdmaNotification::SOLICITED);
    queue->RequestNotification(RdmaNotification::NEXT);
    queue->RequestNotification(RdmaNotification::SOLICITED);
    EXPECT_EQ(queue->GetRequestedNotification(), RdmaNotification::NEXT);
    queue->Add(MakeCompletion(2));
    EXPECT_EQ(events, 3U);
    queue->RequestNotification(RdmaNotification::NEXT);
    queue->RequestNotification(RdmaNotification::NONE);
    queue->Add(MakeCompletion(2));
    EXPECT_EQ(events, 3U) << "withdrawn";
}

TEST(RdmaCompletionQueue, NotificationsWithACompletionCallback)
{
    // The completion callback has the completion first.
    auto queue = CreateObject<RdmaCompletionQueue>();
    std::vector<uint64_t> seen;
    queue->SetCallback(RdmaCompletionQueue::CompletionCallback(
        [&seen](const RdmaWorkCompletion& completion) { seen.push_back(completion.id); }));
    queue->SetNotificationCallback(
        RdmaCompletionQueue::NotificationCallback([&seen](Ptr<RdmaCompletionQueue> which) {
            seen.push_back(100);
            which->RequestNotification(RdmaNotification::NEXT);
        }));
    queue->RequestNotification(RdmaNotification::NEXT);
    queue->Add(MakeCompletion(2));
    queue->Add(MakeCompletion(4));
    EXPECT_EQ(seen, (std::vector<uint64_t>{2, 100, 4, 100}));
    queue->Dispose();
}

TEST(RdmaCompletionQueue, NotificationWithoutCallback)
{
    EXPECT_DEATH(
        CreateObject<RdmaCompletionQueue>()->RequestNotification(RdmaNotification::SOLICITED),
        "without a notification callback");
    auto queue = CreateObject<RdmaCompletionQueue>();
    EXPECT_FALSE(queue->HasCallback());
    queue->SetNotificationCallback(
        RdmaCompletionQueue::NotificationCallback([](Ptr<RdmaCompletionQueue>) {}));
    EXPECT_TRUE(queue->HasCallback());
}

TEST(RdmaCompletionQueue, Dispose)
{
    auto queue = CreateObject<RdmaCompletionQueue>();
    const auto held = std::make_shared<int>(1);
    queue->Add(MakeCompletion(1));
    queue->SetCallback(
        RdmaCompletionQueue::CompletionCallback([held](const RdmaWorkCompletion&) { ++*held; }));
    queue->Dispose();
    EXPECT_EQ(held.use_count(), 1);
    EXPECT_EQ(queue->GetSize(), 0U);
}
