/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-job-file.h"

#include "rdma-collective.h"
#include "rdma-expression.h"
#include "rdma-file-error.h"
#include "rdma-job-content.h"
#include "rdma-json.h"
#include "rdma-part.h"
#include "rdma-placement.h"
#include "rdma-text-file.h"
#include "rdma-units.h"

#include <ns3/random-variable-stream.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace ns3
{

namespace
{

/// Most ranks of a file.
constexpr uint32_t MAX_JOB_RANKS = 1'000'000;

/** \return words with commas between them */
std::string
ListJobWords(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
    {
        text += (text.empty() || word.empty() ? "" : ", ") + word;
    }
    return text;
}

} // namespace

/** Reads a file. */
class RdmaJobFile::Reader
{
  private:
    template <typename F>
    decltype(auto) Try(uint64_t line, const std::string& field, F function) const
    {
        try
        {
            return function();
        }
        catch (const std::invalid_argument& error)
        {
            throw RdmaFileError(m_content.path, line, field, error.what());
        }
    }

  public:
    explicit Reader(RdmaJobFileContent& content)
        : m_content(content)
    {
    }

    void Read()
    {
        const RdmaJsonValue root = ParseRdmaJson(ReadRdmaFile(m_content.path), m_content.path);
        CheckKeys(root, "the file", {"jobs", "placement"});
        if (const RdmaJsonValue* placement = root.Find("placement"))
        {
            m_content.placement = GetString(*placement, "placement");
            m_content.placementLine = placement->line;
            Try(placement->line, "placement", [this] {
                const RdmaPart part =
                    RdmaPart::Parse(m_content.placement, RdmaPlacement::GetTypeId());
                if (part.Has("Hosts"))
                {
                    throw std::invalid_argument("Hosts; accepted: the key hosts of a job");
                }
            });
        }
        const RdmaJsonValue& jobs = Need(root, "the file", "jobs", Type::ARRAY, "a list of jobs");
        uint64_t ranks = 0;
        for (const RdmaJsonValue& job : jobs.elements)
        {
            m_content.jobs.push_back(ReadJob(job));
            ranks += m_content.jobs.back().ranks;
            Require(ranks <= MAX_JOB_RANKS,
                    job.line,
                    "ranks",
                    std::to_string(ranks) + " in all jobs up to here",
                    "up to " + std::to_string(MAX_JOB_RANKS));
        }
        Require(!jobs.elements.empty(), jobs.line, "jobs", "no job", "one or more");
    }

  private:
    using Type = RdmaJsonValue::Type;
    using Kind = RdmaJobOperation::Kind;

    /** What operations take from the operations around them. */
    struct Around
    {
        std::vector<std::string> names; //!< names that expressions may have
        RdmaJobText name;               //!< name of operations
        bool hasName{false};            //!< there is such a name
        RdmaJobText stream;             //!< stream of operations
        uint32_t depth{0};              //!< number of loops
    };

    void Require(bool isRight,
                 uint64_t line,
                 const std::string& field,
                 const std::string& problem,
                 const std::string& accepted) const
    {
        if (!isRight)
        {
            throw RdmaFileError(m_content.path, line, field, problem, accepted);
        }
    }

    void CheckKeys(const RdmaJsonValue& object,
                   const std::string& what,
                   const std::vector<std::string>& keys) const
    {
        Require(object.type == Type::OBJECT, object.line, "", what + " is no object", "{...}");
        for (const auto& [name, member] : object.members)
        {
            Require(std::find(keys.begin(), keys.end(), name) != keys.end(),
                    member.line,
                    QuoteRdmaText(name),
                    "is no key of " + what,
                    ListJobWords(keys));
        }
        for (const auto& [name, line] : object.repeated)
        {
            Require(false, line, QuoteRdmaText(name), "occurs twice", "once");
        }
    }

    const RdmaJsonValue& Need(const RdmaJsonValue& object,
                              const std::string& what,
                              const std::string& key,
                              Type type,
                              const std::string& accepted) const
    {
        const RdmaJsonValue* value = object.Find(key);
        Require(value, object.line, key, "is missing in " + what, accepted);
        Require(value->type == type, value->line, key, "is something else", accepted);
        return *value;
    }

    std::string GetString(const RdmaJsonValue& value, const std::string& key) const
    {
        Require(value.type == Type::STRING, value.line, key, "is no string", "a string");
        return value.text;
    }

    std::string GetScalar(const RdmaJsonValue& value, const std::string& key) const
    {
        Require(value.type == Type::STRING || value.type == Type::NUMBER,
                value.line,
                key,
                "is neither a number nor a string",
                "a number or a string");
        return value.text;
    }

    uint32_t GetInteger(const RdmaJsonValue& object,
                        const std::string& key,
                        uint32_t fallback,
                        uint32_t min,
                        uint32_t max) const
    {
        const RdmaJsonValue* value = object.Find(key);
        if (!value)
        {
            return fallback;
        }
        return GetIntegerOf(*value, key, min, max);
    }

    uint32_t GetIntegerOf(const RdmaJsonValue& value,
                          const std::string& key,
                          uint32_t min,
                          uint32_t max) const
    {
        const std::string text = GetScalar(value, key);
        return Try(value.line, key, [&] {
            return static_cast<uint32_t>(ParseRdmaInteger(text, min, max));
        });
    }

    double GetReal(const RdmaJsonValue& value, const std::string& key, double min, double max) const
    {
        const std::string text = GetScalar(value, key);
        const double number = Try(value.line, key, [&] { return ParseRdmaReal(text); });
        Require(number >= min && number <= max,
                value.line,
                key,
                QuoteRdmaText(text),
                FormatRdmaReal(min) + " to " + FormatRdmaReal(max));
        return number;
    }

    RdmaExpression GetExpression(const RdmaJsonValue& value,
                                 const std::string& key,
                                 const std::vector<std::string>& names) const
    {
        const std::string text = GetScalar(value, key);
        return Try(value.line, key, [&] { return RdmaExpression(text, names); });
    }

    RdmaJobText GetText(const RdmaJsonValue& value,
                        const std::string& key,
                        const std::vector<std::string>& names) const
    {
        const std::string text = GetString(value, key);
        Require(!text.empty(), value.line, key, "is empty", "a name");
        RdmaJobText result;
        std::size_t at = 0;
        while (at < text.size())
        {
            const std::size_t open = text.find('{', at);
            if (open == std::string::npos)
            {
                result.pieces.push_back({text.substr(at), {}});
                break;
            }
            const std::size_t close = text.find('}', open);
            Require(close != std::string::npos, value.line, key, "a } is missing", "{EXPRESSION}");
            const std::string inside = text.substr(open + 1, close - open - 1);
            result.pieces.push_back({text.substr(at, open - at), Try(value.line, key, [&] {
                                         return RdmaExpression(inside, names);
                                     })});
            at = close + 1;
        }
        return result;
    }

    RdmaJobContent ReadJob(const RdmaJsonValue& value) const
    {
        const std::string what = "a job";
        CheckKeys(value,
                  what,
                  {"name",
                   "ranks",
                   "hosts",
                   "start",
                   "steps",
                   "priority",
                   "groups",
                   "stragglers",
                   "step"});
        RdmaJobContent job;
        job.line = value.line;
        job.name = "job " + std::to_string(m_content.jobs.size());
        if (const RdmaJsonValue* name = value.Find("name"))
        {
            job.name = GetString(*name, "name");
        }
        for (const RdmaJobContent& other : m_content.jobs)
        {
            Require(other.name != job.name,
                    value.line,
                    "name",
                    QuoteRdmaText(job.name) + " is the name of an earlier job",
                    "another name");
        }
        Require(value.Find("ranks"), value.line, "ranks", "is missing in a job", "a number");
        job.ranks = GetInteger(value, "ranks", 0, 1, MAX_JOB_RANKS);
        job.hosts = GetInteger(value, "hosts", job.ranks, 1, job.ranks);
        Require(job.ranks % job.hosts == 0,
                value.Find("hosts") ? value.Find("hosts")->line : value.line,
                "hosts",
                std::to_string(job.hosts) + " for " + std::to_string(job.ranks) + " ranks",
                "a number that divides the ranks");
        job.steps = GetInteger(value, "steps", 1, 1, 1'000'000);
        if (const RdmaJsonValue* start = value.Find("start"))
        {
            job.start = Try(start->line, "start", [&] {
                return ParseRdmaTime(GetString(*start, "start"));
            });
        }
        ReadGroups(value, job);
        ReadStragglers(value, job);
        Around around;
        around.names = {"ranks", "step", "rank"};
        for (std::size_t i = 1; i < job.groups.size(); ++i)
        {
            around.names.push_back(job.groups[i].name);
        }
        around.stream.pieces.push_back({"main", {}});
        job.step = ReadOperations(Need(value, what, "step", Type::ARRAY, "a list of operations"),
                                  job,
                                  around);
        return job;
    }

    void ReadGroups(const RdmaJsonValue& value, RdmaJobContent& job) const
    {
        RdmaJobGroup all;
        all.name = "all";
        all.priority = static_cast<uint8_t>(
            GetInteger(value, "priority", RdmaScheduleMessage::NO_PRIORITY, 0, 7));
        all.lists.emplace_back(job.ranks);
        std::iota(all.lists[0].begin(), all.lists[0].end(), 0);
        job.groups.push_back(all);
        const RdmaJsonValue* groups = value.Find("groups");
        if (!groups)
        {
            return;
        }
        Require(groups->type == Type::OBJECT,
                groups->line,
                "groups",
                "is no object",
                "{\"NAME\": {...}, ...}");
        for (const auto& [name, line] : groups->repeated)
        {
            Require(false, line, QuoteRdmaText(name), "occurs twice", "once");
        }
        for (const auto& [name, group] : groups->members)
        {
            job.groups.push_back(ReadGroup(name, group, job));
        }
    }

    void CheckName(const std::string& name,
                   uint64_t line,
                   const std::string& key,
                   const std::vector<std::string>& taken) const
    {
        const bool isWord = !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) &&
                            std::all_of(name.begin(), name.end(), [](char c) {
                                return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
                            });
        Require(isWord, line, key, QuoteRdmaText(name), "letters, digits and _, a letter first");
        Require(std::find(taken.begin(), taken.end(), name) == taken.end(),
                line,
                key,
                QuoteRdmaText(name) + " is taken",
                "none of " + ListJobWords(taken));
    }

    RdmaJobGroup ReadGroup(const std::string& name,
                           const RdmaJsonValue& value,
                           const RdmaJobContent& job) const
    {
        std::vector<std::string> taken{"ranks", "step", "rank"};
        for (const RdmaJobGroup& other : job.groups)
        {
            taken.push_back(other.name);
        }
        CheckName(name, value.line, "groups", taken);
        const std::string what = "a group";
        CheckKeys(value, what, {"size", "stride", "lists", "priority"});
        RdmaJobGroup group;
        group.name = name;
        group.priority =
            static_cast<uint8_t>(GetInteger(value, "priority", job.groups[0].priority, 0, 7));
        if (const RdmaJsonValue* lists = value.Find("lists"))
        {
            Require(!value.Find("size") && !value.Find("stride"),
                    lists->line,
                    "lists",
                    "with size or stride",
                    "one of the two");
            Require(lists->type == Type::ARRAY,
                    lists->line,
                    "lists",
                    "is no list",
                    "[[0, 1], ...]");
            ReadLists(*lists, job, group);
            return group;
        }
        Require(value.Find("size"), value.line, "size", "is missing in a group", "size, or lists");
        const uint32_t size = GetInteger(value, "size", 1, 1, job.ranks);
        const uint32_t stride = GetInteger(value, "stride", 1, 1, job.ranks);
        const uint64_t block = uint64_t{size} * stride;
        Require(job.ranks % block == 0,
                value.line,
                "size",
                std::to_string(size) + " x stride " + std::to_string(stride) + " for " +
                    std::to_string(job.ranks) + " ranks",
                "a product that divides the ranks");
        for (uint32_t first = 0; first < job.ranks; first += static_cast<uint32_t>(block))
        {
            for (uint32_t i = 0; i < stride; ++i)
            {
                auto& list = group.lists.emplace_back();
                for (uint32_t k = 0; k < size; ++k)
                {
                    list.push_back(first + i + k * stride);
                }
            }
        }
        return group;
    }

    void ReadLists(const RdmaJsonValue& lists, const RdmaJobContent& job, RdmaJobGroup& group) const
    {
        std::vector<bool> isTaken(job.ranks);
        for (const RdmaJsonValue& list : lists.elements)
        {
            Require(list.type == Type::ARRAY && !list.elements.empty(),
                    list.line,
                    "lists",
                    "is no list of ranks",
                    "[[0, 1], ...]");
            group.lists.emplace_back();
            for (const RdmaJsonValue& rank : list.elements)
            {
                const uint32_t number = GetIntegerOf(rank, "lists", 0, job.ranks - 1);
                Require(!isTaken[number],
                        rank.line,
                        "lists",
                        "rank " + std::to_string(number) + " comes twice",
                        "once");
                isTaken[number] = true;
                group.lists.back().push_back(number);
            }
        }
        Require(!group.lists.empty(), lists.line, "lists", "no list", "one or more");
    }

    void ReadStragglers(const RdmaJsonValue& value, RdmaJobContent& job) const
    {
        const RdmaJsonValue* stragglers = value.Find("stragglers");
        if (!stragglers)
        {
            return;
        }
        const std::string what = "stragglers";
        CheckKeys(*stragglers, what, {"share", "ranks", "factor"});
        const RdmaJsonValue* share = stragglers->Find("share");
        const RdmaJsonValue* ranks = stragglers->Find("ranks");
        const RdmaJsonValue* factor = stragglers->Find("factor");
        Require(factor, stragglers->line, "factor", "is missing in stragglers", "0.001 to 1000");
        job.stragglers.factor = GetReal(*factor, "factor", 0.001, 1000);
        Require((share != nullptr) != (ranks != nullptr),
                stragglers->line,
                what,
                share ? "share and ranks" : "neither share nor ranks",
                "one of the two");
        if (share)
        {
            job.stragglers.share = GetReal(*share, "share", 0, 1);
            return;
        }
        Require(ranks->type == Type::ARRAY, ranks->line, "ranks", "is no list", "[0, 5]");
        for (const RdmaJsonValue& rank : ranks->elements)
        {
            const uint32_t number = GetIntegerOf(rank, "ranks", 0, job.ranks - 1);
            auto& list = job.stragglers.ranks;
            Require(std::find(list.begin(), list.end(), number) == list.end(),
                    rank.line,
                    "ranks",
                    "rank " + std::to_string(number) + " comes twice",
                    "once");
            list.push_back(number);
        }
    }

    std::vector<RdmaJobOperation> ReadOperations(const RdmaJsonValue& list,
                                                 const RdmaJobContent& job,
                                                 const Around& around) const
    {
        std::vector<RdmaJobOperation> operations;
        for (const RdmaJsonValue& value : list.elements)
        {
            operations.push_back(ReadOperation(value, job, around));
        }
        return operations;
    }

    RdmaJobOperation ReadOperation(const RdmaJsonValue& value,
                                   const RdmaJobContent& job,
                                   const Around& around) const
    {
        struct Form
        {
            const char* key;
            Kind kind;
            std::vector<std::string> keys;
        };

        static const std::vector<Form> FORMS = {
            {"compute", Kind::COMPUTE, {"unit"}},
            {"collective", Kind::COLLECTIVE, {"group", "bytes"}},
            {"send", Kind::SEND, {"to", "group", "tag", "rendezvous"}},
            {"receive", Kind::RECEIVE, {"from", "group", "tag"}},
            {"repeat", Kind::REPEAT, {"as", "operations"}}};
        Require(value.type == Type::OBJECT, value.line, "", "an operation is no object", "{...}");
        std::vector<std::string> kinds;
        const Form* form = nullptr;
        for (const Form& each : FORMS)
        {
            kinds.emplace_back(each.key);
            form = !form && value.Find(each.key) ? &each : form;
        }
        Require(form,
                value.line,
                "",
                "an operation without its kind",
                "one of the keys " + ListJobWords(kinds));
        std::vector<std::string> keys{form->key};
        keys.insert(keys.end(), form->keys.begin(), form->keys.end());
        for (const char* key : {"name", "stream", "after", "if"})
        {
            if (form->kind != Kind::REPEAT || std::string(key) == "name" ||
                std::string(key) == "stream")
            {
                keys.emplace_back(key);
            }
        }
        CheckKeys(value, std::string("an operation with ") + form->key, keys);

        RdmaJobOperation operation;
        operation.kind = form->kind;
        operation.line = value.line;
        for (const auto& [name, member] : value.members)
        {
            operation.lines[name] = member.line;
        }
        operation.name = around.name;
        operation.hasName = around.hasName;
        operation.stream = around.stream;
        if (form->kind == Kind::REPEAT)
        {
            ReadLoop(value, job, around, operation);
            return operation;
        }
        if (const RdmaJsonValue* name = value.Find("name"))
        {
            operation.name = GetText(*name, "name", around.names);
            operation.hasName = true;
        }
        if (const RdmaJsonValue* stream = value.Find("stream"))
        {
            operation.stream = GetText(*stream, "stream", around.names);
        }
        if (const RdmaJsonValue* condition = value.Find("if"))
        {
            operation.condition = GetExpression(*condition, "if", around.names);
        }
        if (const RdmaJsonValue* after = value.Find("after"))
        {
            Require(after->type == Type::ARRAY, after->line, "after", "is no list", "[\"NAME\"]");
            for (const RdmaJsonValue& each : after->elements)
            {
                operation.after.push_back(GetText(each, "after", around.names));
            }
        }
        if (const RdmaJsonValue* group = value.Find("group"))
        {
            operation.group = FindGroup(*group, job);
        }
        if (form->kind == Kind::COLLECTIVE)
        {
            ReadCollective(value, around, operation);
            return operation;
        }
        operation.amount = GetExpression(*value.Find(form->key), form->key, around.names);
        if (!operation.hasName)
        {
            operation.name.pieces = {{form->key, {}}};
        }
        operation.unit = static_cast<uint8_t>(GetInteger(value, "unit", 0, 0, 254));
        if (form->kind != Kind::COMPUTE)
        {
            ReadMessage(value, around, operation);
        }
        return operation;
    }

    void ReadLoop(const RdmaJsonValue& value,
                  const RdmaJobContent& job,
                  const Around& around,
                  RdmaJobOperation& operation) const
    {
        constexpr uint32_t DEEPEST = 16;
        Require(around.depth < DEEPEST,
                value.line,
                "repeat",
                "too many loops in each other",
                "up to " + std::to_string(DEEPEST));
        // All ranks repeat as often.
        std::vector<std::string> common = around.names;
        std::fill(common.begin() + RdmaJobContent::RANK_NAME,
                  common.begin() +
                      static_cast<std::ptrdiff_t>(RdmaJobContent::RANK_NAME + job.groups.size()),
                  "");
        operation.amount = GetExpression(*value.Find("repeat"), "repeat", common);
        Around inside = around;
        ++inside.depth;
        std::string variable;
        if (const RdmaJsonValue* as = value.Find("as"))
        {
            variable = GetString(*as, "as");
            std::vector<std::string> taken = around.names;
            taken.emplace_back("all");
            CheckName(variable, as->line, "as", taken);
        }
        inside.names.push_back(variable);
        if (const RdmaJsonValue* name = value.Find("name"))
        {
            inside.name = GetText(*name, "name", inside.names);
            inside.hasName = true;
        }
        if (const RdmaJsonValue* stream = value.Find("stream"))
        {
            inside.stream = GetText(*stream, "stream", inside.names);
        }
        operation.body =
            ReadOperations(Need(value, "a loop", "operations", Type::ARRAY, "a list of operations"),
                           job,
                           inside);
    }

    std::size_t FindGroup(const RdmaJsonValue& value, const RdmaJobContent& job) const
    {
        const std::string name = GetString(value, "group");
        std::vector<std::string> names;
        for (const RdmaJobGroup& group : job.groups)
        {
            names.push_back(group.name);
        }
        const auto found = std::find(names.begin(), names.end(), name);
        Require(found != names.end(),
                value.line,
                "group",
                QuoteRdmaText(name) + " is no group of the job",
                ListJobWords(names));
        return static_cast<std::size_t>(found - names.begin());
    }

    void ReadCollective(const RdmaJsonValue& value,
                        const Around& around,
                        RdmaJobOperation& operation) const
    {
        const RdmaJsonValue& part = *value.Find("collective");
        const std::string text = GetString(part, "collective");
        operation.collective = Try(part.line, "collective", [&] {
            return RdmaPart::Parse(text, RdmaCollective::GetTypeId());
        });
        if (!operation.hasName)
        {
            operation.name.pieces = {{text.substr(0, text.find('[')), {}}};
        }
        const bool isBarrier = operation.collective.Create<RdmaCollective>()->GetOperation() ==
                               RdmaCollective::Operation::BARRIER;
        const RdmaJsonValue* bytes = value.Find("bytes");
        Require(!isBarrier || !bytes, value.line, "bytes", "with a barrier", "no bytes");
        Require(isBarrier || bytes, value.line, "bytes", "is missing in a collective", "a size");
        if (bytes)
        {
            operation.amount = GetExpression(*bytes, "bytes", around.names);
        }
    }

    void ReadMessage(const RdmaJsonValue& value,
                     const Around& around,
                     RdmaJobOperation& operation) const
    {
        const std::string key = operation.kind == Kind::SEND ? "to" : "from";
        Require(value.Find(key), value.line, key, "is missing in a message", "a rank of the job");
        operation.peer = GetExpression(*value.Find(key), key, around.names);
        if (const RdmaJsonValue* tag = value.Find("tag"))
        {
            operation.tag = GetExpression(*tag, "tag", around.names);
        }
        if (const RdmaJsonValue* rendezvous = value.Find("rendezvous"))
        {
            Require(rendezvous->type == Type::BOOLEAN,
                    rendezvous->line,
                    "rendezvous",
                    "is neither true nor false",
                    "true or false");
            operation.isRendezvous = rendezvous->text == "true";
        }
    }

    RdmaJobFileContent& m_content; //!< takes what the file says
};

/** Adds one job of a file to a schedule. */
class RdmaJobFile::Filler
{
  public:
    /**
     * \param path the file
     * \param content the job
     * \param schedule takes the job
     * \param number number of the job
     * \param first number of its first rank in the schedule
     * \param [in,out] stream next random stream of collectives
     */
    Filler(const std::string& path,
           const RdmaJobContent& content,
           RdmaOperationSchedule& schedule,
           uint32_t number,
           uint32_t first,
           int64_t& stream)
        : m_path(path),
          m_content(content),
          m_schedule(schedule),
          m_first(first),
          m_stream(stream),
          m_job(schedule.AddJob(content.name, content.start)),
          m_ranks(content.ranks)
    {
        DrawStragglers(number);
        for (uint32_t rank = 0; rank < content.ranks; ++rank)
        {
            m_ranks[rank].values = {content.ranks, 0, rank};
            m_ranks[rank].values.resize(RdmaJobContent::RANK_NAME + content.groups.size(), -1);
        }
        for (std::size_t i = 0; i < content.groups.size(); ++i)
        {
            const RdmaJobGroup& group = content.groups[i];
            auto& made = m_communicators.emplace_back();
            for (std::size_t k = 0; k < group.lists.size(); ++k)
            {
                std::vector<uint32_t> members;
                for (const uint32_t rank : group.lists[k])
                {
                    if (i > 0)
                    {
                        m_ranks[rank].values[RdmaJobContent::RANK_NAME + i] =
                            static_cast<int64_t>(members.size());
                    }
                    members.push_back(first + rank);
                }
                const std::string name =
                    group.lists.size() > 1 ? group.name + " " + std::to_string(k) : group.name;
                made.push_back(schedule.AddCommunicator(name, members, group.priority));
            }
        }
    }

    void AddSteps()
    {
        for (uint32_t step = 0; step < m_content.steps; ++step)
        {
            for (Rank& rank : m_ranks)
            {
                rank.values[RdmaJobContent::STEP_NAME] = step;
            }
            if (step > 0)
            {
                BeginStep(step);
            }
            AddAll(m_content.step);
        }
    }

  private:
    using Kind = RdmaJobOperation::Kind;

    static constexpr uint32_t NONE = UINT32_MAX; //!< no operation

    /** Runs a function; errors name the line and field of an operation. */
    template <typename F>
    decltype(auto) Try(const RdmaJobOperation& operation,
                       const std::string& field,
                       F function) const
    {
        try
        {
            return function();
        }
        catch (const std::invalid_argument& error)
        {
            const auto line = operation.lines.find(field);
            throw RdmaFileError(m_path,
                                line == operation.lines.end() ? operation.line : line->second,
                                field,
                                error.what());
        }
    }

    /** A rank of the job. */
    struct Rank
    {
        std::vector<int64_t> values; //!< of names in expressions
        double factor{1};            //!< its computing takes so many times as long
        uint32_t begin{NONE};        //!< operation with which the step begins
        std::vector<uint32_t> last;  //!< last operation of each stream
        /// Operations of this step, by number of their name
        std::unordered_map<uint32_t, std::vector<uint32_t>> named;
    };

    void DrawStragglers(uint32_t number)
    {
        std::vector<uint32_t> slow = m_content.stragglers.ranks;
        const auto count = static_cast<uint32_t>(
            std::llround(m_content.stragglers.share * static_cast<double>(m_content.ranks)));
        if (count > 0)
        {
            const auto random = CreateObject<UniformRandomVariable>();
            random->SetStream(FIRST_STREAM + number);
            slow.resize(m_content.ranks);
            std::iota(slow.begin(), slow.end(), 0);
            for (uint32_t i = 0; i < count; ++i)
            {
                std::swap(slow[i], slow[random->GetInteger(i, m_content.ranks - 1)]);
            }
            slow.resize(count);
        }
        for (const uint32_t rank : slow)
        {
            m_ranks[rank].factor = m_content.stragglers.factor;
        }
    }

    static uint32_t Intern(std::unordered_map<std::string, uint32_t>& numbers,
                           const std::string& text)
    {
        return numbers.emplace(text, static_cast<uint32_t>(numbers.size())).first->second;
    }

    /** A rank begins a step when all its operations of the step before have ended. */
    void BeginStep(uint32_t step)
    {
        m_job.BeginStep();
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            Rank& state = m_ranks[rank];
            std::vector<uint32_t> before;
            for (const uint32_t last : state.last)
            {
                if (last != NONE)
                {
                    before.push_back(last);
                }
            }
            if (before.empty() && state.begin != NONE)
            {
                before.push_back(state.begin);
            }
            state.begin = m_job.Add(m_first + rank, RdmaOperation::Compute(RdmaPs(0)), before);
            m_job.SetName(m_first + rank, state.begin, "step " + std::to_string(step));
            state.last.clear();
            state.named.clear();
        }
    }

    void AddAll(const std::vector<RdmaJobOperation>& operations)
    {
        for (const RdmaJobOperation& operation : operations)
        {
            if (operation.kind == Kind::REPEAT)
            {
                Repeat(operation);
            }
            else if (operation.kind == Kind::COLLECTIVE)
            {
                AddCollective(operation);
            }
            else
            {
                for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
                {
                    if (IsDone(operation, rank))
                    {
                        AddOne(operation, rank);
                    }
                }
            }
        }
    }

    void Repeat(const RdmaJobOperation& operation)
    {
        constexpr int64_t MOST = 1'000'000;
        const int64_t count = Try(operation, "repeat", [&] {
            const int64_t number = operation.amount.GetNumber(m_ranks[0].values);
            if (number < 0 || number > MOST)
            {
                throw std::invalid_argument("is " + std::to_string(number) + "; accepted: 0 to " +
                                            std::to_string(MOST));
            }
            return number;
        });
        for (Rank& rank : m_ranks)
        {
            rank.values.push_back(0);
        }
        for (int64_t i = 0; i < count; ++i)
        {
            for (Rank& rank : m_ranks)
            {
                rank.values.back() = i;
            }
            AddAll(operation.body);
        }
        for (Rank& rank : m_ranks)
        {
            rank.values.pop_back();
        }
    }

    /** \return true if a rank takes part in an operation */
    bool IsDone(const RdmaJobOperation& operation, uint32_t rank) const
    {
        return !operation.condition || Try(operation, "if", [&] {
            return operation.condition->GetNumber(m_ranks[rank].values) != 0;
        });
    }

    /** \return what an operation of a rank waits for */
    std::vector<uint32_t> GetBefore(const RdmaJobOperation& operation, uint32_t rank)
    {
        Rank& state = m_ranks[rank];
        std::vector<uint32_t> before;
        const auto add = [&before](uint32_t number) {
            if (std::find(before.begin(), before.end(), number) == before.end())
            {
                before.push_back(number);
            }
        };
        const uint32_t stream = Try(operation, "stream", [&] {
            return Intern(m_streams, operation.stream.Get(state.values));
        });
        if (stream < state.last.size() && state.last[stream] != NONE)
        {
            add(state.last[stream]);
        }
        for (const RdmaJobText& after : operation.after)
        {
            const std::string name =
                Try(operation, "after", [&] { return after.Get(state.values); });
            const auto known = m_names.find(name);
            Try(operation, "after", [&] {
                if (known == m_names.end())
                {
                    throw std::invalid_argument("no operation before is named " +
                                                QuoteRdmaText(name) +
                                                "; accepted: names of operations above");
                }
            });
            for (const uint32_t number : state.named[known->second])
            {
                add(number);
            }
        }
        if (before.empty() && state.begin != NONE)
        {
            add(state.begin);
        }
        return before;
    }

    /** Notes an operation that has been added. */
    void Note(const RdmaJobOperation& operation, uint32_t rank, uint32_t number)
    {
        Rank& state = m_ranks[rank];
        const uint32_t stream = Intern(m_streams, operation.stream.Get(state.values));
        if (state.last.size() <= stream)
        {
            state.last.resize(stream + 1, NONE);
        }
        state.last[stream] = number;
        const std::string name =
            Try(operation, "name", [&] { return operation.name.Get(state.values); });
        m_job.SetName(m_first + rank, number, name);
        if (operation.hasName)
        {
            state.named[Intern(m_names, name)].push_back(number);
        }
    }

    void AddOne(const RdmaJobOperation& operation, uint32_t rank)
    {
        const std::vector<int64_t>& values = m_ranks[rank].values;
        const std::vector<uint32_t> before = GetBefore(operation, rank);
        RdmaOperation made;
        if (operation.kind == Kind::COMPUTE)
        {
            RdmaPs time =
                Try(operation, "compute", [&] { return operation.amount.GetTime(values); });
            if (const double factor = m_ranks[rank].factor; factor != 1)
            {
                const double ps = std::round(static_cast<double>(time.Get()) * factor);
                Try(operation, "compute", [&] {
                    if (ps > static_cast<double>(RDMA_MAX_TIME.Get()))
                    {
                        throw std::invalid_argument(
                            "is too long for a straggler; accepted: up to " +
                            FormatRdmaTime(RDMA_MAX_TIME));
                    }
                });
                time = RdmaPs(static_cast<int64_t>(ps));
            }
            made = RdmaOperation::Compute(time, operation.unit);
        }
        else
        {
            made = MakeMessage(operation, rank);
        }
        const uint32_t number = m_job.Add(m_first + rank, made, before);
        Note(operation, rank, number);
    }

    RdmaOperation MakeMessage(const RdmaJobOperation& operation, uint32_t rank) const
    {
        const std::vector<int64_t>& values = m_ranks[rank].values;
        const bool isSend = operation.kind == Kind::SEND;
        const uint64_t bytes = Try(operation, isSend ? "send" : "receive", [&] {
            return operation.amount.GetBytes(values);
        });
        const std::string key = isSend ? "to" : "from";
        const auto peer = Try(operation, key, [&] {
            const int64_t number = operation.peer.GetNumber(values);
            if (number < 0 || number >= m_content.ranks || number == rank)
            {
                throw std::invalid_argument(
                    "is " + std::to_string(number) + " for rank " + std::to_string(rank) +
                    "; accepted: another rank, 0 to " + std::to_string(m_content.ranks - 1));
            }
            return static_cast<uint32_t>(number);
        });
        const auto tag = Try(operation, "tag", [&] {
            const int64_t number = operation.tag.GetNumber(values);
            if (number < 0 || number > UINT32_MAX)
            {
                throw std::invalid_argument("is " + std::to_string(number) + "; accepted: 0 to " +
                                            std::to_string(UINT32_MAX));
            }
            return static_cast<uint32_t>(number);
        });
        const uint32_t context = m_schedule.GetContext(FindCommunicator(operation, rank, peer));
        return isSend ? RdmaOperation::Send(bytes,
                                            m_first + peer,
                                            context,
                                            tag,
                                            operation.isRendezvous)
                      : RdmaOperation::Receive(bytes, m_first + peer, context, tag);
    }

    /** \return communicator of a message: that of the group with both ends */
    uint32_t FindCommunicator(const RdmaJobOperation& operation, uint32_t rank, uint32_t peer) const
    {
        const auto& lists = m_content.groups[operation.group].lists;
        for (std::size_t i = 0; i < lists.size() && operation.group > 0; ++i)
        {
            const auto has = [&list = lists[i]](uint32_t member) {
                return std::find(list.begin(), list.end(), member) != list.end();
            };
            if (has(rank) && has(peer))
            {
                return m_communicators[operation.group][i];
            }
        }
        Try(operation, "group", [&] {
            if (operation.group > 0)
            {
                throw std::invalid_argument("ranks " + std::to_string(rank) + " and " +
                                            std::to_string(peer) +
                                            " are in different ones; accepted: a group of both");
            }
        });
        return m_communicators[0][0];
    }

    void AddCollective(const RdmaJobOperation& operation)
    {
        const RdmaJobGroup& group = m_content.groups[operation.group];
        std::map<uint64_t, Ptr<RdmaCollective>> made; // by size
        for (std::size_t i = 0; i < group.lists.size(); ++i)
        {
            const std::vector<uint32_t>& members = group.lists[i];
            const bool isDone = IsDone(operation, members[0]);
            const uint64_t bytes = isDone ? GetBytes(operation, members[0]) : 0;
            for (const uint32_t rank : members)
            {
                const bool isEqual = IsDone(operation, rank) == isDone &&
                                     (!isDone || GetBytes(operation, rank) == bytes);
                Try(operation, isDone ? "bytes" : "if", [&] {
                    if (!isEqual)
                    {
                        throw std::invalid_argument(
                            "differs between ranks " + std::to_string(members[0]) + " and " +
                            std::to_string(rank) + " of a group; accepted: equal values");
                    }
                });
            }
            if (!isDone)
            {
                continue;
            }
            Ptr<RdmaCollective>& collective = made[bytes];
            if (!collective)
            {
                collective = operation.collective.Create<RdmaCollective>();
                m_stream += collective->AssignStreams(m_stream);
            }
            std::vector<std::vector<uint32_t>> before;
            for (const uint32_t rank : members)
            {
                before.push_back(GetBefore(operation, rank));
            }
            const auto numbers = Try(operation, "collective", [&] {
                return m_job.AddCollective(m_communicators[operation.group][i],
                                           collective,
                                           bytes,
                                           before);
            });
            for (std::size_t k = 0; k < members.size(); ++k)
            {
                Note(operation, members[k], numbers[k]);
            }
        }
    }

    uint64_t GetBytes(const RdmaJobOperation& operation, uint32_t rank) const
    {
        return Try(operation, "bytes", [&] {
            return operation.amount.GetBytes(m_ranks[rank].values);
        });
    }

    const std::string& m_path;                           //!< the file
    const RdmaJobContent& m_content;                     //!< the job
    RdmaOperationSchedule& m_schedule;                   //!< takes the job
    uint32_t m_first;                                    //!< first rank in the schedule
    int64_t& m_stream;                                   //!< next random stream
    RdmaScheduleJob& m_job;                              //!< the job
    std::vector<Rank> m_ranks;                           //!< by rank of the job
    std::vector<std::vector<uint32_t>> m_communicators;  //!< by group and list
    std::unordered_map<std::string, uint32_t> m_streams; //!< numbers of streams
    std::unordered_map<std::string, uint32_t> m_names;   //!< numbers of names
};

RdmaJobFile::RdmaJobFile(const std::string& path)
    : m_content(std::make_unique<RdmaJobFileContent>())
{
    m_content->path = path;
    Reader(*m_content).Read();
}

RdmaJobFile::~RdmaJobFile() = default;

uint32_t
RdmaJobFile::GetNRanks() const
{
    uint32_t ranks = 0;
    for (const RdmaJobContent& job : m_content->jobs)
    {
        ranks += job.ranks;
    }
    return ranks;
}

void
RdmaJobFile::Fill(RdmaOperationSchedule& schedule, const RdmaTopology& topology) const
{
    std::vector<RdmaJobSize> sizes;
    for (const RdmaJobContent& job : m_content->jobs)
    {
        sizes.push_back({job.hosts, job.ranks});
    }
    std::vector<RdmaSchedulePlace> places;
    try
    {
        std::map<uint32_t, uint32_t> gpus; // GPUs of a host that are taken
        for (const RdmaJobPlace& job :
             MakeRdmaPlacement(m_content->placement)->Place(topology, sizes))
        {
            for (const RdmaRankPlace& rank : job.ranks)
            {
                places.push_back({rank.host, gpus[rank.host]++, rank.nic});
            }
        }
    }
    catch (const std::invalid_argument& error)
    {
        throw RdmaFileError(m_content->path, m_content->placementLine, "placement", error.what());
    }
    schedule.SetPlaces(places);
    AddJobs(schedule);
}

void
RdmaJobFile::Fill(RdmaOperationSchedule& schedule) const
{
    std::vector<RdmaSchedulePlace> places;
    uint32_t host = 0;
    for (const RdmaJobContent& job : m_content->jobs)
    {
        const uint32_t each = job.ranks / job.hosts;
        for (uint32_t rank = 0; rank < job.ranks; ++rank)
        {
            places.push_back({host + rank / each, rank % each, rank % each});
        }
        host += job.hosts;
    }
    schedule.SetPlaces(places);
    AddJobs(schedule);
}

void
RdmaJobFile::AddJobs(RdmaOperationSchedule& schedule) const
{
    uint32_t first = 0;
    int64_t stream = RdmaCollective::FIRST_STREAM;
    for (uint32_t number = 0; number < m_content->jobs.size(); ++number)
    {
        const RdmaJobContent& job = m_content->jobs[number];
        Filler(m_content->path, job, schedule, number, first, stream).AddSteps();
        first += job.ranks;
    }
}

} // namespace ns3
