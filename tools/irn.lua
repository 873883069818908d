-- SPDX-License-Identifier: GPL-2.0-only
--
-- Shows the IRN packets of ns-3's rdma module (doc/wire-formats.rst) in Wireshark and tshark, 4.0 or newer:
--
--   tshark -X lua_script:tools/irn.lua -r run-0-0.pcap -Y 'irn.opcode == 0xd1 && irn.aeth.syndrome == 0x60'
--
-- It takes UDP port 4791, shows the packets with an opcode of IRN's, and hands all others to the dissector that had
-- the port before: Wireshark's own of RRoCE. tshark -X lua_script:tools/irn.lua -G fields | grep irn lists the fields.

local PORT = 4791
local BTH_BYTES = 12
local ICRC_BYTES = 4

local irn = Proto("irn", "IRN (Improved RoCE NIC)")

-- What follows the BTH for each opcode, in its order on the wire.
local OPCODES = {
    [0xc0] = { name = "IRN_SEND_FIRST", payload = true, headers = { "message" } },
    [0xc1] = { name = "IRN_SEND_MIDDLE", payload = true, headers = { "message" } },
    [0xc2] = { name = "IRN_SEND_LAST", payload = true, headers = { "message" } },
    [0xc3] = { name = "IRN_SEND_LAST_WITH_IMMEDIATE", payload = true, headers = { "immdt", "message" } },
    [0xc4] = { name = "IRN_SEND_ONLY", payload = true, headers = { "message" } },
    [0xc5] = { name = "IRN_SEND_ONLY_WITH_IMMEDIATE", payload = true, headers = { "immdt", "message" } },
    [0xc6] = { name = "IRN_WRITE_FIRST", payload = true, headers = { "reth" } },
    [0xc7] = { name = "IRN_WRITE_MIDDLE", payload = true, headers = { "reth" } },
    [0xc8] = { name = "IRN_WRITE_LAST", payload = true, headers = { "reth" } },
    [0xc9] = { name = "IRN_WRITE_LAST_WITH_IMMEDIATE", payload = true, headers = { "reth", "immdt", "message" } },
    [0xca] = { name = "IRN_WRITE_ONLY", payload = true, headers = { "reth" } },
    [0xcb] = { name = "IRN_WRITE_ONLY_WITH_IMMEDIATE", payload = true, headers = { "reth", "immdt", "message" } },
    [0xcc] = { name = "IRN_READ_REQUEST", headers = { "reth", "message" } },
    [0xcd] = { name = "IRN_READ_RESPONSE_FIRST", payload = true, headers = { "aeth", "message" } },
    [0xce] = { name = "IRN_READ_RESPONSE_MIDDLE", payload = true, headers = { "message" } },
    [0xcf] = { name = "IRN_READ_RESPONSE_LAST", payload = true, headers = { "aeth", "message" } },
    [0xd0] = { name = "IRN_READ_RESPONSE_ONLY", payload = true, headers = { "aeth", "message" } },
    [0xd1] = { name = "IRN_ACKNOWLEDGE", headers = { "aeth", "selective" } },
    [0xd2] = { name = "IRN_ATOMIC_ACKNOWLEDGE", headers = { "aeth", "atomicack", "message" } },
    [0xd3] = { name = "IRN_COMPARE_SWAP", headers = { "atomiceth", "message" } },
    [0xd4] = { name = "IRN_FETCH_ADD", headers = { "atomiceth", "message" } },
    [0xd6] = { name = "IRN_SEND_LAST_WITH_INVALIDATE", payload = true, headers = { "ieth", "message" } },
    [0xd7] = { name = "IRN_SEND_ONLY_WITH_INVALIDATE", payload = true, headers = { "ieth", "message" } },
    [0xe0] = { name = "IRN_READ_ACKNOWLEDGE", headers = { "aeth", "selective" } },
}

local names = {}
for opcode, entry in pairs(OPCODES) do
    names[opcode] = entry.name
end

local f = {
    opcode = ProtoField.uint8("irn.opcode", "Opcode", base.HEX, names),
    solicited = ProtoField.bool("irn.se", "Solicited event", 8, nil, 0x80),
    mig_req = ProtoField.bool("irn.mig_req", "MigReq", 8, nil, 0x40),
    pad_count = ProtoField.uint8("irn.pad_count", "Pad count", base.DEC, nil, 0x30),
    version = ProtoField.uint8("irn.version", "Header version", base.DEC, nil, 0x0f),
    p_key = ProtoField.uint16("irn.p_key", "Partition key", base.HEX),
    fecn = ProtoField.bool("irn.fecn", "FECN", 8, nil, 0x80),
    becn = ProtoField.bool("irn.becn", "BECN", 8, nil, 0x40),
    reserved6 = ProtoField.uint8("irn.bth.reserved6", "Reserved", base.HEX, nil, 0x3f),
    dest_qp = ProtoField.uint24("irn.dest_qp", "Destination queue pair", base.HEX),
    ack_req = ProtoField.bool("irn.ack_req", "Acknowledgement requested", 8, nil, 0x80),
    reserved7 = ProtoField.uint8("irn.bth.reserved7", "Reserved", base.HEX, nil, 0x7f),
    psn = ProtoField.uint24("irn.psn", "Packet sequence number", base.DEC),
    va = ProtoField.uint64("irn.reth.va", "Virtual address", base.HEX),
    r_key = ProtoField.uint32("irn.reth.r_key", "Remote key", base.HEX),
    dma_length = ProtoField.uint32("irn.reth.dma_length", "Length of the message", base.DEC),
    atomic_va = ProtoField.uint64("irn.atomiceth.va", "Virtual address", base.HEX),
    atomic_r_key = ProtoField.uint32("irn.atomiceth.r_key", "Remote key", base.HEX),
    swap_or_add = ProtoField.uint64("irn.atomiceth.swap_or_add", "Swap or add operand", base.HEX),
    compare = ProtoField.uint64("irn.atomiceth.compare", "Compare operand", base.HEX),
    syndrome = ProtoField.uint8("irn.aeth.syndrome", "Syndrome", base.HEX),
    msn = ProtoField.uint24("irn.aeth.msn", "Message sequence number", base.DEC),
    original = ProtoField.uint64("irn.atomicack.original", "Original value", base.HEX),
    immediate = ProtoField.uint32("irn.immdt", "Immediate data", base.HEX),
    invalidate = ProtoField.uint32("irn.ieth", "Remote key to invalidate", base.HEX),
    message_reserved = ProtoField.uint8("irn.message.reserved", "Reserved", base.HEX),
    wqe_sn = ProtoField.uint24("irn.wqe_sn", "WQE sequence number", base.DEC),
    offset = ProtoField.uint32("irn.offset", "Offset in the message", base.DEC),
    selective_arrived = ProtoField.uint8("irn.selective.arrived", "Packets before that have arrived", base.HEX),
    selective_psn = ProtoField.uint24("irn.selective_psn", "PSN that caused this (N)ACK", base.DEC),
    payload_length = ProtoField.uint32("irn.payload_length", "Payload length", base.DEC),
    payload = ProtoField.bytes("irn.payload", "Payload"),
    pad = ProtoField.bytes("irn.pad", "Pad"),
    icrc = ProtoField.uint32("irn.icrc", "Invariant CRC", base.HEX),
}
for _, field in pairs(f) do
    table.insert(irn.fields, field)
end

local e = {
    truncated = ProtoExpert.new(
        "irn.truncated", "The packet ends too early", expert.group.MALFORMED, expert.severity.ERROR
    ),
    length = ProtoExpert.new(
        "irn.bad_length", "The length does not suit the opcode", expert.group.MALFORMED, expert.severity.ERROR
    ),
    reserved = ProtoExpert.new(
        "irn.reserved_not_zero", "Reserved bits are not zero", expert.group.MALFORMED, expert.severity.ERROR
    ),
    version = ProtoExpert.new(
        "irn.bad_version", "The header version is not 0", expert.group.MALFORMED, expert.severity.ERROR
    ),
    pad = ProtoExpert.new(
        "irn.bad_pad", "The pad is not as it must be", expert.group.MALFORMED, expert.severity.ERROR
    ),
    not_captured = ProtoExpert.new(
        "irn.not_captured", "The rest was not captured", expert.group.UNDECODED, expert.severity.NOTE
    ),
}
irn.experts = { e.truncated, e.length, e.reserved, e.version, e.pad, e.not_captured }

local NAKS = {
    [0] = "PSN sequence error", [1] = "invalid request", [2] = "remote access error", [3] = "operation error",
}

-- The meaning of an AETH's syndrome.
local function syndrome_text(range)
    local kind, value = range:bitfield(0, 3), range:bitfield(3, 5)
    if kind == 0 then
        return "ACK"
    elseif kind == 1 then
        return "RNR NAK, timer " .. value
    elseif kind == 3 then
        return "NAK, " .. (NAKS[value] or ("code " .. value))
    end
    return "reserved"
end

-- Adds reserved bits, which must be zero.
local function add_reserved(tree, field, range, first, count)
    local item = tree:add(field, range)
    if range:bitfield(first, count) ~= 0 then
        item:add_proto_expert_info(e.reserved)
    end
end

-- The extended headers: what a tree calls them, their size, and a function that shows the fields of one and returns
-- what the info column says of it.
local HEADERS = {
    reth = {
        "RETH - RDMA extended transport header", 16, function(tree, range)
            tree:add(f.va, range(0, 8))
            tree:add(f.r_key, range(8, 4))
            tree:add(f.dma_length, range(12, 4))
            return " VA=0x" .. range(0, 8):uint64():tohex():lower() .. " DMA=" .. range(12, 4):uint()
        end,
    },
    atomiceth = {
        "AtomicETH - Atomic extended transport header", 28, function(tree, range)
            tree:add(f.atomic_va, range(0, 8))
            tree:add(f.atomic_r_key, range(8, 4))
            tree:add(f.swap_or_add, range(12, 8))
            tree:add(f.compare, range(20, 8))
            return " VA=0x" .. range(0, 8):uint64():tohex():lower()
        end,
    },
    aeth = {
        "AETH - Acknowledge extended transport header", 4, function(tree, range)
            local text = syndrome_text(range(0, 1))
            tree:add(f.syndrome, range(0, 1)):append_text(" (" .. text .. ")")
            tree:add(f.msn, range(1, 3))
            return " " .. text .. " MSN=" .. range(1, 3):uint()
        end,
    },
    atomicack = {
        "AtomicAckETH - Atomic acknowledge extended transport header", 8, function(tree, range)
            tree:add(f.original, range(0, 8))
            return ""
        end,
    },
    immdt = {
        "ImmDt - Immediate data", 4, function(tree, range)
            tree:add(f.immediate, range(0, 4))
            return ""
        end,
    },
    ieth = {
        "IETH - Invalidate extended transport header", 4, function(tree, range)
            tree:add(f.invalidate, range(0, 4))
            return ""
        end,
    },
    message = {
        "IRN message header", 8, function(tree, range)
            add_reserved(tree, f.message_reserved, range(0, 1), 0, 8)
            tree:add(f.wqe_sn, range(1, 3))
            tree:add(f.offset, range(4, 4))
            return " WQE=" .. range(1, 3):uint() .. " OFFSET=" .. range(4, 4):uint()
        end,
    },
    selective = {
        "IRN selective header", 4, function(tree, range)
            tree:add(f.selective_arrived, range(0, 1))
            tree:add(f.selective_psn, range(1, 3))
            return " BY=" .. range(1, 3):uint()
        end,
    },
}

local function add_bth(tree, range)
    local bth = tree:add(range, "Base transport header")
    bth:add(f.opcode, range(0, 1))
    bth:add(f.solicited, range(1, 1))
    bth:add(f.mig_req, range(1, 1))
    bth:add(f.pad_count, range(1, 1))
    local version = bth:add(f.version, range(1, 1))
    if range(1, 1):bitfield(4, 4) ~= 0 then
        version:add_proto_expert_info(e.version)
    end
    bth:add(f.p_key, range(2, 2))
    bth:add(f.fecn, range(4, 1))
    bth:add(f.becn, range(4, 1))
    add_reserved(bth, f.reserved6, range(4, 1), 2, 6)
    bth:add(f.dest_qp, range(5, 3))
    bth:add(f.ack_req, range(8, 1))
    add_reserved(bth, f.reserved7, range(8, 1), 1, 7)
    bth:add(f.psn, range(9, 3))
    return string.format(" QP=0x%06x PSN=%u", range(5, 3):uint(), range(9, 3):uint())
end

-- Payload and pad, the `bytes` from `at` on, as far as they were captured.
local function add_payload(tree, tvb, at, bytes, entry)
    local pad = tvb(1, 1):bitfield(2, 2)
    if bytes > 0 and not entry.payload then
        local text = string.format("%s carries no payload; it has %d bytes", entry.name, bytes)
        tree:add_proto_expert_info(e.length, text)
    elseif bytes % 4 ~= 0 then
        local text = string.format("Payload and pad of %d bytes; accepted: a multiple of 4", bytes)
        tree:add_proto_expert_info(e.length, text)
    end
    if pad > bytes then
        local text = string.format("Pad count %d; accepted: at most %d, which is all there is", pad, bytes)
        tree:add_proto_expert_info(e.pad, text)
        pad = 0
    end
    local captured = math.max(0, math.min(bytes, tvb:len() - at))
    local length = bytes - pad
    local payload = math.min(length, captured)
    if payload > 0 then
        tree:add(f.payload, tvb(at, payload))
    end
    if captured > payload then
        local range = tvb(at + payload, captured - payload)
        local item = tree:add(f.pad, range)
        if range:uint() ~= 0 then
            item:add_proto_expert_info(e.pad, "The pad is not zeros")
        end
    end
    tree:add(f.payload_length, tvb(0, 0), length):set_generated()
    return entry.payload and (" LEN=" .. length) or ""
end

-- Shows a packet as far as it goes, and returns what the info column says of it. Of one that an ICMP error quotes the
-- length is not known.
local function show(tvb, tree, entry, quoted)
    local ends = quoted and math.huge or tvb:reported_len() - ICRC_BYTES
    local info = entry.name

    -- The next `bytes` at `at`, or nil if they are not there.
    local function take(at, bytes, what)
        if at + bytes > ends then
            local text = string.format(
                "%s of %s: %d bytes, but %d are left before the ICRC", what, entry.name, bytes, math.max(0, ends - at)
            )
            tree:add_proto_expert_info(e.truncated, text)
            return nil
        elseif at + bytes > tvb:len() then
            tree:add_proto_expert_info(e.not_captured)
            return nil
        end
        return tvb(at, bytes)
    end

    local range = take(0, BTH_BYTES, "BTH")
    if not range then
        tree:add(f.opcode, tvb(0, 1))
        return info
    end
    info = info .. add_bth(tree, range)
    local at = BTH_BYTES
    for _, key in ipairs(entry.headers) do
        local title, bytes, add = table.unpack(HEADERS[key])
        range = take(at, bytes, title)
        if not range then
            return info
        end
        info = info .. add(tree:add(range, title), range)
        at = at + bytes
    end
    if quoted then
        return info
    end
    info = info .. add_payload(tree, tvb, at, ends - at, entry)
    if ends + ICRC_BYTES > tvb:len() then
        tree:add_proto_expert_info(e.not_captured)
    else
        tree:add(f.icrc, tvb(ends, ICRC_BYTES))
    end
    return info
end

local icmp_type = Field.new("icmp.type")
local port_table = DissectorTable.get("udp.port")
local roce = port_table:get_dissector(PORT) or Dissector.get("infiniband")

function irn.dissector(tvb, pinfo, tree)
    local entry = tvb:len() > 0 and OPCODES[tvb(0, 1):uint()]
    if not entry then
        -- An exception of that dissector has shown itself in the tree; here it would be an error of this script, too.
        local good, bytes = pcall(roce.call, roce, tvb, pinfo, tree)
        return good and bytes or tvb:len()
    end
    pinfo.cols.protocol:set("IRN")
    pinfo.cols.info:set(entry.name)
    local item = tree:add(irn, tvb())
    pinfo.cols.info:set(show(tvb, item, entry, icmp_type() ~= nil))
    return tvb:len()
end

port_table:add(PORT, irn)
