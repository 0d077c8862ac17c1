#!/bin/bash
# SPDX-License-Identifier: MIT
# The numbers in spec/versions.md are those of the sources, and CHANGELOG.md and Debian's changelog begin with the
# library's.
set -u
cd "${BVP_SRCDIR:-$(dirname "$0")/../..}" || exit 99
fail=0
# is NUMBER PLACE NEEDLE: the row or line that begins with NEEDLE has NUMBER
is() {
  [ -n "$1" ] && grep -F -- "$3" "$2" | head -1 | grep -qF -- "$1" ||
    { echo "check_versions: $2: expected \"$1\" in the line with \"$3\""; fail=1; }
}
library=$(sed -n 's/^AC_INIT(\[bvpack\], \[\([^]]*\)\].*/\1/p' configure.ac)
number_of() { sed -n "s/^$1_la_LDFLAGS = .*-version-info \([0-9:]*\).*/\1/p" Makefile.am; }
format=$(sed -n 's/^ *BVPD_VERSION_\(MAJOR\|MINOR\) = \([0-9]*\),.*/\2/p' libfmt/format/layout.h | paste -sd.)
is "| $library |" spec/versions.md '| library and program |'
is "| $(number_of libbvpack) |" spec/versions.md '| libbvpack.so,'
is "| $(number_of libbvpack_build) |" spec/versions.md '| libbvpack_build.so,'
is "| $format |" spec/versions.md '| format |'
is "$format" spec/format.md '# The bvpack file format'
is "| $library |" spec/versions.md '| package for npm |'
is "\"$library\"" tools/wasm/package.json '"version"'
is "\"$library\"" libfmt/base/status.c '#define PACKAGE_VERSION'
is "## $library," CHANGELOG.md '## '
is "The format is $format." CHANGELOG.md 'The format is'
is "($library-" debian/changelog 'bvpack ('
soname=$(number_of libbvpack | awk -F: '{ print $1 - $3 }')
is "libbvpack$soname" debian/control 'Package: libbvpack'
exit $fail
