/* SPDX-License-Identifier: GPL-2.0-only */

#include "qbb-parse-error.h"

namespace ns3
{

const char*
QbbParseErrorName(QbbParseError error)
{
    switch (error)
    {
    case QbbParseError::NONE:
        return "NONE";
    case QbbParseError::TOO_SHORT:
        return "TOO_SHORT";
    case QbbParseError::TOO_LONG:
        return "TOO_LONG";
    case QbbParseError::BAD_TAG:
        return "BAD_TAG";
    case QbbParseError::BAD_ETHERTYPE:
        return "BAD_ETHERTYPE";
    case QbbParseError::BAD_FABRIC_HEADER:
        return "BAD_FABRIC_HEADER";
    case QbbParseError::BAD_IPV4_HEADER:
        return "BAD_IPV4_HEADER";
    case QbbParseError::BAD_IPV4_CHECKSUM:
        return "BAD_IPV4_CHECKSUM";
    case QbbParseError::BAD_ROCE_IPV4:
        return "BAD_ROCE_IPV4";
    case QbbParseError::BAD_UDP_HEADER:
        return "BAD_UDP_HEADER";
    case QbbParseError::BAD_ROCE_LENGTH:
        return "BAD_ROCE_LENGTH";
    case QbbParseError::UNKNOWN_OPCODE:
        return "UNKNOWN_OPCODE";
    case QbbParseError::BAD_BTH_VERSION:
        return "BAD_BTH_VERSION";
    case QbbParseError::BAD_PAD:
        return "BAD_PAD";
    case QbbParseError::BAD_ICRC:
        return "BAD_ICRC";
    case QbbParseError::BAD_RESERVED:
        return "BAD_RESERVED";
    case QbbParseError::BAD_PAYLOAD:
        return "BAD_PAYLOAD";
    case QbbParseError::BAD_TELEMETRY:
        return "BAD_TELEMETRY";
    case QbbParseError::BAD_PADDING:
        return "BAD_PADDING";
    case QbbParseError::BAD_MAC_CONTROL:
        return "BAD_MAC_CONTROL";
    case QbbParseError::UNKNOWN_MAC_CONTROL:
        return "UNKNOWN_MAC_CONTROL";
    }
    return "UNKNOWN";
}

std::ostream&
operator<<(std::ostream& os, QbbParseError error)
{
    return os << QbbParseErrorName(error);
}

} // namespace ns3
