#!/bin/bash
# SPDX-License-Identifier: MIT
# Prints example.md: packs example.obj and dumps every byte. Usage: spec/make_example.sh BVPACK
set -eu
bvpack=$(realpath "${1:?usage: make_example.sh BVPACK}")
cd "$(dirname "$0")"
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
"$bvpack" pack example.obj -q -o "$scratch/example.bvp"

cat <<'TEXT'
# A worked example

`example.obj`, four triangles, packed by `bvpack pack example.obj` and printed by `bvpack dump`. Each
line: offset in the file, bytes, what they are, and the rule about them in `format.md`. Written by
`make_example.sh`.

    # example.obj
TEXT
sed 's/^/    /' example.obj
cat <<'TEXT'

How a reader gets from the head to the third triangle, number 2:

1. The directory says that PART begins at 0x580, DATA at 0x8c0, TIDS at 0x980. PART[0]: the blob
   begins at 0 of DATA, its cluster table at 128 of the blob, cluster_shift is 6.
2. The table's only entry is 1: the record begins at 1 << 6 = 64 of the blob, 0x900 of the file.
3. The record has 4 vertices and 4 triangles. Corners start at 0x924. corner_bits is 0x11: 2 bits for the
   first corner, 3 for a difference, so a byte a triangle. Triangle 2 is 0x32 = 001 100 10 in binary: its first corner
   is vertex 2, the others are (2 + 253 + 4) mod 256 = 3 and (2 + 253 + 1) mod 256 = 0.
4. The vertices start after them, at 0x928. packing is 82 83 81: all GRID (mode 2), of 2, 3 and 1 bits, 6 a
   vertex; no axis has a table. Bits 12 to 17 are vertex 2: 0x503020 >> 12 ends in 00 0011, which is z = 0, y = 0, x = 3.
   The step's code is 0x7f = 127: 2^-1. Vertex 2 has x = (0 + 3) / 2 = 1.5.
5. Its number in the source: the id record at 0 of TIDS has base 0, width 2 and no gaps; e4 is 11 10 01 00:
   the fields are 0, 1, 2, 3.

And how it gets the box of that triangle's leaf: HIER[0] has the grid: origin 0, unit 2^-20, extent
1572864, 2621440, 1048576. On x floor(log2(1572864)) is 20, so s = 13. The root, unit 0, has one
lane in use, a leaf of 4 triangles: lo 0, hi 0xc0 = 192, and 192 << 13 is 1572864 steps, which is 1.5.
geom is 256 = 1 << 8 | 0: the cluster at 1 << 6 of the blob, from local triangle 0 on.

TEXT
"$bvpack" dump "$scratch/example.bvp" | sed 's/^/    /'
