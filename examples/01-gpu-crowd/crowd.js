// SPDX-License-Identifier: MIT
// A herd, each animal in its own step: per frame the CPU chooses a level of detail and writes one time per animal, and the GPU does the rest.
import { cutLevel, makeAsset, makeLevels } from 'ossify';
import { chooseLevels, createGpuDeformer, createGpuPlayer, makeRestNormals, requestGpuDevice } from 'ossify/gpu';
import { makeSample } from 'ossify/sample';
import { makeCamera, makeRig } from './herd.js';

const COUNT = Number(new URLSearchParams(location.search).get('count') ?? 400);
const SIDE = Math.ceil(Math.sqrt(COUNT));
/** Triangles of the levels, relative to the full mesh; the part of the screen's height from which each is drawn; and the most animals of each. */
const RATIOS = [1, 0.3, 0.1];
const COVERAGE = [0.2, 0.08, 0];
const CAPACITIES = [Math.min(COUNT, 200), Math.min(COUNT, 1000), COUNT];

const SHADER = /* wgsl */ `
struct View { matrix: mat4x4f, vertexCount: u32, side: u32 }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> positions: array<f32>;
@group(0) @binding(2) var<storage, read> normals: array<f32>;
@group(0) @binding(3) var<storage, read> animals: array<u32>;

struct Corner { @builtin(position) at: vec4f, @location(0) normal: vec3f, @location(1) tint: vec3f }

@vertex fn place(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
  let o = (instance * view.vertexCount + vertex) * 3u;
  let animal = animals[instance];
  let cell = vec2f(f32(animal % view.side), f32(animal / view.side)) - 0.5 * f32(view.side - 1u);
  // animals are placed here and not in their poses: single precision stays with the shape
  let position = vec3f(positions[o], positions[o + 1u], positions[o + 2u]) + vec3f(cell.x * 1.2, 0.0, cell.y * 2.2);
  let shade = fract(f32(animal) * 0.618);
  return Corner(view.matrix * vec4f(position, 1.0), vec3f(normals[o], normals[o + 1u], normals[o + 2u]), mix(vec3f(0.45, 0.3, 0.2), vec3f(0.85, 0.75, 0.6), shade));
}

@fragment fn shade(corner: Corner) -> @location(0) vec4f {
  let light = 0.55 + 0.45 * dot(normalize(corner.normal), normalize(vec3f(0.4, 0.8, 0.3)));
  return vec4f(corner.tint * light, 1.0);
}`;

const device = await requestGpuDevice();
const sample = makeSample('quadruped', { resolution: 2000, frames: 8 });
const full = { ...sample.clip.mesh, normals: makeRestNormals(sample.clip.mesh) };
const rig = makeRig(sample);
const { skeleton, skin } = sample;
const asset = makeAsset({ kind: 'skin', mesh: full, skeleton, skin, motions: [sample.motion] });
const simplified = await makeLevels(asset, { ratios: RATIOS.slice(1), keepBones: true });
/** Where each animal stands; the shader computes the same. */
const centers = Float32Array.from({ length: 3 * COUNT }, (_, c) => {
  const [k, half] = [Math.floor(c / 3), (SIDE - 1) / 2];
  return [1.2 * ((k % SIDE) - half), 0.5, 2.2 * (Math.floor(k / SIDE) - half)][c % 3];
});

const canvas = document.querySelector('canvas');
const context = canvas.getContext('webgpu');
const format = navigator.gpu.getPreferredCanvasFormat();
context.configure({ device, format });
const module = device.createShaderModule({ code: SHADER });
const pipeline = device.createRenderPipeline({
  layout: 'auto',
  vertex: { module },
  fragment: { module, targets: [{ format }] },
  primitive: { cullMode: 'back' },
  depthStencil: { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true },
});
const { INDEX, UNIFORM, STORAGE, COPY_DST } = GPUBufferUsage;
const levels = await Promise.all(
  RATIOS.map(async (_, n) => {
    const shape = n === 0 ? { mesh: full, skin } : cutLevel(full, skin, simplified[n - 1]);
    const { mesh } = shape;
    const model = { kind: 'skin', skeleton, ...shape };
    const instances = CAPACITIES[n];
    const player = await createGpuPlayer(device, rig, { instances });
    const deformer = await createGpuDeformer(device, model, { instances });
    const indices = device.createBuffer({ size: mesh.triangles.byteLength, usage: INDEX | COPY_DST });
    device.queue.writeBuffer(indices, 0, mesh.triangles);
    const view = device.createBuffer({ size: 80, usage: UNIFORM | COPY_DST });
    const animals = device.createBuffer({ size: 4 * instances, usage: STORAGE | COPY_DST });
    const buffers = [view, deformer.positions, deformer.normals, animals];
    const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
    const bindings = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
    return { player, deformer, indices, view, animals, bindings, corners: mesh.triangles.length };
  }),
);
let depth;

function draw(now) {
  const [width, height] = [Math.max(1, canvas.clientWidth), Math.max(1, canvas.clientHeight)];
  if (canvas.width !== width || canvas.height !== height || !depth) {
    Object.assign(canvas, { width, height });
    depth?.destroy();
    depth = device.createTexture({
      size: [width, height],
      format: 'depth24plus',
      usage: GPUTextureUsage.RENDER_ATTACHMENT,
    });
  }
  const camera = makeCamera(SIDE, width / height, now / 9000);
  const { lists } = chooseLevels({ centers, radius: 0.9, ...camera }, COVERAGE, CAPACITIES);
  const encoder = device.createCommandEncoder();
  const compute = encoder.beginComputePass();
  levels.forEach(({ player, deformer, view, animals }, n) => {
    const own = lists[n];
    if (own.length === 0) return;
    player.writeTimes(Float32Array.from(own, (k) => now / 1000 + 0.37 * k));
    device.queue.writeBuffer(animals, 0, own);
    device.queue.writeBuffer(view, 0, camera.matrix);
    device.queue.writeBuffer(view, 64, Uint32Array.of(deformer.vertexCount, SIDE));
    player.encode(compute, own.length);
    deformer.encode(compute, player.palettes, own.length);
  });
  compute.end();
  const pass = encoder.beginRenderPass({
    colorAttachments: [
      {
        view: context.getCurrentTexture().createView(),
        loadOp: 'clear',
        storeOp: 'store',
        clearValue: [0.91, 0.9, 0.88, 1],
      },
    ],
    depthStencilAttachment: {
      view: depth.createView(),
      depthClearValue: 1,
      depthLoadOp: 'clear',
      depthStoreOp: 'discard',
    },
  });
  pass.setPipeline(pipeline);
  levels.forEach(({ bindings, indices, corners }, n) => {
    if (lists[n].length === 0) return;
    pass.setBindGroup(0, bindings);
    pass.setIndexBuffer(indices, 'uint32');
    pass.drawIndexed(corners, lists[n].length);
  });
  pass.end();
  device.queue.submit([encoder.finish()]);
  document.body.dataset.frames = String(Number(document.body.dataset.frames ?? 0) + 1);
  requestAnimationFrame(draw);
}
const triangles = levels.map(({ corners }) => corners / 3).join(', ');
document.querySelector('p').textContent = `${COUNT} animals of ${triangles} triangles, by their size on the screen`;
requestAnimationFrame(draw);
