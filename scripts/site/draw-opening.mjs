// SPDX-License-Identifier: MIT
// The moving picture at the top of README.md and the site: a generated animal as frames of positions, and the same motion by twelve bones.
// Usage: node scripts/site/draw-opening.mjs docs/images/opening.png   (after npm run build)
import { writeFileSync } from 'node:fs';

const load = async (path) => import(new URL(`../../dist/${path}`, import.meta.url).href);
const { decompose, poseOf, writeGlb, makeAsset } = await load('entry/index.js');
const { makeDeformer } = await load('entry/deform.js');
const { fitCamera, makeContactSheet, renderView, weightColors, writeApng } = await load('entry/draw.js');
const { makeSample } = await load('entry/sample.js');

const SIZE = { width: 300, height: 210 };
const FRAMES = 20;
const BONES = 12;

export async function drawOpening(path) {
  const { clip } = makeSample('quadruped', { resolution: 3000, frames: FRAMES });
  const { model } = await decompose(clip, { bones: BONES, threads: 1 });
  const glb = await writeGlb(makeAsset(clip), { kind: 'skin', model });
  const raw = clip.positions.byteLength;
  const { triangles } = clip.mesh;
  const colors = weightColors(model.skin);
  const deformer = makeDeformer(model);
  const stride = clip.mesh.positions.length;
  const camera = fitCamera(clip.positions, { ...SIZE, view: 'three-quarter' });
  const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`;
  const images = [];
  // the last frame of a loop is its first
  for (let k = 0; k < FRAMES - 1; k++) {
    const shown = new Float32Array(stride);
    deformer.deformInto({ bones: poseOf(model.motions[0], k) }, shown);
    const options = { ...SIZE, camera, supersample: 2, ground: false };
    const source = renderView({ positions: clip.positions.subarray(k * stride, (k + 1) * stride), triangles }, options);
    const result = renderView({ positions: shown, triangles, colors }, options);
    images.push(
      makeContactSheet(
        [
          { image: source, caption: `${FRAMES} frames of positions: ${kilobytes(raw)}` },
          { image: result, caption: `${BONES} bones and weights: ${kilobytes(glb.length)} with mesh` },
        ],
        { columns: 2 },
      ),
    );
  }
  writeFileSync(path, writeApng(images, { fps: 12 }));
}

if (process.argv[1]?.endsWith('draw-opening.mjs')) await drawOpening(process.argv[2] ?? 'docs/images/opening.png');
