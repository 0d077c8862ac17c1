# shellcheck shell=bash disable=SC2034 # for those that source it
# SPDX-License-Identifier: MIT
# Sourced by tests/run.sh and samples/quickstart.sh: what a Debian needs to build bvpack.

packages_build="autoconf automake gcc libc6-dev libcurl4-openssl-dev libexpat1-dev libjansson-dev libmeshoptimizer-dev libpng-dev libqhull-dev libsodium-dev libtool libxxhash-dev libzip-dev libzstd-dev make pkg-config"
# For importers that are programs of their own: hundreds of megabytes, so only what is installed already is built:
# libassimp-dev libocct-data-exchange-dev libocct-ocaf-dev
# IFC models are read by web-ifc, from npm; the test fetches it where node, npm and a network are:
# nodejs npm
packages_test="check clang clang-format cmake file g++ lib3mf-dev libclang-rt-dev libdraco-dev libgmp-dev libxml2-utils nginx-light python3 shellcheck strace unzip xz-utils zstd"
# the package for Python
packages_test="$packages_test python3-cffi python3-dev python3-numpy python3-setuptools"

# packages_missing NAME...: prints those that are not installed.
packages_missing() {
  local name
  for name in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || printf '%s ' "$name"
  done
}

# packages_need NAME...: installs what is missing, as root or by sudo; else says what to install.
packages_need() {
  local missing root=()
  if ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian: if the build stops, install what corresponds to: $*"
    return 0
  fi
  missing=$(packages_missing "$@")
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      root=(sudo)
    else
      printf 'These packages are missing, and there is neither root nor sudo to install them:\n\n'
      printf '    apt-get install %s\n\n' "$missing"
      return 1
    fi
  fi
  echo "Installing: $missing"
  # shellcheck disable=SC2086 # one word a package
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq update </dev/null >/dev/null &&
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends \
      -o Dpkg::Use-Pty=0 $missing </dev/null >/dev/null 2>&1 && return 0
  printf 'apt-get could not install them. Please install by hand:\n\n    apt-get install %s\n\n' "$missing"
  return 1
}
