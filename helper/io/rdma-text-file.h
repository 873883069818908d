/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RDMA_TEXT_FILE_H
#define RDMA_TEXT_FILE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

/**
 * \ingroup rdma
 * \param path path of a file
 * \return content of the file
 * \throws RdmaFileError if the file cannot be opened or read
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
 * \brief Iterates over the lines and fields of a text file and formats error messages.
 *
 * Lines end with LF or CR LF. Empty lines are skipped. The text must outlive the reader.
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

    /** Go to the next non-empty line. \return false at the end of the file */
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
     * \param last description of the last line that was read, for the message
     */
    void SkipRest(const std::string& last);

    /**
     * Check the number of fields of the current line.
     * \param count required number of fields
     * \param names names of the fields for the error message
     * \throws RdmaFileError if the line has a different number of fields
     */
    void RequireFields(std::size_t count, const std::string& names) const;

    /// \return the number of fields of the current line
    std::size_t GetNFields() const;

    /// \param index index of a field in the current line, from 0 \return text of the field
    std::string GetField(std::size_t index) const;

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
    void Split(std::string_view line);

    std::string_view m_rest;
    std::string m_fileName;
    Separator m_separator;
    uint64_t m_line{0};
    std::vector<std::string_view> m_fields;
};

template <typename Parser>
auto
RdmaLineReader::Get(std::size_t index, const std::string& name, Parser parse) const
    -> decltype(parse(std::string()))
{
    try
    {
        return parse(GetField(index));
    }
    catch (const std::invalid_argument& e)
    {
        Fail(name, e.what());
    }
}

} // namespace ns3

#endif /* RDMA_TEXT_FILE_H */
