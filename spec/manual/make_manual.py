#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_manual.py SOURCE BUILD OUT: the manual as HTML in OUT, from the sources that it is about.

Pages are what pandoc makes of the project's Markdown and of the manual pages in BUILD; the libraries' functions are what
Doxygen makes of the public headers. Everything is in OUT: no page asks a network. All sections, and all functions, are in
one index, which search.js looks through.
"""
import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE, BUILD, OUT = map(Path, sys.argv[1:4])
HERE = SOURCE / "spec/manual"
# what the manual consists of, in the order of its contents: group, then Markdown files
GROUPS = [
    ("Begin", ["README.md", "spec/tutorials/clash_report.md", "spec/tutorials/level_collision.md", "samples/README.md"]),
    ("The program", []),  # the manual pages
    ("The libraries", ["spec/exactness.md", "spec/engines.md", "tools/python/README.md", "tools/wasm/README.md"]),  # behind the functions
    ("Work", ["spec/clash.md", "spec/nightly.md", "spec/diff.md", "spec/farm.md", "spec/trust.md", "spec/manifest.md"]),
    ("The format", ["spec/format.md", "spec/example.md", "spec/gltf.md"]),
    ("The project", ["CHANGELOG.md", "spec/versions.md", "CONTRIBUTING.md", "SECURITY.md", "spec/architecture.md", "spec/decisions.md",
                     "tests/README.md", "tests/bench/papers/papers.md", "samples/models/README.md", "samples/packaging/README.md"]),
]
# a page that nobody has put into a group yet is not lost
LISTED = [path for _, files in GROUPS for path in files]
GROUPS[-1][1].extend(str(page.relative_to(SOURCE)) for page in sorted(SOURCE.glob("spec/**/*.md"))
                     if str(page.relative_to(SOURCE)) not in LISTED)
API = "api/files.html"


def page_name(path):
    """spec/clash.md is clash.html; of several README.md, the folder's name says which."""
    stem = Path(path).stem
    if stem == "README" and "/" in path:
        stem = "readme_" + Path(path).parent.name
    return stem.lower() + ".html"


PAGES = {path: page_name(path) for _, files in GROUPS for path in files}
assert len(set(PAGES.values())) == len(PAGES), "two pages of one name"


def pandoc(text, form, shift=0):
    return subprocess.run(["pandoc", "-f", form, "-t", "html", f"--shift-heading-level-by={shift}", "--no-highlight"],
                          input=text, capture_output=True, text=True, check=True).stdout


def link(path, target):
    """Where a link of the Markdown file `path` leads in the manual, or None."""
    if re.match(r"[a-z]+:", target) or target.startswith("#"):
        return target
    name, _, mark = target.partition("#")
    file = (SOURCE / path).parent.joinpath(name).resolve()
    try:
        name = str(file.relative_to(SOURCE.resolve()))
    except ValueError:
        return None
    if name in PAGES:
        return PAGES[name] + ("#" + mark if mark else "")
    if re.fullmatch(r"libfmt/bvpack\w*\.hp?p?", name):
        return "api/" + Path(name).name.replace("_", "__").replace(".", "_8") + ".html"
    if file.suffix in (".png", ".svg", ".c", ".cc", ".h", ".sh", ".py", ".mjs", ".html", ".json", ".ksy", ".yaml") and file.is_file():
        copy = OUT / "files" / name  # shown as it is: below, not beside, the pages
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        return "files/" + name
    return None


def relink(path, body):
    def anchor(found):
        to = link(path, html.unescape(found[2]))
        return f'<a{found[1]}href="{html.escape(to)}"{found[3]}>{found[4]}</a>' if to else found[4]

    def image(found):
        to = link(path, html.unescape(found[2]))
        return f'<img{found[1]}src="{html.escape(to)}"' if to else "<img" + found[1]

    body = re.sub(r'<a([^>]*?)href="([^"]*)"([^>]*)>(.*?)</a>', anchor, body, flags=re.S)
    return re.sub(r'<img([^>]*?)src="([^"]*)"', image, body)


def words(markup):
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", markup))).strip()


def contents(current):
    rows = []
    for group, files in GROUPS:
        rows.append(f"<h2>{group}</h2><ul>")
        entries = [(PAGES[f], TITLES[PAGES[f]]) for f in files]
        if group == "The program":
            entries = [(name, TITLES[name]) for name in MANUAL]
        if group == "The libraries":
            entries.insert(0, (API, "Functions of the headers"))
        for name, title in entries:
            here = ' aria-current="page"' if name == current else ""
            rows.append(f'<li><a href="{name}"{here}>{html.escape(title)}</a></li>')
        rows.append("</ul>")
    return "".join(rows)


def write(name, title, body):
    template = (HERE / "page.html").read_text()
    for key, value in (("TITLE", html.escape(title)), ("CONTENTS", contents(name)), ("BODY", body)):
        template = template.replace("@" + key + "@", value)
    (OUT / name).write_text(template)


def sections(name, title, body):
    """Rows of the index: page, section, place, text."""
    cuts = [(m.start(), m[1], words(m[2])) for m in re.finditer(r'<h[1-4] id="([^"]*)"[^>]*>(.*?)</h[1-4]>', body, re.S)]
    cuts = cuts or [(0, "", title)]
    for i, (start, mark, head) in enumerate(cuts):
        end = cuts[i + 1][0] if i + 1 < len(cuts) else len(body)
        yield [title, head, name + ("#" + mark if mark else ""), words(body[start:end])]


def functions():
    """Rows of the index from Doxygen's list of what it describes."""
    import xml.etree.ElementTree as xml
    for compound in xml.parse(OUT / "api.tag").getroot():
        for member in compound.iter("member"):
            yield ["Functions of the headers", member.findtext("name"),
                   "api/" + member.findtext("anchorfile") + "#" + member.findtext("anchor"), member.findtext("arglist") or ""]
        if compound.get("kind") in ("struct", "class"):
            yield ["Functions of the headers", compound.findtext("name"), "api/" + compound.findtext("filename"), ""]


def doxygen():
    settings = (HERE / "Doxyfile.in").read_text()
    version = re.search(r"AC_INIT\(\[bvpack\], \[([^\]]+)", (SOURCE / "configure.ac").read_text())[1]
    for key, value in (("SOURCE", SOURCE.resolve()), ("OUT", OUT.resolve()), ("VERSION", version)):
        settings = settings.replace("@" + key + "@", str(value))
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, stdout=subprocess.DEVNULL)
    shutil.copyfile(OUT / "api/files.html", OUT / "api/index.html")  # Doxygen's own is empty
    for page in (OUT / "api").glob("*.html"):
        head = '<div id="projectname">'
        page.write_text(page.read_text().replace(head + "bvpack", head + '<a href="../index.html">bvpack</a>', 1))


if OUT.exists():
    shutil.rmtree(OUT)
OUT.mkdir(parents=True)
TITLES, bodies = {}, {}
for path, name in PAGES.items():
    text = (SOURCE / path).read_text()
    bodies[name] = relink(path, pandoc(text, "gfm"))
    TITLES[name] = re.sub(r"[`*]", "", re.search(r"^# (.*)", text, re.M)[1])
TITLES[PAGES["README.md"]] = "What bvpack is"
MANUAL = []
for page in sorted(BUILD.glob("bvpack*.1"), key=lambda p: p.stem):
    name = page.stem + ".html"
    MANUAL.append(name)
    TITLES[name] = page.stem.replace("-", " ", 1)
    body = f'<h1 id="{page.stem}">{TITLES[name]}</h1>\n' + pandoc(page.read_text(), "man", 1)
    bodies[name] = re.sub(r"<strong>(bvpack(-\w+)?)</strong>\s*\(1\)", r'<a href="\1.html">\1</a>(1)', body)
doxygen()
index = [row for name, body in bodies.items() for row in sections(name, TITLES[name], body)] + list(functions())
(OUT / "api.tag").unlink()
(OUT / "search_index.js").write_text("const SEARCH_INDEX = " + json.dumps(index, ensure_ascii=False) + ";\n")
for name, body in bodies.items():
    write(name, TITLES[name], body)
write("index.html", "bvpack manual", f"<h1>bvpack manual</h1>\n<nav class=\"whole\">{contents('')}</nav>")
for name in ("manual.css", "search.js"):
    shutil.copyfile(HERE / name, OUT / name)
print(f"{len(bodies) + 1} pages, {len(index)} sections and functions in {OUT}")
