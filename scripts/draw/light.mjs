// SPDX-License-Identifier: MIT
// The figures of src/methods/light/README.md: a clip with and without light, the error by rank, and a crowd.
//
//   node scripts/draw/light.mjs skinned.glb docs/images
//
// Run `npm run build` first; OSSIFY_DIST names another build.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const DIST = process.env.OSSIFY_DIST
  ? pathToFileURL(`${process.env.OSSIFY_DIST}/`)
  : new URL('../../dist/', import.meta.url);
const load = async (path) => import(new URL(path, DIST).href);
const { light, readAsset } = await load('entry/index.js');
const { bakeClip, lightInto } = await load('entry/deform.js');
const { SolveMonitor } = await load('core/progress/solve-monitor.js');
const { factorLight } = await load('methods/light/factor-light.js');
const { fitCamera, makeContactSheet, makePlot, renderView, writePng } = await load('entry/draw.js');

const RANKS = 6;
const RAYS = 64;
const SHOWN_RANK = 6;
const FRAME_PART = 0.45;
const CLAY = [0.81, 0.77, 0.72];
const KINDS = [
  { kind: 'occlusion', label: 'occlusion (NMF)', color: '#1f77b4' },
  { kind: 'prelit', label: 'prelit (NMF)', color: '#d62728' },
  { kind: 'transfer', label: 'transfer (TSVD)', color: '#2ca02c' },
];
const CROWD = { rows: 4, columns: 5 };

const [input, folder] = process.argv.slice(2);
const asset = await readAsset([{ name: 'model.glb', bytes: new Uint8Array(readFileSync(input)) }]);
const clip = bakeClip(asset);
const { triangles } = clip.mesh;
const vertexCount = clip.mesh.positions.length / 3;
const frameOf = (k) => clip.positions.subarray(3 * vertexCount * k, 3 * vertexCount * (k + 1));
/** As shown: square roots of linear colours, on clay. */
const show = (colors) => colors.map((x, c) => CLAY[c % 3] * Math.sqrt(Math.min(1, Math.max(0, x))));

/** Colours of a frame with the first components, or as traced. */
function colorsAt({ model, coefficients, traced }, k, source = 'factors') {
  const colors = new Float32Array(3 * vertexCount);
  const normals = traced.normals.subarray(3 * vertexCount * k, 3 * vertexCount * (k + 1));
  if (source === 'factors')
    lightInto(model, coefficients.subarray(k * model.rank, (k + 1) * model.rank), colors, { normals });
  else {
    const size = vertexCount * traced.channels;
    const basis = traced.values.slice(k * size, (k + 1) * size);
    const { kind, environment } = model;
    lightInto({ kind, environment, rank: 1, basis, tracks: [] }, [1], colors);
  }
  return show(colors);
}

const options = { ground: 0.3, rays: RAYS };
const found = {};
for (const { kind } of KINDS) {
  const { model, traced, errors, seconds } = await light(asset, { ...options, kind, rank: RANKS });
  const factor = (relative, rank) => factorLight(kind, traced, relative, rank, new SolveMonitor({}));
  const { basis, coefficients } = await factor(model, SHOWN_RANK);
  const { errors: plainErrors } = await factor({}, RANKS);
  found[kind] = { model: { ...model, rank: SHOWN_RANK, basis }, coefficients, traced, errors, plainErrors };
  const percents = (list) => list.map((error) => (100 * error).toFixed(2)).join(' ');
  console.log(kind, percents(errors), '| without normals', percents(plainErrors), seconds);
}

const series = KINDS.flatMap(({ kind, label, color }) => {
  const valuesOf = (errors) => errors.slice(1).map((error) => 100 * error);
  const { errors, plainErrors } = found[kind];
  return [
    { label, color, values: valuesOf(errors) },
    { label: `${kind}, without normals`, color, dashes: '4 4', values: valuesOf(plainErrors) },
  ];
});
const x = series[0].values.map((_, r) => r + 1);
const plot = makePlot({ x, xLabel: 'rank', yLabel: 'relative error, %', series, yMin: 0, height: 300 });
writeFileSync(join(folder, 'light-rank.svg'), `${plot.svg}\n`);

const k = Math.round(FRAME_PART * (clip.times.length - 1));
const [width, height] = [400, 300];
const camera = fitCamera(frameOf(k), { width, height, view: 'three-quarter', up: asset.up });
const draw = (scene) => renderView({ positions: frameOf(k), triangles, ...scene }, { width, height, camera });
const clay = Float32Array.from({ length: 3 * vertexCount }, (_, c) => CLAY[c % 3]);
const cells = [
  { image: draw({ colors: clay, bakedLight: 'ambient' }), caption: 'without' },
  { image: draw({ colors: colorsAt(found.occlusion, k), bakedLight: 'ambient' }), caption: 'occlusion, rank 6' },
  { image: draw({ colors: colorsAt(found.transfer, k), bakedLight: 'all' }), caption: 'transfer, rank 6' },
  { image: draw({ colors: clay, bakedLight: 'all' }), caption: 'without, unlit' },
  { image: draw({ colors: colorsAt(found.prelit, k, 'traced'), bakedLight: 'all' }), caption: 'prelit, traced' },
  { image: draw({ colors: colorsAt(found.prelit, k), bakedLight: 'all' }), caption: 'prelit, rank 6' },
];
writeFileSync(join(folder, 'light-horse.png'), writePng(makeContactSheet(cells, { columns: 3 })));

/** Many of them, each at its own time, in one scene. */
const { rows, columns } = CROWD;
const count = rows * columns;
const size = [0, 1, 2].map((a) => {
  const values = Array.from({ length: vertexCount }, (_, i) => clip.mesh.positions[3 * i + a]);
  return Math.max(...values) - Math.min(...values);
});
const crowd = {
  positions: new Float32Array(3 * vertexCount * count),
  colors: new Float32Array(3 * vertexCount * count),
  triangles: new Uint32Array(triangles.length * count),
};
for (let n = 0; n < count; n++) {
  const at = Math.floor((n * 0.381966 * clip.times.length) % clip.times.length);
  const place = [1.7 * size[0] * (n % columns), 0, 1.15 * size[2] * Math.floor(n / columns)];
  crowd.positions.set(
    frameOf(at).map((value, c) => value + place[c % 3]),
    3 * vertexCount * n,
  );
  crowd.colors.set(colorsAt(found.prelit, at), 3 * vertexCount * n);
  crowd.triangles.set(
    triangles.map((i) => i + vertexCount * n),
    triangles.length * n,
  );
}
const picture = renderView({ ...crowd, bakedLight: 'all' }, { width: 900, height: 500, up: asset.up });
writeFileSync(join(folder, 'light-crowd.png'), writePng(picture));
