/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_TEXT_FILE_H
#define RDMA_TEXT_FILE_H

#include "rdma-ps.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \param path path of a text file
 * \return content of the file, without the byte order mark of UTF-8 that some programs write first
 * \throws RdmaFileError if the file cannot be opened or read, or is UTF-16 text
 */
std::string ReadRdmaFile(const std::string& path);

/**
 * \ingroup rdma
 * \param path path of a file, which is replaced as a whole if it exists (RdmaOutputFile)
 * \param text new content of the file
 * \throws RdmaFileError if the file cannot be opened or completely written
 */
void WriteRdmaFile(const std::string& path, const std::string& text);

/**
 * \ingroup rdma
 * Writes a file whose content is too large for memory.
 *
 * \param path path of a file, which is replaced as a whole if it exists (RdmaOutputFile)
 * \param write function that writes the new content; it is called once
 * \throws RdmaFileError if the file cannot be opened or completely written
 */
void WriteRdmaFile(const std::string& path, const std::function<void(std::ostream&)>& write);

/**
 * \ingroup rdma
 * \param text text from user input
 * \return the text in single quotes for an error message, as printable ASCII of limited length
 */
std::string QuoteRdmaText(std::string_view text);

/**
 * \ingroup rdma
 * \brief Iterates over the lines and fields of a text file and formats messages.
 *
 * Lines end with LF or CR LF. Empty lines are skipped. Fields between commas may stand in quotation
 * marks by RFC 4180: such a field may contain commas, line ends, and "" for a quotation mark. The
 * text must outlive the reader.
 */
class RdmaLineReader
{
  public:
    /// Separator between two fields of a line.
    enum class Separator
    {
        BLANKS, //!< one or more blanks or tabs
        COMMA,  //!< a comma with optional blanks around it
    };

    /**
     * \param text content of the file
     * \param fileName file name for error messages
     * \param separator separator between fields
     */
    RdmaLineReader(std::string_view text, const std::string& fileName, Separator separator);

    /**
     * Go to the next non-empty line.
     * \return false at the end of the file
     * \throws RdmaFileError for a field in quotation marks that does not end
     */
    bool Next();

    /**
     * Go to the next non-empty line, which must exist.
     * \param what description of the line for the error message
     * \throws RdmaFileError at the end of the file
     */
    void Require(const std::string& what);

    /**
     * Go to the end of the file. Report further non-empty lines on standard error; for instance,
     * the public files of the HPCC simulator explain the format at the end.
     * \param count number of things that the first line declares, all of which have been read
     * \param thing name of such a thing: "link"
     * \param isThing returns true if the current line is a further such thing
     */
    void SkipRest(uint64_t count, const std::string& thing, const std::function<bool()>& isThing);

    /** Report on standard error how many times GetTime() has rounded, if any. */
    void ReportRounding() const;

    /**
     * Check the number of fields of the current line.
     * \param count required number of fields
     * \param names names of the fields for the error message
     * \throws RdmaFileError if the line has a different number of fields
     */
    void RequireFields(std::size_t count, const std::string& names) const;

    /// \return the fields of the current line
    const std::vector<std::string>& GetFields() const
    {
        return m_fields;
    }

    /// \return the number of the current line, from 1
    uint64_t GetLine() const;

    /**
     * Read a field as an unsigned integer.
     * \param index index of the field in the current line, from 0
     * \param name name of the field for the error message
     * \param min smallest accepted number
     * \param max largest accepted number
     * \return the number
     * \throws RdmaFileError if the field is not an integer in the accepted range
     */
    uint64_t GetInteger(std::size_t index,
                        const std::string& name,
                        uint64_t min,
                        uint64_t max) const;

    /**
     * Read a field with one of the parsers of rdma-units.h.
     * \param index index of the field in the current line, from 0
     * \param name name of the field for the error message
     * \param parse parser that throws std::invalid_argument on errors
     * \return return value of the parser
     * \throws RdmaFileError with the parser's message
     */
    template <typename Parser>
    auto Get(std::size_t index, const std::string& name, Parser parse) const
        -> decltype(parse(std::string()));

    /**
     * Read a field as a time and round it to the nearest picosecond; see ReportRounding().
     * \param index index of the field in the current line, from 0
     * \param name name of the field for the error message
     * \param unit unit of the number, as for RoundRdmaTimeIn(); nothing: the field names its unit
     * \return the time
     * \throws RdmaFileError if the field is not a time in the accepted range
     */
    RdmaPs GetTime(std::size_t index, const std::string& name, std::optional<RdmaPs> unit = {});

    /**
     * Reject the current line.
     * \param field name of the invalid field; empty for the line as a whole
     * \param problem description of the error
     * \param accepted description of accepted input; may be empty
     * \throws RdmaFileError always
     */
    [[noreturn]] void Fail(const std::string& field,
                           const std::string& problem,
                           const std::string& accepted = "") const;

    /**
     * Reject the file as a whole.
     * \param field name of the invalid item; may be empty
     * \param problem description of the error
     * \throws RdmaFileError always
     */
    [[noreturn]] void FailFile(const std::string& field, const std::string& problem) const;

  private:
    std::string_view TakeLine();
    void SplitAtBlanks(std::string_view line);
    void SplitAtCommas(std::string_view line);
    std::string TakeQuoted(std::string_view& line);
    void Warn(uint64_t line, const std::string& message) const;

    std::string_view m_rest;
    std::string m_fileName;
    Separator m_separator;
    uint64_t m_line{0};     //!< number of the line where the fields begin
    uint64_t m_lastLine{0}; //!< number of the line where the fields end
    std::vector<std::string> m_fields;
    uint64_t m_rounded{0};          //!< number of times that GetTime() has rounded
    uint64_t m_firstRoundedLine{0}; //!< line of the first of these
    std::string m_firstRounded;     //!< its text
};

template <typename Parser>
auto
RdmaLineReader::Get(std::size_t index, const std::string& name, Parser parse) const
    -> decltype(parse(std::string()))
{
    try
    {
        return parse(m_fields.at(index));
    }
    catch (const std::invalid_argument& e)
    {
        Fail(name, e.what());
    }
}

} // namespace ns3

#endif /* RDMA_TEXT_FILE_H */
