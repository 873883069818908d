/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-ascii-trace.h"
#include "qbb-frame-irn-vectors.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;
using namespace ns3::QbbFrameVectors;

namespace
{

/** \return the part of the trace's line for a vector's frame that follows the addresses */
std::string
LineOf(const std::string& name)
{
    for (const Vector& vector : IrnVectors())
    {
        if (vector.name == name)
        {
            QbbFramePool pool;
            const QbbFramePtr frame = pool.Allocate();
            vector.fill(*frame);
            std::ostringstream line;
            QbbWriteFrame(line, *frame);
            return line.str().substr(line.str().find("TTL 64 ") + 7);
        }
    }
    return "no vector " + name;
}

} // namespace

TEST(QbbAsciiTrace, LinesOfIrnPackets)
{
    EXPECT_EQ(LineOf("IrnSendMiddle"),
              "IRN_SEND_MIDDLE QP 18 PSN 11259375 WQE 10597059 offset 2309737967 payload 4 B");
    EXPECT_EQ(LineOf("IrnWriteMiddle"),
              "IRN_WRITE_MIDDLE QP 18 PSN 11259375 message 74565 B payload 12 B");
    EXPECT_EQ(LineOf("IrnReadAcknowledge"),
              "IRN_READ_ACKNOWLEDGE QP 18 PSN 11259375 syndrome 0x1f MSN 16702650 caused by PSN "
              "15852243");
}
