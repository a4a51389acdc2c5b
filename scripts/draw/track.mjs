// SPDX-License-Identifier: MIT
// The pictures of src/methods/track/README.md: a generated animal with other triangles in every frame, the tracked surface with a checker pattern, and its bones.
//
//   node scripts/draw/track.mjs docs/images
//
// Run `npm run build` first; OSSIFY_DIST names another build.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const DIST = process.env.OSSIFY_DIST
  ? pathToFileURL(`${process.env.OSSIFY_DIST}/`)
  : new URL('../../dist/', import.meta.url);
const load = async (path) => import(new URL(path, DIST).href);
const { decompose, track } = await load('entry/index.js');
const { fitCamera, labelColors, makeContactSheet, renderView, writePng } = await load('entry/draw.js');
const { makeSample } = await load('entry/sample.js');
const { remeshSurface } = await load('samples/surfaces/remesh-surface.js');
const { pointTriangles, weldVertices } = await load('core/mesh/topology/weld.js');

const SIZE = { width: 300, height: 230 };
const FRAMES = 9;
const VERTICES = 2600;
const BONES = 20;
/** Squares of the checker pattern along the body. */
const SQUARES = 14;
const SHOWN = [0, 4, 8];
const FILES = ['track-input.png', 'track-checker.png', 'track-bones.png'];
const CAPTIONS = ['input', 'tracked', `${BONES} bones`];

const { clip } = makeSample('quadruped', { resolution: 1500, frames: 24 });
const weld = weldVertices(clip.mesh.positions);
const triangles = pointTriangles(clip.mesh.triangles, weld);
const stride = clip.mesh.positions.length;
const frames = Array.from({ length: FRAMES }, (_, k) => {
  const shape = Array.from(weld.vertexOfPoint).flatMap((i) => [
    ...clip.positions.subarray(k * stride + 3 * i, k * stride + 3 * i + 3),
  ]);
  const mesh = remeshSurface(shape, triangles, { vertices: VERTICES, seed: k });
  const positions = Float32Array.from(mesh.corners, (_, c) => {
    const row = 3 * Math.floor(c / 3);
    return [0, 1, 2].reduce((sum, n) => sum + mesh.blends[row + n] * shape[3 * mesh.corners[row + n] + (c % 3)], 0);
  });
  return { positions, triangles: mesh.triangles };
});
const { clip: tracked } = await track(frames, { fps: 30 });
const { model } = await decompose(tracked, { bones: BONES });

const { positions: rest, triangles: faces } = tracked.mesh;
/** Points of each triangle of their own, so that it has one colour. */
const apart = (positions) => [...faces].flatMap((i) => [...positions.subarray(3 * i, 3 * i + 3)]);
const checker = [];
const size = Math.max(...[0, 1, 2].map((a) => spanOf(rest, a))) / SQUARES;
for (let t = 0; t < faces.length; t += 3) {
  const cells = [0, 1, 2].map((a) =>
    Math.floor([0, 1, 2].reduce((sum, c) => sum + rest[3 * faces[t + c] + a], 0) / 3 / size + 0.5),
  );
  const isDark = (cells[0] + cells[1] + cells[2]) % 2 === 0;
  for (let c = 0; c < 3; c++) checker.push(...(isDark ? [0.16, 0.36, 0.55] : [0.95, 0.93, 0.88]));
}

function spanOf(positions, a) {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let o = a; o < positions.length; o += 3) {
    low = Math.min(low, positions[o]);
    high = Math.max(high, positions[o]);
  }
  return high - low;
}

const labels = Uint32Array.from({ length: rest.length / 3 }, (_, i) => model.skin.boneIndices[model.skin.rowStart[i]]);
const ownTriangles = Uint32Array.from(faces, (_, n) => n);
const shapeAt = (k) => tracked.positions.subarray(k * rest.length, (k + 1) * rest.length);
const rows = [
  (k) => [frames[k], { wireframe: true }],
  (k) => [{ positions: apart(shapeAt(k)), triangles: ownTriangles, colors: checker }, {}],
  (k) => [{ positions: shapeAt(k), triangles: faces, colors: labelColors(labels) }, {}],
];
const camera = fitCamera(tracked.positions, { ...SIZE, view: 'side' });
for (const [row, sceneOf] of rows.entries()) {
  const cells = SHOWN.map((k) => {
    const [scene, options] = sceneOf(k);
    return { image: renderView(scene, { ...SIZE, camera, ...options }), caption: `${CAPTIONS[row]}, frame ${k}` };
  });
  writeFileSync(join(process.argv[2], FILES[row]), writePng(makeContactSheet(cells, { columns: SHOWN.length })));
}
