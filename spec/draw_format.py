# SPDX-License-Identifier: MIT
# draw_format.py: draws spec/format.svg: a file from its first byte to its last, and beside it what some of its bytes
# are. Fields are those of the library's tables, sections those of layout.h, their meanings those of format.md,
# chapter 2. Usage: draw_format.py OUT.svg
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import field_table  # noqa: E402
from drawing import AMBER, BLUE, GREEN, GREY, INK, LINE, QUIET, VIOLET, Drawing, number, width_of  # noqa: E402

WIDTH, TOP = 1000, 78
FILE_X, FILE_WIDTH = 58, 252
X, WIDE = 396, 572  # of what is drawn large
ROW = 21
COLOURS = dict.fromkeys(["PART", "HIER", "PLAC", "LINS", "INST", "TOPN"], GREEN)
COLOURS |= dict.fromkeys(["DATA", "TIDS", "BINH", "BUFS"], AMBER)
COLOURS |= dict.fromkeys(["TREE", "PROP", "STRS", "PROV"], GREY)
COLOURS |= dict.fromkeys(["DGST", "HASH"], VIOLET)


def read_sections():
    """(kind, bytes of a record, meaning), in the order of a file."""
    layout = (field_table.ROOT / "libfmt/format/layout.h").read_text()
    sizes = {kind: int(size) for kind, size in re.findall(r'X\(\w+, "(\w{4})", (\d+)\)', layout)}
    sizes["BUFS"] = 64
    sizes["DGST"] = int(re.search(r"BVPD_DIGEST_SIZE (\d+)", layout)[1])
    chapter = (field_table.ROOT / "spec/format.md").read_text().split("\n## ")[2]
    rows = re.findall(r"^    ([A-Z]{4}) +(.*?) +\((?:chapter )?[\d., ]+\)$", chapter, re.M)
    if {kind for kind, _ in rows} != set(sizes):
        raise ValueError("chapter 2 of format.md and layout.h have different sections")
    return [(kind, sizes[kind], meaning) for kind, meaning in rows]


class Picture(Drawing):
    def band(self, y0, y1, to_y0, to_y1, colour, x=FILE_X + FILE_WIDTH, to_x=X - 26):
        """From bytes of the file to what shows them large."""
        mid = (x + to_x) / 2
        self.path(f"M{x} {y0} C{mid} {y0} {mid} {to_y0} {to_x} {to_y0} L{to_x} {to_y1} "
                  f"C{mid} {to_y1} {mid} {y1} {x} {y1} Z", stroke="none", fill=colour[0], opacity=".55")
        self.path(f"M{to_x} {to_y0} L{to_x} {to_y1}", stroke=colour[1], width=1.5)

    def heading(self, y, name, note):
        self.text(X, y, name, size=13, bold=True)
        start = X + width_of(name, 13) * 1.06 + 10
        self.text(start, y, note, size=11, fill=QUIET, room=X + WIDE - start)

    def label(self, x, y, width, height, name, fill):
        """In one line, or broken at an underscore."""
        if width_of(name, 9) <= width - 5:
            self.text(x + width / 2, y + height / 2 + 3.6, name, size=10, room=width - 5, anchor="middle", fill=fill)
            return
        cuts = [m.end() for m in re.finditer("_", name)]
        cut = min(cuts, key=lambda c: abs(c - len(name) / 2))
        for i, line in enumerate((name[:cut], name[cut:])):
            self.text(x + width / 2, y + height / 2 - 1.4 + 9 * i, line, size=8.5, room=width - 4, anchor="middle", fill=fill)

    def fields(self, y, fields, colours, across=16):
        """A structure, `across` bytes a row. `colours`: of a name, else the first. Returns where it ends."""
        for field in fields:
            fill, stroke = colours.get(field.name, colours[""])
            at, end, pieces = field.offset, field.offset + field.size, []
            while at < end:
                stop = min(end, (at // across + 1) * across)
                pieces.append((stop - at, X + at % across * WIDE / across, y + at // across * ROW))
                at = stop
            for size, left, top in pieces:
                self.box(left, top, size * WIDE / across, ROW, fill, stroke, radius=0)
            widest = max(pieces, key=lambda piece: piece[0])
            for piece in pieces:
                size, left, top = piece
                self.label(left, top, size * WIDE / across, ROW, field.name, INK if piece is widest else QUIET)
        total = fields[-1].offset + fields[-1].size
        rows = -(-total // across)
        for row in range(rows):
            self.text(X - 6, y + ROW * row + ROW / 2 + 3, str(row * across), size=8, fill=QUIET, anchor="end")
        return y + rows * ROW

    def strip(self, y, height, boxes):
        """Boxes side by side: (weight, text, second line, colours)."""
        x, all_of_it = X, sum(box[0] for box in boxes)
        for weight, first, second, colours in boxes:
            width = WIDE * weight / all_of_it
            self.box(x, y, width, height, *colours, radius=0)
            middle = y + height / 2 + (3.8 if not second else -2.5)
            self.text(x + width / 2, middle, first, size=11, room=width - 4, anchor="middle")
            if second:
                self.text(x + width / 2, middle + 13, second, size=9, room=width - 4, anchor="middle", fill=QUIET)
            x += width
        return y + height

    def bracket(self, y0, y1, text):
        x = FILE_X - 8
        self.path(f"M{x} {y0 + 2} L{x - 5} {y0 + 2} L{x - 5} {y1 - 2} L{x} {y1 - 2}")
        mid = (y0 + y1) / 2
        self.text(x - 12, mid, text, size=10.5, fill=QUIET, anchor="middle", turn=f"rotate(-90 {x - 12} {number(mid)})")


def draw_file(d, sections, bottom):
    """The strip on the left. Returns where each thing begins and ends."""
    heights = [("header", 74), ("directory", 64)] + [(kind, 2 if kind == "DATA" else 1) for kind, _, _ in sections]
    heights += [("zeros", 24), ("trailer", 44)]
    fixed = sum(h for _, h in heights if h > 2)
    unit = (bottom - TOP - fixed) / sum(h for _, h in heights if h <= 2)
    spots, y = {}, TOP
    notes = {kind: (f"{size} bytes a record" if size > 1 else "", meaning) for kind, size, meaning in sections}
    notes |= {"header": ("256 bytes", "what kind of file, how much, hashes"),
              "directory": ("24 entries of 48 bytes", "where each section is"),
              "zeros": ("", "up to a multiple of 4096"), "trailer": ("48 bytes", "shows that the end was written")}
    for name, height in heights:
        height = height if height > 2 else height * unit
        fill, stroke = COLOURS.get(name, BLUE if name in ("header", "directory") else VIOLET)
        if name == "zeros":
            fill, stroke = "#ffffff", LINE
        size, meaning = notes[name]
        d.box(FILE_X, y, FILE_WIDTH, height, fill, stroke, radius=0, dashed=name in ("zeros", "BUFS", "DGST"))
        middle = y + height / 2
        if name == "zeros":
            d.text(FILE_X + 10, middle + 4, f"zeros {meaning}", size=10, fill=QUIET)
        else:
            d.text(FILE_X + 10, middle - 3, name, size=13, bold=True)
            d.text(FILE_X + FILE_WIDTH - 10, middle - 3, size, size=10, fill=QUIET, anchor="end")
            d.text(FILE_X + 10, middle + 12, meaning, size=10.5, fill=QUIET, room=FILE_WIDTH - 18)
        spots[name] = (y, y + height)
        y += height
    return spots


def draw():
    tables = field_table.dump_tables()
    sections = read_sections()
    cluster = tables["bvpi_cluster_fields"]
    white = ("#ffffff", LINE)
    quiet = {"reserved": white}
    y = {"header": TOP + 14}
    y["directory"] = y["header"] + 16 * ROW + 40
    y["blob"] = y["directory"] + 3 * ROW + 40
    y["cluster"] = y["blob"] + 44 + 40
    y["fields"] = y["cluster"] + 44 + 18
    y["node"] = y["fields"] + 5 * ROW + 40
    y["hash"] = y["node"] + 4 * ROW + 40
    y["trailer"] = y["hash"] + 3 * 22 + 36
    bottom = y["trailer"] + 3 * ROW
    d = Picture(WIDTH, bottom + 30, "A bvpack file", "Its sections in order; header, directory entry, a part's bytes, "
                "a cluster record, a node, hashes and trailer.")
    d.text(FILE_X, 38, "A bvpack file", size=17, bold=True)
    d.text(FILE_X, 58, "from its first byte, above, to its last; not to scale", size=11, fill=QUIET)
    spots = draw_file(d, sections, bottom)
    d.bracket(spots["header"][0], spots["directory"][1], "head: 1408 bytes")
    d.bracket(spots["PART"][0], spots["TOPN"][1], "tables that queries read")
    d.bracket(spots["DATA"][0], spots["BINH"][1], "bytes of the parts")
    d.bracket(spots["TREE"][0], spots["PROV"][1], "names and explanations")
    d.bracket(spots["DGST"][0], spots["trailer"][1], "checks")

    d.band(*spots["header"], y["header"], y["header"] + 16 * ROW, BLUE)
    d.heading(y["header"] - 9, "header", "16 bytes a row")
    d.fields(y["header"], tables["bvpi_header_fields"], {"": BLUE, **quiet})

    d.band(*spots["directory"], y["directory"], y["directory"] + 3 * ROW, BLUE)
    d.heading(y["directory"] - 9, "an entry of the directory", "one for each section, in the sections' order")
    d.fields(y["directory"], tables["bvpi_entry_fields"], {"": BLUE})

    d.band(*spots["DATA"], y["blob"], y["blob"] + 44, AMBER)
    d.heading(y["blob"] - 9, "a part's bytes in DATA", "its blob; parts follow one another")
    d.strip(y["blob"], 44, [(150, "upper nodes", "the root first", GREEN), (130, "cluster record", "", AMBER),
                            (130, "cluster record", "", AMBER), (60, "...", "", AMBER),
                            (110, "cluster table", "where records begin", GREY)])
    step = WIDE / 580
    d.path(f"M{X + 150 * step:.1f} {y['blob'] + 44} L{X} {y['cluster']} L{X + WIDE} {y['cluster']} "
           f"L{X + 280 * step:.1f} {y['blob'] + 44} Z", stroke="none", fill=AMBER[0], opacity=".35")
    d.heading(y["cluster"] - 9, "a cluster record", "at most 256 triangles over at most 256 vertices")
    d.strip(y["cluster"], 44, [(74, "header", "36 bytes", AMBER), (112, "corners", "of the triangles, bits", AMBER),
                               (112, "vertices", "fields of x, y, z, bits", AMBER),
                               (120, "tables", "repeated coordinates", AMBER), (28, "0", "", white),
                               (62, "node", "", GREEN), (62, "node", "", GREEN), (26, "...", "", GREEN)])
    head = X + WIDE * 74 / 596
    d.path(f"M{X} {y['cluster'] + 44} L{X} {y['fields']} L{X + WIDE} {y['fields']} L{head:.1f} {y['cluster'] + 44} Z",
           stroke="none", fill=AMBER[0], opacity=".35")
    d.fields(y["fields"], cluster, {"": AMBER, **quiet}, across=8)

    d.heading(y["node"] - 9, "a node", "eight children: their boxes on the 8-bit grid of its own box, what they are, where")
    d.fields(y["node"], tables["bvpi_node_fields"], {"": GREEN})

    d.band(*spots["HASH"], y["hash"], y["hash"] + 3 * 22, VIOLET)
    d.heading(y["hash"] - 9, "hashes", "all XXH3; DGST, if there is one, has BLAKE2b digests of blocks for signatures")
    for i, (name, meaning) in enumerate([("header_hash", "64 bits: of the head"),
                                         ("HASH", "64 bits each: of every 65,536 bytes from byte 1408 on"),
                                         ("root_hash", "128 bits: of the head and HASH, the identity of the content")]):
        top = y["hash"] + 22 * i
        d.box(X, top, WIDE, 22, *VIOLET, radius=0)
        d.text(X + 10, top + 15, name, size=11, bold=True)
        d.text(X + 100, top + 15, meaning, size=11, room=WIDE - 110)
    d.band(*spots["trailer"], y["trailer"], y["trailer"] + 3 * ROW, VIOLET)
    d.heading(y["trailer"] - 9, "trailer", "the header's size and hashes once more")
    d.fields(y["trailer"], tables["bvpi_trailer_fields"], {"": VIOLET})
    return d


draw().save(pathlib.Path(sys.argv[1]))
