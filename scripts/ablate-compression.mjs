// SPDX-License-Identifier: MIT
// What each part of DDM compression is worth (Le et al. 2021, §7), as rows of a table: the true error, RMS and maximum in % of the size, of two layers against Direct
// Delta Mush at every frame of an animation that the fit has not seen, where it does not say 'auto'.
//
//   node scripts/ablate-compression.mjs bar            a generated bar, 20 virtual bones
//   node scripts/ablate-compression.mjs rig.glb 100    a skinned file
//
// Run `npm run build` first; OSSIFY_DIST names another build.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const DIST = process.env.OSSIFY_DIST
  ? pathToFileURL(`${process.env.OSSIFY_DIST}/`)
  : new URL('../dist/', import.meta.url);
const load = async (path) => import(new URL(path, DIST).href);
const { readAsset } = await load('io/read-asset.js');
const { makeSample } = await load('sample/make-sample.js');
const { makeAssetDdm } = await load('recipe/compress.js');
const { listPoseTimes } = await load('deform/list-pose-times.js');
const { precomputeDdm } = await load('ddm/precompute-ddm.js');
const { compressDdm } = await load('ddm/compress-ddm.js');
const { sampleAnimation } = await load('deform/sample-animation.js');
const { makeDdm } = await load('deform/make-ddm.js');
const { makeTwoLayer } = await load('deform/make-two-layer.js');
const { poseOf } = await load('model/motion.js');

/** Frames of a file's animations that are measured. */
const MOST_FRAMES = 24;

async function open(name) {
  if (name === 'bar') {
    const { clip, skeleton, skin, motion } = makeSample('bar-bend', { resolution: 1500, frames: MOST_FRAMES });
    return { ddm: await precomputeDdm(clip.mesh, skeleton, skin, { lambda: 20 }), motions: [motion] };
  }
  const asset = await readAsset([{ name, bytes: new Uint8Array(readFileSync(name)) }]);
  const motions = listPoseTimes(asset, MOST_FRAMES).map(
    ({ animation, times }) => sampleAnimation(asset, animation, times).motion,
  );
  return { ddm: await makeAssetDdm(asset, { lambda: 20 }), motions };
}

const [name = 'bar', count = '20'] = process.argv.slice(2);
const { ddm, motions } = await open(name);
const truth = makeDdm(ddm);
const size = ddm.mesh.positions.length;
const frames = motions.flatMap((motion) => Array.from(motion.times, (_, k) => poseOf(motion, k)));
const shapes = frames.map((bones) => {
  const out = new Float64Array(size);
  truth.deformInto({ bones }, out);
  return out;
});

async function row(label, options) {
  const {
    model,
    size: height,
    rmseFit,
    objective,
  } = await compressDdm(ddm, { virtualBones: Number(count), motions, ...options });
  const deformer = makeTwoLayer(model);
  const out = new Float64Array(size);
  let sum = 0;
  let max = 0;
  frames.forEach((bones, k) => {
    deformer.deformInto({ bones }, out);
    for (let c = 0; c < size; c += 3) {
      const square =
        (out[c] - shapes[k][c]) ** 2 + (out[c + 1] - shapes[k][c + 1]) ** 2 + (out[c + 2] - shapes[k][c + 2]) ** 2;
      sum += square;
      max = Math.max(max, square);
    }
  });
  const percent = (length) => ((100 * length) / height).toPrecision(3);
  const rms = Math.sqrt((3 * sum) / (size * frames.length));
  console.log(
    `| ${label} | ${percent(rms)} / ${percent(Math.sqrt(max))} | ${percent(rmseFit)} | ${percent(objective)} |`,
  );
}

const quick = name === 'bar' ? {} : { iterations: 6, poses: 8 };
const linear = { ...quick, objective: 'linear' };
console.log('| | RMS / maximum | RMSE_fit | objective |\n|---|---|---|---|');
await row('nonlinear', quick);
await row('without the multi-weights update', { ...quick, update: 'none' });
await row('without moves', { ...quick, relocate: 0 });
await row('without hierarchy', { ...quick, maps: { hierarchy: false } });
await row('without coordinate change', { ...quick, maps: { coordinates: false } });
await row('without both', { ...quick, maps: { hierarchy: false, coordinates: false } });
await row('ranges of the animation', { ...quick, ranges: 'auto' });
await row('the same, all made equal', { ...quick, ranges: 'auto', maps: { ranges: false }, rangeRatio: 1 });
await row('frames as examples, weight 1', { ...quick, examples: 1 });
await row('norm 4', { ...quick, norm: 4 });
await row('linear, no update', { ...linear, update: 'none' });
await row('linear, guarded update', linear);
await row('linear, printed update', { ...linear, update: 'printed' });
await row('linear, no update, smoothness 0.01', { ...linear, update: 'none', smoothness: 0.01 });
await row('linear, no update, without hierarchy', { ...linear, update: 'none', maps: { hierarchy: false } });
await row('linear, no update, without coordinate change', { ...linear, update: 'none', maps: { coordinates: false } });
await row('linear, no update, without both', {
  ...linear,
  update: 'none',
  maps: { hierarchy: false, coordinates: false },
});
