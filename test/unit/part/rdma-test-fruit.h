/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_FRUIT_H
#define RDMA_TEST_FRUIT_H

#include "rdma-compat.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/enum.h>
#include <ns3/integer.h>
#include <ns3/nstime.h>
#include <ns3/object.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * \ingroup rdma-tests
 * A kind of part for tests of the reader of parts.
 */
class RdmaTestFruit : public Object
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaTestFruit").SetParent<Object>().SetGroupName("Rdma");
        return tid;
    }
};

/**
 * \ingroup rdma-tests
 * A part with an attribute of each type.
 */
class RdmaTestApple : public RdmaTestFruit
{
  public:
    enum Colour
    {
        RED = 3,
        GREEN = 7
    };

    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RdmaTestApple")
                                .SetParent<RdmaTestFruit>()
                                .SetGroupName("Rdma")
                                .AddConstructor<RdmaTestApple>()
                                .AddAttribute("Count",
                                              "A number.",
                                              UintegerValue(1),
                                              MakeUintegerAccessor(&RdmaTestApple::count),
                                              MakeUintegerChecker<uint8_t>(1, 200))
                                .AddAttribute("Offset",
                                              "A number with a sign.",
                                              IntegerValue(0),
                                              MakeIntegerAccessor(&RdmaTestApple::offset),
                                              MakeIntegerChecker<int32_t>(-5, 5))
                                .AddAttribute("Share",
                                              "A real number.",
                                              DoubleValue(0.5),
                                              MakeDoubleAccessor(&RdmaTestApple::share),
                                              MakeDoubleChecker<double>(0, 1))
                                .AddAttribute("Age",
                                              "A time.",
                                              TimeValue(Seconds(0)),
                                              MakeTimeAccessor(&RdmaTestApple::age),
                                              MakeTimeChecker(Seconds(0), MicroSeconds(9)))
                                .AddAttribute("Rate",
                                              "A rate.",
                                              DataRateValue(DataRate("1Gbps")),
                                              MakeDataRateAccessor(&RdmaTestApple::rate),
                                              MakeDataRateChecker())
                                .AddAttribute("Ripe",
                                              "True or false.",
                                              BooleanValue(false),
                                              MakeBooleanAccessor(&RdmaTestApple::ripe),
                                              MakeBooleanChecker())
                                .AddAttribute("Colour",
                                              "A name.",
                                              EnumValue(RED),
                                              RdmaMakeEnumAccessor<Colour>(&RdmaTestApple::colour),
                                              MakeEnumChecker(RED, "Red", GREEN, "Green"))
                                .AddAttribute("Text",
                                              "Any text.",
                                              StringValue(""),
                                              MakeStringAccessor(&RdmaTestApple::text),
                                              MakeStringChecker())
                                .AddAttribute("Inner",
                                              "A fruit within.",
                                              PointerValue(),
                                              MakePointerAccessor(&RdmaTestApple::inner),
                                              MakePointerChecker<RdmaTestFruit>())
                                .AddAttribute("Weight",
                                              "A number without a setter.",
                                              TypeId::ATTR_GET,
                                              UintegerValue(0),
                                              MakeUintegerAccessor(&RdmaTestApple::GetWeight),
                                              MakeUintegerChecker<uint32_t>());
        return tid;
    }

    uint32_t GetWeight() const
    {
        return 5;
    }

    uint8_t count{0};
    int32_t offset{0};
    double share{0};
    Time age;
    DataRate rate;
    bool ripe{false};
    Colour colour{RED};
    std::string text;
    Ptr<RdmaTestFruit> inner;
};

} // namespace ns3

#endif /* RDMA_TEST_FRUIT_H */
