// SPDX-License-Identifier: MIT
// Time per frame of a herd that is posed, deformed and drawn, with levels of detail and without: src/methods/lod/README.md.
//   node gpu-levels.mjs [--count N] [--resolution N] [--frames N] [--json FILE]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { launchGpu } from '../../scripts/launch-gpu.ts';
import { makeAsset } from '../../src/core/model/make-asset.ts';
import { cutLevel } from '../../src/core/model/mesh/cut-level.ts';
import type { Mesh } from '../../src/core/model/mesh/mesh.ts';
import {
  chooseLevels,
  createGpuDeformer,
  createGpuPlayer,
  type GpuDeformer,
  type GpuPlayer,
  makeRestNormals,
  requestGpuDevice,
} from '../../src/entry/gpu.ts';
import { makeLevels } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { measureBandwidth } from './gpu-timing.ts';

const RATIOS = [1, 0.3, 0.1, 0.03];
const COVERAGE = [0.2, 0.07, 0.025, 0];
const [WIDTH, HEIGHT] = [1920, 1080];
const SPACING = 2;

const SHADER = /* wgsl */ `
struct View { matrix: mat4x4f, vertexCount: u32, side: u32, spacing: f32 }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> positions: array<f32>;
@group(0) @binding(2) var<storage, read> normals: array<f32>;
@group(0) @binding(3) var<storage, read> animals: array<u32>;
struct Corner { @builtin(position) at: vec4f, @location(0) normal: vec3f }
@vertex fn place(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
  let o = (instance * view.vertexCount + vertex) * 3u;
  let animal = animals[instance];
  let cell = vec2f(f32(animal % view.side), f32(animal / view.side)) * view.spacing;
  let position = vec3f(positions[o], positions[o + 1u], positions[o + 2u]) + vec3f(cell.x, 0.0, -cell.y);
  return Corner(view.matrix * vec4f(position, 1.0), vec3f(normals[o], normals[o + 1u], normals[o + 2u]));
}
@fragment fn shade(corner: Corner) -> @location(0) vec4f {
  return vec4f(vec3f(0.6 + 0.4 * dot(normalize(corner.normal), vec3f(0.42, 0.84, 0.34))), 1.0);
}`;

const { values: args } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    resolution: { type: 'string', default: '8000' },
    frames: { type: 'string', default: '20' },
    json: { type: 'string' },
  },
});
const count = Number(args.count);
const side = Math.ceil(Math.sqrt(count));
const gpu = await launchGpu(['enable-dawn-features=allow_unsafe_apis', 'disable-dawn-features=timestamp_quantization']);
const device = await requestGpuDevice({ gpu, features: ['timestamp-query'] });
const adapter = device.adapterInfo;
const isSoftware = /swiftshader|llvmpipe/i.test(`${adapter.description} ${adapter.device} ${adapter.vendor}`);
device.addEventListener('uncapturederror', (event) => {
  throw new Error(`bench gpu-levels: ${(event as GPUUncapturedErrorEvent).error.message}`);
});
const { copy } = await measureBandwidth(device, isSoftware ? 2 ** 22 : 2 ** 28);
console.log(
  `device: ${adapter.vendor} ${adapter.architecture} ${adapter.description}${isSoftware ? ' (software)' : ''}; copy ${copy.toFixed(0)} GB/s`,
);

const { clip, skeleton, skin, motion } = makeSample('quadruped', { resolution: Number(args.resolution), frames: 24 });
const full: Mesh = { ...clip.mesh, normals: makeRestNormals(clip.mesh) };
const asset = makeAsset({ kind: 'skin', mesh: full, skeleton: skeleton!, skin: skin!, motions: [motion!] });
const simplified = await makeLevels(asset, { ratios: RATIOS.slice(1), keepBones: true });
const shapes = [{ mesh: full, skin: skin! }, ...simplified.map((level) => cutLevel(full, skin!, level))];

const module = device.createShaderModule({ code: SHADER });
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format: 'rgba8unorm' }] },
  primitive: { cullMode: 'back' },
  depthStencil: { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true },
});
const color = device.createTexture({ size: [WIDTH, HEIGHT], format: 'rgba8unorm', usage: 0x10 });
const depth = device.createTexture({ size: [WIDTH, HEIGHT], format: 'depth24plus', usage: 0x10 });

/** A camera at the edge of the herd, at the height of a rider, that looks along it. */
const [near, far, f] = [0.1, 4 * SPACING * side, 1.7];
const range = far / (near - far);
const projection = [(f * HEIGHT) / WIDTH, 0, 0, 0, 0, f, 0, 0, 0, 0, range, -1, 0, 0, range * near, 0];
const view = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, (-SPACING * side) / 2, -2.5, -3, 1];
const matrix = Float32Array.from({ length: 16 }, (_, c) =>
  [0, 1, 2, 3].reduce((sum, k) => sum + projection[4 * k + (c % 4)] * view[c - (c % 4) + k], 0),
);
const centers = Float32Array.from({ length: 3 * count }, (_, c) => {
  const k = Math.floor(c / 3);
  return [SPACING * (k % side), 0.5, -SPACING * Math.floor(k / side)][c % 3];
});

interface Batch {
  player: GpuPlayer;
  deformer: GpuDeformer;
  bindings: GPUBindGroup;
  indices: GPUBuffer;
  corners: number;
  own: Uint32Array;
}

/** Deformers for the instances of a level, as many as a binding allows each. */
async function makeBatches(level: number, instances: Uint32Array): Promise<Batch[]> {
  const { mesh, skin: weights } = shapes[level];
  const most = Math.floor(
    Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize, 2 ** 31 - 4) /
      (4 * mesh.positions.length),
  );
  const batches: Batch[] = [];
  for (let first = 0; first < instances.length; first += most) {
    const own = instances.slice(first, first + most);
    const rig = { nodes: asset.nodes, animations: asset.animations, ...asset.rig! };
    const player = await createGpuPlayer(device, rig, { instances: own.length });
    const model = { kind: 'skin' as const, mesh, skeleton: skeleton!, skin: weights };
    const deformer = await createGpuDeformer(device, model, { instances: own.length });
    const indices = device.createBuffer({ size: mesh.triangles.byteLength, usage: 0x10 | 0x8 });
    device.queue.writeBuffer(indices, 0, mesh.triangles as Uint32Array<ArrayBuffer>);
    const uniform = device.createBuffer({ size: 80, usage: 0x40 | 0x8 });
    device.queue.writeBuffer(uniform, 0, matrix);
    device.queue.writeBuffer(uniform, 64, Uint32Array.of(deformer.vertexCount, side));
    device.queue.writeBuffer(uniform, 72, Float32Array.of(SPACING));
    const animals = device.createBuffer({ size: 4 * own.length, usage: 0x80 | 0x8 });
    device.queue.writeBuffer(animals, 0, own as Uint32Array<ArrayBuffer>);
    const entries = [uniform, deformer.positions, deformer.normals!, animals].map((buffer, binding) => ({
      binding,
      resource: { buffer },
    }));
    const bindings = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    batches.push({ player, deformer, bindings, indices, corners: mesh.triangles.length, own });
  }
  return batches;
}

async function timeFrames(batches: readonly Batch[], isChosen: boolean): Promise<number> {
  const frames = Number(args.frames);
  let start = 0;
  // the first frames warm up
  for (let n = -3; n < frames; n++) {
    if (n === 0) {
      await device.queue.onSubmittedWorkDone();
      start = performance.now();
    }
    // what a page does in every frame: the batches stay as they are, since the camera does
    if (isChosen) chooseLevels({ centers, radius: 0.9, view, projection }, COVERAGE);
    const encoder = device.createCommandEncoder();
    const compute = encoder.beginComputePass();
    for (const { player, deformer, own } of batches) {
      player.writeTimes(Float32Array.from(own, (k) => n / 60 + 0.37 * k));
      player.encode(compute);
      deformer.encode(compute, player.palettes);
    }
    compute.end();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: color.createView(), loadOp: 'clear', storeOp: 'store' }],
      depthStencilAttachment: {
        view: depth.createView(),
        depthClearValue: 1,
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
      },
    });
    pass.setPipeline(pipeline);
    for (const { bindings, indices, corners, own } of batches) {
      pass.setBindGroup(0, bindings);
      pass.setIndexBuffer(indices, 'uint32');
      pass.drawIndexed(corners, own.length);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
  }
  await device.queue.onSubmittedWorkDone();
  return (performance.now() - start) / frames;
}

const rows = [];
for (const isChosen of [false, true]) {
  const lists = isChosen
    ? chooseLevels({ centers, radius: 0.9, view, projection }, COVERAGE).lists
    : [Uint32Array.from({ length: count }, (_, k) => k)];
  const batches: Batch[] = [];
  for (const [level, list] of lists.entries()) batches.push(...(await makeBatches(level, list)));
  const milliseconds = await timeFrames(batches, isChosen);
  const triangles = batches.reduce((sum, { corners, own }) => sum + (corners / 3) * own.length, 0);
  const levels = lists.map((list, n) => ({ triangles: shapes[n].mesh.triangles.length / 3, animals: list.length }));
  rows.push({ levels: isChosen, milliseconds, triangles, perLevel: levels });
  console.log(
    `${isChosen ? 'with' : 'without'} levels: ${milliseconds.toFixed(2)} ms per frame, ${(triangles / 1e6).toFixed(2)} million triangles; ${levels.map((one) => `${one.animals} of ${one.triangles}`).join(', ')}`,
  );
  for (const { player, deformer } of batches) {
    player.destroy();
    deformer.destroy();
  }
}
if (args.json)
  writeFileSync(args.json, JSON.stringify({ adapter: adapter.description, isSoftware, copy, count, rows }, null, 2));
process.exit(0);
