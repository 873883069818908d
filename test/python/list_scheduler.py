# SPDX-License-Identifier: GPL-2.0-only
"""A list scheduler for operations on ranks over a LogGP network: a reference for the module's schedules.

It is written from the manual's page on collectives, and shares no code with the module. All operations
exist from the start, as a graph for each rank. Times are whole nanoseconds.

    python3 list_scheduler.py            prints the ends of the ranks of the synthetic step

Rules at one instant: first bytes that reach a rank are taken in the order of their senders; then what the
network has finished at a rank, in the order in which it was begun; then computing, in the order in which it
was begun. What waits for an operation begins in the order in which it was made to wait; the sends of a call
begin before its receives.
"""

import collections
import heapq


class Network:
    """LogGP (Alexandrov et al., 1995): latency, overheads of sender and receiver, gap, rate in bit/s."""

    def __init__(self, latency, send_overhead, receive_overhead, gap, rate):
        self.latency, self.send_overhead, self.receive_overhead = latency, send_overhead, receive_overhead
        self.gap, self.rate = gap, rate

    def time_of(self, size):
        """G (s - 1)."""
        return max(size - 1, 0) * 8 * 10**9 // self.rate


class Operation:
    """One operation of a rank; size is bytes, or nanoseconds of computing."""

    def __init__(self, kind, size=0, peer=None, key=None, unit=None):
        self.kind, self.size, self.peer, self.key, self.unit = kind, size, peer, key, unit
        self.waits, self.next = 0, []


class Rank:
    """What a rank has at hand."""

    def __init__(self):
        self.operations = []
        self.left = 0
        self.end = None
        self.send_free = self.receive_free = self.memory_free = 0
        self.arrived, self.receives = set(), {}
        self.units = collections.defaultdict(collections.deque)
        self.busy = set()
        self.begun = 0
        self.ended = collections.deque()


class Scheduler:
    """Graphs of operations, and their times."""

    def __init__(self, ranks, network):
        self.ranks = [Rank() for _ in range(ranks)]
        self.network = network
        self.events = []
        self.now = 0
        self.calls = 0

    def add(self, rank, operation, after=()):
        """Adds an operation, which waits for the ends of others of its rank."""
        self.ranks[rank].operations.append(operation)
        for other in after:
            other.next.append(operation)
            operation.waits += 1
        return operation

    def compute(self, rank, time, after=(), unit=None):
        return self.add(rank, Operation("compute", time, unit=unit), after)

    def send(self, rank, size, peer, key, after=()):
        return self.add(rank, Operation("send", size, peer, (rank, peer) + key), after)

    def receive(self, rank, size, peer, key, after=()):
        return self.add(rank, Operation("receive", size, peer, (peer, rank) + key), after)

    # Collectives: what each member of a group does, between an operation that begins the call and one that ends it.

    def collective(self, group, after, steps):
        """steps(i): the sends and receives of member i, as (send?, other member, bytes, number of the last
        receive that it waits for, or None); messages between two members are matched in order."""
        self.calls += 1
        ends = []
        for i, rank in enumerate(group):
            begin = self.add(rank, Operation("call"), after[i])
            count = collections.Counter()
            receives, parts = [], []
            sends = [s for s in steps(i) if s[0]]
            for _, other, size, _ in [s for s in steps(i) if not s[0]]:
                key = (self.calls, count["r", other])
                count["r", other] += 1
                receives.append(Operation("receive", size, group[other], (group[other], rank) + key))
            made = []
            for _, other, size, wait in sends:
                key = (self.calls, count["s", other])
                count["s", other] += 1
                made.append((Operation("send", size, group[other], (rank, group[other]) + key), wait))
            # Sends come before receives where both can begin at the begin of the call.
            for operation, wait in made:
                parts.append(self.add(rank, operation, [begin] if wait is None else receives[:wait + 1]))
            for operation in receives:
                parts.append(self.add(rank, operation, [begin]))
            ends.append(self.add(rank, Operation("point"), parts or [begin]))
        return ends

    @staticmethod
    def share(size, parts, part):
        return size // parts + (1 if part < size % parts else 0)

    def ring_all_reduce(self, group, size, after):
        n = len(group)

        def steps(i):
            for k in range(2 * (n - 1)):
                block = i - 1 - k if k < n - 1 else i - (k - (n - 1))
                yield True, (i + 1) % n, self.share(size, n, block % n), k - 1 if k else None
                yield False, (i - 1) % n, self.share(size, n, (block - 1) % n), None

        return self.collective(group, after, steps)

    def halving_doubling_all_reduce(self, group, size, after):
        n = len(group)

        def bytes_of(index, ranks):
            first = index // ranks * ranks
            return sum(self.share(size, n, block) for block in range(first, first + ranks))

        def steps(i):
            distances = []
            distance = n // 2
            while distance:
                distances.append(distance)
                distance //= 2
            for k, distance in enumerate(distances):  # each keeps its half
                yield True, i ^ distance, bytes_of(i ^ distance, distance), k - 1 if k else None
                yield False, i ^ distance, bytes_of(i, distance), None
            for k, distance in enumerate(reversed(distances), len(distances)):
                yield True, i ^ distance, bytes_of(i, distance), k - 1
                yield False, i ^ distance, bytes_of(i ^ distance, distance), None

        return self.collective(group, after, steps)

    def all_to_all(self, group, size, after):
        """All messages are posted at once."""
        n = len(group)

        def steps(i):
            for k in range(1, n):
                yield True, (i + k) % n, self.share(size, n, (i + k) % n), None
                yield False, (i - k) % n, self.share(size, n, i), None

        return self.collective(group, after, steps)

    def barrier(self, group, after):
        n = len(group)

        def steps(i):
            k, distance = 0, 1
            while distance < n:
                yield True, (i + distance) % n, 1, k - 1 if k else None
                yield False, (i - distance) % n, 1, None
                k, distance = k + 1, 2 * distance

        return self.collective(group, after, steps)

    # The run

    def push(self, time, phase, rank, order, action):
        heapq.heappush(self.events, (time, phase, rank, order, action))

    def order(self, rank):
        self.ranks[rank].begun += 1
        return (self.ranks[rank].begun,)

    def begin(self, r, operation):
        rank, net, now = self.ranks[r], self.network, self.now
        if operation.kind == "compute":
            if operation.unit is not None:
                if operation.unit in rank.busy:
                    rank.units[operation.unit].append(operation)
                    return
                rank.busy.add(operation.unit)
            self.run_compute(r, operation)
        elif operation.kind == "send":
            begin = max(now, rank.send_free)
            rank.send_free = begin + net.gap + net.time_of(operation.size)
            self.push(begin + net.send_overhead + net.time_of(operation.size), 1, r, self.order(r),
                      ("sent", operation))
            first = begin + net.send_overhead + net.latency
            self.push(first, 0, operation.peer, (r, self.order(r)), ("first", operation))
        elif operation.kind == "receive":
            if operation.key in rank.arrived:
                rank.arrived.remove(operation.key)
                rank.ended.append(operation)
            else:
                rank.receives[operation.key] = operation
        elif operation.kind == "call":  # the parts of a call begin with the call
            rank.left -= 1
            for other in operation.next:
                other.waits -= 1
                if other.waits == 0:
                    self.begin(r, other)
        else:
            rank.ended.append(operation)

    def run_compute(self, r, operation):
        self.push(self.now + operation.size, 2, r, self.order(r), ("computed", operation))

    def settle(self, r):
        rank = self.ranks[r]
        while rank.ended:
            operation = rank.ended.popleft()
            rank.left -= 1
            if rank.left == 0:
                rank.end = self.now
            for other in operation.next:
                other.waits -= 1
                if other.waits == 0:
                    self.begin(r, other)

    def handle(self, r, what, operation):
        rank, net, now = self.ranks[r], self.network, self.now
        if what == "first":
            begin = max(now, rank.receive_free)
            rank.receive_free = begin + net.gap + net.time_of(operation.size)
            self.push(begin + net.time_of(operation.size), 1, r, self.order(r), ("last", operation))
        elif what == "last" and net.receive_overhead:
            rank.memory_free = max(now, rank.memory_free) + net.receive_overhead
            self.push(rank.memory_free, 1, r, self.order(r), ("arrived", operation))
        elif what in ("last", "arrived"):
            if operation.key in rank.receives:
                rank.ended.append(rank.receives.pop(operation.key))
            else:
                rank.arrived.add(operation.key)
        else:
            rank.ended.append(operation)
            if what == "computed" and operation.unit is not None:
                rank.busy.remove(operation.unit)
                if rank.units[operation.unit]:
                    rank.busy.add(operation.unit)
                    self.run_compute(r, rank.units[operation.unit].popleft())
        self.settle(r)

    def run(self):
        """The ends of the ranks; None: the rank does not end."""
        for r, rank in enumerate(self.ranks):
            rank.left = len(rank.operations)
            for operation in [o for o in rank.operations if o.waits == 0]:
                self.begin(r, operation)
            self.settle(r)
        while self.events:
            self.now, _, r, _, (what, operation) = heapq.heappop(self.events)
            self.handle(r, what, operation)
        return [rank.end for rank in self.ranks]


def make_step(scheduler):
    """A training step of 128 GPUs: 8 data-parallel x 4 pipeline x 4 tensor ranks, experts over 4 data ranks.

    Rank 16 d + 4 p + t. A stage has 3 layers, the second of which has experts. Two micro-batches go forward,
    then back; their computing shares unit 0. Gradients of a layer are added over the data-parallel ranks when
    both micro-batches have passed it. At the end an optimizer step, and a barrier of all.
    """
    ranks, layers, batches = 128, 3, 2
    tensor = [[16 * d + 4 * p + t for t in range(4)] for d in range(8) for p in range(4)]
    data = [[16 * d + 4 * p + t for d in range(8)] for p in range(4) for t in range(4)]
    expert = [[16 * d + 4 * p + t for d in range(4 * e, 4 * e + 4)]
              for e in range(2) for p in range(4) for t in range(4)]
    s = scheduler
    last = [[[] for _ in range(ranks)] for _ in range(batches)]
    passed = [[[] for _ in range(ranks)] for _ in range(layers)]

    def compute(rank, base, layer, before):
        return s.compute(rank, 1000 * (base + 11 * layer + 37 * rank % 13) + rank, before, 0)

    def for_groups(groups, make, before):
        ends = [None] * ranks
        for group in groups:
            for rank, end in zip(group, make(group, [before[rank] for rank in group])):
                ends[rank] = [end]
        return ends

    def pass_layer(batch, layer, base):
        now = last[batch]
        now = [[compute(rank, base, layer, now[rank])] for rank in range(ranks)]
        now = for_groups(tensor, lambda g, b: s.ring_all_reduce(g, 4000000 + layer, b), now)
        if layer == 1:
            now = for_groups(expert, lambda g, b: s.all_to_all(g, 2000000, b), now)
            now = [[compute(rank, base // 2, layer, now[rank])] for rank in range(ranks)]
            now = for_groups(expert, lambda g, b: s.all_to_all(g, 2000000, b), now)
        last[batch] = now

    for batch in range(batches):
        for rank in range(ranks):
            if rank % 16 >= 4:
                last[batch][rank] = [s.receive(rank, 1000000, rank - 4, ("f", batch))]
        for layer in range(layers):
            pass_layer(batch, layer, 100)
        for rank in range(ranks):
            if rank % 16 < 12:
                s.send(rank, 1000000, rank + 4, ("f", batch), last[batch][rank])
    for batch in range(batches):
        for rank in range(ranks):
            if rank % 16 < 12:
                last[batch][rank] = [s.receive(rank, 1000000, rank + 4, ("b", batch), last[batch][rank])]
        for layer in reversed(range(layers)):
            pass_layer(batch, layer, 200)
            for rank in range(ranks):
                passed[layer][rank] += last[batch][rank]
        for rank in range(ranks):
            if rank % 16 >= 4:
                s.send(rank, 1000000, rank - 4, ("b", batch), last[batch][rank])
    summed = [[] for _ in range(ranks)]
    for layer in reversed(range(layers)):
        ends = for_groups(data, lambda g, b: s.halving_doubling_all_reduce(g, 30000000 + 3 * layer, b), passed[layer])
        for rank in range(ranks):
            summed[rank] += ends[rank]
    final = [[compute(rank, 50, 0, summed[rank])] for rank in range(ranks)]
    s.barrier(list(range(ranks)), final)


def run_step():
    """Ends of the ranks of the synthetic step, in nanoseconds."""
    scheduler = Scheduler(128, Network(2000, 100, 150, 10, 400 * 10**9))
    make_step(scheduler)
    return scheduler.run()


if __name__ == "__main__":
    print("rank,end_ns")
    for number, end in enumerate(run_step()):
        print(f"{number},{end}")
