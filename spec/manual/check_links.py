#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_links.py MANUAL: every link of every page leads to a file and a place that are there, none to a network but those
that a reader follows by hand; nothing that a page loads is outside of it; and the search finds what is known to be there."""
import html
import json
import re
import sys
from pathlib import Path
from urllib.parse import unquote

root = Path(sys.argv[1]).resolve()
wrong = []
places = {}


def places_of(page):
    if page not in places:
        text = page.read_text(errors="replace")
        places[page] = set(re.findall(r'\b(?:id|name)="([^"]+)"', text))
    return places[page]


def check(page, target):
    target = unquote(html.unescape(target))
    name, _, mark = target.partition("#")
    name = name.partition("?")[0]
    file = (page.parent / name).resolve() if name else page
    if root not in file.parents and file != root:
        wrong.append(f"{page.relative_to(root)}: {target} is outside of the manual")
    elif not file.is_file():
        wrong.append(f"{page.relative_to(root)}: {target}: there is no such file")
    elif mark == "nested-classes" and page.parent.name == "api":
        pass  # Doxygen 1.9 links this heading on pages that lack it
    elif mark and file.suffix == ".html" and mark not in places_of(file):
        wrong.append(f"{page.relative_to(root)}: {target}: there is no such place")


count = 0
pages = [page for page in root.rglob("*.html") if "files" not in page.relative_to(root).parts and "search" not in page.relative_to(root).parts]
for page in pages:
    text = re.sub(r"<(pre|script)\b.*?</\1>", "", page.read_text(errors="replace"), flags=re.S)
    for tag, name, target in re.findall(r'<(\w+)[^>]*?\s(href|src)="([^"]*)"', text):
        if target.startswith(("mailto:", "javascript:")):
            continue
        if re.match(r"[a-z]+://|//", target):
            if tag != "a":
                wrong.append(f"{page.relative_to(root)}: <{tag}> loads {target} from a network")
            continue
        count += 1
        check(page, target)

index = json.loads((root / "search_index.js").read_text().partition("=")[2].rstrip().rstrip(";"))
for row in index:
    check(root / "index.html", row[2])
for word, place in (("bvp_collide", "api/bvpack_8h.html"), ("--clearance", "bvpack-clash.html"), ("HDR-4", "format.html"),
                    ("release", "versions.html"), ("shipped.glb", "level_collision.html")):
    if not any(row[2].startswith(place) and word.lower() in (row[1] + " " + row[3]).lower() for row in index):
        wrong.append(f"search_index.js: {word} is not found in {place}")

for line in wrong[:40]:
    print("check_links:", line)
print(f"{len(pages)} pages, {count} links, {len(index)} rows of the index: {len(wrong)} wrong")
sys.exit(1 if wrong else 0)
