// SPDX-License-Identifier: MIT
// Frames of a herd streamed to the GPU against skinning there: James and Twigg 2005, §7 (1,500 animals, 71.5 million triangles: 0.35 Hz by vertex buffers, 2.1 Hz skinned).
//   node gpu-stream.mjs [--count N] [--resolution N] [--batch N] [--frames N] [--json FILE]
//
// streamed: every frame, positions and normals of every animal are copied from memory to the GPU, then drawn.
// skinned:  every frame, the bone matrices of every animal are copied, skinned by a compute pass, then drawn.
// Both draw the same triangles from the same buffers, in batches that share them; times are those of whole frames, by the clock of the CPU.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { launchGpu } from '../../scripts/launch-gpu.ts';
import { poseOf } from '../../src/core/model/clip/motion.ts';
import type { Mesh } from '../../src/core/model/mesh/mesh.ts';
import { makeLinearBlend } from '../../src/entry/deform.ts';
import { createGpuDeformer, makeRestNormals, requestGpuDevice, writePalettesInto } from '../../src/entry/gpu.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { measureBandwidth } from './gpu-timing.ts';

const [WIDTH, HEIGHT] = [1280, 720];
const SPACING = 2;
const POSES = 24;
const BONE_BYTES = 48;
const [STORAGE, COPY_DST, INDEX, UNIFORM] = [0x80, 0x8, 0x10, 0x40];
/** Frames before the timed ones. */
const WARM = 2;

const SHADER = /* wgsl */ `
struct View { matrix: mat4x4f, vertexCount: u32, side: u32, spacing: f32, first: u32 }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> positions: array<f32>;
@group(0) @binding(2) var<storage, read> normals: array<f32>;
struct Corner { @builtin(position) at: vec4f, @location(0) normal: vec3f }
@vertex fn place(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
  let o = (instance * view.vertexCount + vertex) * 3u;
  let animal = view.first + instance;
  let cell = vec2f(f32(animal % view.side), f32(animal / view.side)) * view.spacing;
  let position = vec3f(positions[o], positions[o + 1u], positions[o + 2u]) + vec3f(cell.x, 0.0, -cell.y);
  return Corner(view.matrix * vec4f(position, 1.0), vec3f(normals[o], normals[o + 1u], normals[o + 2u]));
}
@fragment fn shade(corner: Corner) -> @location(0) vec4f {
  return vec4f(vec3f(0.6 + 0.4 * dot(normalize(corner.normal), vec3f(0.42, 0.84, 0.34))), 1.0);
}`;

const gpu = await launchGpu(['enable-dawn-features=allow_unsafe_apis', 'disable-dawn-features=timestamp_quantization']);
const device = await requestGpuDevice({ gpu, features: ['timestamp-query'] });
const adapter = device.adapterInfo;
const isSoftware = /swiftshader|llvmpipe/i.test(`${adapter.description} ${adapter.device} ${adapter.vendor}`);
device.addEventListener('uncapturederror', (event) => {
  throw new Error(`bench gpu-stream: ${(event as GPUUncapturedErrorEvent).error.message}`);
});

const { values: args } = parseArgs({
  options: {
    count: { type: 'string', default: isSoftware ? '12' : '1500' },
    // 23,833 vertices have 47,662 triangles: 71.5 million for 1,500 animals
    resolution: { type: 'string', default: isSoftware ? '1000' : '23833' },
    batch: { type: 'string', default: isSoftware ? '6' : '100' },
    frames: { type: 'string', default: isSoftware ? '2' : '20' },
    json: { type: 'string' },
  },
});
const [count, batch, frames] = [args.count, args.batch, args.frames].map(Number);
const side = Math.ceil(Math.sqrt(count));
const { clip, skeleton, skin, motion } = makeSample('quadruped', {
  resolution: Number(args.resolution),
  frames: POSES,
});
const mesh: Mesh = { ...clip.mesh, normals: makeRestNormals(clip.mesh) };
const boneCount = skeleton!.names.length;
const vertexCount = mesh.positions.length / 3;
const triangles = (count * mesh.triangles.length) / 3;
const { copy } = await measureBandwidth(device, isSoftware ? 2 ** 22 : 2 ** 28);
console.log(
  `device: ${adapter.vendor} ${adapter.architecture} ${adapter.description}${isSoftware ? ' (software: no measure of a GPU)' : ''}; copy ${copy.toFixed(0)} GB/s`,
);
console.log(`${count} animals of ${vertexCount} vertices, ${(triangles / 1e6).toFixed(1)} million triangles`);

/** One frame of the animation in both forms. */
const baked = Array.from({ length: POSES }, (_, k) => {
  const positions = new Float32Array(3 * vertexCount);
  const normals = new Float32Array(3 * vertexCount);
  const bones = poseOf(motion!, k);
  makeLinearBlend(mesh, skin!, boneCount).deformInto({ bones }, positions, normals);
  const palette = new Float32Array(12 * boneCount);
  writePalettesInto(bones, boneCount, palette);
  return { positions, normals, palette };
});

const model = { kind: 'skin' as const, mesh, skeleton: skeleton!, skin: skin! };
// only its buffers are drawn from, so the streamed form needs normals and positions that can be written
const deformer = await createGpuDeformer(device, model, { instances: Math.min(batch, count) });
const palettes = device.createBuffer({ size: batch * boneCount * BONE_BYTES, usage: STORAGE | COPY_DST });
const streamed = [0, 1].map(() => device.createBuffer({ size: batch * vertexCount * 12, usage: STORAGE | COPY_DST }));
const indices = device.createBuffer({ size: mesh.triangles.byteLength, usage: INDEX | COPY_DST });
device.queue.writeBuffer(indices, 0, mesh.triangles as Uint32Array<ArrayBuffer>);
const uniform = device.createBuffer({ size: 80, usage: UNIFORM | COPY_DST });
const shader = device.createShaderModule({ code: SHADER });
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module: shader },
  fragment: { module: shader, targets: [{ format: 'rgba8unorm' }] },
  primitive: { cullMode: 'back' },
  depthStencil: { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true },
});
const color = device.createTexture({ size: [WIDTH, HEIGHT], format: 'rgba8unorm', usage: 0x10 });
const depth = device.createTexture({ size: [WIDTH, HEIGHT], format: 'depth24plus', usage: 0x10 });
const bind = (positions: GPUBuffer, normals: GPUBuffer) =>
  device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: [uniform, positions, normals].map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
const bindings = { streamed: bind(streamed[0], streamed[1]), skinned: bind(deformer.positions, deformer.normals!) };

// a camera above the edge of the herd
const [near, far, f] = [0.1, 6 * SPACING * side, 1.2];
const range = far / (near - far);
const projection = [(f * HEIGHT) / WIDTH, 0, 0, 0, 0, f, 0, 0, 0, 0, range, -1, 0, 0, range * near, 0];
const view = [
  1,
  0,
  0,
  0,
  0,
  1,
  0,
  0,
  0,
  0,
  1,
  0,
  (-SPACING * side) / 2,
  -0.4 * SPACING * side,
  -0.5 * SPACING * side,
  1,
];
const matrix = Float32Array.from({ length: 16 }, (_, c) =>
  [0, 1, 2, 3].reduce((sum, k) => sum + projection[4 * k + (c % 4)] * view[c - (c % 4) + k], 0),
);

type Kind = keyof typeof bindings;

/** Uploads one batch, skins it where that is the GPU's work, and draws it. */
function drawBatch(kind: Kind, first: number, frame: number): void {
  const animals = Math.min(batch, count - first);
  for (let k = 0; k < animals; k++) {
    const { positions, normals, palette } = baked[(first + k + frame) % POSES];
    if (kind === 'streamed') {
      device.queue.writeBuffer(streamed[0], k * vertexCount * 12, positions);
      device.queue.writeBuffer(streamed[1], k * vertexCount * 12, normals);
    } else {
      device.queue.writeBuffer(palettes, k * boneCount * BONE_BYTES, palette);
    }
  }
  device.queue.writeBuffer(uniform, 0, matrix);
  device.queue.writeBuffer(uniform, 64, Uint32Array.of(vertexCount, side));
  device.queue.writeBuffer(uniform, 72, Float32Array.of(SPACING));
  device.queue.writeBuffer(uniform, 76, Uint32Array.of(first));
  const encoder = device.createCommandEncoder();
  if (kind === 'skinned') {
    const compute = encoder.beginComputePass();
    deformer.encode(compute, palettes, animals);
    compute.end();
  }
  const loadOp = first === 0 ? 'clear' : 'load';
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: color.createView(), loadOp, storeOp: 'store' }],
    depthStencilAttachment: {
      view: depth.createView(),
      depthClearValue: 1,
      depthLoadOp: loadOp,
      depthStoreOp: 'store',
    },
  });
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, bindings[kind]);
  pass.setIndexBuffer(indices, 'uint32');
  pass.drawIndexed(mesh.triangles.length, animals);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

async function timeFrames(kind: Kind): Promise<number> {
  let start = 0;
  for (let n = -WARM; n < frames; n++) {
    if (n === 0) start = performance.now();
    for (let first = 0; first < count; first += batch) drawBatch(kind, first, n + WARM);
    // one frame at a time, so that uploads do not queue up in memory
    await device.queue.onSubmittedWorkDone();
  }
  return (performance.now() - start) / frames;
}

const rows = [];
for (const kind of ['streamed', 'skinned'] as const) {
  const milliseconds = await timeFrames(kind);
  const bytes = kind === 'streamed' ? count * vertexCount * 24 : count * boneCount * BONE_BYTES;
  rows.push({ kind, milliseconds, hertz: 1000 / milliseconds, bytesPerFrame: bytes });
  console.log(
    `${kind.padEnd(9)} ${milliseconds.toFixed(2).padStart(9)} ms per frame, ${(1000 / milliseconds).toFixed(2)} Hz, ${(bytes / 1e6).toFixed(2)} MB copied per frame`,
  );
}
console.log(`skinning is ${(rows[0].milliseconds / rows[1].milliseconds).toFixed(1)} times as fast (2005: 6.0)`);
if (args.json)
  writeFileSync(
    args.json,
    JSON.stringify({ adapter: adapter.description, isSoftware, copy, count, triangles, rows }, null, 2),
  );
process.exit(0);
