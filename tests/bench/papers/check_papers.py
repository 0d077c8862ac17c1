# SPDX-License-Identifier: MIT
# check_papers.py KEPT NEW: the counts in the tables of folder NEW are those of the tables that are kept in KEPT, at
# least a tenth of all that are kept; papers.md in KEPT shows the kept tables and names the commit of its code.
# A column with '#' before its name holds counts; the columns before the first one of these tell which row it is.
import csv
import glob
import os
import re
import sys


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    header = rows[0]
    counts = [k for k, name in enumerate(header) if name.startswith("#")]
    key_size = counts[0] if counts else 0
    return header, counts, {tuple(row[:key_size]): row for row in rows[1:]}, rows


def is_count(cell):
    return cell not in ("", "nan") and not cell.startswith("not measured")


def tables(folder):
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.csv"))):
        name = os.path.basename(path)
        if not name.startswith("claims"):
            found[name] = read(path)
    return found


def compare(kept, new):
    """Complaints, and the cells that were compared."""
    complaints, compared = [], []
    for name, (header, counts, rows, _) in new.items():
        if name not in kept:
            complaints.append(f"{name}: is not kept")
            continue
        if kept[name][0] != header:
            complaints.append(f"{name}: has other columns")
            continue
        for key, row in rows.items():
            if key not in kept[name][2]:
                complaints.append(f"{name}: no row {', '.join(key)}")
                continue
            for k in counts:
                if not is_count(row[k]):
                    continue
                compared.append((name, key, k))
                was = kept[name][2][key][k]
                if was != row[k]:
                    complaints.append(f"{name}: {', '.join(key)}: {header[k][1:]}: kept {was}, now {row[k]}")
    return complaints, compared


def all_counts(kept):
    return sum(is_count(row[k]) for _, counts, rows, _ in kept.values() for row in rows.values() for k in counts)


def check_page(folder, kept):
    complaints = []
    with open(os.path.join(folder, "papers.md"), encoding="utf-8") as file:
        page = file.read()
    lines = set(page.splitlines())
    for name, (_, _, _, rows) in kept.items():
        for row in rows:
            shown = "| " + " | ".join(cell.removeprefix("#") if row is rows[0] else cell for cell in row) + " |"
            if shown not in lines:
                complaints.append(f"papers.md does not show this line of {name}: {shown[:100]}")
    if not re.search(r"^Code: commit [0-9a-f]{40}\.", page, re.M):
        complaints.append("papers.md does not say of which commit its code is")
    return complaints


def main():
    kept, new = tables(sys.argv[1]), tables(sys.argv[2])
    complaints, compared = compare(kept, new)
    total = all_counts(kept)
    before = len(complaints)
    complaints += check_page(sys.argv[1], kept)
    if 10 * len(compared) < total:
        complaints.append(f"only {len(compared)} of {total} counts were measured")
    # a changed count is found: of each table one, in memory
    for name in sorted({cell[0] for cell in compared}):
        _, key, k = next(cell for cell in compared if cell[0] == name)
        row = kept[name][2][key]
        was, row[k] = row[k], row[k] + "1"
        if before == 0 and not compare(kept, new)[0]:
            complaints.append(f"{name}: a changed count is not found")
        row[k] = was
    for complaint in complaints[:40]:
        print("check_papers:", complaint)
    print(f"check_papers: {len(compared)} of {total} counts compared, {len(complaints)} complaints")
    return 1 if complaints else 0


sys.exit(main())
