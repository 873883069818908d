/* SPDX-License-Identifier: GPL-2.0-only */

// The module's test suites without those of ns-3's other modules; options as ns-3's test-runner.

#include <ns3/test.h>

int
main(int argc, char* argv[])
{
    return ns3::TestRunner::Run(argc, argv);
}
