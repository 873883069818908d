/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-buffer-plan.h"

#include "rdma-refuse.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace ns3
{

namespace
{

/**
 * \param text digits with at most one decimal point
 * \param [out] value the parsed number; 0 if \p text is invalid
 * \return true if \p text is a valid number
 */
bool
ReadNumber(const std::string& text, double& value)
{
    const bool plain = !text.empty() && text.size() < 20 && text.front() != '.' &&
                       text.back() != '.' && std::count(text.begin(), text.end(), '.') <= 1 &&
                       text.find_first_not_of("0123456789.") == std::string::npos;
    value = plain ? std::strtod(text.c_str(), nullptr) : 0;
    return plain;
}

/** \param text a number or a fraction \return its value; 0 if \p text is neither */
double
ReadAlpha(const std::string& text)
{
    const auto slash = text.find('/');
    double above = 0;
    double below = 1;
    const bool read = ReadNumber(text.substr(0, slash), above) &&
                      (slash == std::string::npos || ReadNumber(text.substr(slash + 1), below));
    return read && below > 0 ? above / below : 0;
}

void
CheckBufferProfile(const QbbBufferPlan& plan, int16_t index, bool egress, std::size_t port)
{
    if (index == QbbPortBufferPlan::NONE)
    {
        return;
    }
    const char* whose = egress ? "queue" : "priority group";
    RefuseRdmaIf(index < 0 || static_cast<std::size_t>(index) >= plan.profiles.size(),
                 "buffer plan: a ",
                 whose,
                 " of port ",
                 port,
                 " has profile ",
                 index,
                 " of ",
                 plan.profiles.size());
    const QbbBufferProfile& profile = plan.profiles[index];
    RefuseRdmaIf(plan.pools[profile.pool].egress != egress,
                 "buffer plan: a ",
                 whose,
                 " of port ",
                 port,
                 " has profile ",
                 profile.name,
                 ", which is in pool ",
                 plan.pools[profile.pool].name,
                 " of the other ",
                 "direction");
}

} // namespace

void
CheckQbbBufferPlan(const QbbBufferPlan& plan)
{
    for (const QbbBufferPool& pool : plan.pools)
    {
        RefuseRdmaIf(pool.bytes == 0,
                     "buffer plan: pool ",
                     pool.name,
                     " has 0 bytes; accepted: at least 1");
        RefuseRdmaIf(std::max(pool.bytes, pool.headroomBytes) > QBB_MAX_BUFFER_BYTES,
                     "buffer plan: pool ",
                     pool.name,
                     " has ",
                     pool.bytes,
                     " bytes and headroom of ",
                     pool.headroomBytes,
                     "; accepted: at most ",
                     QBB_MAX_BUFFER_BYTES,
                     " (1 TiB) of each");
        RefuseRdmaIf(pool.egress && pool.headroomBytes > 0,
                     "buffer plan: pool ",
                     pool.name,
                     " has headroom; accepted: in ingress pools");
    }
    for (const QbbBufferProfile& profile : plan.profiles)
    {
        RefuseRdmaIf(profile.pool >= plan.pools.size(),
                     "buffer plan: profile ",
                     profile.name,
                     " is in pool ",
                     profile.pool,
                     " of ",
                     plan.pools.size());
        const uint64_t largest = std::max({profile.reserveBytes,
                                           profile.limitBytes,
                                           profile.headroomBytes.value_or(0),
                                           profile.xonBytes,
                                           profile.xonOffsetBytes});
        RefuseRdmaIf(largest > QBB_MAX_BUFFER_BYTES,
                     "buffer plan: profile ",
                     profile.name,
                     " has a size of ",
                     largest,
                     " bytes; accepted: at most ",
                     QBB_MAX_BUFFER_BYTES,
                     " (1 TiB)");
        const double alpha = profile.alpha.value_or(0);
        RefuseRdmaIf(!(alpha >= 0 && alpha <= QBB_MAX_ALPHA),
                     "buffer plan: profile ",
                     profile.name,
                     " has alpha ",
                     alpha,
                     "; accepted: 0 to 1024");
    }
    for (std::size_t port = 0; port < plan.ports.size(); ++port)
    {
        for (std::size_t i = 0; i < 8; ++i)
        {
            CheckBufferProfile(plan, plan.ports[port].groups[i], false, port);
            CheckBufferProfile(plan, plan.ports[port].queues[i], true, port);
        }
    }
    for (const uint8_t group : plan.groupOfClass)
    {
        RefuseRdmaIf(group > 7,
                     "buffer plan: a class is in priority group ",
                     +group,
                     "; accepted: 0 to 7");
    }
}

std::string
QbbClassAlphas::Check(const std::string& text)
{
    std::array<bool, 8> seen{};
    const std::string whole = "class alphas \"" + text + "\"";
    std::istringstream stream(text);
    for (std::string entry; std::getline(stream, entry, ',');)
    {
        const bool named =
            entry.size() > 2 && entry[0] >= '0' && entry[0] <= '7' && entry[1] == ':';
        const double alpha = named ? ReadAlpha(entry.substr(2)) : 0;
        if (!(alpha >= QBB_MIN_ALPHA && alpha <= QBB_MAX_ALPHA))
        {
            return whole + ": \"" + entry +
                   "\"; accepted: CLASS:ALPHA separated by commas, class 0..7, alpha 1/1024..1024 "
                   "as a number or a fraction, as in 3:1/8,4:0.0625";
        }
        if (seen[entry[0] - '0'])
        {
            return whole + ": class " + entry[0] + " is there twice; accepted: once";
        }
        seen[entry[0] - '0'] = true;
    }
    return !text.empty() && text.back() == ',' ? whole + " end with a comma; accepted: an entry"
                                               : "";
}

QbbClassAlphas
QbbClassAlphas::FromText(const std::string& text)
{
    const std::string wrong = Check(text);
    RefuseRdmaIf(!wrong.empty(), "QbbSharedBuffer: ", wrong);
    QbbClassAlphas alphas;
    std::istringstream stream(text);
    for (std::string entry; std::getline(stream, entry, ',');)
    {
        alphas.m_alphas[entry[0] - '0'] = ReadAlpha(entry.substr(2));
    }
    return alphas;
}

std::string
QbbClassAlphas::ToText() const
{
    std::ostringstream text;
    text.precision(17);
    for (std::size_t priority = 0; priority < m_alphas.size(); ++priority)
    {
        if (m_alphas[priority])
        {
            text << (text.tellp() > 0 ? "," : "") << priority << ":" << *m_alphas[priority];
        }
    }
    return text.str();
}

} // namespace ns3
