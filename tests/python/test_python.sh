#!/bin/bash
# SPDX-License-Identifier: MIT
# The package for Python: it builds against the libraries, its documentation's examples give what they
# say, and its queries, single and batched, give what the program and plain arithmetic give.
# `make check-python` is the long form.
set -u
src=$(cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" && pwd)
build=$(cd "${BVP_BUILDDIR:-$PWD}" && pwd)
python=$(bash "$src/tools/python/build.sh" "$build") || { status=$?; echo "$python"; exit $status; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
BVPACK=$(cd "$(dirname "${BVPACK:-./bvpack}")" && pwd)/bvpack
export BVPACK BVP_SRCDIR="$src" PYTHONPATH="$build/python" PYTHONDONTWRITEBYTECODE=1
cd "$scratch" || exit 99
"$python" -W error "$src/tests/python/run_cases.py" "${@:-short}"
