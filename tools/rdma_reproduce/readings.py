# SPDX-License-Identifier: GPL-2.0-only
"""How the IRN paper's "70% utilization" and its runs are read: the one place that says so.

The paper leaves open what the load counts, how long a run is, and which flows the averages cover.
The main reading was chosen from the absolute values of its figures 1 and 2 before any ratio; every
row of section B is reported at this reading. The others make the second table.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Reading:
    """A reading: its description, its options, and how long arrivals last."""

    name: str
    title: str
    options: str
    quick: str
    arrivals_ms: float
    quick_arrivals_ms: float
    # Arrivals go on until the last counted flow has ended, which takes longer than the window.
    tail: bool = True

    def words(self, load, quick):
        """The options for a load."""
        return tuple((self.quick if quick else self.options).format(load=load).split())

    def arrivals(self, quick):
        """Simulated milliseconds with arrivals, up to the end of the window."""
        return self.quick_arrivals_ms if quick else self.arrivals_ms


# A network that collapses would never end while arrivals go on. The reports name runs that were cut.
WINDOW = "--warmUp=10ms --measure=40ms --stop=300ms"
QUICK = "--warmUp=1ms --measure=2ms --stop=8ms"
WIRE = "--ns3::RdmaPoissonWorkload::LoadOf=Wire"
WIRE_ACKS = f"{WIRE}Acks"
MAIN = "wire-acks"
READINGS = {reading.name: reading for reading in (
    Reading(
        "wire-acks", "load of the wire, headers and acknowledgements counted; warm-up 10 ms, flows of the "
        "next 40 ms; arrivals go on until the last of these flows has ended, for 300 ms at most",
        f"--load={{load}} {WIRE_ACKS} {WINDOW}", f"--load={{load}} {WIRE_ACKS} {QUICK}",
        50, 3,
    ),
    Reading(
        "wire", "load of the wire, headers counted; else as the main reading",
        f"--load={{load}} {WIRE} {WINDOW}", f"--load={{load}} {WIRE} {QUICK}", 50, 3,
    ),
    Reading(
        "payload", "load of payload; else as the main reading",
        f"--load={{load}} {WINDOW}", f"--load={{load}} {QUICK}", 50, 3,
    ),
    Reading(
        "cut", "load as in the main reading; the run is cut where the window ends, and only flows that "
        "have ended by then count, which favours short ones",
        f"--load={{load}} {WIRE_ACKS} --warmUp=10ms --measure=40ms --stop=50ms",
        f"--load={{load}} {WIRE_ACKS} --warmUp=1ms --measure=2ms --stop=3ms", 50, 3, False,
    ),
    Reading(
        "all-flows", "load of payload; all flows count, from an empty network to the last completion "
        "after arrivals have ended",
        "--load={load} --duration=50ms", "--load={load} --duration=2ms --stop=8ms", 50, 2,
    ),
)}
