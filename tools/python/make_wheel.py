# SPDX-License-Identifier: MIT
"""make_wheel.py MODULE VERSION OUTDIR LIBRARY...: a wheel of the package, with MODULE, which holds the library.

The LIBRARYs that it needs lie in bvpack.libs. Checks what auditwheel checks (PEP 600): which
libraries these all need, which versions of their symbols, and the run path; the oldest manylinux tag
that allows them is the wheel's. The same inputs give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# what every manylinux system has; PEP 600 and auditwheel's policies
ALLOWED = {
    "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1", "libutil.so.1",
    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
}  # fmt: skip
# what readelf calls an architecture, and what a tag does
MACHINES = {"Advanced Micro Devices X86-64": "x86_64", "AArch64": "aarch64"}
# tags that installers know, by the C library's version
TAGS = ((2, 17), (2, 24), (2, 26), (2, 27), (2, 28), (2, 31), (2, 34), (2, 35), (2, 36), (2, 39))


def readelf(*words: str) -> str:
    """Return what readelf says."""
    return subprocess.run(
        ["readelf", "-W", *words], check=True, capture_output=True, text=True
    ).stdout


def soname(library: Path) -> str:
    """Return the name by which a library is looked for."""
    return re.search(r"\(SONAME\).*\[(.*)\]", readelf("-d", str(library)))[1]


def check_file(module: Path, beside: set[str], path: str) -> tuple[int, ...]:
    """Return the C library's version that a file needs; exit when no system could load it."""
    dynamic = readelf("-d", str(module))
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    if needed - ALLOWED - beside:
        sys.exit(f"{module.name} needs {', '.join(sorted(needed - ALLOWED - beside))}, which is not in a wheel")
    if set(re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic)) - {path}:
        sys.exit(f"{module.name} has another run path than {path!r}")
    if "TEXTREL" in dynamic:
        sys.exit(f"{module.name} has text relocations")
    versions = re.findall(r"Name: (\w+?)_([\d.]+)\b", readelf("-V", str(module)))
    others = {name for name, _ in versions} - {"GLIBC"}
    if others:
        sys.exit(f"{module.name} needs versions of {', '.join(sorted(others))}")
    highest = max(tuple(map(int, number.split("."))) for _, number in versions)[:2]
    print(f"{module.name}: needs {', '.join(sorted(needed))}, GLIBC_{highest[0]}.{highest[1]}")
    return highest


def check_symbols(module: Path) -> None:
    """Exit when a module uses what is not in the limited API, or shows more than its entry."""
    symbols = [line.split() for line in readelf("--dyn-syms", str(module)).splitlines()]
    private = {s[7] for s in symbols if len(s) > 7 and s[6] == "UND" and s[7].startswith("_Py")}
    stable = {"_Py_NoneStruct", "_Py_Dealloc", "_Py_TrueStruct", "_Py_FalseStruct"}
    if private - stable:
        sys.exit(f"{module.name} uses {', '.join(sorted(private - stable))}: not in the limited API")
    exported = [s[7] for s in symbols if len(s) > 7 and s[6].isdigit() and s[4] == "GLOBAL"]
    if exported != ["PyInit__native"]:
        sys.exit(f"{module.name} exports {exported[:5]}: only PyInit__native is to be seen")


def platform_tag(module: Path, libraries: list[Path]) -> str:
    """Return the oldest manylinux tag that allows all these files."""
    beside = {soname(library) for library in libraries}
    check_symbols(module)
    highest = max(
        [check_file(module, beside, "$ORIGIN/../bvpack.libs" if beside else "")]
        + [check_file(library, beside, "") for library in libraries]
    )
    tag = next((tag for tag in TAGS if tag >= highest), highest)
    machine = re.search(r"Machine: *(.*)", readelf("-h", str(module)))[1]
    if machine not in MACHINES:
        sys.exit(f"{module.name} is for {machine}: wheels are for {' and '.join(MACHINES.values())}")
    return f"manylinux_{tag[0]}_{tag[1]}_{MACHINES[machine]}"


def metadata(version: str) -> str:
    """Return METADATA, from pyproject.toml and README.md."""
    project = (HERE / "pyproject.toml").read_text("utf-8")

    def one(key: str) -> str:
        return re.search(rf'^{key} = "(.*)"$', project, re.M)[1]

    needs = re.findall(r'"([^"]+)"', re.search(r"^dependencies = \[(.*)\]$", project, re.M)[1])
    lines = [
        "Metadata-Version: 2.1", "Name: bvpack", f"Version: {version}",
        f"Summary: {one('description')}", "License: MIT",
        f"Requires-Python: {one('requires-python')}", *(f"Requires-Dist: {n}" for n in needs),
        'Requires-Dist: pandas; extra == "table"', "Provides-Extra: table",
        "Description-Content-Type: text/markdown",
    ]  # fmt: skip
    return "\n".join(lines) + "\n\n" + (HERE / "README.md").read_text("utf-8")


def main(module: Path, version: str, folder: Path, libraries: list[Path]) -> None:
    """Write the wheel."""
    tag = f"cp39-abi3-{platform_tag(module, libraries)}"
    info = f"bvpack-{version}.dist-info"
    files = {f"bvpack/{p.name}": p.read_bytes() for p in sorted((HERE / "bvpack").glob("*.py*"))}
    files["bvpack/py.typed"] = (HERE / "bvpack/py.typed").read_bytes()
    files["bvpack/_native.abi3.so"] = module.read_bytes()
    files.update({f"bvpack.libs/{soname(p)}": p.read_bytes() for p in libraries})
    files[f"{info}/METADATA"] = metadata(version).encode()
    licence = HERE / "../../LICENSE"
    files[f"{info}/LICENSE"] = licence.read_bytes()
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: make_wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    )
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    path = folder / f"bvpack-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    print(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), [Path(p) for p in sys.argv[4:]])
