#!/bin/sh
# SPDX-License-Identifier: MIT
# size.sh MODULE [LIMIT]: what a page waits for, in bytes; fails above the limit.
size=$(gzip -9c "$1" | wc -c)
echo "$1: $size bytes gzipped${2:+, at most $2}"
[ "$size" -le "${2:-$size}" ]
