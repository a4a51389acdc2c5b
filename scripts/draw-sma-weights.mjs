// SPDX-License-Identifier: MIT
// The plot of docs/sma.md after Figure 7 of James and Twigg 2005: weights of all vertices, sorted, by NNLS and by truncated SVD.
//
//   node scripts/draw-sma-weights.mjs rest.obj motion.pc2 docs/images/sma-weights.svg
//
// Run `npm run build` first; OSSIFY_DIST names another build.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';

const DIST = process.env.OSSIFY_DIST
  ? pathToFileURL(`${process.env.OSSIFY_DIST}/`)
  : new URL('../dist/', import.meta.url);
const load = async (path) => import(new URL(path, DIST).href);
const { clusterTriangles, settleSmaOptions, skinClusters } = await load('decompose/sma.js');
const { makePlot } = await load('draw.js');
const { triangleRotations } = await load('fit/triangle-rotations.js');
const { Watch } = await load('fit/watch.js');
const { readAsset } = await load('io/read-asset.js');
const { makeCompute } = await load('kernels/make-compute.js');

const EPSILON = 0.05;
/** Places along the sorted weights: even, and closer together towards both ends, where the few large ones are. */
const ENDS = [0, 0.0003, 0.001, 0.002, 0.003, 0.005, 0.0075];
const PLACES = [
  ...ENDS,
  ...Array.from({ length: 99 }, (_, n) => (n + 1) / 100),
  ...ENDS.map((part) => 1 - part).reverse(),
];
const SERIES = [
  { transforms: 'rigid', weightsBy: 'nnls', color: '#1f77b4' },
  { transforms: 'rigid', weightsBy: 'tsvd', color: '#1f77b4', dashes: '4 3' },
  { transforms: 'affine', weightsBy: 'nnls', color: '#d62728' },
  { transforms: 'affine', weightsBy: 'tsvd', color: '#d62728', dashes: '4 3' },
];

const [restPath, motionPath, output] = process.argv.slice(2);
const files = [restPath, motionPath].map((path) => ({
  name: basename(path),
  bytes: new Uint8Array(readFileSync(path)),
}));
const { clips } = await readAsset(files, { fps: 30 });
const [clip] = clips;
const compute = await makeCompute({ threads: 1 });
const rotations = triangleRotations(clip);
const clusters = await clusterTriangles(compute, clip, rotations, EPSILON, settleSmaOptions(clip, {}), new Watch({}));
const series = [];
let least = 0;
for (const { transforms, weightsBy, ...look } of SERIES) {
  const options = settleSmaOptions(clip, { transforms, weightsBy });
  let sorted = [];
  await skinClusters(compute, clip, rotations, clusters, options, new Watch({}), (weights) => {
    sorted = Float64Array.from(weights).sort();
  });
  const values = PLACES.map((part) => sorted[Math.round(part * (sorted.length - 1))]);
  least = Math.min(least, sorted[0]);
  const negative = sorted.filter((weight) => weight < 0).length / sorted.length;
  const past = sorted.filter((weight) => weight > 1).length / sorted.length;
  console.log(transforms, weightsBy, sorted.length, sorted[0], sorted.at(-1), { negative, past });
  series.push({ label: `${transforms}, ${weightsBy}`, values, ...look });
}
compute.dispose();
const x = PLACES.map((part) => 100 * part);
const yMin = Math.floor(least);
const { svg } = makePlot({ x, xLabel: 'weights, sorted, %', yLabel: 'weight', series, yMin, height: 300 });
writeFileSync(output, `${svg}\n`);
