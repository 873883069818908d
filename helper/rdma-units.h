/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_UNITS_H
#define RDMA_UNITS_H

#include "qbb-bit-rate.h"
#include "qbb-ps.h"

#include <cstdint>
#include <limits>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-units Exact numbers with units
 *
 * Rates, times and sizes as people write them, read and written without going through a
 * floating-point number: "1.5Gbps" is 1500000000 bit/s and "2.000000577s" is 2000000577000 ps, to
 * the last digit. The file readers and the command line share these functions.
 *
 * All parsers are strict: the whole text must be the number and its unit, with no blank, no sign,
 * no exponent and no digit group; a value that is not a whole number of the base unit is refused,
 * never rounded. They throw std::invalid_argument with a message that names the text, what is wrong
 * with it and what is accepted.
 * @{
 */

/// The latest time the module can schedule: events carry whole femtoseconds in 63 bits (2.56
/// h).
inline constexpr QbbPs RDMA_MAX_TIME{std::numeric_limits<int64_t>::max() / 1000};

/// The longest propagation delay of a link.
inline constexpr QbbPs RDMA_MAX_DELAY = 1_s;

/// The highest link rate: a byte takes 1 ps.
inline constexpr QbbBitRate RDMA_MAX_RATE = 8'000_gbps;

/// The largest flow, in bytes (1 EiB).
inline constexpr uint64_t RDMA_MAX_FLOW_BYTES = uint64_t{1} << 60;

/**
 * Read a rate: a decimal number and one of the units bps, kbps, Kbps, Mbps, Gbps, Tbps (powers of
 * 1000), or the same written b/s, kb/s, ... Accepted: 1 bit/s to RDMA_MAX_RATE.
 * \param text for instance "100Gbps", "1.5Gbps", "400Gb/s"
 * \return the rate
 * \throws std::invalid_argument as described for this group
 */
QbbBitRate ParseRdmaRate(const std::string& text);

/**
 * Read a time: a decimal number and one of the units ps, ns, us, ms, s. Accepted: 0 to
 * RDMA_MAX_TIME, in whole picoseconds.
 * \param text for instance "1000ns", "1us", "0.001ms", "2.5us"
 * \return the time
 * \throws std::invalid_argument as described for this group
 */
QbbPs ParseRdmaTime(const std::string& text);

/**
 * Read a decimal number that has its unit elsewhere, as a column named start_ns has.
 * \param text for instance "2.000000577"
 * \param unit the unit: 1 ps, 1 ns, 1 us, 1 ms or 1 s
 * \return the time, 0 to RDMA_MAX_TIME
 * \throws std::invalid_argument as described for this group
 */
QbbPs ParseRdmaTimeIn(const std::string& text, QbbPs unit);

/**
 * Read a size: a decimal number and nothing (bytes) or one of the units B, KB, MB, GB, TB (powers
 * of 1000), KiB, MiB, GiB, TiB (powers of 1024). Accepted: 0 to RDMA_MAX_FLOW_BYTES.
 * \param text for instance "1000", "64KiB", "1.5MB"
 * \return the size in bytes
 * \throws std::invalid_argument as described for this group
 */
uint64_t ParseRdmaBytes(const std::string& text);

/**
 * Read a whole number in decimal digits.
 * \param text for instance "42"
 * \param min the smallest accepted number
 * \param max the largest accepted number
 * \return the number
 * \throws std::invalid_argument as described for this group
 */
uint64_t ParseRdmaInteger(const std::string& text, uint64_t min, uint64_t max);

/**
 * Read a real number, correctly rounded and whatever the locale: digits with an optional fraction
 * and an optional decimal exponent ("0.01", "1e-5"), no sign.
 * \param text the text
 * \return the number, finite and not negative
 * \throws std::invalid_argument as described for this group
 */
double ParseRdmaReal(const std::string& text);

/**
 * \param rate a rate
 * \return the rate in the largest unit that leaves a whole number, as in "100Gbps"
 */
std::string FormatRdmaRate(QbbBitRate rate);

/**
 * \param time a time, not negative
 * \return the time in ns if that is a whole number, as in "1000ns", else in ps
 */
std::string FormatRdmaTime(QbbPs time);

/**
 * \param time a time
 * \return the time in ns with the picoseconds as exactly three decimals, as in "1234.567"
 */
std::string FormatRdmaNs(QbbPs time);

/**
 * \param time a time, not negative
 * \return the time in us with the picoseconds as exactly six decimals, as in "1.234567"
 */
std::string FormatRdmaUs(QbbPs time);

/**
 * \param value a finite number
 * \return the shortest decimal text that reads back as the same number, whatever the locale
 */
std::string FormatRdmaReal(double value);

/** @} */

} // namespace ns3

#endif /* RDMA_UNITS_H */
