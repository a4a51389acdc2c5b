// SPDX-License-Identifier: MIT
// GPU time of a driven face and of its morph targets, ten active shapes per instance, by timestamp queries, beside the bandwidth of a copy in the same run.
//   node gpu-faces.mjs [--face FILE] [--instances 1,10,100,1000] [--json FILE] [--only TEXT] [--per-thread N]
// Every instance has other shapes and weights; four sets of weights take turns.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchGpu } from '../../scripts/launch-gpu.ts';
import { makeShapeDriven } from '../../src/entry/deform.ts';
import { createGpuFace, createGpuShapeDriver, type GpuFaceOptions, requestGpuDevice } from '../../src/entry/gpu.ts';
import { readFaceModel } from './gpu-face-model.ts';
import { createGpuMorphs } from './gpu-morphs.ts';
import { measureBandwidth, timePass } from './gpu-timing.ts';

const ACTIVE = 10;
const WEIGHT_SETS = 4;
/** Times per timed pass: starting and ending a pass takes some 5 µs. */
const REPEATS = 8;

interface Row {
  name: string;
  instances: number;
  nsPerVertex: number;
  medianNsPerVertex: number;
  microseconds: number;
  modelBytes: number;
  /** Largest distance from the reference on the CPU, relative to the height. */
  worst: number;
}

/** Something timed: records the work of one frame with a set of weights. */
interface Work {
  modelBytes: number;
  encode(pass: GPUComputePassEncoder, set: number): void;
  /** Positions of the first instance. */
  positions?: GPUBuffer;
  destroy(): void;
}

const { values: args } = parseArgs({
  options: {
    face: { type: 'string', default: join(dirname(fileURLToPath(import.meta.url)), 'face.bin') },
    instances: { type: 'string' },
    json: { type: 'string' },
    only: { type: 'string', default: '' },
    'per-thread': { type: 'string', default: '4' },
  },
});

const gpu = await launchGpu(['enable-dawn-features=allow_unsafe_apis', 'disable-dawn-features=timestamp_quantization']);
const device = await requestGpuDevice({ gpu, features: ['timestamp-query'] });
const adapter = device.adapterInfo;
const isSoftware = /swiftshader|llvmpipe/i.test(`${adapter.description} ${adapter.device} ${adapter.vendor}`);
if (!device.features.has('timestamp-query')) throw new Error('bench gpu-faces: this device has no timestamp queries');
device.addEventListener('uncapturederror', (event) => {
  throw new Error(`bench gpu-faces: ${(event as GPUUncapturedErrorEvent).error.message}`);
});

const { name, model, deltas, normalDeltas } = readFaceModel(new Uint8Array(readFileSync(args.face)));
const { mesh, skeleton, skin, drivers } = model;
/** Instances up to which one pass is timed. */
const MAX_ONE_PASS = 100;
const vertexCount = mesh.positions.length / 3;
const shapeCount = drivers.shapes.length;
const counts = (args.instances ?? (isSoftware ? '1,3' : '1,10,100,1000')).split(',').map(Number);
const bandwidth = await measureBandwidth(device, isSoftware ? 2 ** 22 : 2 ** 28);
console.log(
  `device: ${adapter.vendor} ${adapter.architecture} ${adapter.description}${isSoftware ? ' (software: no measure of a GPU)' : ''}`,
);
console.log(`copy ${bandwidth.copy.toFixed(0)} GB/s (read and written), fill ${bandwidth.fill.toFixed(0)} GB/s`);
console.log(
  `${name}: ${vertexCount} vertices, ${shapeCount} shapes, ${ACTIVE} active; ${skeleton.names.length} bones, ${(skin.weights.length / vertexCount).toFixed(2)} weights per vertex, ${drivers.values.length} non-zeros`,
);
console.log(
  'case                                          instances  ns/vertex   median        µs  model MB  worst (of height)',
);
const rows: Row[] = [];
for (const instances of counts) {
  for (const [title, make] of Object.entries(listWorks(instances))) {
    if (!title.includes(args.only)) continue;
    const row = await measureWork(title, instances, make);
    rows.push(row);
    console.log(
      `${row.name.padEnd(46)} ${String(instances).padStart(8)} ${row.nsPerVertex.toFixed(5).padStart(10)} ${row.medianNsPerVertex.toFixed(5).padStart(8)} ${row.microseconds.toFixed(1).padStart(9)} ${(row.modelBytes / 1e6).toFixed(2).padStart(9)}  ${Number.isNaN(row.worst) ? '' : row.worst.toExponential(1)}`,
    );
  }
}
if (args.json)
  writeFileSync(args.json, JSON.stringify({ adapter: adapter.description, isSoftware, bandwidth, rows }, null, 2));
process.exit(0);

function listWorks(instances: number): Record<string, () => Promise<Work>> {
  const sets = Array.from({ length: WEIGHT_SETS }, (_, set) => makeWeights(instances, set));
  const works: Record<string, () => Promise<Work>> = {};
  for (const normals of [false, true]) {
    const what = normals ? 'positions and normals' : 'positions';
    if (instances <= MAX_ONE_PASS)
      works[`driven bones, one pass, ${what}`] = () => makeDriven(sets, { instances, normals, passes: 1 });
    works[`driven bones, two passes, ${what}`] = () => makeDriven(sets, { instances, normals, passes: 2 });
    works[`driven bones, 16 bits, ${what}`] = () => makeDriven(sets, { instances, normals, passes: 2, quantize: true });
    for (const isShort of [false, true])
      works[`morph targets ${isShort ? '16' : '32'} bits, ${what}`] = () =>
        makeMorphs(sets, instances, normals, isShort);
  }
  works['drivers alone'] = () => makeDrivers(sets, instances);
  return works;
}

/** instances x shapeCount: ten of them are not zero. */
function makeWeights(instances: number, set: number): Float32Array {
  const weights = new Float32Array(instances * shapeCount);
  for (let k = 0; k < instances; k++)
    for (let n = 0; n < ACTIVE; n++)
      weights[k * shapeCount + ((5 * n + 3 + k + 7 * set) % shapeCount)] = 0.3 + 0.05 * n;
  return weights;
}

async function makeDrivers(sets: readonly Float32Array[], instances: number): Promise<Work> {
  const all = await Promise.all(sets.map(() => createGpuShapeDriver(device, model, { instances })));
  for (const [set, driver] of all.entries()) driver.writeWeights(sets[set]);
  return {
    modelBytes: all[0].modelBytes,
    encode: (pass, set) => all[set].encode(pass),
    destroy: () => {
      for (const driver of all) driver.destroy();
    },
  };
}

/** A face per set of weights. */
async function makeDriven(sets: readonly Float32Array[], options: GpuFaceOptions): Promise<Work> {
  const faces = await Promise.all(sets.map(() => createGpuFace(device, model, options)));
  for (const [set, face] of faces.entries()) face.writeWeights(sets[set]);
  return {
    modelBytes: faces[0].modelBytes,
    positions: faces[0].positions,
    encode: (pass, set) => faces[set].encode(pass),
    destroy: () => {
      for (const face of faces) face.destroy();
    },
  };
}

async function makeMorphs(
  sets: readonly Float32Array[],
  instances: number,
  normals: boolean,
  isShort: boolean,
): Promise<Work> {
  const options = { instances, normals, isShort, perThread: Math.min(instances, Number(args['per-thread'])) };
  const morphs = await createGpuMorphs(device, mesh.positions, mesh.normals!, deltas, normalDeltas, options);
  for (const weights of sets) morphs.addWeights(weights);
  return morphs;
}

async function measureWork(title: string, instances: number, make: () => Promise<Work>): Promise<Row> {
  const work = await make();
  const repeats = isSoftware ? 1 : REPEATS;
  const times = await timePass(device, isSoftware ? 2 : 20, (pass, n) => {
    for (let r = 0; r < repeats; r++) work.encode(pass, (n * repeats + r) % WEIGHT_SETS);
  });
  const sorted = times.map((t) => t / repeats).sort((a, b) => a - b);
  const isDriven = !title.startsWith('morph');
  const worst = work.positions ? await measureWorst(work, work.positions, instances, isDriven) : Number.NaN;
  work.destroy();
  return {
    name: title,
    instances,
    nsPerVertex: sorted[0] / (vertexCount * instances),
    medianNsPerVertex: sorted[sorted.length >> 1] / (vertexCount * instances),
    microseconds: sorted[0] / 1000,
    modelBytes: work.modelBytes,
    worst,
  };
}

/** Largest distance of the last instance, with the first set of weights, from driven bones or from morph targets on the CPU. */
async function measureWorst(work: Work, from: GPUBuffer, instances: number, isDriven: boolean): Promise<number> {
  const size = vertexCount * 12;
  const staging = device.createBuffer({ size, usage: 0x1 | 0x8 });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  work.encode(pass, 0);
  pass.end();
  encoder.copyBufferToBuffer(from, (instances - 1) * size, staging, 0, size);
  device.queue.submit([encoder.finish()]);
  await staging.mapAsync(0x1);
  const got = new Float32Array(staging.getMappedRange());
  const weights = makeWeights(instances, 0).subarray(-shapeCount);
  const wanted = isDriven ? driveOnCpu(weights) : blendOnCpu(weights);
  const heights = mesh.positions.filter((_, c) => c % 3 === 1);
  const height = heights.reduce((a, b) => Math.max(a, b)) - heights.reduce((a, b) => Math.min(a, b));
  let worst = 0;
  for (let c = 0; c < wanted.length; c++) worst = Math.max(worst, Math.abs(wanted[c] - got[c]) / height);
  staging.destroy();
  return worst;
}

function driveOnCpu(weights: Float32Array): Float32Array {
  const positions = new Float32Array(mesh.positions.length);
  makeShapeDriven(model).deformInto({ bones: new Float64Array(0), morphs: weights }, positions);
  return positions;
}

function blendOnCpu(weights: Float32Array): Float32Array {
  const positions = mesh.positions.slice();
  weights.forEach((weight, s) => {
    if (weight === 0) return;
    for (let c = 0; c < positions.length; c++) positions[c] += weight * deltas[s * positions.length + c];
  });
  return positions;
}
