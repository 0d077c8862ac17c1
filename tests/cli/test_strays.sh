#!/bin/bash
# SPDX-License-Identifier: MIT
# A mesh with triangles far outside: what pack makes of it, by every way that a part can take into a
# file, and what the other verbs then say. What queries cost is in test_strays.c.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"

# A bumpy sheet of 200 triangles over the unit square; behind triangle 99 one that hangs on the
# sheet's first corner and reaches to 1e7, and at the end one at 1e20.
sheet() { # STRAYS
  awk -v strays=$1 'BEGIN {
    n = 10
    for (i = 0; i <= n; i++) for (j = 0; j <= n; j++) printf "v %g %g %g\n", i / n, j / n, (i * j % 3) / 100
    print "v 1e7 1e7 5e6\nv 1e7 1.1e7 5e6\nv 1e20 1e20 1e20\nv 1.5e20 1e20 1e20\nv 1e20 1.5e20 1e20"
    for (i = k = 0; i < n; i++) for (j = 0; j < n; j++) {
      a = i * (n + 1) + j + 1
      printf "f %d %d %d\nf %d %d %d\n", a, a + n + 1, a + n + 2, a, a + n + 2, a + 1
      if (strays && ++k == 50) print "f 1 122 123"
    }
    if (strays) print "f 124 125 126"
  }'
}
sheet 1 >part.obj
sheet 0 >plain.obj

# ---- pack

expect 0 pack part.obj -o part.bvp --hierarchy wide,boxtree,aabb,obb,rss
has out 'warning +part.obj: 2 triangles lie 10\^7 times farther out than all others; they get grids of their own$'
has out 'parts +3$'
has out 'triangles +202, stored 202$'
expect 0 verify part.bvp
for how in "-j 1" "-j 4" "--store store" "--store store"; do
  expect 0 pack part.obj -o again.bvp --hierarchy wide,boxtree,aabb,obb,rss $how
  has out 'warning +part.obj: 2 triangles lie'
  same part.bvp again.bvp
done
expect 0 pack part.obj -o thin.bvp --hierarchy wide,boxtree,aabb,obb,rss --store store --thin -q
expect 0 merge thin.bvp -o again.bvp
for i in 1 2; do
  expect 0 pack part.obj --shard $i/2 -o share$i.bvp --hierarchy wide,boxtree,aabb,obb,rss -q
done
expect 0 merge share1.bvp share2.bvp -o again.bvp
same part.bvp again.bvp
expect 0 pack plain.obj -o plain.bvp --json
is part_count 1
is warnings 0
for how in --keep-strays --deformable; do
  expect 0 pack part.obj -o whole.bvp --json $how
  is part_count 1
  is warnings.0.count 2
  is warnings.0.text 'triangles lie 10^7 times farther out than all others; in one part with them they make queries slow'
done

# ---- what else there is to ask

for kind in wide boxtree aabb obb rss; do
  expect 0 query ray part.bvp --json --hierarchy $kind --origin 1.1e20,1.1e20,0 --direction 0,0,1
  is hit.id 201
  expect 0 query ray part.bvp --json --hierarchy $kind --origin 9.5e6,9.8e6,0 --direction 0,0,1
  is hit.id 100
  expect 0 query ray part.bvp --json --hierarchy $kind --origin 0.97,0.96,1 --direction 0,0,-1
  is hit.id 199
done
expect 0 extract part.bvp -o part.stl
has out '202 triangles'

# One thing does not clash with itself, though its parts touch; both are one to selectors.
expect 0 clash part.bvp --json
is coverage.excluded 1
cat >two.jsonl <<'JSON'
{"bvpack_manifest":1,"unit":"mm"}
{"type":"part","id":"p","mesh":"part.obj","part_number":"PN-1"}
{"type":"instance","id":"a","name":"a","part":"p","properties":{"class":"far"}}
{"type":"instance","id":"b","name":"b","part":"p","placement":[1,0,0,0.25,0,1,0,0.25,0,0,1,0.005]}
JSON
expect 0 pack two.jsonl -o two.bvp --json
is part_count 3
is instance_count 6
for i in 1 2 3; do expect 0 pack two.jsonl --shard $i/3 -o share$i.bvp -q; done
expect 0 merge share1.bvp share2.bvp share3.bvp -o again.bvp
same two.bvp again.bvp
expect 1 clash two.bvp --touch 0 --exit-code --json
expect 0 clash two.bvp --touch 0 --exit-code --json --exclude a:b
expect 0 clash two.bvp --touch 0 --exit-code --json --exclude 'class=far'
expect 0 clash two.bvp --touch 0 --exit-code --json --exclude 'part=PN-1'

[ $fail = 0 ] && echo "$checks checks"
exit $fail
