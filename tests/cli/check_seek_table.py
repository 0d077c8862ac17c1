#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_seek_table.py FILE.zst ORIGINAL: reads the seek table as zstd_seekable_compression_format.md
(0.1.0) describes it, and nothing of ours; each frame, decompressed alone by the program zstd, must
be the bytes of the original that the table says, with the checksum that it says. Frames begin where
blocks of the packed file do. Prints the number of frames."""
import struct
import subprocess
import sys

PRIMES = (
    11400714785074694791,
    14029467366897019727,
    1609587929392839161,
    9650029242287828579,
    2870177450012600261,
)
MASK = (1 << 64) - 1


def rotate(x, r):
    return (x << r | x >> (64 - r)) & MASK


def step(lane, word):
    return rotate((lane + word * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def xxh64(data):
    """Seed 0, from the published description."""
    p1, p2, p3, p4, p5 = PRIMES
    at = 0
    if len(data) >= 32:
        lanes = [(p1 + p2) & MASK, p2, 0, -p1 & MASK]
        words = struct.unpack_from("<%dQ" % (len(data) // 32 * 4), data)
        for k in range(0, len(words), 4):
            lanes = [step(lanes[i], words[k + i]) for i in range(4)]
        at = len(words) * 8
        h = sum(rotate(lane, r) for lane, r in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            h = ((h ^ step(0, lane)) * p1 + p4) & MASK
    else:
        h = p5
    h = (h + len(data)) & MASK
    while at + 8 <= len(data):
        h = (rotate(h ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & MASK
        at += 8
    if at + 4 <= len(data):
        h = (rotate(h ^ struct.unpack_from("<I", data, at)[0] * p1 & MASK, 23) * p2 + p3) & MASK
        at += 4
    for byte in data[at:]:
        h = rotate(h ^ byte * p5 & MASK, 11) * p1 & MASK
    h = (h ^ h >> 33) * p2 & MASK
    h = (h ^ h >> 29) * p3 & MASK
    return h ^ h >> 32


def main():
    packed = open(sys.argv[1], "rb").read()
    original = open(sys.argv[2], "rb").read()
    count, descriptor, magic = struct.unpack("<IBI", packed[-9:])
    assert magic == 0x8F92EAB1, "Seekable_Magic_Number"
    assert descriptor & 0x7C == 0, "Reserved_Bits"
    entry = 12 if descriptor & 0x80 else 8
    table = len(packed) - 9 - count * entry - 8
    skippable, size = struct.unpack_from("<II", packed, table)
    assert skippable == 0x184D2A5E and size == count * entry + 9, "Skippable_Magic_Number, Frame_Size"
    at = begin = 0
    for i in range(count):
        fields = struct.unpack_from("<%dI" % (entry // 4), packed, table + 8 + i * entry)
        frame = packed[at : at + fields[0]]
        content = subprocess.run(["zstd", "-dcq"], input=frame, stdout=subprocess.PIPE, check=True).stdout
        assert len(content) == fields[1] and content == original[begin : begin + fields[1]], i
        assert entry == 8 or xxh64(content) & 0xFFFFFFFF == fields[2], "Checksum of %d" % i
        assert begin == 0 or (begin - 1408) % 65536 == 0, "frame %d begins within a block" % i
        assert i > 0 or begin + fields[1] == min(1408 + 65536, len(original)), "the first frame"
        at += fields[0]
        begin += fields[1]
    assert at == table and begin == len(original), "sums"
    print(count)


assert xxh64(b"") == 0xEF46DB3751D8E999 and xxh64(b"abc") == 0x44BC2CF5AD770999
main()
