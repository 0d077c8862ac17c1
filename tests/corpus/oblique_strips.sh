#!/bin/sh
# SPDX-License-Identifier: MIT
# An oblique corrugated sheet of N long thin strips, as OBJ: its hierarchy is turned.
# Usage: oblique_strips.sh [N]
awk -v n="${1:-100}" 'BEGIN {
  for (i = 0; i <= n; i++)
    for (k = -1; k <= 1; k += 2) {
      x = 10 * k; y = 20 * i / n - 10; z = i % 2 / 10
      u = .6 * x - .8 * y; v = .8 * x + .6 * y
      printf "v %.6g %.6g %.6g\n", u, .96 * v - .28 * z, .28 * v + .96 * z
    }
  for (i = 1; i <= n; i++)
    printf "f %d %d %d %d\n", 2 * i - 1, 2 * i, 2 * i + 2, 2 * i + 1
}'
