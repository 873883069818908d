/* SPDX-License-Identifier: GPL-2.0-only */

#include "rdma-text-checker.h"

#include <ns3/string.h>

#include <stdexcept>
#include <utility>

namespace ns3
{

namespace
{

/** A StringChecker that also reads the text with a function. */
class RdmaTextChecker : public StringChecker
{
  public:
    RdmaTextChecker(std::function<void(const std::string&)> read, const std::string& accepted)
        : m_any(MakeStringChecker()),
          m_read(std::move(read)),
          m_accepted(accepted)
    {
    }

    bool Check(const AttributeValue& value) const override
    {
        const auto* text = dynamic_cast<const StringValue*>(&value);
        if (!text)
        {
            return false;
        }
        try
        {
            m_read(text->Get());
        }
        catch (const std::invalid_argument&)
        {
            return false;
        }
        return true;
    }

    std::string GetValueTypeName() const override
    {
        return m_any->GetValueTypeName();
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return true;
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        return m_accepted;
    }

    Ptr<AttributeValue> Create() const override
    {
        return m_any->Create();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        return m_any->Copy(source, destination);
    }

  private:
    Ptr<const AttributeChecker> m_any;              //!< checker that accepts any text
    std::function<void(const std::string&)> m_read; //!< throws for a text that is not accepted
    std::string m_accepted;                         //!< the accepted texts, for messages
};

} // namespace

Ptr<const AttributeChecker>
MakeRdmaTextChecker(std::function<void(const std::string&)> read, const std::string& accepted)
{
    return Ptr<const AttributeChecker>(new RdmaTextChecker(std::move(read), accepted), false);
}

} // namespace ns3
