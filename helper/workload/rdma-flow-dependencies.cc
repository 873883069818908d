/* SPDX-License-Identifier: GPL-2.0-only */
#include "rdma-flow-dependencies.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace ns3
{

namespace
{

/// Search for flows that wait for themselves by way of others.
class WaitingCircle
{
  public:
    explicit WaitingCircle(const std::vector<RdmaFlowDependency>& dependencies)
        : m_dependencies(dependencies)
    {
        for (std::size_t i = 0; i < dependencies.size(); ++i)
        {
            m_placeOf.emplace(dependencies[i].flow, i);
        }
    }

    /// \return positions of the dependencies of a circle, in their order; empty: there is none
    std::vector<std::size_t> Find() const
    {
        std::vector<bool> isDone(m_dependencies.size());
        std::vector<bool> isOpen(m_dependencies.size());
        for (std::size_t first = 0; first < m_dependencies.size(); ++first)
        {
            // The way from the first flow, and how many awaited flows of each have been looked at.
            std::vector<std::pair<std::size_t, std::size_t>> way;
            const auto enter = [&](std::size_t place) {
                isOpen[place] = true;
                way.emplace_back(place, 0);
            };
            if (!isDone[first])
            {
                enter(first);
            }
            while (!way.empty())
            {
                auto& [place, looked] = way.back();
                const std::vector<uint64_t>& after = m_dependencies[place].after;
                if (looked == after.size())
                {
                    isOpen[place] = false;
                    isDone[place] = true;
                    way.pop_back();
                    continue;
                }
                const auto next = m_placeOf.find(after[looked++]);
                if (next == m_placeOf.end() || isDone[next->second])
                {
                    continue;
                }
                if (isOpen[next->second])
                {
                    return Cut(way, next->second);
                }
                enter(next->second);
            }
        }
        return {};
    }

  private:
    /// \return the part of a way that begins at a dependency
    static std::vector<std::size_t> Cut(const std::vector<std::pair<std::size_t, std::size_t>>& way,
                                        std::size_t begin)
    {
        std::vector<std::size_t> circle;
        for (const auto& step : way)
        {
            if (!circle.empty() || step.first == begin)
            {
                circle.push_back(step.first);
            }
        }
        return circle;
    }

    const std::vector<RdmaFlowDependency>& m_dependencies;
    std::unordered_map<uint64_t, std::size_t> m_placeOf; //!< position by id of the waiting flow
};

} // namespace

std::optional<RdmaDependencyFault>
FindRdmaDependencyFault(const std::vector<RdmaFlow>& flows,
                        const std::vector<RdmaFlowDependency>& dependencies)
{
    const std::string accepted = "ids of other flows, each once";
    std::unordered_map<uint64_t, const RdmaFlow*> byId;
    for (const RdmaFlow& flow : flows)
    {
        byId.emplace(flow.id, &flow);
    }
    std::set<uint64_t> waiting;
    for (std::size_t i = 0; i < dependencies.size(); ++i)
    {
        const RdmaFlowDependency& dependency = dependencies[i];
        const auto flow = byId.find(dependency.flow);
        if (flow == byId.end() || dependency.after.empty())
        {
            return RdmaDependencyFault{i,
                                       false,
                                       flow == byId.end() ? "no flow has this id"
                                                          : "the flow waits for no flow",
                                       accepted};
        }
        if (!waiting.insert(dependency.flow).second)
        {
            return RdmaDependencyFault{i, false, "the flow waits twice", "one list of flows"};
        }
        std::set<uint64_t> awaited;
        for (const uint64_t id : dependency.after)
        {
            const std::string text = std::to_string(id);
            const auto before = byId.find(id);
            std::string problem;
            if (id == dependency.flow)
            {
                problem = "flow " + text + " waits for itself";
            }
            else if (before == byId.end())
            {
                problem = "no flow has the id " + text;
            }
            else if (!awaited.insert(id).second)
            {
                problem = "flow " + text + " is named twice";
            }
            if (!problem.empty())
            {
                return RdmaDependencyFault{i, false, problem, accepted};
            }
            const uint32_t sender = flow->second->srcHost;
            const bool isEnd =
                before->second->srcHost == sender || before->second->dstHost == sender;
            if (!isEnd && dependency.delay.value_or(RdmaPs(0)) < RdmaPs(1))
            {
                return RdmaDependencyFault{
                    i,
                    true,
                    "host " + std::to_string(sender) + " is no end of flow " + text +
                        ", so that the news of the end needs time",
                    "a delay of 1 ps or more, or flows that begin or end at the sender"};
            }
        }
    }
    const std::vector<std::size_t> circle = WaitingCircle(dependencies).Find();
    if (circle.empty())
    {
        return {};
    }
    std::string problem = "flow " + std::to_string(dependencies[circle.front()].flow);
    for (std::size_t i = 1; i <= circle.size(); ++i)
    {
        problem += (i == 1 ? " waits for flow " : ", which waits for flow ") +
                   std::to_string(dependencies[circle[i % circle.size()]].flow);
    }
    return RdmaDependencyFault{circle.front(), false, problem, "flows that can all start"};
}

} // namespace ns3
