// SPDX-License-Identifier: MIT
// Decodes packed models with the decoders that their formats' authors ship for browsers, not with those of bvpack, and
// prints for each: its name, and the MD5 of its first mesh's triangles, in order: nine floats each.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { MeshoptDecoder } from 'meshoptimizer';

const draco = createRequire(import.meta.url)('draco3dgltf');
await MeshoptDecoder.ready;
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS).registerDependencies({
  'meshopt.decoder': MeshoptDecoder,
  'draco3d.decoder': await draco.createDecoderModule(),
});
// @gltf-transform does not know the younger name of meshopt's extension, whose views the decoder reads all the same
async function read(path) {
  const bytes = readFileSync(path);
  for (let at; (at = bytes.indexOf('KHR_meshopt_compression')) >= 0;) bytes.write('EXT', at);
  return bytes.includes('.bin"') ? io.read(path) : io.readBinary(new Uint8Array(bytes));
}
for (const path of process.argv.slice(2)) {
  const hash = createHash('md5');
  for (const primitive of (await read(path)).getRoot().listMeshes()[0].listPrimitives()) {
    const positions = primitive.getAttribute('POSITION');
    for (const index of primitive.getIndices().getArray())
      hash.update(new Float32Array(positions.getElement(index, [])));
  }
  console.log(`${basename(path)}\t${hash.digest('hex')}`);
}
