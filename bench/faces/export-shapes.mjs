// SPDX-License-Identifier: MIT
// Writes the shapes of a face for bench/faces/compskin.py: node bench/faces/export-shapes.mjs face.glb folder [maximum vertices]
// Points that coincide at rest and in all shapes are one. With a maximum, the mesh is simplified to at most that many vertices, which keep their positions and displacements.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MeshoptSimplifier } from 'meshoptimizer';
import { readAsset } from '../../dist/entry/index.js';
import { listShapes } from '../../dist/jobs/convert/index.js';

const [file, folder, limit] = process.argv.slice(2);
const asset = await readAsset([{ name: file, bytes: new Uint8Array(readFileSync(file)) }]);
const { shapes } = listShapes(asset);
const { positions, triangles } = asset.mesh;
const numbersOf = (i) => [positions, ...shapes.deltas].map((values) => values.slice(3 * i, 3 * i + 3).join()).join();
const placeOf = new Map();
const vertices = [];
const pointOf = Uint32Array.from({ length: positions.length / 3 }, (_, i) => {
  const key = numbersOf(i);
  if (!placeOf.has(key)) placeOf.set(key, vertices.push(i) - 1);
  return placeOf.get(key);
});
const pick = (values, list) => Float32Array.from(list.flatMap((i) => [...values.slice(3 * i, 3 * i + 3)]));
let rest = pick(positions, vertices);
let faces = triangles.map((i) => pointOf[i]);
let kept = vertices;
if (limit) {
  await MeshoptSimplifier.ready;
  let [low, high] = [10, faces.length / 3];
  let best = faces;
  for (let step = 0; step < 20; step++) {
    const middle = Math.round((low + high) / 2);
    const [simple] = MeshoptSimplifier.simplify(faces, rest, 3, 3 * middle, 1e9, ['ErrorAbsolute']);
    if (new Set(simple).size > Number(limit)) high = middle;
    else [low, best] = [middle, simple];
  }
  const used = [...new Set(best)].sort((a, b) => a - b);
  const newOf = new Map(used.map((i, n) => [i, n]));
  kept = used.map((i) => vertices[i]);
  faces = best.map((i) => newOf.get(i));
  rest = pick(positions, kept);
}
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'rest.f32'), rest);
writeFileSync(join(folder, 'tri.i32'), Int32Array.from(faces));
writeFileSync(join(folder, 'deltas.f32'), Float32Array.from(shapes.deltas.flatMap((delta) => [...pick(delta, kept)])));
console.log(`${rest.length / 3} points, ${faces.length / 3} triangles, ${shapes.names.length} shapes`);
