// SPDX-License-Identifier: MIT
// The pictures of samples on the empty page of the studio: each sample in the colours of the bones that a solve finds.
// Usage: node scripts/draw/samples.mjs [studio/public/samples]   (after npm run build:library)
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const load = async (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { decompose } = await load('entry/index.js');
const { fitCamera, renderView, weightColors, writePng } = await load('entry/draw.js');
const { makeSample } = await load('entry/sample.js');

/** Twice the size at which they are shown. */
const SIZE = { width: 168, height: 128 };
/** Bones, and the frame that shows the motion best. */
const PICTURES = {
  'bar-bend': { bones: 6, frame: 6 },
  'tube-swell': { bones: 10, frame: 10 },
  creature: { bones: 20, frame: 4 },
  quadruped: { bones: 14, frame: 5 },
  sheet: { bones: 18, frame: 10 },
  parts: { bones: 14, frame: 5 },
};

const folder = process.argv[2] ?? 'studio/public/samples';
mkdirSync(folder, { recursive: true });
for (const [name, { bones, frame }] of Object.entries(PICTURES)) {
  const { clip } = makeSample(name, { resolution: 3000, frames: 24 });
  const { model } = await decompose(clip, { bones, threads: 1 });
  const stride = clip.mesh.positions.length;
  const positions = clip.positions.subarray(frame * stride, (frame + 1) * stride);
  const scene = { positions, triangles: clip.mesh.triangles, colors: weightColors(model.skin) };
  const camera = fitCamera(positions, { ...SIZE, view: 'three-quarter', margin: 4 });
  const image = renderView(scene, { ...SIZE, camera, supersample: 4, ground: false, transparent: true });
  const bytes = writePng(image);
  writeFileSync(join(folder, `${name}.png`), bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}
