#!/bin/bash
# SPDX-License-Identifier: MIT
# What Khronos' glTF validator says of GLBs with a hierarchy attached, and of GLBs that extract writes: no error and
# no warning that the asset did not have, but for the chunk whose type it does not know. Where the validator is not
# installed the test is skipped, and nothing is fetched: `npm install gltf-validator` in any folder, whose node_modules BVP_NODE_MODULES
# names, or the folder that the tests run in or one above it.
set -u
# shellcheck source=tests/cli/verb_test.sh
. "$(dirname "$0")/verb_test.sh"
command -v node >/dev/null || { echo "there is no node: skipped"; exit 77; }
folder=${BVP_NODE_MODULES:-}
for try in "$OLDPWD" "$OLDPWD/.."; do [ -n "$folder" ] || [ ! -d "$try/node_modules/gltf-validator" ] || folder=$try/node_modules; done
[ -d "$folder/gltf-validator" ] || { echo "there is no gltf-validator (npm install gltf-validator; BVP_NODE_MODULES): skipped"; exit 77; }

# the messages of severity error and warning as lines: CODE at POINTER
cat >validate.cjs <<'END'
const validator = require(require('path').resolve(process.argv[2], 'gltf-validator')), fs = require('fs');
validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[3])), { maxIssues: 0 }).then((report) => {
  for (const m of report.issues.messages)
    if (m.severity < 2) console.log(`${m.code} at ${m.pointer ?? ''}`);
}, (error) => { console.log(`no report: ${error}`); process.exitCode = 1; });
END
says() { node validate.cjs "$folder" "$1" | sort >"$2" || bad "the validator gives no report of $1"; }

for model in "$src/samples/models/irb6640_cell12.glb" "$src/tests/cli/packed_gltf/ring.glb" \
  "$src/tests/cli/packed_gltf/gltfpack_c.glb" "$src/tests/cli/packed_gltf/figure.glb"; do
  name=$(basename "$model" .glb)
  says "$model" before
  expect 0 attach -q "$model" -o attached.glb
  says attached.glb after
  # the validator says of a chunk of another type that it does not know it, which the standard asks of clients
  comm -13 before after | grep -v '^GLB_UNKNOWN_CHUNK_TYPE at ' >added
  [ ! -s added ] || { bad "$name with a hierarchy:"; head -5 added; }
  grep -q '^GLB_UNKNOWN_CHUNK_TYPE' after || bad "$name: the validator saw no chunk"
  expect 0 attach -q "$model" --sidecar -o beside.glb
  says beside.glb after
  comm -13 before after >added
  [ ! -s added ] || { bad "$name beside its hierarchy:"; head -5 added; }
  expect 0 extract -q beside.bvp -o extracted.glb
  says extracted.glb after
  [ ! -s after ] || { bad "$name extracted:"; head -5 after; }
  expect 0 extract -q --flat beside.bvp -o flat.glb
  says flat.glb after
  [ ! -s after ] || { bad "$name extracted as one mesh:"; head -5 after; }
done
echo "$checks checks"
exit $fail
