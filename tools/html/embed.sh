#!/bin/sh
# SPDX-License-Identifier: MIT
# embed.sh NAME FILE [NAME FILE]...: C source of the files' bytes, as tools/report/html_bytes.h declares it.
echo '#include "report/html_bytes.h"'
while [ $# -ge 2 ]; do
  echo "const unsigned char html_$1[] = {"
  od -An -v -tu1 "$2" | sed 's/  *\([0-9][0-9]*\)/\1,/g'
  echo "0};"
  echo "const size_t html_$1_size = sizeof html_$1 - 1;"
  shift 2
done
