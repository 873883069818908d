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
 * \param path a file
 * \return its content
 * \throws RdmaFileError if it cannot be opened or read
 */
std::string ReadRdmaFile(const std::string& path);

/**
 * \ingroup rdma
 * \param path a file, overwritten if it exists
 * \param text its new content
 * \throws RdmaFileError if it cannot be opened or written to the end
 */
void WriteRdmaFile(const std::string& path, const std::string& text);

/**
 * \ingroup rdma
 * For a text that is too long to be in memory as a whole.
 *
 * \param path a file, overwritten if it exists
 * \param write writes its new content, once
 * \throws RdmaFileError if it cannot be opened or written to the end
 */
void WriteRdmaFile(const std::string& path, const std::function<void(std::ostream&)>& write);

/**
 * \ingroup rdma
 * \param text a text that a user gave
 * \return the text in single quotes, fit for an error message: printable ASCII of limited length
 */
std::string QuoteRdmaText(std::string_view text);

/**
 * \ingroup rdma
 * \brief Walks through the lines of a text file and their fields, and words the errors.
 *
 * Lines end with LF or CR LF. Empty lines are skipped. The text must outlive the reader.
 */
class RdmaLineReader
{
  public:
    /// What stands between two fields of a line.
    enum class Separator
    {
        BLANKS, //!< one or more blanks or tabs
        COMMA,  //!< a comma, with or without blanks around it
    };

    /**
     * \param text the content of the file
     * \param fileName the name for error messages
     * \param separator what stands between fields
     */
    RdmaLineReader(std::string_view text, const std::string& fileName, Separator separator);

    /**
     * Go to the next line that is not empty.
     * \return false if there is none
     */
    bool Next();

    /**
     * Go to the next line that is not empty, which must exist.
     * \param what what the line is, for the error message
     * \throws RdmaFileError if the file ends
     */
    void Require(const std::string& what);

    /**
     * Go to the end of the file. If there are further lines that are not empty, as in the public
     * files of the HPCC simulator, which explain the format there, say so on standard error.
     * \param last what was read last, for the message
     */
    void SkipRest(const std::string& last);

    /**
     * Check the number of fields of this line.
     * \param count the number it should have
     * \param names the names of the fields, for the error message
     * \throws RdmaFileError if it has another number
     */
    void RequireFields(std::size_t count, const std::string& names) const;

    /// \return the number of fields of this line
    std::size_t GetNFields() const;

    /// \param index a field of this line, from 0 \return its text
    std::string GetField(std::size_t index) const;

    /// \return the number of this line, from 1
    uint64_t GetLine() const;

    /**
     * Read a field as a whole number.
     * \param index a field of this line, from 0
     * \param name its name
     * \param min the smallest accepted number
     * \param max the largest accepted number
     * \return the number
     * \throws RdmaFileError if it is not one
     */
    uint64_t GetInteger(std::size_t index,
                        const std::string& name,
                        uint64_t min,
                        uint64_t max) const;

    /**
     * Read a field with one of the parsers of rdma-units.h.
     * \param index a field of this line, from 0
     * \param name its name
     * \param parse the parser; throws std::invalid_argument
     * \return what the parser returns
     * \throws RdmaFileError with the parser's message
     */
    template <typename Parser>
    auto Get(std::size_t index, const std::string& name, Parser parse) const
        -> decltype(parse(std::string()));

    /**
     * Refuse this line.
     * \param field the name of the field; empty for the line as a whole
     * \param problem what is wrong
     * \param accepted what would have been right; may be empty
     * \throws RdmaFileError always
     */
    [[noreturn]] void Fail(const std::string& field,
                           const std::string& problem,
                           const std::string& accepted = "") const;

    /**
     * Refuse the file as a whole.
     * \param field the name of what is wrong; may be empty
     * \param problem what is wrong
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
