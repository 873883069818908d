# SPDX-License-Identifier: GPL-2.0-only
"""A list scheduler for collectives on packets: a reference for the module's schedules on an idle star of hosts.

It is written from the definitions of the algorithms and of the frames, and shares no code with the module.

A collective is a list of messages. A message is posted when those messages have arrived at its sender that it is
made of, in the order of its lane, and at most so many messages of a lane are in progress, until the last
acknowledgement. Rules of the network:

- A NIC has a connection to each rank. The messages of a connection are sent in the order of posting, in parts, of
  which at most 16 wait for their acknowledgements. The connections that have something to send take turns, one burst
  each. Acknowledgements go first.
- The switch stores and forwards packets. What leaves through a port does so in the order of arrival.
- The receiver acknowledges each packet.

    python3 packet_scheduler.py COLLECTIVE RANKS BYTES [CHUNKS]     prints the time in us, pipelined with CHUNKS, and that
                                                                of the closed form, where there is one

A burst is one packet, if the messages have at most BURSTS packets in all; else as many packets as are needed for
about so many bursts. Acknowledgements of a burst are counted in two parts: those of the last packet, and the others
in the middle of the burst. Times are whole picoseconds.
"""

import collections
import heapq
import itertools
import sys

BASE = 82  # Ethernet 14 + 4, IPv4 20, UDP 8, BTH 12, ICRC 4, preamble and gap 20
RETH, IMMEDIATE = 16, 4  # of an RDMA WRITE with immediate data: in the first packet, in the last one
ACK = BASE + 4  # with an AETH
GAP = 12  # of these bytes, those behind a packet: the packet arrives before them
PART = 512 * 1024  # a message is posted in parts of this size
MOST_PARTS = 16  # that a connection has in progress
BURSTS = 40000


class Message:
    """Bytes from a rank to another one."""

    def __init__(self, source, target, size, after=(), sent=()):
        """after: messages that must have arrived at the source; sent: messages of the source, with their
        acknowledgements."""
        self.source, self.target, self.size = source, target, size
        self.next, self.next_sent = [], []
        self.waits = len(after) + len(sent)
        for other in after:
            other.next.append(self)
        for other in sent:
            other.next_sent.append(self)
        self.lane = None
        self.packets = self.left = 0
        self.is_within = False  # a part has begun
        self.end = None


class Lane:
    """Messages of a rank that begin in order."""

    def __init__(self, messages, depth):
        self.messages, self.free = collections.deque(messages), depth
        for message in messages:
            message.lane = self


class Connection:
    """Messages of a rank to another one."""

    def __init__(self, target):
        self.target = target
        self.messages = collections.deque()
        self.parts = 0  # in progress
        self.is_ready = False

    def can_send(self):
        """Has something to send, and is either within a part or may begin one."""
        return bool(self.messages) and (self.parts < MOST_PARTS or self.messages[0].is_within)


class Star:
    """Hosts at one switch. rate in bit/s, delay of a link in ps."""

    def __init__(self, ranks, rate=400 * 10**9, delay=10**6, mtu=4096):
        self.byte = 8 * 10**12 // rate
        assert self.byte * rate == 8 * 10**12
        self.delay, self.mtu = delay - GAP * self.byte, mtu  # from the end of the gap on
        self.events, self.count = [], itertools.count()
        self.now = 0
        self.connections = [{} for _ in range(ranks)]  # by target
        self.ready = [collections.deque() for _ in range(ranks)]  # connections, by turn
        self.starting = [[] for _ in range(ranks)]  # connections that were not ready before this instant
        self.acks = [collections.deque() for _ in range(ranks)]
        self.is_busy = [False] * ranks
        self.port_free = [0] * ranks  # of the switch
        self.burst = 1
        self.part = PART // mtu

    def push(self, time, action, *arguments):
        heapq.heappush(self.events, (time, next(self.count), action, arguments))

    def wire(self, message, first, end):
        """Bytes on the wire of the packets from first to end - 1, all of one part."""
        size = max(0, min(message.size, end * self.mtu) - first * self.mtu) + (end - first) * BASE
        size += RETH if first % self.part == 0 else 0
        return size + (IMMEDIATE if end % self.part == 0 or end == message.packets else 0)

    # The run

    def run(self, lanes):
        """The time until all messages are acknowledged, in picoseconds."""
        messages = [message for lane in lanes for message in lane.messages]
        for message in messages:
            message.packets = message.left = max(1, -(-message.size // self.mtu))
        self.burst = max(1, sum(message.packets for message in messages) // BURSTS)
        for lane in lanes:
            self.begin(lane)
        while self.events:
            self.now, _, action, arguments = heapq.heappop(self.events)
            action(*arguments)
        assert all(message.end is not None for message in messages), "the messages do not end"
        return max((message.end for message in messages), default=0)

    def begin(self, lane):
        while lane.free and lane.messages and not lane.messages[0].waits:
            message = lane.messages.popleft()
            lane.free -= 1
            self.post(message)

    def post(self, message):
        """Gives a message to the connection of its ranks."""
        connections = self.connections[message.source]
        connection = connections.setdefault(message.target, Connection(message.target))
        connection.messages.append(message)
        self.wake(message.source, connection)

    def wake(self, rank, connection):
        if not connection.is_ready and connection.can_send():
            connection.is_ready = True
            if not self.starting[rank]:
                self.push(self.now, self.start, rank)
            self.starting[rank].append(connection)

    def start(self, rank):
        """Connections that start at one instant take their first turns in the order of the targets."""
        self.ready[rank].extend(sorted(self.starting[rank], key=lambda connection: connection.target))
        self.starting[rank].clear()
        self.serve(rank)

    def met(self, messages):
        for message in messages:
            message.waits -= 1
            self.begin(message.lane)

    def serve(self, rank):
        """Gives the link of a rank to what is next."""
        if self.is_busy[rank]:
            return
        if self.acks[rank]:
            message, acks = self.acks[rank].popleft()
            length = acks * ACK * self.byte
            if message is not None:  # else: the switch sees these together with the last one
                self.push(self.now + length + self.delay, self.forward_ack, message)
        elif self.ready[rank]:
            connection = self.ready[rank].popleft()
            message = connection.messages[0]
            first = message.packets - message.left
            end = min(message.packets, first + self.burst, (first // self.part + 1) * self.part)
            connection.parts += 0 if message.is_within else 1
            message.left -= end - first
            message.is_within = message.left > 0 and end % self.part > 0
            if not message.left:
                connection.messages.popleft()
            if connection.can_send():
                self.ready[rank].append(connection)  # behind the others
            else:
                connection.is_ready = False
            length = self.wire(message, first, end) * self.byte
            ahead = self.wire(message, first, first + 1) * self.byte
            self.push(self.now + ahead + self.delay, self.forward, message, first, end, length - ahead)
        else:
            return
        self.is_busy[rank] = True
        self.push(self.now + length, self.sent, rank)

    def sent(self, rank):
        self.is_busy[rank] = False
        self.serve(rank)

    def forward(self, message, first, end, rest):
        """The first packet of a burst is at the switch; the others follow."""
        begin = max(self.now, self.port_free[message.target])
        length = self.wire(message, first, end) * self.byte
        last = self.wire(message, end - 1, end) * self.byte
        done = max(begin + length, self.now + rest + last)
        self.port_free[message.target] = done
        if end - first > 1:
            self.push((begin + done) // 2 + self.delay, self.acknowledge, message, None, end - first - 1)
        self.push(done + self.delay, self.arrive, message, first, end)

    def acknowledge(self, message, which, count):
        """The receiver acknowledges packets."""
        self.acks[message.target].append((which, count))
        self.serve(message.target)

    def arrive(self, message, first, end):
        self.acknowledge(message, (message, first, end), 1)
        if end == message.packets:
            self.met(message.next)

    def forward_ack(self, what):
        message, first, end = what
        begin = max(self.now, self.port_free[message.source])
        self.port_free[message.source] = begin + (end - first) * ACK * self.byte
        if end == message.packets or end % self.part == 0:
            self.push(self.port_free[message.source] + self.delay, self.finish, message, end)

    def finish(self, message, end):
        """A part has been acknowledged."""
        connection = self.connections[message.source][message.target]
        connection.parts -= 1
        self.wake(message.source, connection)
        if end < message.packets:
            return
        message.end = self.now
        message.lane.free += 1
        self.begin(message.lane)
        self.met(message.next_sent)


# Collectives. Each returns its lanes.


def share(size, parts, part):
    return size // parts + (1 if part < size % parts else 0)


def pieces(begin, end, chunks):
    """Ranges of the chunks of a range."""
    ends = list(itertools.accumulate((share(end - begin, chunks, c) for c in range(chunks)), initial=begin))
    return list(zip(ends, ends[1:]))


def cut(ranges, first, last):
    """The ranges of what is between two places of a list of ranges."""
    result = []
    for begin, end in ranges:
        length = end - begin
        if first < length and last > 0:
            result.append((begin + max(first, 0), begin + min(last, length)))
        first, last = first - length, last - length
    return result


def overlap(some, others):
    return any(a < d and c < b for a, b in some for c, d in others)


def exchange(ranks, steps, chunks=1, pipelined=False, depth=8, before=None):
    """steps(i): a list of (to, ranges) for a rank of a list of ranks: in step k, member i sends the bytes of these ranges
    of the vector to member `to`, in this order. A blocking step waits for all messages of the steps before. A pipelined
    message waits for those of the step before whose bytes it has, and for all of earlier steps. before[i]: messages that
    member i has sent and got before the collective."""
    n = len(ranks)
    programs = [steps(i) for i in range(n)]
    got = [[] for _ in range(n)]  # of each member: what arrives in the step before
    earlier = [[] for _ in range(n)]  # what arrives in the step before that
    lanes = [[] for _ in range(n)]
    for k in range(len(programs[0])):
        news = [[] for _ in range(n)]
        for i in range(n):
            to, ranges = programs[i][k]
            for first, last in pieces(0, sum(end - begin for begin, end in ranges), chunks):
                parts = cut(ranges, first, last)
                after = [m for ranges, m in got[i] if not pipelined or overlap(ranges, parts)] + earlier[i]
                sent = []
                if before and k == 0:
                    after += [m for m in before[i] if m.target == ranks[i]]
                    sent = [m for m in before[i] if m.source == ranks[i]]
                message = Message(ranks[i], ranks[to], last - first, after, sent)
                lanes[i].append(message)
                news[to].append((parts, message))
        earlier = [[message for _, message in messages] for messages in got]
        got = news
    return [Lane(lane, depth) for lane in lanes]


def ring_steps(n, size, parts="both", offset=0):
    """Steps of a ring: a reduce-scatter that ends with block i at member i, and an all-gather."""
    blocks = pieces(offset, offset + size, n)

    def steps(i):
        scatter = [((i + 1) % n, [blocks[(i - 1 - k) % n]]) for k in range(n - 1)]
        gather = [((i + 1) % n, [blocks[(i - k) % n]]) for k in range(n - 1)]
        return (scatter if parts != "gather" else []) + (gather if parts != "scatter" else [])

    return steps


def ring(n, size, parts="both", **form):
    return exchange(range(n), ring_steps(n, size, parts), **form)


def halving_doubling(n, size, **form):
    """Each rank keeps the half of what it has in which its own block is. Then each rank sends what it has: first what it
    had before the step before, then what that step brought, in the order of arrival."""
    blocks = pieces(0, size, n)
    bits = range(n.bit_length() - 1)

    def steps(i):
        def span(member, distance):
            first = member // distance * distance
            return blocks[first][0], blocks[first + distance - 1][1]

        def had(member, bit):
            return had(member, bit - 1) + had(member ^ (1 << (bit - 1)), bit - 1) if bit else [blocks[member]]

        halving = [(i ^ (1 << bit), [span(i ^ (1 << bit), 1 << bit)]) for bit in reversed(bits)]
        return halving + [(i ^ (1 << bit), had(i, bit)) for bit in bits]

    return exchange(range(n), steps, **form)


def recursive_doubling(n, size, **form):
    return exchange(range(n), lambda i: [(i ^ (1 << b), [(0, size)]) for b in range(n.bit_length() - 1)], **form)


def hierarchical(n, size, group, **form):
    """A reduce-scatter in each group of consecutive ranks, rings across the groups for each part, an all-gather in each
    group. A rank begins a stage when its messages of the stage before have arrived and are acknowledged."""
    lanes = []
    before = [[] for _ in range(n)]

    def stage(ranks, steps):
        made = exchange(ranks, steps, before=[before[r] for r in ranks], **form)
        lanes.extend(made)
        return [m for lane in made for m in lane.messages]

    def stages(all_ranks, steps_of):
        made = [m for ranks in all_ranks for m in stage(ranks, steps_of(ranks))]
        for r in range(n):
            before[r] = [m for m in made if r in (m.source, m.target)]

    inside = [range(first, first + group) for first in range(0, n, group)]
    across = [range(first, n, group) for first in range(group)]
    parts = pieces(0, size, group)
    stages(inside, lambda ranks: ring_steps(group, size, "scatter"))
    stages(across, lambda ranks: ring_steps(n // group, parts[ranks[0]][1] - parts[ranks[0]][0], "both", parts[ranks[0]][0]))
    stages(inside, lambda ranks: ring_steps(group, size, "gather"))
    return lanes


def binary_tree(n):
    """Parents of NCCL's binary tree: the lowest bit of a rank that is set is its height, the parent has the next higher
    bit in its place, or, where there is no such rank, the bit is cleared."""
    parents = [None] * n
    for rank in range(1, n):
        low = rank & -rank
        parent = (rank ^ low) | (low << 1)
        parents[rank] = parent if parent < n else rank ^ low
    return parents


def double_tree(n, size, chunks=1, pipelined=False, depth=8):
    """Half of the vector in each of two trees. The second one is the first one mirrored, or shifted by a rank if n is
    odd."""
    lanes = []
    for tree in range(2):
        if tree == 0:
            def name(rank):
                return rank
        elif n % 2 == 0:
            def name(rank):
                return n - 1 - rank
        else:
            def name(rank):
                return (rank + 1) % n
        parents = binary_tree(n)
        children = [[c for c in range(n) if parents[c] == r] for r in range(n)]
        sizes = [last - first for first, last in pieces(0, share(size, 2, tree), chunks)]
        up, down = {}, {}

        def height_first(rank):
            for child in children[rank]:
                yield from height_first(child)
            yield rank

        order = list(height_first(0))
        for r in order[:-1]:
            def wait(c, r=r):
                return [m for child in children[r] for m in (up[child][c:c + 1] if pipelined else up[child])]
            up[r] = [Message(name(r), name(parents[r]), sizes[c], wait(c)) for c in range(chunks)]
            lanes.append(Lane(up[r], depth))
        for r in reversed(order):
            for child in children[r]:
                if r == 0:
                    source = [up[other] for other in children[r]]
                else:
                    source = [down[r]]
                down[child] = [Message(name(r), name(child), sizes[c],
                                       [m for s in source for m in (s[c:c + 1] if pipelined else s)])
                               for c in range(chunks)]
                lanes.append(Lane(down[child], depth))
    return lanes


def broadcast_tree(n, size, chunks=1, pipelined=False, depth=8):
    """A binomial tree from rank 0: the largest subtree first."""
    got = {0: []}
    lanes = []
    sizes = [last - first for first, last in pieces(0, size, chunks)]
    for rank in range(n):
        lane = []
        bit = rank & -rank if rank else 1 << (n - 1).bit_length()
        while bit > 1:
            bit >>= 1
            if rank + bit < n:
                messages = [Message(rank, rank + bit, sizes[c], got[rank][c:c + 1] if pipelined else got[rank])
                            for c in range(chunks)]
                got[rank + bit] = messages
                lane += messages
        lanes.append(Lane(lane, depth))
    return lanes


def broadcast_ring(n, size, chunks=1, pipelined=False, depth=8):
    lanes, got = [], []
    sizes = [last - first for first, last in pieces(0, size, chunks)]
    for rank in range(n - 1):
        got = [Message(rank, rank + 1, sizes[c], got[c:c + 1] if pipelined else got) for c in range(chunks)]
        lanes.append(Lane(got, depth))
    return lanes


def all_to_all(matrix, chunks=1, pipelined=False, depth=8):
    """matrix[i][j]: bytes from i to j. Step k is with the ranks at distance k; a blocking step waits for the message of
    the step before."""
    n = len(matrix)
    lanes = [[] for _ in range(n)]
    got = [[] for _ in range(n)]
    for k in range(1, n):
        news = [None] * n
        for i in range(n):
            to = (i + k) % n
            news[to] = [Message(i, to, last - first, () if pipelined else got[i])
                        for first, last in pieces(0, matrix[i][to], chunks)]
            lanes[i] += news[to]
        got = news
    return [Lane(lane, depth) for lane in lanes]


def equal_matrix(n, size):
    return [[share(size, n, to) for to in range(n)] for _ in range(n)]


def lanes_of(collective, n, size, **form):
    """The lanes of a collective of the module, by name."""
    name, _, group = collective.partition(":")
    makers = {
        "all-reduce-ring": ring,
        "reduce-scatter-ring": lambda n, size, **form: ring(n, size, "scatter", **form),
        "all-gather-ring": lambda n, size, **form: ring(n, size, "gather", **form),
        "all-reduce-halving-doubling": halving_doubling,
        "all-reduce-recursive-doubling": recursive_doubling,
        "all-reduce-double-tree": double_tree,
        "all-reduce-hierarchical": lambda n, size, **form: hierarchical(n, size, int(group), **form),
        "broadcast-tree": broadcast_tree,
        "broadcast-ring": broadcast_ring,
        "all-to-all": lambda n, size, **form: all_to_all(equal_matrix(n, size), **form),
    }
    return makers[name](n, size, **form)


def closed_form(collective, n, size, rate=400 * 10**9, delay=10**6, mtu=4096):
    """The time in ps of a collective in which all ranks do the same, with one chunk a step, blocking; None: there is no
    such form. A step of s bytes lasts from its first byte until its last packet has crossed both links. From the moment
    at which the first packets of a step arrive, acknowledgements share the links with its data."""
    log = n.bit_length() - 1
    halving = [size >> (k + 1) for k in range(log)]
    steps = {
        "all-reduce-ring": [size / n] * (2 * (n - 1)),
        "reduce-scatter-ring": [size / n] * (n - 1),
        "all-gather-ring": [size / n] * (n - 1),
        "all-to-all": [size / n] * (n - 1),
        "all-reduce-halving-doubling": halving + halving[::-1],
        "all-reduce-recursive-doubling": [size] * log,
    }.get(collective)
    if steps is None:
        return None
    byte = 8 * 10**12 / rate
    delay -= GAP * byte
    time = 2 * (delay + ACK * byte)  # the last acknowledgement
    for length in steps:
        packets, parts = max(1, -(-length // mtu)), max(1, -(-length // PART))
        last = length - (packets - 1) * mtu + BASE + IMMEDIATE + (RETH if packets == 1 else 0)
        data = (length + packets * BASE + parts * (RETH + IMMEDIATE)) * byte
        after = 2 * delay + last * byte
        sending = data
        for _ in range(30):
            sending = data + packets * ACK * byte * max(0, 1 - after / sending)
        time += sending + after
    return time


def main():
    """See the text of the file."""
    collective, ranks, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    form = {"chunks": int(sys.argv[4]), "pipelined": True} if len(sys.argv) > 4 else {}
    print(f"{Star(ranks).run(lanes_of(collective, ranks, size, **form)) / 1e6:.2f}")
    form = None if form else closed_form(collective, ranks, size)
    if form is not None:
        print(f"{form / 1e6:.2f}")


if __name__ == "__main__":
    main()
