/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-run-folder.h"

#include "rdma-file-error.h"
#include "rdma-output-file.h"
#include "rdma-program-facts.h"
#include "rdma-result-table.h"
#include "rdma-sha256.h"
#include "rdma-text-file.h"

#include <ns3/rng-seed-manager.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <ostream>
#include <random>
#include <string_view>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ns3
{

namespace
{

constexpr const char RECORD[] = "run.json";
/// Files of the results of one run
constexpr const char* RESULTS[] =
    {"flows.csv", "ports.csv", "summary.json", "steps.csv", "calls.csv", "path.csv"};

/** A descriptor of a file or folder, closed at the end of the scope. */
class Descriptor
{
  public:
    explicit Descriptor(int number)
        : m_number(number)
    {
    }

    ~Descriptor()
    {
        if (m_number >= 0)
        {
            close(m_number);
        }
    }

    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int Get() const
    {
        return m_number;
    }

    int Release()
    {
        return std::exchange(m_number, -1);
    }

  private:
    int m_number;
};

/** \return the present time, UTC, as in 2026-11-26T10:17:06Z */
std::string
GetTimeOfDay()
{
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[sizeof "2026-11-26T10:17:06Z"];
    return std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0 ? text : "";
}

std::string
MakeId()
{
    // Not from ns-3's streams: two runs with one seed have different ids.
    std::random_device device;
    RdmaSha256 hash;
    for (int i = 0; i < 4; ++i)
    {
        hash.Add(std::to_string(device()) + " ");
    }
    return hash.Finish().substr(0, 16);
}

void
AppendText(std::string& text, std::string_view value)
{
    AppendRdmaField(text, RdmaResultFormat::JSON, value);
}

void
AppendKey(std::string& text, std::string_view key)
{
    text += text.empty() ? "{\n  " : ",\n  ";
    AppendText(text, key);
    text += ": ";
}

void
AppendTextOrNull(std::string& text, const std::string& value)
{
    value.empty() ? text += "null" : (AppendText(text, value), text);
}

/** Appends a JSON object whose values the function appends. */
template <typename Map, typename AppendValue>
void
AppendObject(std::string& text, const Map& map, AppendValue appendValue)
{
    const char* before = "{\n    ";
    for (const auto& [key, value] : map)
    {
        text += before;
        AppendText(text, key);
        text += ": ";
        appendValue(text, value);
        before = ",\n    ";
    }
    text += map.empty() ? "{}" : "\n  }";
}

void
AppendObject(std::string& text, const std::map<std::string, std::string>& map)
{
    AppendObject(text, map, AppendTextOrNull);
}

/** Locks a file for this process; a file system without locks locks nothing. \return success */
bool
Lock(int descriptor)
{
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/**
 * Keeps other programs from taking or giving up a folder until the descriptor is closed.
 * \param directory the folder
 * \return a descriptor of the folder
 */
int
LockFolder(const std::string& directory)
{
    const int folder = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (folder >= 0 && flock(folder, LOCK_EX) != 0 && errno == EINTR)
    {
    }
    return folder;
}

/** Throws if a run writes to the folder, which LockFolder() has locked. */
void
CheckUnused(const std::string& directory)
{
    const std::string path = (std::filesystem::path(directory) / RECORD).string();
    const Descriptor record(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (record.Get() >= 0 && !Lock(record.Get()))
    {
        throw RdmaFileError(directory,
                            0,
                            "",
                            "another run is writing its results there (see run.json)",
                            "another folder");
    }
}

} // namespace

RdmaRunFolder::RdmaRunFolder(const std::string& directory,
                             const std::map<std::string, std::string>& options)
    : m_directory(directory),
      m_options(options),
      m_id(MakeId()),
      m_begun(GetTimeOfDay()),
      m_exceptions(std::uncaught_exceptions())
{
    std::error_code error;
    m_isNew = std::filesystem::create_directories(directory, error);
    if (error || !std::filesystem::is_directory(directory, error))
    {
        throw RdmaFileError(directory,
                            0,
                            "",
                            "the directory cannot be made" +
                                (error ? ": " + error.message() : std::string()));
    }
    const Descriptor folder(LockFolder(directory));
    CheckUnused(directory);
    for (const char* name : RESULTS)
    {
        RdmaOutputFile::Check(GetPath(name));
    }
    // The lock belongs to the file, so the file is locked before others see it under its name.
    const std::string part = GetPath(RECORD) + ".part";
    WriteRdmaFile(part, Format());
    Descriptor record(open(part.c_str(), O_RDONLY | O_CLOEXEC));
    if (record.Get() < 0)
    {
        throw RdmaFileError(part, 0, "", std::string("cannot be opened: ") + std::strerror(errno));
    }
    Lock(record.Get());
    std::filesystem::rename(part, GetPath(RECORD), error);
    if (error)
    {
        throw RdmaFileError(GetPath(RECORD), 0, "", "cannot be written: " + error.message());
    }
    m_lock = record.Release();
    for (const char* name : RESULTS)
    {
        std::error_code ignored; // the file need not exist, and Write() reports what stays
        std::filesystem::remove(GetPath(name), ignored);
    }
}

RdmaRunFolder::~RdmaRunFolder()
{
    const Descriptor record(m_lock);
    if (m_ended.empty() && std::uncaught_exceptions() > m_exceptions)
    {
        // A refused run leaves nothing.
        std::error_code ignored;
        std::filesystem::remove(GetPath(RECORD), ignored);
        if (m_isNew)
        {
            std::filesystem::remove(m_directory, ignored); // unless somebody else uses the folder
        }
    }
}

std::string
RdmaRunFolder::GetPath(const std::string& name) const
{
    return (std::filesystem::path(m_directory) / name).string();
}

std::string
RdmaRunFolder::Write(const std::string& name, const std::function<void(const Add&)>& produce)
{
    RdmaSha256 hash;
    WriteRdmaFile(GetPath(name), [&](std::ostream& out) {
        produce([&](const std::string& text) {
            out << text;
            hash.Add(text);
        });
    });
    return m_files[name] = hash.Finish();
}

void
RdmaRunFolder::Finish(const std::string& cutBy, const std::map<std::string, double>& counts)
{
    m_cutBy = cutBy;
    m_counts = counts;
    m_ended = GetTimeOfDay();
    WriteRdmaFile(GetPath(RECORD), Format());
}

std::string
RdmaRunFolder::Format() const
{
    std::string text;
    AppendKey(text, "id");
    AppendText(text, m_id);
    AppendKey(text, "state");
    AppendText(text, m_ended.empty() ? "running" : m_cutBy.empty() ? "complete" : "cut");
    AppendKey(text, "cut_by");
    AppendTextOrNull(text, m_cutBy);
    AppendKey(text, "command");
    std::string words;
    for (const std::string& word : GetRdmaCommand())
    {
        words += words.empty() ? "[" : ", ";
        AppendText(words, word);
    }
    text += words.empty() ? "[]" : words + "]";
    AppendKey(text, "options");
    AppendObject(text, m_options);
    AppendKey(text, "attributes");
    AppendObject(text, GetRdmaChangedDefaults());
    AppendKey(text, "globals");
    AppendObject(text, GetRdmaGlobals());
    AppendKey(text, "seed");
    text += std::to_string(RngSeedManager::GetSeed());
    AppendKey(text, "run");
    text += std::to_string(RngSeedManager::GetRun());
    AppendKey(text, "versions");
    AppendObject(text, GetRdmaVersions());
    AppendKey(text, "process");
    text += std::to_string(getpid());
    AppendKey(text, "begun");
    AppendText(text, m_begun);
    AppendKey(text, "ended");
    AppendTextOrNull(text, m_ended);
    AppendKey(text, "counts");
    AppendObject(text, m_counts, [](std::string& to, double value) {
        AppendRdmaField(to, RdmaResultFormat::JSON, value);
    });
    AppendKey(text, "files");
    AppendObject(text, m_files);
    return text + "\n}\n";
}

} // namespace ns3
