#!/bin/bash
# SPDX-License-Identifier: MIT
# bvpack for Windows, cross built by mingw-w64 and run by Wine: the unit tests but for those in windows_absent.h; a zip with
# the program, DLLs, headers and licences is made, unpacked elsewhere and tried: the same bytes and answers as from this
# machine's program, paths, names, pipes, replacement of a file that somebody reads. Builds stay in windows/ of the build directory: ten minutes at first. `make check-windows`.
set -u
src=${BVP_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
[ -x "${BVPACK-}" ] || { echo "check_windows: no program in \$BVPACK"; exit 99; }
host=x86_64-w64-mingw32
cc=$host-gcc-win32
for i in $cc wine zip unzip pkg-config; do
  command -v "$i" >/dev/null || { echo "skipped: there is no $i (Debian: mingw-w64, wine64, zip, unzip)"; exit 77; }
done
mkdir -p windows && cd windows || exit 99
here=$PWD
models=$src/samples/models
fail=0
complain() { echo "check_windows: $*"; fail=1; }

# ---- the zip
bash "$src/tests/cross/build_libraries.sh" $host "$here/libraries" >libraries.out 2>&1
case $? in
  0) ;;
  77) echo "skipped: $(tail -1 libraries.out)"; exit 77 ;;
  *) tail -3 libraries.out; complain "the libraries cannot be built"; exit 1 ;;
esac
mkdir -p build && cd build || exit 99
[ -f Makefile ] || "$src/configure" -q --host=$host --prefix=/bvpack CC="${CCACHE-}$cc" CXX="${CCACHE-}$host-g++-win32" \
  CFLAGS=-O2 CPPFLAGS="-I$here/libraries/include" LDFLAGS="-L$here/libraries/lib" PKG_CONFIG='pkg-config --static' \
  PKG_CONFIG_LIBDIR="$here/libraries/lib/pkgconfig" --without-npm --without-curl --without-draco >configure.out 2>&1 ||
  { tail -3 configure.out; complain "configure"; exit 1; }
${MAKE:-make} -s all tests/unit/unit_tests.exe >make.out 2>&1 || { tail -5 make.out; complain "make"; exit 1; }
rm -rf ../installed ../bvpack.zip
${MAKE:-make} -s install-strip DESTDIR="$here/installed" >install.out 2>&1 ||
  { tail -5 install.out; complain "make install-strip"; exit 1; }
cd "$here" || exit 99
rm -f installed/bvpack/lib/*.la
cp -r libraries/licences installed/bvpack/licences && cp "$src/LICENSE" installed/bvpack/licences/bvpack.txt
cp /usr/share/doc/mingw-w64-x86-64-dev/copyright installed/bvpack/licences/mingw-w64.txt ||
  complain "no licence text of mingw-w64, whose threads are linked into the DLLs"
(cd installed && zip -qr ../bvpack.zip bvpack) || { complain "no zip"; exit 1; }

# ---- unpacked elsewhere
scratch=$(mktemp -d) && trap 'wineserver -k 2>/dev/null; rm -rf "$scratch"' EXIT
export WINEPREFIX=$scratch/wine WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml=
unzip -q bvpack.zip -d "$scratch/Program Files" || exit 99
root="$scratch/Program Files/bvpack"
for i in bin/bvpack.exe bin/libbvpack-0.dll bin/libbvpack_build-0.dll include/bvpack.h lib/libbvpack.dll.a licences/zstd.txt; do
  [ -f "$root/$i" ] || complain "the zip has no $i"
done
# shellcheck disable=SC2016 # "$@" is the wrapper's
printf '#!/bin/sh\nexec wine "%s" "$@"\n' "$root/bin/bvpack.exe" >"$scratch/bvpack" && chmod +x "$scratch/bvpack"
other=$scratch/bvpack
cd "$scratch" || exit 99
"$other" --version >version 2>first_start
grep -q '^bvpack ' version || { complain "bvpack.exe does not start: $(tail -1 first_start)"; exit 1; }

# ---- the unit tests
suites=0
cd "$here/build" || exit 99
for suite in $(wine tests/unit/.libs/unit_tests.exe none 2>&1 | tr -d '\r' | grep '^  test_'); do
  (cd "$scratch" && BVP_SRCDIR=$src CK_FORK=no timeout 600 wine "$here/build/tests/unit/.libs/unit_tests.exe" "$suite") >suite.out 2>&1 ||
    { tail -5 suite.out; complain "unit tests: $suite"; }
  grep '^not on Windows' suite.out | tr -d '\r'
  suites=$((suites + 1))
done
[ $suites -gt 100 ] || complain "only $suites suites of unit tests ran"
echo "$suites suites of unit tests ran"
cd "$scratch" || exit 99

# ---- the same bytes and answers
BVP_SRCDIR=$src BVPACK_OTHERS="$other" bash "$src/tests/house/check_determinism.sh" || fail=1
"$BVPACK" pack "$models/irb6640_cell12.glb" -q -o cell.bvp && "$BVPACK" pack "$models/plate_holes.STL" -q -o plate.bvp &&
  "$BVPACK" pack "$models/featuretype.STL" -q -o feature.bvp || exit 99
ask() { # PROGRAM
  "$1" verify cell.bvp && "$1" info cell.bvp --parts --tree && "$1" dump plate.bvp
  "$1" clash cell.bvp --clearance 5 --report found.csv -q && cat found.csv
  "$1" query collide plate.bvp plate.bvp --place-b 1,2,3,10,20,30
  "$1" query distance plate.bvp plate.bvp --place-b 300,20,10,10,20,30 --json
  "$1" query closest cell.bvp --point 1,2,3
  "$1" query ray cell.bvp --origin 0,0,-100 --direction .01,.02,1 --all
  "$1" diff plate.bvp feature.bvp
  "$1" merge plate.bvp feature.bvp -q -o merged.bvp
  "$1" extract cell.bvp -q -o out.glb
  "$1" view plate.bvp -q -o out.png
  cksum merged.bvp out.glb out.png
  "$1" info absent.bvp
}
ask "$BVPACK" >expected.txt 2>&1
rm -f merged.bvp out.*
ask "$other" >found.txt 2>&1
cmp -s expected.txt found.txt || { complain "other answers"; diff expected.txt found.txt | head -5; }

# ---- what a library is built in for: digests, XLSX and BCF, compressed glTF
export SOURCE_DATE_EPOCH=1767225600 # of reports
for program in "$BVPACK" "$other"; do
  "$program" pack "$models/plate_holes.STL" --digests -q -o digests.bvp
  "$program" verify digests.bvp || complain "no digests by $program"
  "$program" clash cell.bvp --clearance 5 -q --report found.xlsx --report found.bcfzip || complain "no XLSX or BCF by $program"
  cksum digests.bvp && unzip -p found.xlsx | cksum && unzip -p found.bcfzip '*.bcf' | cksum
  for i in "$src"/tests/cli/packed_gltf/gltfpack_c*.glb "$src"/tests/cli/packed_gltf/meshopt*.glb; do
    "$program" pack "$i" -q -o packed.bvp 2>/dev/null && cksum packed.bvp
  done
  echo ----
done >with_libraries.txt 2>&1
[ "$(sed '/^----/,$d' with_libraries.txt)" = "$(sed -e '1,/^----/d' -e '/^----/d' with_libraries.txt)" ] ||
  { complain "other digests, workbooks, topics or compressed glTF"; cat with_libraries.txt; }

# ---- paths
long=$(printf 'long%.0s' {1..40})
mkdir -p "$long/$long" 'Größe 名'
for i in "$long\\$long\\plate.bvp" 'Größe 名\ß名.bvp' "Z:${scratch//\//\\}\\back.bvp" 'Größe 名/slash.bvp'; do
  "$other" pack "$models/plate_holes.STL" -q -o "$i" || complain "cannot write $i"
  "$other" verify "$i" >verified 2>&1 || { complain "cannot read $i"; cat verified; }
  place=${i//\\//}
  cmp -s plate.bvp "${place#Z:}" || complain "$i is not where it should be"
done
for i in "\\\\?\\Z:${scratch//\//\\}\\prefix.bvp" "//?/Z:$scratch/slashes.bvp" "\\\\?\\Z:${scratch//\//\\}\\$long\\$long\\deep.bvp"; do
  "$other" pack "$models/plate_holes.STL" -q -o "$i" || complain "cannot write $i"
  "$other" query ray "$i:#0" --origin 100,99,-100 --direction 0,0,1 >asked 2>&1 || { complain "cannot read $i"; cat asked; }
  place=${i//\\//}
  cmp -s plate.bvp "${place#//\?/Z:}" || complain "$i is not where it should be"
done
"$other" info '\\server\share\x.bvp' 2>&1 | grep -q '//server/share/x.bvp: .*No such file' || complain "a share that is absent is not told"
# a thin file finds its store, named with the prefix, on the same drive by a relative hint and on another by a whole one
"$other" pack "$models/plate_holes.STL" -q --store "\\\\?\\Z:${scratch//\//\\}\\store" --thin -o thin.bvp
"$other" verify thin.bvp >verified 2>&1 || { complain "a store whose name has the prefix is not found"; cat verified; }
"$other" pack "$models/plate_holes.STL" -q --store store --thin -o 'C:\thin.bvp'
"$other" verify 'C:\thin.bvp' >verified 2>&1 || { complain "a store on another drive is not found"; cat verified; }
for i in aux.stl CON.bvp 'Z:\nul.bvp' a.bvp. 'a.bvp ' com1; do
  "$other" pack "$models/plate_holes.STL" -q -o "$i" 2>refused && complain "\"$i\" is written"
  grep -q 'keeps this name for itself' refused || { complain "nothing says what is wrong with \"$i\""; cat refused; }
done
mkdir -p ros/one ros/two/meshes && cp "$models/plate_holes.STL" ros/two/meshes/plate.stl && mkdir -p robot
echo '<robot name="r"><link name="a"><collision><geometry><mesh filename="package://two/meshes/plate.stl"/></geometry></collision></link></robot>' >robot/r.urdf
"$other" pack robot/r.urdf -q --package-path "Z:${scratch//\//\\}\\ros\\one;Z:$scratch/ros" -o robot.bvp || complain "--package-path"

# ---- pipes carry bytes, not lines
"$other" pack - -q -o - <"$models/plate_holes.STL" >piped.bvp
"$BVPACK" pack - -q -o - <"$models/plate_holes.STL" | cmp -s - piped.bvp || complain "other bytes through pipes"

left=$(find . -path ./wine -prune -o \( -name '.bvpack-*' -o -name '*\\*' \) -print)
[ -z "$left" ] || complain "left behind: $left"
"$other" info 'C:\absent\x.bvp' 2>&1 | grep -q 'C:/absent/x.bvp' || complain "a drive is taken for a name before a selector"

# ---- the DLL: a file that is replaced while it is read, and one behind 4 GiB
$cc -O2 -I"$root/include" "$src/tests/windows/keep_open.c" -L"$root/lib" -lbvpack -o "$root/bin/keep_open.exe" ||
  complain "nothing can be linked with the zip's DLL"
cp plate.bvp kept.bvp
mkfifo go && { wine "$root/bin/keep_open.exe" kept.bvp <go >kept.txt 2>&1 & }
reader=$!
exec 5>go
for ((i = 0; i < 100; i++)); do grep -q triangle kept.txt && break; sleep .1; done
"$other" pack "$models/featuretype.STL" -q -o kept.bvp || complain "a file cannot be replaced while it is read"
echo >&5
exec 5>&-
wait $reader || complain "keep_open: $(cat kept.txt)"
[ "$(grep -c triangle kept.txt)/$(sort -u kept.txt | wc -l)" = 2/1 ] ||
  complain "a reader's file changed under it: $(cat kept.txt)"
cmp -s kept.bvp feature.bvp || complain "the file was not replaced"
"$other" pack "$models/featuretype.STL" -q -o kept.bvp
left=$(find . -name "kept.bvp.*")
[ -z "$left" ] || complain "nobody removes $left"
far=$((5 << 30))
truncate -s $far far.bin && cat plate.bvp >>far.bin
echo | wine "$root/bin/keep_open.exe" far.bin $far >far.txt 2>&1 || complain "behind 4 GiB: $(cat far.txt)"
cmp -s far.txt kept.txt || complain "another answer behind 4 GiB"
exit $fail
