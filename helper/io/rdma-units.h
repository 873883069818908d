/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_UNITS_H
#define RDMA_UNITS_H

#include "rdma-bit-rate.h"
#include "rdma-ps.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \defgroup rdma-units Exact numbers with units
 *
 * Conversion between text and rates, times and sizes without floating-point numbers: "1.5Gbps" is
 * exactly 1500000000 bit/s, and "2.000000577s" is exactly 2000000577000 ps. The file readers and
 * the command line share these functions.
 *
 * All parsers read the numbers that Python, pandas, R and spreadsheets write: digits with an
 * optional fraction and an optional decimal exponent, as in "1000", "1000.0", "1e3" and "5e-06".
 * Apart from that they are strict: the text must consist of a number and its unit, without blanks,
 * signs, digit grouping or a decimal comma. A value that is not a multiple of the base unit is
 * rejected, never rounded; only RoundRdmaTime() and RoundRdmaTimeIn() round, and say so. The
 * parsers throw std::invalid_argument with a message that names the text, the error and the
 * accepted values.
 * @{
 */

/// The latest time that the module can schedule (2.56 h). The simulator stores the time of events
/// in femtoseconds with 63 bits.
inline constexpr RdmaPs RDMA_MAX_TIME{std::numeric_limits<int64_t>::max() / 1000};

/// The longest propagation delay of a link.
inline constexpr RdmaPs RDMA_MAX_DELAY = 1_s;

/// The highest link rate, at which a byte takes 1 ps.
inline constexpr RdmaBitRate RDMA_MAX_RATE = 8'000_gbps;

/// The lowest rate without a unit. Whoever writes 100 means Gbit/s, perhaps.
inline constexpr RdmaBitRate RDMA_MIN_PLAIN_RATE = 1_mbps;

/// The largest flow, in bytes (1 EiB).
inline constexpr uint64_t RDMA_MAX_FLOW_BYTES = uint64_t{1} << 60;

/**
 * Read a rate: a decimal number and one of the units bps, kbps, Kbps, Mbps, Gbps, Tbps (powers of
 * 1000). The spellings b/s, kb/s etc. are equivalent. Accepted: 1 bit/s to RDMA_MAX_RATE.
 * \param text for instance "100Gbps", "1.5Gbps", "400Gb/s"
 * \return the rate
 */
RdmaBitRate ParseRdmaRate(const std::string& text);

/**
 * Read a rate of a file format that leaves out the unit bit/s: as ParseRdmaRate(), or a number
 * without a unit, at least RDMA_MIN_PLAIN_RATE.
 * \param text for instance "100Gbps", "25000000000.0", "2.5e10"
 * \return the rate
 */
RdmaBitRate ParseRdmaPlainRate(const std::string& text);

/**
 * Read a time: a decimal number and one of the units ps, ns, us, ms, s. Accepted: 0 to
 * RDMA_MAX_TIME, in whole picoseconds.
 * \param text for instance "1000ns", "1us", "0.001ms", "2.5us"
 * \return the time
 */
RdmaPs ParseRdmaTime(const std::string& text);

/// A time that was written with any number of decimals.
struct RdmaRoundedTime
{
    RdmaPs time{0};     //!< the time, rounded to the nearest picosecond
    bool isExact{true}; //!< the text is a whole number of picoseconds
};

/**
 * Read a time with a unit as ParseRdmaTime() does, but round it to the nearest picosecond.
 * \param text for instance "1us", "0.0054999999999999997ms"
 * \return the time, 0 to RDMA_MAX_TIME
 */
RdmaRoundedTime RoundRdmaTime(const std::string& text);

/**
 * Read a time without a unit, for instance from a column named start_ns, and round it to the
 * nearest picosecond. \param text for instance "2.000000577", "5e-06" \param unit unit of the
 * number: 1 ps, 1 ns, 1 us, 1 ms or 1 s \return the time, 0 to RDMA_MAX_TIME
 */
RdmaRoundedTime RoundRdmaTimeIn(const std::string& text, RdmaPs unit);

/**
 * Read a size: a decimal number in bytes, or a decimal number and one of the units B, KB, MB, GB,
 * TB (powers of 1000), KiB, MiB, GiB, TiB (powers of 1024). Accepted: 0 to RDMA_MAX_FLOW_BYTES.
 * \param text for instance "1000", "64KiB", "1.5MB"
 * \return the size in bytes
 */
uint64_t ParseRdmaBytes(const std::string& text);

/**
 * Read an unsigned integer.
 * \param text for instance "42", "1000.0", "1e3"
 * \param min the smallest accepted number
 * \param max the largest accepted number
 * \return the number
 */
uint64_t ParseRdmaInteger(const std::string& text, uint64_t min, uint64_t max);

/**
 * Read an unsigned integer in decimal digits alone. ns-3's CommandLine reads attributes and global
 * values a second time, and stops at a decimal point or an exponent.
 * \param text for instance "42"
 * \param min the smallest accepted number
 * \param max the largest accepted number
 * \return the number
 */
uint64_t ParseRdmaDigits(const std::string& text, uint64_t min, uint64_t max);

/**
 * Read a real number, correctly rounded and independently of the locale, without a sign.
 * \param text for instance "0.01", "1e-5"
 * \return the number, finite and not negative
 */
double ParseRdmaReal(const std::string& text);

/**
 * Read whole numbers between which there is an 'x', each as ParseRdmaInteger() does.
 * \param text for instance "3x1"
 * \param min the smallest accepted number
 * \param max the largest accepted number
 * \return the numbers, one or more
 */
std::vector<uint32_t> ParseRdmaIntegers(const std::string& text, uint32_t min, uint32_t max);

/**
 * Read real numbers between which there is an 'x', each as ParseRdmaReal() does.
 * \param text for instance "3x0.25"
 * \return the numbers, one or more
 */
std::vector<double> ParseRdmaReals(const std::string& text);

/**
 * \param rate a rate
 * \return the rate as an integer in the largest possible unit, for instance "100Gbps"
 */
std::string FormatRdmaRate(RdmaBitRate rate);

/**
 * \param time a time, not negative
 * \return the time as an integer in ns if possible, otherwise in ps, for instance "1000ns"
 */
std::string FormatRdmaTime(RdmaPs time);

/**
 * \param time a time
 * \return the time in ns with exactly three decimals, for instance "1234.567"
 */
std::string FormatRdmaNs(RdmaPs time);

/** Appends FormatRdmaNs() to a text. \param [in,out] text the text \param time a time */
void AppendRdmaNs(std::string& text, RdmaPs time);

/**
 * \param time a time, not negative
 * \return the time in us with exactly six decimals, for instance "1.234567"
 */
std::string FormatRdmaUs(RdmaPs time);

/**
 * \param value a finite number
 * \return the shortest decimal text that reads back exactly, independently of the locale
 */
std::string FormatRdmaReal(double value);

/** @} */

} // namespace ns3

#endif /* RDMA_UNITS_H */
