#!/bin/sh
# SPDX-License-Identifier: MIT
# size.sh MODULE: what a page waits for, in bytes; fails above the limit.
limit=250000
size=$(gzip -9c "$1" | wc -c)
echo "$1: $size bytes gzipped, at most $limit"
[ "$size" -le "$limit" ]
