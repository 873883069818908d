/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-expect-error.h"
#include "rdma-file-error.h"
#include "rdma-output-file.h"
#include "rdma-temp-directory.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace ns3;

namespace
{

using Names = std::set<std::string>;

/** A directory with the file "a.csv", whose content is "old". */
class RdmaOutputFileTest : public testing::Test
{
  protected:
    RdmaOutputFileTest()
        : m_folder("rdma-output-file-test"),
          m_path((m_folder.GetPath() / "a.csv").string())
    {
        std::filesystem::create_directories(m_folder.GetPath());
        std::ofstream(m_path) << "old";
    }

    TempDirectory m_folder; //!< the directory
    std::string m_path;     //!< the file
};

} // namespace

TEST_F(RdmaOutputFileTest, AFileIsReplacedAsAWhole)
{
    RdmaOutputFile file;
    file.Open(m_path);
    file.GetStream() << "new";
    EXPECT_EQ(ReadAll(m_path), "old");
    file.Close();
    EXPECT_EQ(ReadAll(m_path), "new");
    EXPECT_EQ(m_folder.GetNames(), Names{"a.csv"});
}

TEST_F(RdmaOutputFileTest, AFileOfARunIsAbsentDuringTheRun)
{
    const std::string cut = RdmaOutputFile::GetCutPath(m_path);
    std::ofstream(cut) << "old";
    RdmaOutputFile file;
    file.OpenForRun(m_path);
    file.GetStream() << "new";
    EXPECT_EQ(m_folder.GetNames(), Names{"a.csv.part"});
    file.Close();
    EXPECT_EQ(m_folder.GetNames(), Names{"a.csv"});
    EXPECT_EQ(ReadAll(m_path), "new");
}

TEST_F(RdmaOutputFileTest, AFileOfACutRunHasANameOfItsOwn)
{
    RdmaOutputFile file;
    file.OpenForRun(m_path);
    file.GetStream() << "new";
    file.Close(true);
    EXPECT_EQ(m_folder.GetNames(), Names{"a.cut.csv"});
    EXPECT_EQ(RdmaOutputFile::GetCutPath("a.b/trace.json"), "a.b/trace.cut.json");
    EXPECT_EQ(RdmaOutputFile::GetCutPath("a.b/trace"), "a.b/trace.cut");
}

TEST_F(RdmaOutputFileTest, AnAbandonedFileLeavesNothing)
{
    {
        RdmaOutputFile file;
        file.Open(m_path);
        file.GetStream() << "new";
    }
    EXPECT_EQ(m_folder.GetNames(), Names{"a.csv"});
    EXPECT_EQ(ReadAll(m_path), "old");
}

TEST_F(RdmaOutputFileTest, ARemainderOfAKilledProgramIsReplaced)
{
    std::ofstream(m_path + ".part") << "a longer text that a killed program has left";
    RdmaOutputFile file;
    file.OpenForRun(m_path);
    file.GetStream() << "new";
    file.Close();
    EXPECT_EQ(ReadAll(m_path), "new");
}

TEST_F(RdmaOutputFileTest, TwoRunsDoNotWriteOneFile)
{
    RdmaOutputFile first;
    first.OpenForRun(m_path);
    first.GetStream() << "first";
    RdmaOutputFile second;
    ExpectError<RdmaFileError>([&] { second.OpenForRun(m_path); },
                               {"a.csv: another run is writing it"});
    first.Close();
    EXPECT_EQ(ReadAll(m_path), "first");
    second.OpenForRun(m_path);
    second.GetStream() << "second";
    second.Close();
    EXPECT_EQ(ReadAll(m_path), "second");
}

TEST_F(RdmaOutputFileTest, ALinkStaysALink)
{
    const auto link = m_folder.GetPath() / "link";
    std::filesystem::create_symlink("a.csv", link);
    RdmaOutputFile file;
    file.Open(link.string());
    file.GetStream() << "new";
    file.Close();
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(ReadAll(m_path), "new");
}

TEST_F(RdmaOutputFileTest, ADeviceIsWrittenDirectly)
{
    RdmaOutputFile file;
    file.OpenForRun("/dev/null");
    file.GetStream() << "new";
    file.Close(true);
    EXPECT_FALSE(std::filesystem::is_regular_file("/dev/null"));
}

TEST_F(RdmaOutputFileTest, Errors)
{
    RdmaOutputFile file;
    const std::string folder = m_folder.GetPath().string();
    ExpectError<RdmaFileError>([&] { file.Open(folder); }, {"cannot be written: Is a directory"});
    ExpectError<RdmaFileError>([&] { file.Open(folder + "/none/b"); },
                               {"none/b: cannot be written: No such file"});
    if (std::filesystem::exists("/dev/full"))
    {
        file.Open("/dev/full");
        file.GetStream() << "x";
        ExpectError<RdmaFileError>([&] { file.Close(); },
                                   {"/dev/full: could not be written completely"});
    }
    EXPECT_EQ(m_folder.GetNames(), Names{"a.csv"});
}
