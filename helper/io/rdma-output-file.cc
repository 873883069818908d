/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-output-file.h"

#include "rdma-file-error.h"
#include "rdma-ranks.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace ns3
{

namespace
{

[[noreturn]] void
FailToOpen(const std::string& path, int error)
{
    throw RdmaFileError(path,
                        0,
                        "",
                        std::string("cannot be written") +
                            (error != 0 ? std::string(": ") + std::strerror(error) : ""));
}

/** \return true if two descriptions of files are of one file */
bool
IsSameFile(const struct stat& a, const struct stat& b)
{
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

} // namespace

RdmaOutputFile::~RdmaOutputFile()
{
    if (m_file.is_open())
    {
        m_file.close();
        if (m_part != m_target)
        {
            std::error_code ignored;
            std::filesystem::remove(m_part, ignored);
        }
    }
    Unlock();
}

void
RdmaOutputFile::Check(const std::string& path)
{
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (std::filesystem::is_directory(status))
    {
        FailToOpen(path, EISDIR);
    }
    if (std::filesystem::exists(status) && access(path.c_str(), W_OK) != 0)
    {
        FailToOpen(path, errno);
    }
}

std::string
RdmaOutputFile::GetCutPath(const std::string& path)
{
    const std::filesystem::path whole(path);
    const std::string name = whole.stem().string() + ".cut" + whole.extension().string();
    return (whole.parent_path() / name).string();
}

void
RdmaOutputFile::Open(const std::string& path)
{
    if (RdmaRanks::IsFirst())
    {
        Begin(path, true);
    }
}

void
RdmaOutputFile::OpenForRun(const std::string& path)
{
    if (!RdmaRanks::IsFirst())
    {
        return;
    }
    Begin(path, false);
    if (m_part != m_target)
    {
        std::error_code ignored; // the files need not exist
        std::filesystem::remove(m_target, ignored);
        std::filesystem::remove(GetCutPath(m_target), ignored);
    }
}

void
RdmaOutputFile::Begin(const std::string& path, bool waits)
{
    Check(path);
    m_path = path;
    m_target = path;
    std::error_code error;
    if (std::filesystem::is_symlink(path, error))
    {
        const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
        m_target = error ? path : target.string();
    }
    const auto status = std::filesystem::status(m_target, error);
    const bool isDevice =
        std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
    m_part = isDevice ? m_target : m_target + ".part";
    while (!isDevice && m_lock < 0)
    {
        m_lock = open(m_part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (m_lock < 0)
        {
            FailToOpen(path, errno);
        }
        int locked = 0;
        do
        {
            locked = flock(m_lock, waits ? LOCK_EX : LOCK_EX | LOCK_NB);
        } while (locked != 0 && errno == EINTR);
        if (locked != 0 && errno == EWOULDBLOCK)
        {
            Unlock();
            throw RdmaFileError(path, 0, "", "another run is writing it", "another file");
        }

        // Another program may have given the file its name before this one had the lock. A file
        // system without locks lets two programs write one file.
        struct stat present
        {
        };

        struct stat own
        {
        };

        if (stat(m_part.c_str(), &present) != 0 || fstat(m_lock, &own) != 0 ||
            !IsSameFile(present, own))
        {
            Unlock();
        }
    }
    errno = 0;
    m_file.open(m_part, std::ios::binary | std::ios::trunc);
    if (!m_file)
    {
        const int reason = errno;
        Unlock();
        FailToOpen(path, reason);
    }
}

void
RdmaOutputFile::Close(bool isCut)
{
    if (!RdmaRanks::IsFirst())
    {
        return;
    }
    m_file.close();
    bool isWritten = !m_file.fail();
    std::error_code error;
    if (m_part != m_target)
    {
        if (isWritten)
        {
            std::filesystem::rename(m_part, isCut ? GetCutPath(m_target) : m_target, error);
            isWritten = !error;
        }
        else
        {
            std::filesystem::remove(m_part, error);
        }
    }
    Unlock();
    if (!isWritten)
    {
        throw RdmaFileError(m_path, 0, "", "could not be written completely");
    }
}

void
RdmaOutputFile::Unlock()
{
    if (m_lock >= 0)
    {
        close(m_lock);
        m_lock = -1;
    }
}

} // namespace ns3
