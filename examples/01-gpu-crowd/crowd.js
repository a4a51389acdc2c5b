// SPDX-License-Identifier: MIT
// A herd, each animal in its own step: per frame the CPU writes one time per animal, and the GPU does the rest.
import { createGpuDeformer, createGpuPlayer, makeRestNormals, requestGpuDevice } from 'ossify/gpu';
import { makeSample } from 'ossify/sample';

const COUNT = Number(new URLSearchParams(location.search).get('count') ?? 400);
const SIDE = Math.ceil(Math.sqrt(COUNT));

const SHADER = /* wgsl */ `
struct View { matrix: mat4x4f, vertexCount: u32, side: u32 }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> positions: array<f32>;
@group(0) @binding(2) var<storage, read> normals: array<f32>;

struct Corner { @builtin(position) at: vec4f, @location(0) normal: vec3f, @location(1) tint: vec3f }

@vertex fn place(@builtin(vertex_index) vertex: u32, @builtin(instance_index) animal: u32) -> Corner {
  let o = (animal * view.vertexCount + vertex) * 3u;
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

/** The sample's bones stand unturned at rest, so its nodes are steps from joint to joint; legs, neck and tail swing once a second. */
function makeRig({ skeleton }) {
  const { names, parents, bindMatrices } = skeleton;
  const n = names.length;
  const heads = names.map((_, j) => bindMatrices.slice(16 * j + 12, 16 * j + 15));
  const stepOf = (j, c) => heads[j][c] - (parents[j] < 0 ? 0 : heads[parents[j]][c]);
  const translations = Float64Array.from({ length: 3 * n }, (_, c) => stepOf(Math.floor(c / 3), c % 3));
  const rotations = Float64Array.from({ length: 4 * n }, (_, c) => (c % 4 === 3 ? 1 : 0));
  const times = Float32Array.from({ length: 17 }, (_, k) => k / 16);
  const tracks = names.map((name, node) => {
    const reach = /Upper/.test(name) ? 0.45 : /Lower|Foot|Tail/.test(name) ? 0.3 : 0.04;
    const lag =
      (/Left/.test(name) ? Math.PI : 0) + (/Hind/.test(name) ? 2 : 0) + (/Lower|Foot|2|3/.test(name) ? 0.9 : 0);
    const values = new Float32Array(4 * times.length);
    times.forEach((t, k) => {
      const half = 0.5 * reach * Math.sin(2 * Math.PI * t - lag);
      values[4 * k + (/Tail/.test(name) ? 1 : 0)] = Math.sin(half);
      values[4 * k + 3] = Math.cos(half);
    });
    return { node, path: 'rotation', interpolation: 'LINEAR', times, values };
  });
  const nodes = { names, parents, translations, rotations, scales: new Float64Array(3 * n).fill(1) };
  const animations = [{ name: 'walk', duration: 1, tracks }];
  return { nodes, animations, skeleton, nodeOfBone: Int32Array.from(names.keys()) };
}

/** Perspective from above the herd, looking at its middle: column-major, depth 0 to 1. */
function makeView(aspect, turn) {
  const [near, far, distance, f] = [0.1, 5 * SIDE + 15, 1.5 * SIDE + 3, 1.6];
  const [s, c, sp, cp, depth] = [Math.sin(turn), Math.cos(turn), Math.sin(0.45), Math.cos(0.45), far / (near - far)];
  const [right, up, back] = [
    [c, 0, -s],
    [-s * sp, cp, -c * sp],
    [s * cp, sp, c * cp],
  ];
  const column = (i) => [(f / aspect) * right[i], f * up[i], depth * back[i], -back[i]];
  return [...column(0), ...column(1), ...column(2), 0, 0, depth * (near - distance), distance];
}

const device = await requestGpuDevice();
const sample = makeSample('quadruped', { resolution: 2000, frames: 1 });
const mesh = { ...sample.clip.mesh, normals: makeRestNormals(sample.clip.mesh) };
const rig = makeRig(sample);
const player = await createGpuPlayer(device, rig, { instances: COUNT });
const model = { kind: 'skin', mesh, skeleton: sample.skeleton, skin: sample.skin };
const deformer = await createGpuDeformer(device, model, { instances: COUNT });

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
const { INDEX, UNIFORM, COPY_DST } = GPUBufferUsage;
const indices = device.createBuffer({ size: mesh.triangles.byteLength, usage: INDEX | COPY_DST });
device.queue.writeBuffer(indices, 0, mesh.triangles);
const view = device.createBuffer({ size: 80, usage: UNIFORM | COPY_DST });
const buffers = [view, deformer.positions, deformer.normals];
const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
const bindings = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
let depth;
const seconds = new Float32Array(COUNT);

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
  for (let k = 0; k < COUNT; k++) seconds[k] = now / 1000 + 0.37 * k;
  player.writeTimes(seconds);
  device.queue.writeBuffer(view, 0, Float32Array.from(makeView(width / height, now / 9000)));
  device.queue.writeBuffer(view, 64, Uint32Array.of(deformer.vertexCount, SIDE));

  const encoder = device.createCommandEncoder();
  const compute = encoder.beginComputePass();
  player.encode(compute);
  deformer.encode(compute, player.palettes);
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
  pass.setBindGroup(0, bindings);
  pass.setIndexBuffer(indices, 'uint32');
  pass.drawIndexed(mesh.triangles.length, COUNT);
  pass.end();
  device.queue.submit([encoder.finish()]);
  document.body.dataset.frames = String(Number(document.body.dataset.frames ?? 0) + 1);
  requestAnimationFrame(draw);
}
document.querySelector('p').textContent =
  `${COUNT} animals of ${deformer.vertexCount} vertices and ${deformer.boneCount} bones`;
requestAnimationFrame(draw);
