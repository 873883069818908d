/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-sha256.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

std::string
GetHash(const std::string& data, bool usesInstructions = true)
{
    RdmaSha256 hash(usesInstructions);
    hash.Add(data);
    return hash.Finish();
}

} // namespace

// Examples that NIST publishes with FIPS 180-4, and the lengths around the ends of a block as
// coreutils' sha256sum gives them.
TEST(RdmaSha256, Vectors)
{
    EXPECT_EQ(GetHash(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(GetHash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(GetHash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(GetHash(std::string(1'000'000, 'a')),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    EXPECT_EQ(GetHash(std::string(55, 'x')),
              "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072");
    EXPECT_EQ(GetHash(std::string(56, 'x')),
              "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
    EXPECT_EQ(GetHash(std::string(63, 'x')),
              "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2");
    EXPECT_EQ(GetHash(std::string(64, 'x')),
              "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c");
    EXPECT_EQ(GetHash(std::string(65, 'x')),
              "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9");
    EXPECT_EQ(GetHash(std::string(119, 'x')),
              "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c");
    EXPECT_EQ(GetHash(std::string(120, 'x')),
              "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98");
}

// A processor without instructions for SHA-256 passes this test in any case.
TEST(RdmaSha256, InstructionsGiveTheHashOfThePortableCode)
{
    std::string data;
    for (std::size_t length = 0; length < 300; ++length)
    {
        EXPECT_EQ(GetHash(data), GetHash(data, false)) << length;
        data += static_cast<char>(7 * length * length + 3);
    }
}

// An example that NIST publishes with FIPS 180-4.
TEST(RdmaSha256, PortableCode)
{
    EXPECT_EQ(GetHash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", false),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(RdmaSha256, PiecesGiveTheHashOfTheWhole)
{
    const std::string data(200, 'x');
    for (const std::size_t piece : {1, 63, 64, 65, 130})
    {
        RdmaSha256 hash;
        for (std::size_t begin = 0; begin < data.size(); begin += piece)
        {
            hash.Add(data.substr(begin, piece));
        }
        EXPECT_EQ(hash.Finish(), GetHash(data)) << piece;
    }
}
