# SPDX-License-Identifier: MIT
"""check_xlsx.py XLSX CSV: a workbook, read by nothing of bvpack's, has in its second sheet what the
table CSV has, numbers as numbers, texts as texts, and in its first sheet the issues of it."""
import csv
import io
import re
import sys
import zipfile
import xml.etree.ElementTree as xml

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
book = zipfile.ZipFile(sys.argv[1])
assert book.testzip() is None
for name in book.namelist():
    xml.parse(book.open(name))


def parse(name):
    return xml.parse(book.open(name)).getroot()


# by way of the relationships, as a spreadsheet finds them
root = parse("_rels/.rels")
main = next(r.get("Target") for r in root if r.get("Type").endswith("/officeDocument"))
targets = {r.get("Id"): "xl/" + r.get("Target") for r in parse("xl/_rels/workbook.xml.rels")}
types = {o.get("PartName") for o in parse("[Content_Types].xml") if o.get("PartName")}
assert types == {"/" + n for n in book.namelist() if n.endswith(".xml") and n[0] != "["}, types
sheets = {s.get("name"): targets[s.get(RELATION + "id")] for s in parse(main).iter(MAIN + "sheet")}
assert list(sheets) == ["Issues", "Pairs"], sheets
styles = parse("xl/styles.xml").find(MAIN + "cellXfs")
assert len(styles) == int(styles.get("count")) == 3


def number_of(letters):
    found = 0
    for letter in letters:
        found = 26 * found + ord(letter) - ord("A") + 1
    return found - 1


def unescape(text):  # "_x0041_" is "A"
    return re.sub("_x([0-9a-fA-F]{4})_", lambda m: chr(int(m.group(1), 16)), text)


def read(name):
    """Rows of (kind, value): kind "n" or "t"; nothing where no cell is."""
    sheet, rows = parse(sheets[name]), []
    pane = sheet.find(f"{MAIN}sheetViews/{MAIN}sheetView/{MAIN}pane")
    assert pane.get("state") == "frozen" and pane.get("ySplit") == "1", name
    widths = [float(c.get("width")) for c in sheet.find(MAIN + "cols")]
    assert sheet.find(f".//{MAIN}f") is None, "a formula"
    for row in sheet.iter(MAIN + "row"):
        assert int(row.get("r")) == len(rows) + 1
        cells = {}
        for cell in row:
            letters, line = re.fullmatch("([A-Z]+)([0-9]+)", cell.get("r")).groups()
            assert int(line) == len(rows) + 1
            if cell.get("t") == "inlineStr":
                text = unescape(cell.find(f"{MAIN}is/{MAIN}t").text)
                style = styles[int(cell.get("s") or 0)]
                if text[0] in "=+-@":
                    assert style.get("numFmtId") == "49" and style.get("quotePrefix") == "1", text
                cells[number_of(letters)] = ("t", text)
            else:
                assert cell.get("t") is None
                cells[number_of(letters)] = ("n", float(cell.find(MAIN + "v").text))
        rows.append(cells)
    columns = len(rows[0])
    assert len(widths) == columns and min(widths) > 5, widths
    last = sheet.find(MAIN + "autoFilter").get("ref")
    assert re.fullmatch(f"A1:[A-Z]+{len(rows)}", last) and number_of(re.findall("[A-Z]+", last)[1]) == columns - 1
    return [row[i][1] for i, row in [(i, rows[0]) for i in range(columns)]], rows[1:]


head, pairs = read("Pairs")
lines = list(csv.reader(io.StringIO(open(sys.argv[2], encoding="utf-8", newline="").read())))
assert lines[0] == head
numbers = {"distance", "depth", "depth_upper", "triangle_pairs", "instance_a", "instance_b", "triangle_a", "triangle_b",
           "clearance", "touch", "overlap", "issue_number", "issue_pairs", "issue_volume"}
numbers |= {name for name in head if re.fullmatch("[xyz][ab]|(lo|hi)_[xyz]", name)}
assert len(pairs) == len(lines) - 1
formulas = 0
for row, line in zip(pairs, lines[1:]):
    for i, wanted in enumerate(line):
        kind, value = row.get(i, ("", ""))
        if not kind:
            assert wanted == "", (head[i], wanted)
        elif kind == "n":
            assert head[i] in numbers and float(wanted) == value, (head[i], wanted, value)
        else:
            # the table has an apostrophe in front of what would be a formula there
            formulas += value[0] in "=+-@"
            assert head[i] not in numbers and wanted == ("'" if value[0] in "=+-@'" else "") + value, (wanted, value)

title, issues = read("Issues")
known = {}
for line in lines[1:]:
    row = dict(zip(head, line))
    if row["issue_number"]:
        known.setdefault(row["issue"], row)
assert len(issues) == len(known)
for row, (key, first) in zip(issues, known.items()):
    cell = {name: row.get(i, ("", ""))[1] for i, name in enumerate(title)}
    bare = first["issue_title"][first["issue_title"].startswith("'"):]
    assert cell["Id"] == key and cell["Issue"] == bare and cell["Verdict"] == first["verdict"], (cell, first)
    assert cell["No."] == int(first["issue_number"]) and cell["Pairs"] == int(first["issue_pairs"])
    depth = next(value for name, value in cell.items() if name.startswith("Depth"))
    assert depth == (float(first["depth"]) if first["depth"] else "")
print(f"{len(issues)} issues, {len(pairs)} pairs, {formulas} texts like formulas")
