#!/bin/bash
# SPDX-License-Identifier: MIT
# One task of a night: runs a line of a stage's list, unless it is done.
#   task.sh LIST NUMBER
# A task that ends well leaves a mark, LIST.done/NUMBER. One that fails or is killed leaves neither that nor an output,
# and may be run again, also while another machine runs the same: outputs appear whole, and with the same bytes.
set -eu
list=$1 number=$2
mark=$list.done/$number
[ ! -e "$mark" ] || exit 0
[ -z "${BVPACK-}" ] || PATH=$(dirname "$BVPACK"):$PATH
mkdir -p "$list.done"
sh -c "$(sed -n "${number}p" "$list")"
: >"$mark"
