#!/bin/bash
# SPDX-License-Identifier: MIT
# The four places that tell the fields of the format agree: see check_fields.py.
set -u
source_dir=${BVP_SRCDIR:-$(dirname "$0")/../..}
command -v python3 >/dev/null || { echo "check_fields: no python3"; exit 77; }
exec python3 "$source_dir/tests/house/check_fields.py"
