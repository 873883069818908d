/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-frame-list.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

/**
 * \file
 * \ingroup rdma-tests
 * A queue of frames that are linked to each other.
 */

using namespace ns3;

namespace
{

/** \return the PSNs of the frames of a list, in order */
std::vector<uint32_t>
GetPsns(const QbbFrameList& list)
{
    std::vector<uint32_t> psns;
    list.ForEach([&psns](const QbbFrame& frame) { psns.push_back(frame.psn); });
    return psns;
}

/** \return a frame with a PSN */
QbbFramePtr
Make(QbbFramePool& pool, uint32_t psn)
{
    QbbFramePtr frame = pool.Allocate();
    frame->psn = psn;
    return frame;
}

} // namespace

TEST(QbbFrameList, FramesLeaveInTheirOrder)
{
    QbbFramePool pool;
    QbbFrameList list;
    EXPECT_TRUE(list.IsEmpty());
    EXPECT_EQ(list.GetFirst(), nullptr);
    for (const uint32_t psn : {7, 8, 9})
    {
        list.Push(Make(pool, psn));
    }
    EXPECT_EQ(GetPsns(list), (std::vector<uint32_t>{7, 8, 9}));
    EXPECT_EQ(list.GetSize(), 3U);
    EXPECT_EQ(list.Pop()->psn, 7U);
    EXPECT_EQ(list.Pop()->psn, 8U);
    list.Push(Make(pool, 10));
    EXPECT_EQ(list.GetFirst()->psn, 9U);
    EXPECT_EQ(list.Pop()->psn, 9U);
    EXPECT_EQ(list.Pop()->psn, 10U);
    EXPECT_TRUE(list.IsEmpty());
    // A list that was empty begins anew.
    list.Push(Make(pool, 11));
    EXPECT_EQ(GetPsns(list), (std::vector<uint32_t>{11}));
}

TEST(QbbFrameList, FramesGoFromListToList)
{
    QbbFramePool pool;
    QbbFrameList lists[2];
    std::vector<uint32_t> expected[2];
    std::mt19937_64 random(1);
    uint32_t psn = 0;
    for (int i = 0; i < 10000; ++i)
    {
        const auto from = random() % 2;
        if (random() % 3 == 0 || lists[from].IsEmpty())
        {
            lists[from].Push(Make(pool, ++psn));
            expected[from].push_back(psn);
        }
        else
        {
            QbbFramePtr frame = lists[from].Pop();
            ASSERT_EQ(frame->psn, expected[from].front());
            expected[from].erase(expected[from].begin());
            if (random() % 3)
            {
                expected[1 - from].push_back(frame->psn);
                lists[1 - from].Push(std::move(frame));
            }
        }
    }
    EXPECT_EQ(GetPsns(lists[0]), expected[0]);
    EXPECT_EQ(GetPsns(lists[1]), expected[1]);
}

TEST(QbbFrameList, GivesItsFramesBack)
{
    QbbFramePool pool;
    {
        QbbFrameList list;
        list.Push(Make(pool, 1));
        list.Push(Make(pool, 2));
        list.Clear();
        EXPECT_EQ(pool.GetInUse(), 0U);
        list.Push(Make(pool, 3));
        EXPECT_EQ(pool.GetInUse(), 1U);
    }
    EXPECT_EQ(pool.GetInUse(), 0U);
}
