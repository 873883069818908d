/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-output-file.h"

#include "rdma-file-error.h"
#include "rdma-ranks.h"

#include <cerrno>
#include <cstring>

namespace ns3
{

void
RdmaOutputFile::Open(const std::string& path)
{
    if (!RdmaRanks::IsFirst())
    {
        return;
    }
    m_path = path;
    errno = 0;
    m_file.open(path, std::ios::binary);
    if (!m_file)
    {
        throw RdmaFileError(path, 0, "", std::string("cannot be written: ") + std::strerror(errno));
    }
}

void
RdmaOutputFile::Close()
{
    m_file.close();
    if (RdmaRanks::IsFirst() && !m_file)
    {
        throw RdmaFileError(m_path, 0, "", "could not be written completely");
    }
}

} // namespace ns3
