# SPDX-License-Identifier: MIT
"""check_picture.py PNG SOURCE: prints how many pixels of a report's picture are of which kind, and each
number of the dimension that it finds by the letters of picture_text.c (SOURCE): "yellow 812" ..."""
import collections
import re
import struct
import sys
import zlib

data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
at, packed = 8, b""
while at < len(data):
    size, kind = struct.unpack(">I4s", data[at : at + 8])
    body = data[at + 8 : at + 8 + size]
    assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0]
    if kind == b"IHDR":
        width, height, depth, colour = struct.unpack(">IIBB", body[:10])
        assert (depth, colour) == (8, 2), "8 bits of red, green and blue"
    if kind == b"IDAT":
        packed += body
    at += 12 + size
raw, stride = zlib.decompress(packed), 3 * width
rows, before = [], bytes(stride)
for y in range(height):
    method, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
    for i in range(stride):
        left, up = line[i - 3] if i >= 3 else 0, before[i]
        corner = before[i - 3] if i >= 3 else 0
        if method == 1:
            line[i] = (line[i] + left) & 255
        elif method == 2:
            line[i] = (line[i] + up) & 255
        elif method == 3:
            line[i] = (line[i] + (left + up) // 2) & 255
        elif method == 4:
            guess = left + up - corner
            best = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
            line[i] = (line[i] + best[2]) & 255
    rows.append([tuple(line[i : i + 3]) for i in range(0, stride, 3)])
    before = bytes(line)

kinds = {
    "yellow": lambda r, g, b: r > 200 and g > 190 and b < 120,  # of both solids
    "orange": lambda r, g, b: r > 170 and g < 130 and b < 100,  # side A as it is
    "salmon": lambda r, g, b: r > 215 and 130 < g < 185 and 110 < b < 175,  # side A cut through
    "blue": lambda r, g, b: b > 140 and r < 90 and g < 150,
    "pale_blue": lambda r, g, b: b > 190 and 100 < r < 165 and 140 < g < 190,  # side B cut through
    "green": lambda r, g, b: g > r + 12 and g > b + 12 and r > 120,  # around, pale
}
print(f"width {width}\nheight {height}")
counts = collections.Counter(pixel for row in rows for pixel in row)
for name, test in kinds.items():
    print(name, sum(count for pixel, count in counts.items() if test(*pixel)))

# the text: dots of 2 x 2 pixels of ink on white
glyphs = {}
for name, bits in re.findall(r"\{'(.)', *\{([^}]*)\}\}", open(sys.argv[2], encoding="utf-8").read()):
    glyphs[tuple(int(b, 16) for b in bits.split(","))] = name
assert len(glyphs) == 40, len(glyphs)
INK, PITCH, SCALE = (0x14, 0x18, 0x1F), 6, 2
dark = [[pixel == INK for pixel in row] for row in rows]


def glyph_at(x, y):
    return tuple(
        sum(dark[y + SCALE * j][x + SCALE * i] << 4 - i for i in range(5)) for j in range(9)
    )


for y in range(height - 9 * SCALE):
    x = 0
    while x < width - 5 * SCALE:
        text, here = "", x
        if not (dark[y][x + 2 * SCALE] or dark[y][x + 3 * SCALE]):  # a digit's upper edge
            x += 1
            continue
        while here < width - 5 * SCALE and (glyph := glyph_at(here, y)) in (*glyphs, (0,) * 9):
            text += glyphs.get(glyph, " ")
            here += PITCH * SCALE
        if re.match(r"[0-9].* (deep|apart) *$", text.strip()) and text[0] != " ":
            print("text", text.strip())
            sys.exit()
        x += 1
