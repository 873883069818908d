/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-failure-plan.h"

#include "rdma-file-error.h"
#include "rdma-part.h"
#include "rdma-refuse.h"
#include "rdma-text-file.h"
#include "rdma-units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

const char* const FAILURE_FORM =
    "WHERE:EVENT:START[:STOP], as in spine-0:down:100us:300us, several with commas, or file:PATH";
const char* const FAILURE_EVENTS = "down, up, rate=25Gbps, rate=25% or loss=0.01";

/** What a failure changes: a node with all its links, or some links in one or both directions. */
struct FailureTarget
{
    std::optional<uint32_t> node;                    //!< the node; none: links
    std::vector<uint32_t> links;                     //!< ids of the links
    std::vector<std::pair<uint32_t, uint32_t>> ways; //!< links and their sending nodes
    bool isOneWay{false};                            //!< only one direction changes
};

/** A value of a direction that changes, and its end. */
struct FailureValue
{
    RdmaPs start;                            //!< begin
    RdmaPs stop;                             //!< end; RDMA_MAX_TIME: the end of the run
    double value;                            //!< loss
    RdmaBitRate rate;                        //!< rate
    const RdmaFailurePlan::Failure* failure; //!< the failure
};

/** A step of a target that goes down or comes up. */
struct FailureStep
{
    RdmaPs at;                               //!< instant
    bool up;                                 //!< direction of the step
    const RdmaFailurePlan::Failure* failure; //!< the failure
};

std::string
QuoteFailure(const RdmaFailurePlan::Failure& failure)
{
    if (!failure.source.empty())
    {
        return failure.source;
    }
    return QuoteRdmaText(failure.where + ":" + failure.event + ":" + failure.start +
                         (failure.stop.empty() ? "" : ":" + failure.stop));
}

void
RefuseFailureIf(bool isWrong,
                const RdmaFailurePlan::Failure& failure,
                const std::string& problem,
                const std::string& accepted)
{
    RefuseRdmaIf(isWrong, QuoteFailure(failure), ": ", problem, "; accepted: ", accepted);
}

/** Parses a field, and adds the failure to the message of an error. */
template <typename Parse>
auto
ParseFailureField(const RdmaFailurePlan::Failure& failure, const std::string& field, Parse parse)
{
    try
    {
        return parse();
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(QuoteFailure(failure) + ": " + field + ": " + error.what());
    }
}

/** Names and links of a topology. */
class FailureFinder
{
  public:
    explicit FailureFinder(const RdmaTopology& topology)
        : m_topology(topology)
    {
        for (uint32_t id = 0; id < topology.GetNNodes(); ++id)
        {
            m_ids.emplace(topology.GetNode(id).name, id);
        }
    }

    FailureTarget Find(const RdmaFailurePlan::Failure& failure) const
    {
        const std::string& where = failure.where;
        FailureTarget target;
        const auto arrow = where.find("->");
        const auto slash = where.find('/');
        if (arrow == std::string::npos && slash == std::string::npos)
        {
            target.node = FindNode(failure, where);
            for (uint32_t link = 0; link < m_topology.GetNLinks(); ++link)
            {
                const RdmaTopologyLink& ends = m_topology.GetLink(link);
                if (ends.a == *target.node || ends.b == *target.node)
                {
                    AddLink(target, link);
                }
            }
            return target;
        }
        target.isOneWay = arrow != std::string::npos;
        const auto split = target.isOneWay ? arrow : slash;
        std::string last = where.substr(split + (target.isOneWay ? 2 : 1));
        uint64_t number = 0;
        if (const auto hash = last.find('#'); hash != std::string::npos)
        {
            number = ParseFailureField(failure, "number of a link", [&] {
                return ParseRdmaInteger(last.substr(hash + 1), 1, RdmaTopology::MAX_PORTS);
            });
            last.resize(hash);
        }
        const uint32_t a = FindNode(failure, where.substr(0, split));
        const uint32_t b = FindNode(failure, last);
        uint64_t found = 0;
        for (uint32_t link = 0; link < m_topology.GetNLinks(); ++link)
        {
            const RdmaTopologyLink& ends = m_topology.GetLink(link);
            const bool isBetween = (ends.a == a && ends.b == b) || (ends.a == b && ends.b == a);
            if (!isBetween || (++found != number && number > 0))
            {
                continue;
            }
            if (target.isOneWay)
            {
                target.links.push_back(link);
                target.ways.emplace_back(link, a);
            }
            else
            {
                AddLink(target, link);
            }
        }
        const std::string names = m_topology.GetNode(a).name + " and " + m_topology.GetNode(b).name;
        RefuseFailureIf(found == 0, failure, "there is no link between " + names, Neighbours(a));
        RefuseFailureIf(target.links.empty(),
                        failure,
                        "there is no link number " + std::to_string(number) + " between " + names,
                        "1 to " + std::to_string(found));
        return target;
    }

  private:
    void AddLink(FailureTarget& target, uint32_t link) const
    {
        const RdmaTopologyLink& ends = m_topology.GetLink(link);
        target.links.push_back(link);
        target.ways.emplace_back(link, ends.a);
        target.ways.emplace_back(link, ends.b);
    }

    uint32_t FindNode(const RdmaFailurePlan::Failure& failure, const std::string& name) const
    {
        const auto found = m_ids.find(name);
        if (found != m_ids.end())
        {
            return found->second;
        }
        const bool isNumber =
            !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
                return std::isdigit(c) != 0;
            });
        const std::string last = std::to_string(m_topology.GetNNodes() - 1);
        RefuseFailureIf(
            !isNumber || name.size() > last.size() || std::stoull(name) >= m_topology.GetNNodes(),
            failure,
            "there is no node " + QuoteRdmaText(name),
            "a name such as " + m_topology.GetNodes().back().name + ", or 0 to " + last);
        return static_cast<uint32_t>(std::stoul(name));
    }

    std::string Neighbours(uint32_t node) const
    {
        constexpr std::size_t MOST = 8;
        std::vector<std::string> names;
        for (const RdmaTopologyLink& link : m_topology.GetLinks())
        {
            if (link.a == node || link.b == node)
            {
                names.push_back(m_topology.GetNode(link.a == node ? link.b : link.a).name);
            }
        }
        std::string text = "a neighbour of " + m_topology.GetNode(node).name + ": ";
        for (std::size_t i = 0; i < names.size() && i < MOST; ++i)
        {
            text += (i == 0 ? "" : ", ") + names[i];
        }
        return text + (names.size() > MOST ? ", ..." : "");
    }

    const RdmaTopology& m_topology;
    std::map<std::string, uint32_t> m_ids;
};

/** Turns failures into changes of links. */
class FailureResolver
{
  public:
    explicit FailureResolver(const RdmaTopology& topology)
        : m_topology(topology),
          m_finder(topology)
    {
    }

    void Add(const RdmaFailurePlan::Failure& failure)
    {
        const FailureTarget target = m_finder.Find(failure);
        const RdmaPs start =
            ParseFailureField(failure, "start", [&] { return ParseRdmaTime(failure.start); });
        std::optional<RdmaPs> stop;
        if (!failure.stop.empty())
        {
            stop = ParseFailureField(failure, "stop", [&] { return ParseRdmaTime(failure.stop); });
            RefuseFailureIf(*stop <= start,
                            failure,
                            "the stop is not after the start",
                            "a stop after " + failure.start);
        }
        const std::string& event = failure.event;
        if (event == "down" || event == "up")
        {
            RefuseFailureIf(target.isOneWay,
                            failure,
                            "one direction of a link goes neither down nor up",
                            "A/B for the link, or A->B with rate or loss");
            RefuseFailureIf(event == "up" && stop, failure, "up has a stop", "down, or no stop");
            AddSteps(target, {start, event == "up", &failure});
            if (stop)
            {
                AddSteps(target, {*stop, true, &failure});
            }
            return;
        }
        const auto equals = event.find('=');
        const std::string name = event.substr(0, equals);
        RefuseFailureIf(equals == std::string::npos || (name != "rate" && name != "loss"),
                        failure,
                        "an unknown event " + QuoteRdmaText(event),
                        FAILURE_EVENTS);
        const std::string text = event.substr(equals + 1);
        FailureValue value{start, stop.value_or(RDMA_MAX_TIME), 0, 0_bps, &failure};
        if (name == "loss")
        {
            value.value = ParseFailureField(failure, name, [&] { return ParseRdmaReal(text); });
            RefuseFailureIf(value.value > 1, failure, "loss " + text, "0 to 1");
        }
        for (const auto& way : target.ways)
        {
            if (name == "rate")
            {
                value.rate = GetRate(failure, text, m_topology.GetLink(way.first).rate);
            }
            (name == "rate" ? m_rates : m_losses)[way].push_back(value);
        }
    }

    std::vector<RdmaLinkChange> Finish()
    {
        for (auto& [node, steps] : m_nodeSteps)
        {
            SortSteps(steps, m_topology.GetNode(node).name);
            for (uint32_t link = 0; link < m_topology.GetNLinks(); ++link)
            {
                const RdmaTopologyLink& ends = m_topology.GetLink(link);
                if (ends.a == node || ends.b == node)
                {
                    m_ofLink[link].insert(m_ofLink[link].end(), steps.begin(), steps.end());
                }
            }
        }
        for (auto& [link, steps] : m_linkSteps)
        {
            const RdmaTopologyLink& ends = m_topology.GetLink(link);
            SortSteps(steps,
                      m_topology.GetNode(ends.a).name + "/" + m_topology.GetNode(ends.b).name);
            m_ofLink[link].insert(m_ofLink[link].end(), steps.begin(), steps.end());
        }
        for (auto& [link, steps] : m_ofLink)
        {
            ChangeState(link, steps);
        }
        for (auto& [way, values] : m_rates)
        {
            ChangeValues(way, values, RdmaLinkChange::Kind::RATE);
        }
        for (auto& [way, values] : m_losses)
        {
            ChangeValues(way, values, RdmaLinkChange::Kind::LOSS);
        }
        std::stable_sort(m_changes.begin(), m_changes.end(), [](const auto& a, const auto& b) {
            return std::tie(a.at, a.kind, a.link) < std::tie(b.at, b.kind, b.link);
        });
        return std::move(m_changes);
    }

  private:
    void AddSteps(const FailureTarget& target, const FailureStep& step)
    {
        if (target.node)
        {
            m_nodeSteps[*target.node].push_back(step);
            return;
        }
        for (const uint32_t link : target.links)
        {
            m_linkSteps[link].push_back(step);
        }
    }

    static RdmaBitRate GetRate(const RdmaFailurePlan::Failure& failure,
                               const std::string& text,
                               RdmaBitRate own)
    {
        const std::string accepted = FormatRdmaRate(RdmaFailurePlan::MIN_RATE) + " to " +
                                     FormatRdmaRate(own) +
                                     ", the link's own rate, or a part of it, "
                                     "as in 25%; down for a link that carries nothing";
        RdmaBitRate rate{0};
        if (!text.empty() && text.back() == '%')
        {
            const double part = ParseFailureField(failure, "rate", [&] {
                return ParseRdmaReal(text.substr(0, text.size() - 1));
            });
            RefuseFailureIf(part > 100, failure, "rate " + text, accepted);
            rate = RdmaBitRate(
                static_cast<uint64_t>(static_cast<double>(own.Get()) * (part / 100) + 0.5));
        }
        else
        {
            try
            {
                rate = ParseRdmaRate(text);
            }
            catch (const std::invalid_argument&)
            {
                // The message below has the link's own limits.
            }
        }
        RefuseFailureIf(rate < RdmaFailurePlan::MIN_RATE || rate > own,
                        failure,
                        "rate " + QuoteRdmaText(text),
                        accepted);
        return rate;
    }

    /** Sorts the steps of a target, which must go down first and then alternate. */
    static void SortSteps(std::vector<FailureStep>& steps, const std::string& name)
    {
        std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
            return std::make_tuple(a.at, !a.up) < std::make_tuple(b.at, !b.up);
        });
        bool isUp = true;
        for (const FailureStep& step : steps)
        {
            RefuseFailureIf(step.up && isUp,
                            *step.failure,
                            name + " comes up at " + FormatRdmaTime(step.at) +
                                " and has not gone down before",
                            "an up after a down, at a later time");
            RefuseFailureIf(!step.up && !isUp,
                            *step.failure,
                            name + " goes down at " + FormatRdmaTime(step.at) +
                                " and is down already",
                            "a down after the stop or the up of the earlier one");
            isUp = step.up;
        }
    }

    /** The link is down while one of its nodes or the link itself is. */
    void ChangeState(uint32_t link, std::vector<FailureStep>& steps)
    {
        std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
            return a.at < b.at;
        });
        int32_t down = 0;
        for (std::size_t i = 0; i < steps.size();)
        {
            const RdmaPs at = steps[i].at;
            const bool wasUp = down == 0;
            for (; i < steps.size() && steps[i].at == at; ++i)
            {
                down += steps[i].up ? -1 : 1;
            }
            if (wasUp != (down == 0))
            {
                RdmaLinkChange change;
                change.at = at;
                change.kind = down == 0 ? RdmaLinkChange::Kind::UP : RdmaLinkChange::Kind::DOWN;
                change.link = link;
                m_changes.push_back(change);
            }
        }
    }

    void ChangeValues(const std::pair<uint32_t, uint32_t>& way,
                      std::vector<FailureValue>& values,
                      RdmaLinkChange::Kind kind)
    {
        std::stable_sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
            return a.start < b.start;
        });
        const RdmaTopologyLink& link = m_topology.GetLink(way.first);
        for (std::size_t i = 0; i < values.size(); ++i)
        {
            const FailureValue& value = values[i];
            const bool isLast = i + 1 == values.size();
            const bool hasStop = value.stop != RDMA_MAX_TIME;
            RefuseFailureIf(!isLast && (values[i + 1].start == value.start ||
                                        (hasStop && values[i + 1].start < value.stop)),
                            *values[isLast ? i : i + 1].failure,
                            "the link has another " +
                                std::string(kind == RdmaLinkChange::Kind::RATE ? "rate" : "loss") +
                                " by " + QuoteFailure(*value.failure) + " at that time",
                            "one at a time");
            RdmaLinkChange change;
            change.at = value.start;
            change.kind = kind;
            change.link = way.first;
            change.from = way.second;
            change.rate = value.rate;
            change.loss = value.value;
            m_changes.push_back(change);
            if (hasStop && (isLast || values[i + 1].start > value.stop))
            {
                change.at = value.stop;
                change.rate = link.rate;
                change.loss = link.errorRate;
                m_changes.push_back(change);
            }
        }
    }

    using Way = std::pair<uint32_t, uint32_t>; // link and sending node

    const RdmaTopology& m_topology;
    FailureFinder m_finder;
    std::map<uint32_t, std::vector<FailureStep>> m_nodeSteps; // by node
    std::map<uint32_t, std::vector<FailureStep>> m_linkSteps; // by link
    std::map<uint32_t, std::vector<FailureStep>> m_ofLink;    // of a link and of its nodes
    std::map<Way, std::vector<FailureValue>> m_rates;
    std::map<Way, std::vector<FailureValue>> m_losses;
    std::vector<RdmaLinkChange> m_changes;
};

RdmaFailurePlan
ReadFailureFile(const std::string& path)
{
    const std::string text = ReadRdmaFile(path);
    RdmaLineReader lines(text, path, RdmaLineReader::Separator::COMMA);
    lines.Require("where,event,start,stop");
    constexpr std::array<const char*, 4> COLUMNS = {"where", "event", "start", "stop"};
    std::array<std::optional<std::size_t>, 4> places;
    for (std::size_t i = 0; i < lines.GetFields().size(); ++i)
    {
        const std::string& name = lines.GetFields()[i];
        const auto found = std::find(COLUMNS.begin(), COLUMNS.end(), name);
        const auto column = static_cast<std::size_t>(found - COLUMNS.begin());
        if (found == COLUMNS.end() || places[column])
        {
            lines.Fail(name,
                       found == COLUMNS.end() ? "an unknown column" : "a column twice",
                       "the columns where, event, start, and if wanted stop, in any order");
        }
        places[column] = i;
    }
    for (std::size_t column = 0; column < 3; ++column)
    {
        if (!places[column])
        {
            lines.Fail(COLUMNS[column],
                       "the column is missing",
                       "the columns where, event, start, and if wanted stop, in any order");
        }
    }
    const std::size_t count = lines.GetFields().size();
    RdmaFailurePlan plan;
    while (lines.Next())
    {
        lines.RequireFields(count, "as the first line names them");
        const auto get = [&](std::size_t column) {
            return places[column] ? lines.GetFields()[*places[column]] : std::string();
        };
        RdmaFailurePlan::Failure failure{get(0), get(1), get(2), get(3), ""};
        failure.source = path + ":" + std::to_string(lines.GetLine());
        for (std::size_t column = 0; column < 3; ++column)
        {
            if (get(column).empty())
            {
                lines.Fail(COLUMNS[column], "the field is empty", "a value");
            }
        }
        plan.Add(failure);
    }
    return plan;
}

} // namespace

RdmaFailurePlan
RdmaFailurePlan::Parse(const std::string& text)
{
    const std::string prefix = "file:";
    const std::string ending = ".csv";
    if (text.compare(0, prefix.size(), prefix) == 0)
    {
        return ReadFailureFile(text.substr(prefix.size()));
    }
    if (text.size() > ending.size() &&
        text.compare(text.size() - ending.size(), ending.size(), ending) == 0)
    {
        return ReadFailureFile(text);
    }
    RdmaFailurePlan plan;
    if (text.empty())
    {
        return plan;
    }
    for (const std::string& one : SplitRdmaPart(text, ','))
    {
        const std::vector<std::string> fields = SplitRdmaPart(one, ':');
        RefuseRdmaIf(fields.size() < 3 || fields.size() > 4 ||
                         std::any_of(fields.begin(),
                                     fields.end(),
                                     [](const std::string& field) { return field.empty(); }),
                     QuoteRdmaText(one),
                     "; accepted: ",
                     FAILURE_FORM);
        plan.Add({fields[0], fields[1], fields[2], fields.size() > 3 ? fields[3] : "", ""});
    }
    return plan;
}

std::vector<RdmaLinkChange>
RdmaFailurePlan::Resolve(const RdmaTopology& topology) const
{
    if (m_failures.empty())
    {
        return {}; // to look up the names of all nodes takes time
    }
    FailureResolver resolver(topology);
    for (const Failure& failure : m_failures)
    {
        resolver.Add(failure);
    }
    return resolver.Finish();
}

std::vector<std::vector<uint32_t>>
RdmaFailurePlan::GetLinks(const RdmaTopology& topology) const
{
    const FailureFinder finder(topology);
    std::vector<std::vector<uint32_t>> links;
    for (const Failure& failure : m_failures)
    {
        links.push_back(finder.Find(failure).links);
    }
    return links;
}

RdmaTopology
RdmaFailurePlan::GetSlowest(const RdmaTopology& topology) const
{
    std::vector<RdmaBitRate> rates;
    for (const RdmaTopologyLink& link : topology.GetLinks())
    {
        rates.push_back(link.rate);
    }
    for (const RdmaLinkChange& change : Resolve(topology))
    {
        if (change.kind == RdmaLinkChange::Kind::RATE)
        {
            rates[change.link] = std::min(rates[change.link], change.rate);
        }
    }
    std::vector<RdmaTopologyLink> links = topology.GetLinks();
    for (uint32_t id = 0; id < links.size(); ++id)
    {
        links[id].rate = rates[id];
    }
    return topology.WithLinks(links);
}

RdmaFailurePlan
RdmaFailurePlan::WithNames(const RdmaTopology& topology) const
{
    const FailureFinder finder(topology);
    RdmaFailurePlan named = *this;
    for (Failure& failure : named.m_failures)
    {
        const FailureTarget target = finder.Find(failure);
        const auto name = [&topology](uint32_t node) { return topology.GetNode(node).name; };
        if (target.node)
        {
            failure.where = name(*target.node);
            continue;
        }
        const RdmaTopologyLink& link = topology.GetLink(target.links.front());
        const uint32_t from = target.ways.front().second;
        const auto hash = failure.where.find('#');
        failure.where = name(from) + (target.isOneWay ? "->" : "/") +
                        name(from == link.a ? link.b : link.a) +
                        (hash == std::string::npos ? "" : failure.where.substr(hash));
    }
    return named;
}

std::string
RdmaFailurePlan::Describe(const Failure& failure)
{
    return failure.where + " " + failure.event + " from " + failure.start +
           (failure.stop.empty() ? "" : " to " + failure.stop);
}

std::string
RdmaFailurePlan::DescribeAt(RdmaPs time) const
{
    constexpr uint32_t MOST = 3;
    std::string text;
    uint32_t count = 0;
    for (const Failure& failure : m_failures)
    {
        const RdmaPs start = ParseRdmaTime(failure.start);
        bool inForce = failure.event != "up" && start <= time &&
                       (failure.stop.empty() || ParseRdmaTime(failure.stop) > time);
        for (const Failure& other : m_failures)
        {
            const bool ends =
                other.where == failure.where &&
                (failure.event == "down" ? other.event == "up"
                                         : other.event.compare(0, 5, failure.event, 0, 5) == 0);
            const RdmaPs end = ends ? ParseRdmaTime(other.start) : 0_ps;
            inForce = inForce && !(ends && end > start && end <= time);
        }
        if (inForce && ++count <= MOST)
        {
            text += (count == 1 ? "" : ", ") + Describe(failure);
        }
    }
    return count > MOST ? text + " and " + std::to_string(count - MOST) + " more" : text;
}

} // namespace ns3
