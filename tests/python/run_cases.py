# SPDX-License-Identifier: MIT
"""run_cases.py short|all|NAME...: runs cases_NAME.py beside it, and the examples of docstrings."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import models  # noqa: E402

import bvpack  # noqa: E402

SHORT = ("doctest", "contents", "queries", "errors", "pack")


def examples() -> unittest.TestSuite:
    """Return the examples of every module, which may use what models.examples() gives."""
    suite = unittest.TestSuite()
    for module in pkgutil.iter_modules(bvpack.__path__, "bvpack."):
        if module.name.endswith("_native"):
            continue
        found = importlib.import_module(module.name)
        suite.addTest(doctest.DocTestSuite(found, extraglobs=models.examples()))
    suite.addTest(doctest.DocTestSuite(bvpack, extraglobs=models.examples()))
    return suite


def main(names: list[str]) -> int:
    """Run them; return the exit status."""
    if names == ["short"]:
        names = list(SHORT)
    elif names == ["all"]:
        names = ["doctest", *sorted(p.stem[6:] for p in HERE.glob("cases_*.py"))]
    suite = unittest.TestSuite()
    for name in names:
        if name == "doctest":
            suite.addTest(examples())
        else:
            suite.addTest(unittest.defaultTestLoader.loadTestsFromName(f"cases_{name}"))
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    for case, reason in result.skipped:
        print(f"skipped {case}: {reason}")
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
