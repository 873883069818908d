/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_WORKLOAD_H
#define RDMA_TEST_WORKLOAD_H

#include "rdma-workload.h"

#include <ns3/rng-seed-manager.h>

#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * Starts each test with seed 1 and run 1.
 */
class RdmaWorkloads : public testing::Test
{
  protected:
    void SetUp() override
    {
        RngSeedManager::SetSeed(1);
        RngSeedManager::SetRun(1);
    }

    void TearDown() override
    {
        SetUp();
    }
};

/**
 * \ingroup rdma-tests
 * Expects ids from 0, ascending start times, and a destination other than the source.
 *
 * \param flows flows of a workload
 */
inline void
ExpectOrdered(const std::vector<RdmaFlow>& flows)
{
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        EXPECT_EQ(flows[i].id, i);
        EXPECT_NE(flows[i].srcHost, flows[i].dstHost);
        if (i > 0)
        {
            EXPECT_LE(flows[i - 1].start, flows[i].start);
        }
    }
}

} // namespace ns3

#endif /* RDMA_TEST_WORKLOAD_H */
