# SPDX-License-Identifier: GPL-2.0-only
"""Tests of arguments --ns3::Class::Attribute=value of the examples. Arguments without effect, because the program sets
the attribute by itself, cause a message that names the option; other arguments take effect."""

import os
import re
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "doc"))

import console  # noqa: E402

# Refused arguments by program, and what is accepted instead.
REFUSED = [
    ("rdma-coexistence", "QbbNetDevice::Scheduler=strict", "--weights"),
    ("rdma-coexistence", "QbbNetDevice::FlowControl=None", "--flowControl"),
    ("rdma-deadlock", "QbbSharedBuffer::BufferSize=1000000", "--buffer"),
    ("rdma-deadlock", "QbbRouting::Algorithm=UpDown", "--routes"),
    ("rdma-fluid", "QbbEcnMarker::Kmin=4000", "--ecn"),
    ("rdma-headroom", "QbbNetDevice::PauseReactionDelay=+100ns", "--reaction"),
    ("rdma-isolation", "QbbNetDevice::DataRate=10Gbps", "--rate"),
    ("rdma-livelock", "RoceTransport::LossRecovery=GoBackN", "rdma-fabric --transport='roce[LossRecovery=...]'"),
    ("rdma-parking-lot", "RdmaNic::CnpInterval=50us", "--cnpInterval"),
    ("rdma-pause-storm", "QbbSharedBuffer::BufferSize=1000000", "--buffer"),
    ("rdma-perftest", "RdmaClient::QueueDepth=2", "--depth"),
    ("rdma-perftest", "RdmaQueuePair::PathMtu=512", "--mtu"),
    ("rdma-victim", "QbbChannel::Delay=2us", "rdma-fabric --delay"),
]

SENDERS = ["rdma-livelock", "--bytes=1MB", "--duration=3ms"]


def run(name, *arguments):
    """:returns: the finished program"""
    return subprocess.run(
        [console.program(name), *arguments], capture_output=True, text=True, timeout=300, check=False
    )


@unittest.skipUnless(console.program("rdma-livelock"), "the examples are not built")
class OwnAttributes(unittest.TestCase):
    def test_attributes_that_options_set_are_refused(self):
        for program, argument, accepted in REFUSED:
            with self.subTest(f"{program} {argument}"):
                done = run(program, "--ns3::" + argument)
                name = argument.split("=", maxsplit=1)[0]
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(
                    done.stderr,
                    f"{program}: --ns3::{name}: the program sets this attribute; accepted: {accepted}\n",
                )

    def test_attributes_that_a_scenario_compares_are_refused(self):
        done = run("rdma-pause-storm", "--scenario=receiver", "--ns3::QbbSharedBuffer::LosslessAlpha=0.5")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertTrue(re.search("--ns3::QbbSharedBuffer::LosslessAlpha: .*; accepted: rdma-fabric", done.stderr))

    def test_other_attributes_hold(self):
        # The program's own timeout is 320 us. Go-back-0 hardly gains from a timeout that is as long as the run.
        usual = run(*SENDERS)
        longer = run(*SENDERS, "--ns3::RoceTransport::RetransmissionTimeout=4ms")
        same = run(*SENDERS, "--ns3::RoceTransport::RetransmissionTimeout=320us")
        self.assertEqual([done.returncode for done in (usual, longer, same)], [0, 0, 0])
        self.assertNotEqual(longer.stdout, usual.stdout)
        self.assertEqual(same.stdout, usual.stdout)


if __name__ == "__main__":
    unittest.main()
