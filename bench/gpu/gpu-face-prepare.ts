// SPDX-License-Identifier: MIT
// Writes the input of gpu-faces: the captured face where the data folder has it, otherwise a generated one, and its 40 driven bones with 6,000 non-zeros.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vertexNormalsInto } from '../../src/core/mesh/geometry/vertex-normals.ts';
import { weldVertices } from '../../src/core/mesh/topology/weld.ts';
import { readAsset } from '../../src/entry/index.ts';
import { makeFace } from '../../src/entry/sample.ts';
import { driveShapes, listShapes } from '../../src/jobs/convert/index.ts';
import { joinShapes } from '../../src/methods/faces/index.ts';
import { writeFaceModel } from './gpu-face-model.ts';

const SETTINGS = { bones: 40, influences: 8, nonzeros: 6000 };

async function main(out: string): Promise<void> {
  const file = join(process.env.OSSIFY_DATA ?? '../shared', 'faces/ict-face.glb');
  const hasFile = existsSync(file);
  const source = hasFile ? await readFace(file) : makeOwnFace();
  const { model } = await driveShapes(source, SETTINGS);
  const { mesh, deltas } = source.shapes;
  const weld = weldVertices(mesh.positions);
  const normalsOf = (positions: Float32Array): Float32Array => {
    const normals = new Float32Array(positions.length);
    vertexNormalsInto(positions, mesh.triangles, normals, weld);
    return normals;
  };
  const rest = normalsOf(mesh.positions);
  const all = new Float32Array(deltas.length * rest.length);
  const allNormals = new Float32Array(all.length);
  deltas.forEach((delta, s) => {
    all.set(delta, s * rest.length);
    const normals = normalsOf(mesh.positions.map((x, c) => x + delta[c]));
    allNormals.set(
      normals.map((x, c) => x - rest[c]),
      s * rest.length,
    );
  });
  const bytes = writeFaceModel({
    name: hasFile ? 'ict-face' : 'face',
    model: { ...model, mesh: { ...mesh, normals: rest } },
    ...{ deltas: all, normalDeltas: allNormals },
  });
  writeFileSync(out, bytes);
  console.log(`${out}: ${rest.length / 3} vertices, ${deltas.length} shapes, ${(bytes.length / 1e6).toFixed(1)} MB`);
}

async function readFace(file: string) {
  return listShapes(await readAsset([{ name: file, bytes: new Uint8Array(readFileSync(file)) }]));
}

function makeOwnFace() {
  const { mesh, morphs, track } = makeFace(100);
  return { shapes: joinShapes(mesh, morphs), tracks: [track] };
}

await main(process.argv[2]);
