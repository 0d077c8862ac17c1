# SPDX-License-Identifier: MIT
# draw_layers.py: draws spec/layers.svg: the folders of libfmt and what each may include, as tests/house/check_layers.sh
# has it. Usage: draw_layers.py OUT.svg
import functools
import pathlib
import re
import sys

sys.dont_write_bytecode = True
from drawing import AMBER, BLUE, CARD, GREEN, GREY, LINE, QUIET, Drawing, number, width_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Where a folder stands from left to right; its height follows from the law.
COLUMN = {
    "query": 0, "query/near": 0, "query/solid": .6, "query/ray": .85, "query/body": .85, "clash": 1.15, "format": 1.2, "query/pair": 1.7, "broad": 2.45,
    "node": 1.7, "query/warm": 1.95, "kinds/node": 2.2, "prim": 2.2, "refit": 4.8, "publish": 0, "base": 2.5, "kinds/query": 2.75,
    "format/check": 3.2, "kinds/pack": 3.55, "pack": 4, "pack/mesh": 4, "pack/tree": 4, "pack/file": 4.45, "pack/large": 4.45,
}
WIDTH, STEP, ROW, BOX, TOP = 120, 164, 72, 38, 74
GROUPS = [(GREEN, "in both libraries"), (BLUE, "libbvpack: reading and queries"), (AMBER, "libbvpack_build: writing")]


def read_law():
    script = (ROOT / "tests/house/check_layers.sh").read_text()
    body = re.search(r"declare -A library=\((.*?)\n\)", script, re.S)[1]
    return {folder: allowed.split() for folder, allowed in re.findall(r'\[([\w/]+)\]="([^"]*)"', body)}


def colours(folder):
    lists = re.findall(r"^(\w+)_SOURCES \+=", (ROOT / "libfmt" / folder / "local.mk").read_text(), re.M)
    kind = 2 if any("BUILD" in name for name in lists) else 0 if "CORE" in lists else 1
    return GROUPS[kind][0]


def draw(law):
    @functools.cache
    def level(folder):
        return 1 + max(map(level, law[folder]), default=-1)

    @functools.cache
    def reaches(folder):
        return set(law[folder]).union(*map(reaches, law[folder]))

    order = sorted(law, key=lambda f: (-level(f), COLUMN[f]))
    levels = level(order[0]) + 1
    matrix_x, matrix_y = 150, TOP + levels * ROW + 152
    width = 64 + max(COLUMN.values()) * STEP + WIDTH
    across, down = (width - matrix_x - 40) / len(order), 19  # a cell of the matrix
    height = matrix_y + down * len(order) + 28
    d = Drawing(width, height, "The layers of libfmt", "Folders as boxes; arrows lead to folders that may be included.")

    def spot(folder):
        return 32 + COLUMN[folder] * STEP, TOP + (levels - 1 - level(folder)) * ROW

    for a in law:
        for b in law:
            assert a == b or level(a) != level(b) or abs(COLUMN[a] - COLUMN[b]) * STEP >= WIDTH, f"{a} is drawn over {b}"

    d.text(32, 38, "The layers of libfmt", size=17, bold=True)
    x = width - 32
    for (fill, stroke), meaning in reversed(GROUPS):
        x -= width_of(meaning, 11) + 52
        d.box(x, 26, 14, 14, fill, stroke)
        d.text(x + 20, 37, meaning, size=11, fill=QUIET)

    for folder in order:
        # what another arrow leads to as well needs none; base is under everything but publish
        beyond = set().union(*map(reaches, law[folder]))
        targets = [t for t in law[folder] if t not in beyond]
        x, y = spot(folder)
        for i, target in enumerate(sorted(targets, key=lambda t: COLUMN[t])):
            to_x, to_y = spot(target)
            start = x + WIDTH * (i + 1) / (len(targets) + 1)
            end = start if target == "base" else to_x + WIDTH * (.5 + max(-.36, min(.36, (x - to_x) / STEP * .24)))
            y0, y1 = y + BOX, to_y - 6
            bend = (y1 - y0) * .5
            d.path(f"M{start:.1f} {y0} C{start:.1f} {y0 + bend:.1f} {end:.1f} {y1 - bend:.1f} {end:.1f} {y1}", width=1.4)
            d.path(f"M{end - 4:.1f} {y1 - 1} L{end + 4:.1f} {y1 - 1} L{end:.1f} {y1 + 6} Z", stroke="none", fill=LINE)
    for folder in order:
        x, y = spot(folder)
        fill, stroke = colours(folder)
        left, wide = (32 + STEP, width - 64 - STEP) if folder == "base" else (x, WIDTH)
        d.box(left, y, wide, BOX, fill, stroke, radius=5)
        d.text(left + wide / 2, y + BOX / 2 + 4.5, folder, size=13, room=wide - 12, anchor="middle", bold=True)
    y = TOP + levels * ROW - 8
    d.text(32, y + 4, "An arrow leads to a folder that may be included; where a longer way leads to a folder as well, "
           "its own arrow is left out.", size=11, fill=QUIET, room=width - 64)

    d.text(32, y + 46, "The whole law", size=14, bold=True)
    d.text(32, y + 64, "A dot: the folder of the row may include that of the column. A square: the folder itself.", size=11, fill=QUIET)
    for j, target in enumerate(order):
        x = matrix_x + across * (j + .5) - 2
        d.text(x, matrix_y - 7, target, size=11, turn=f"rotate(-38 {number(x)} {matrix_y - 7})")
    for i, folder in enumerate(order):
        y = matrix_y + down * i
        if i % 2 == 0:
            d.add("rect", x=32, y=y, width=width - 64, height=down, fill=CARD)
        d.text(matrix_x - 8, y + down - 5.5, folder, size=11, anchor="end")
        for j, target in enumerate(order):
            x = matrix_x + across * (j + .5)
            if target in law[folder]:
                d.add("circle", cx=x, cy=y + down / 2, r=4.2, fill=colours(target)[1])
            elif folder == target:
                d.add("rect", x=x - 3.5, y=y + down / 2 - 3.5, width=7, height=7, fill=GREY[0], stroke=GREY[1])
    return d


draw(read_law()).save(pathlib.Path(sys.argv[1]))
