#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian's packages from the release's archive: built by sbuild in a clean chroot that has no network, held to lintian, and
# tried by autopkgtest in another clean chroot. Run by `make check-deb`; everything is in deb/ of the build directory.
# BVP_DEB_SUITE: bookworm. BVP_DEB_CHROOT: a tarball that mmdebstrap made (--variant=buildd), else one is made, and kept.
# BVP_DEB_HOST: another architecture to build for, arm64 for instance: then nothing is run.
set -u
src=$(realpath "${BVP_SRCDIR:-$(dirname "$0")/../..}")
build=$(realpath "${BVP_BUILDDIR:-.}")
suite=${BVP_DEB_SUITE:-bookworm}
host=${BVP_DEB_HOST:-}
skip() { echo "check-deb: skipped: $*"; exit 77; }
die() { echo "check-deb: $*"; exit 1; }
for program in dpkg-source dh sbuild mmdebstrap lintian autopkgtest; do
  command -v $program >/dev/null ||
    skip "there is no $program (Debian: autopkgtest debhelper dpkg-dev lintian mmdebstrap sbuild uidmap)"
done

deb=$build/deb
rm -rf "$deb/source" "$deb/out"
mkdir -p "$deb/source" "$deb/out"
echo "== the source package"
make -s -C "$build" dist >"$deb/dist.log" 2>&1 || { tail "$deb/dist.log"; die "make dist fails"; }
archive=$(echo "$build"/bvpack-*.tar.xz)
version=$(basename "$archive" .tar.xz)
version=${version#bvpack-}
cp "$archive" "$deb/source/bvpack_$version.orig.tar.xz"
tar -C "$deb/source" -xJf "$archive"
# what is not built for, say a packager's own changes, is not there
rm -rf "$deb/source/bvpack-$version/debian"
cp -r "$src/debian" "$deb/source/bvpack-$version/debian"
(cd "$deb/source" && dpkg-source -b "bvpack-$version") >"$deb/source.log" 2>&1 || { tail "$deb/source.log"; die "dpkg-source fails"; }
dsc=$(echo "$deb"/source/*.dsc)

chroot=${BVP_DEB_CHROOT:-$deb/$suite.tar}
if [ ! -s "$chroot" ]; then
  echo "== a clean $suite, $chroot"
  mmdebstrap --variant=buildd "$suite" "$chroot" >"$deb/chroot.log" 2>&1 || { tail "$deb/chroot.log"; rm -f "$chroot"; skip "no $suite could be fetched"; }
fi

# sbuild cuts the network off behind the installation of what is needed to build
echo "== sbuild${host:+ for $host}, some minutes; $deb/out/*.build has what it says"
how=(--arch-all)
[ -z "$host" ] || how=(--host="$host" "--profiles=cross,nocheck" --no-arch-all)
cd "$deb/out" || exit 99
sbuild --chroot-mode=unshare --chroot="$chroot" --dist="$suite" --no-run-lintian --no-run-piuparts --no-run-autopkgtest \
  --purge-build=always --nolog --jobs="$(nproc)" "${how[@]}" "$dsc" >sbuild.log 2>&1 || { tail -40 sbuild.log; die "sbuild fails"; }
changes=$(echo ./*.changes)
ls -l ./*.deb

echo "== lintian"
# two tags say only that the package has never been uploaded
tags=unreleased-changes,initial-upload-closes-no-bugs
# the program prints its manual pages, and another architecture's cannot be run
[ -z "$host" ] || tags=$tags,no-manual-page
lintian --allow-root --fail-on error,warning --profile debian --suppress-tags "$tags" "$changes" || die "lintian is not content"
[ -z "$host" ] || { echo "check-deb: built for $host, not run"; exit 0; }

echo "== autopkgtest"
autopkgtest --apt-upgrade ./*.deb "$dsc" -- unshare --tarball "$chroot" --release "$suite" >autopkgtest.log 2>&1 ||
  { tail -40 autopkgtest.log; die "autopkgtest fails"; }
grep -aE ' (PASS|SKIP)' autopkgtest.log
