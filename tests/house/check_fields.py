# SPDX-License-Identifier: MIT
# Names, offsets and sizes of all fields are the same in layout.h, in the tables of the annotated dump, in the tables of
# spec/format.md and in spec/format.ksy. (That layout.h's structures have no padding, its static asserts hold.)
import pathlib
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "spec"))
import field_table  # noqa: E402

# chapter of spec/format.md -> structure; placements and properties are told in a sentence
CHAPTERS = {"3": "header", "4": "section", "5": "node", "6": "cluster", "6.1": "buffers", "7": "ids", "8": "part", "9": "hierarchy",
            "9.1": "block", "9.5": "ray_node", "11": "tree_node", "12": "instance", "18": "trailer"}
KAITAI = {"u1": 1, "s2": 2, "u2": 2, "u4": 4, "u8": 8, "f4": 4, "f8": 8}
fail = False


def complain(text):
    global fail
    fail = True
    print("check_fields:", text)


def chapters():
    """Tables of spec/format.md whose rows have a number as offset and as size; other rows vary."""
    found, chapter, inside = {}, None, False
    for line in (field_table.ROOT / "spec/format.md").read_text().splitlines():
        heading = re.match(r"##+ ([\d.]+) ", line)
        if heading:
            chapter = heading[1]
        if line.startswith("| offset | size | field |"):
            inside = True
        elif not line.startswith("|"):
            inside = False
        row = re.match(r"\| (\d+) \| (\d+) \| ([\w\[\]]+) \|", line)
        if inside and row:
            found.setdefault(chapter, []).append(field_table.Field(row[3], int(row[1]), int(row[2])))
    return {CHAPTERS[c]: fields for c, fields in found.items() if c in CHAPTERS}


def kaitai():
    """The types of spec/format.ksy that consist of fields of constant size."""
    found, name = {}, None
    for line in (field_table.ROOT / "spec/format.ksy").read_text().splitlines():
        heading = re.match(r"  (\w+):", line)
        if heading:
            name = heading[1]
        field = re.match(r"      - \{id: (\w+), (.*)\}$", line)
        if not field:
            continue
        what = dict(re.findall(r"([\w-]+): (\[[^]]*\]|[^,]+)", field[2]))
        size = KAITAI.get(what.get("type"))
        if "contents" in what:
            size = what["contents"].count(",") + 1
        elif what.get("size", "").isdigit():
            size = int(what["size"])
        count = what.get("repeat-expr", "1")
        constant = size is not None and count.isdigit()
        found.setdefault(name, []).append((field[1], size * int(count) if constant else None))
    return {name: field_table.lay(members) for name, members in found.items() if all(size for _, size in members)}


def plain(name):
    return re.sub(r"^reserved\d*$", "reserved", name.replace(".", "_"))


def compare(where, name, fields, structure):
    """The same names; or one field here is several there, which cover the same bytes."""
    left, right = list(fields), list(structure)
    if name == "header" and right[-1].name == "sections" and left[-1].name != "sections":
        right.pop()
    while left and right:
        ours, theirs = [left.pop(0)], [right.pop(0)]
        end = [side[-1].offset + side[-1].size for side in (ours, theirs)]
        while end[0] != end[1]:
            short = 0 if end[0] < end[1] else 1
            rest = (left, right)[short]
            if not rest:
                break
            (ours, theirs)[short].append(rest.pop(0))
            field = (ours, theirs)[short][-1]
            end[short] = field.offset + field.size
        same_bytes = end[0] == end[1] and ours[0].offset == theirs[0].offset and min(len(ours), len(theirs)) == 1
        same_name = len(ours) != len(theirs) or plain(ours[0].name) == plain(theirs[0].name)
        if not (same_bytes and same_name):
            complain(f"{where}, {name}: {tuple(ours[0])} but bvpd_{name} has {tuple(theirs[0])}")
            return
    for field in left + right:
        complain(f"{where}, {name}: {field.name} at {field.offset} is in one of them only")


layout = field_table.structures()
tables = field_table.dump_tables()
spec, ksy = chapters(), kaitai()
for name in set(tables) ^ (set(field_table.STRUCTURES) | {"hash_fields"}):
    complain(f"annotate_fields.c: {name} is not a table that field_table.py knows, or is missing")
for table, name in field_table.STRUCTURES.items():
    compare("annotate_fields.c", name, tables[table], layout[name])
for name in sorted(set(CHAPTERS.values()) - set(spec)):
    complain(f"format.md: no table of {name}")
for name, fields in spec.items():
    compare("format.md", name, fields, layout[name])
for name in layout:
    if name in ksy:
        compare("format.ksy", name, ksy[name], layout[name])
    else:
        complain(f"format.ksy: no type {name}")
sys.exit(fail)
