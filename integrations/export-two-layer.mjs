// SPDX-License-Identifier: MIT
// The arrays of Direct Delta Mush in two layers as JSON, for integrations/unity/OssifyTwoLayer.cs and other engines.
// Usage: node integrations/export-two-layer.mjs out.glb out.json   (out.glb of ossify compress; after npm run build)
import { readFileSync, writeFileSync } from 'node:fs';

const INFLUENCES = 8;
const load = async (path) => import(new URL(`../dist/${path}`, import.meta.url).href);
const { readAsset } = await load('entry/index.js');
const { vertexNormalsInto } = await load('entry/deform.js');
const { invertAffine } = await load('core/math/mat4.js');

/** The model of a file as plain arrays: see OssifyTwoLayer.cs. */
export async function exportTwoLayer(bytes) {
  const { twoLayer } = await readAsset([{ name: 'model.glb', bytes }]);
  if (!twoLayer) throw new Error('the file has no OSSIFY_two_layer_skin of kind ddm; make one with ossify compress');
  const { mesh, skeleton, virtualBones, centers, skin } = twoLayer;
  const inverseBinds = new Float64Array(skeleton.bindMatrices.length);
  for (let o = 0; o < inverseBinds.length; o += 16) invertAffine(skeleton.bindMatrices, inverseBinds, o, o);
  const { omegas } = virtualBones;
  // xx xy xz x1 yy yz y1 zz z1 11 in the model
  const entries = [];
  for (let o = 0; o < omegas.length; o += 10) {
    const [xx, xy, xz, x, yy, yz, y, zz, z, one] = omegas.subarray(o, o + 10);
    entries.push(one, x, y, z, xx, yy, zz, xy, xz, yz);
  }
  const vertexCount = mesh.positions.length / 3;
  const influences = new Array(INFLUENCES * vertexCount).fill(0);
  const weights = new Array(INFLUENCES * vertexCount).fill(0);
  for (let i = 0; i < vertexCount; i++)
    for (let e = 0; e < Math.min(INFLUENCES, skin.rowStart[i + 1] - skin.rowStart[i]); e++) {
      influences[INFLUENCES * i + e] = skin.boneIndices[skin.rowStart[i] + e];
      weights[INFLUENCES * i + e] = skin.weights[skin.rowStart[i] + e];
    }
  const normals = new Float32Array(mesh.positions.length);
  vertexNormalsInto(mesh.positions, mesh.triangles, normals);
  return {
    joints: skeleton.names,
    inverseBinds: [...inverseBinds],
    rows: [...virtualBones.rowStart],
    entryBones: [...virtualBones.boneIndices],
    entries,
    centers: [...centers],
    influences,
    weights,
    positions: [...mesh.positions],
    normals: [...(mesh.normals ?? normals)],
  };
}

if (process.argv[1]?.endsWith('export-two-layer.mjs')) {
  const [input, output] = process.argv.slice(2);
  writeFileSync(output, JSON.stringify(await exportTwoLayer(new Uint8Array(readFileSync(input)))));
}
