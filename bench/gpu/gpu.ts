// SPDX-License-Identifier: MIT
// GPU time of every deformer, by timestamp queries, beside what memory allows in the same run.
//   node gpu.mjs [--models FILE] [--instances N] [--crowd N] [--json FILE] [--only TEXT] [--per-thread N]
// Uses SwiftShader where @sparticuz/chromium is there to carry it and OSSIFY_GPU is not 'system'; figures are marked as such.

import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchGpu } from '../../scripts/launch-gpu.ts';
import type { DdmVariant } from '../../src/core/model/deformed/direct-delta-mush.ts';
import { makeLooseSkeleton } from '../../src/core/model/skin/skeleton.ts';
import { makeDeformer } from '../../src/entry/deform.ts';
import {
  createGpuDeformer,
  type GpuDeformerOptions,
  type GpuModel,
  requestGpuDevice,
  writePalettesInto,
} from '../../src/entry/gpu.ts';
import { type BenchModel, ddmOf, readModels, twoLayerOf, widenSkin } from './gpu-models.ts';
import { measureBandwidth, timePass } from './gpu-timing.ts';

/** Palettes to go round, so that bones do not stay in a cache. */
const PALETTE_SETS = 4;
const STORAGE = 0x80 | 0x8;
/** Dispatches per timed pass: starting and ending a pass takes some 5 µs of their own, a tenth of what 300 figures take. */
const DISPATCHES = 8;

interface Case {
  name: string;
  figure: BenchModel;
  model: GpuModel;
  instances: number;
  options?: GpuDeformerOptions;
}

interface Row {
  name: string;
  instances: number;
  nsPerVertex: number;
  medianNsPerVertex: number;
  microseconds: number;
  bytesPerVertex: number;
  ratioToFloor: number;
  modelBytes: number;
  worst: number;
}

const { values: args } = parseArgs({
  options: {
    models: { type: 'string', default: join(dirname(fileURLToPath(import.meta.url)), 'models.bin') },
    instances: { type: 'string' },
    crowd: { type: 'string' },
    json: { type: 'string' },
    only: { type: 'string', default: '' },
    'per-thread': { type: 'string' },
  },
});

const gpu = await launchGpu(['enable-dawn-features=allow_unsafe_apis', 'disable-dawn-features=timestamp_quantization']);
const device = await requestGpuDevice({ gpu, features: ['timestamp-query'] });
const adapter = device.adapterInfo;
const isSoftware = /swiftshader|llvmpipe/i.test(`${adapter.description} ${adapter.device} ${adapter.vendor}`);
if (!device.features.has('timestamp-query')) throw new Error('bench gpu: this device has no timestamp queries');
device.addEventListener('uncapturederror', (event) => {
  throw new Error(`bench gpu: ${(event as GPUUncapturedErrorEvent).error.message}`);
});

const instances = Number(args.instances ?? (isSoftware ? 3 : 300));
const crowd = Number(args.crowd ?? (isSoftware ? 8 : 10_000));
const [figure, animal] = readModels(new Uint8Array(readFileSync(args.models)));
const bandwidth = await measureBandwidth(device, isSoftware ? 2 ** 22 : 2 ** 28);
console.log(
  `device: ${adapter.vendor} ${adapter.architecture} ${adapter.description}${isSoftware ? ' (software: no measure of a GPU)' : ''}`,
);
console.log(`copy ${bandwidth.copy.toFixed(0)} GB/s (read and written), fill ${bandwidth.fill.toFixed(0)} GB/s`);
console.log(
  `${figure.name}: ${figure.mesh.positions.length / 3} vertices, ${figure.boneCount} bones, ${instances} instances`,
);

const rows: Row[] = [];
console.log('case                      ns/vertex  median      µs  B/vertex  x floor   model MB  worst (of size)');
for (const one of listCases()) {
  if (!one.name.includes(args.only)) continue;
  const row = await runCase(one);
  rows.push(row);
  console.log(
    `${row.name.padEnd(25)} ${row.nsPerVertex.toFixed(5).padStart(9)} ${row.medianNsPerVertex.toFixed(5).padStart(8)} ${row.microseconds.toFixed(1).padStart(8)} ${row.bytesPerVertex.toFixed(2).padStart(8)} ${row.ratioToFloor.toFixed(2).padStart(8)} ${(row.modelBytes / 1e6).toFixed(2).padStart(9)}  ${row.worst.toExponential(1)}`,
  );
}
if (args.json)
  writeFileSync(args.json, JSON.stringify({ adapter: adapter.description, isSoftware, bandwidth, rows }, null, 2));
process.exit(0);

function listCases(): Case[] {
  const { mesh } = figure;
  const plain = { mesh, skeleton: makeLooseSkeleton(figure.boneCount) };
  const cases: Case[] = [];
  const add = (name: string, model: GpuModel, options?: GpuDeformerOptions): void => {
    cases.push({ name, figure, model, instances, options });
  };
  const four = widenSkin(figure, 4);
  add('LBS-4', { ...plain, kind: 'skin', skin: four });
  add('LBS-8', { ...plain, kind: 'skin', skin: widenSkin(figure, 8) });
  for (const key of Object.keys(figure.twoLayers)) add(`two layers, ${key}`, twoLayerOf(figure, key));
  add('LBS as it is', { ...plain, kind: 'skin', skin: figure.skin });
  add('LBS-4 vec4', { ...plain, kind: 'skin', skin: four }, { stride: 4 });
  add('LBS-4 positions', { ...plain, kind: 'skin', skin: four }, { normals: false });
  add('DQ-4', { ...plain, kind: 'dual-quaternion', skin: four });
  const centers = mesh.positions.map((x, c) => 0.9 * x + (c % 3) * 0.01);
  add('CoR-4', { ...plain, kind: 'centers-of-rotation', skin: four, centers });
  for (const key of Object.keys(figure.multiWeights)) {
    for (const variant of [0, 1, 2, 3, 4, 5] as DdmVariant[])
      add(`v${variant} over ${key}`, ddmOf(figure, key, variant));
    for (const variant of [0, 1] as DdmVariant[])
      add(`v${variant} short over ${key}`, ddmOf(figure, key, variant), { quantize: true });
  }
  const skin = widenSkin(animal, 4);
  const skeleton = makeLooseSkeleton(animal.boneCount);
  const model: GpuModel = { kind: 'skin', mesh: animal.mesh, skeleton, skin };
  cases.push({ name: `crowd LBS-4 ${animal.name}`, figure: animal, model, instances: crowd });
  return cases;
}

async function runCase({ name, figure: from, model, instances: count, options }: Case): Promise<Row> {
  const perThread = args['per-thread'] ? Number(args['per-thread']) : undefined;
  const deformer = await createGpuDeformer(device, model, {
    instances: count,
    instancesPerThread: perThread,
    ...options,
  });
  const palettes = makePalettes(from, count);
  const repeats = isSoftware ? 1 : Math.max(1, Math.min(DISPATCHES, Math.ceil((DISPATCHES * 300) / count)));
  const times = await timePass(device, isSoftware ? 2 : 20, (pass, n) => {
    for (let r = 0; r < repeats; r++) deformer.encode(pass, palettes[(n * repeats + r) % PALETTE_SETS]);
  });
  const sorted = times.map((t) => t / repeats).sort((a, b) => a - b);
  const vertices = deformer.vertexCount * count;
  const outputs = (options?.stride ?? 3) * 4 * (options?.normals === false ? 1 : 2);
  const bytes = vertices * outputs + deformer.modelBytes + count * deformer.boneCount * 48;
  // the floor: written bytes at the speed of filling, the rest at that of copying
  const floor = (vertices * outputs) / bandwidth.fill + (bytes - vertices * outputs) / bandwidth.copy;
  const worst = await measureWorst(deformer, model, from, palettes[0], options?.stride ?? 3);
  for (const buffer of palettes) buffer.destroy();
  deformer.destroy();
  return {
    name,
    instances: count,
    nsPerVertex: sorted[0] / vertices,
    medianNsPerVertex: sorted[sorted.length >> 1] / vertices,
    microseconds: sorted[0] / 1000,
    bytesPerVertex: bytes / vertices,
    ratioToFloor: sorted[0] / floor,
    modelBytes: deformer.modelBytes,
    worst,
  };
}

/** Instances take the poses in turn, each set from another one on. */
function makePalettes(from: BenchModel, count: number): GPUBuffer[] {
  const { boneCount, poses } = from;
  const poseCount = poses.length / (16 * boneCount);
  return Array.from({ length: PALETTE_SETS }, (_, set) => {
    const rows = new Float32Array(count * boneCount * 12);
    for (let k = 0; k < count; k++) {
      const pose = poses.subarray(((k + set) % poseCount) * boneCount * 16);
      writePalettesInto(pose, boneCount, rows.subarray(k * boneCount * 12));
    }
    const buffer = device.createBuffer({ size: rows.byteLength, usage: STORAGE });
    device.queue.writeBuffer(buffer, 0, rows);
    return buffer;
  });
}

/** Farthest of the first and the last few instances from the reference on the CPU, as a part of the size. */
async function measureWorst(
  deformer: Awaited<ReturnType<typeof createGpuDeformer>>,
  model: GpuModel,
  from: BenchModel,
  palettes: GPUBuffer,
  stride: number,
): Promise<number> {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  const count = Math.min(deformer.instances, 5);
  deformer.encode(pass, palettes, count);
  pass.end();
  device.queue.submit([encoder.finish()]);
  const { positions } = await deformer.readback(count);
  const reference = makeDeformer(model);
  const wanted = new Float32Array(3 * deformer.vertexCount);
  const rest = model.mesh.positions;
  let worst = 0;
  let size = 0;
  for (let c = 0; c < rest.length; c++) size = Math.max(size, Math.abs(rest[c] - rest[c % 3]));
  for (const k of [0, count - 1]) {
    const bones = from.poses.subarray(k * from.boneCount * 16, (k + 1) * from.boneCount * 16);
    reference.deformInto({ bones }, wanted);
    for (let c = 0; c < wanted.length; c++) {
      const at = (k * deformer.vertexCount + Math.floor(c / 3)) * stride + (c % 3);
      worst = Math.max(worst, Math.abs(wanted[c] - positions[at]) / size);
    }
  }
  return worst;
}
