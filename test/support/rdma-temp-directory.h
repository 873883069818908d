/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEMP_DIRECTORY_H
#define RDMA_TEMP_DIRECTORY_H

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * A path for a directory that is removed when the test ends. The directory does not exist at first.
 */
class TempDirectory
{
  public:
    /** \param name name that no other test uses */
    explicit TempDirectory(const std::string& name)
        : m_path(std::filesystem::path(testing::TempDir()) / name)
    {
        std::filesystem::remove_all(m_path);
    }

    ~TempDirectory()
    {
        std::filesystem::remove_all(m_path);
    }

    TempDirectory(const TempDirectory&) = delete;
    TempDirectory& operator=(const TempDirectory&) = delete;

    /** \return the path */
    std::filesystem::path GetPath() const
    {
        return m_path;
    }

    /** \return names of the files in the directory */
    std::set<std::string> GetNames() const
    {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(m_path))
        {
            names.insert(entry.path().filename().string());
        }
        return names;
    }

  private:
    std::filesystem::path m_path; //!< the path
};

/**
 * \ingroup rdma-tests
 * \param path a file \return content of the file
 */
inline std::string
ReadAll(const std::filesystem::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

} // namespace ns3

#endif /* RDMA_TEMP_DIRECTORY_H */
