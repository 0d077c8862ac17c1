#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""comments.py HEADER: the header with its comments marked for Doxygen.

A comment on a line of its own describes what follows, one behind code what stands before it. Rulers are left alone.
"""
import re
import sys

inside = False
for line in open(sys.argv[1]):
    if not inside:
        begin = re.search(r"/\*(?! ----|\*)", line)
        if begin and begin.start() == 0 and "SPDX" in line:
            line = "/** @file\n *" + line[2:].replace("SPDX-License-Identifier: MIT", "")
            inside = "*/" not in line
        elif begin:
            alone = line[:begin.start()].strip() == ""
            inside = "*/" not in line[begin.end():]
            line = line[:begin.start()] + ("/** " if alone else "/**< ") + line[begin.end():].replace("\\", "\\\\")
        elif re.match(r"\s*// (?!----)", line):
            line = line.replace("// ", "/// ", 1)
        else:
            line = re.sub(r"(\S\s*)// ", r"\1///< ", line, count=1)
    else:
        inside = "*/" not in line
        line = line.replace("\\", "\\\\")
    sys.stdout.write(line)
