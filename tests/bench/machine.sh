#!/bin/bash
# SPDX-License-Identifier: MIT
# What this machine is called among the results: $BENCH_MACHINE, or the processor's name without the
# trimmings, and its cores.
set -eu
if [ -n "${BENCH_MACHINE:-}" ]; then
  echo "$BENCH_MACHINE"
else
  model=$(grep -m1 'model name' /proc/cpuinfo | sed 's/.*: *//; s/([^)]*)//g; s/ CPU//; s/ Processor//; s/@//' || true)
  echo "${model:-$(uname -m)} $(nproc) cores" | tr -s ' ' '-' | tr '[:upper:]' '[:lower:]'
fi
