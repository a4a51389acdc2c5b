// SPDX-License-Identifier: MIT
// A crowd of the result, each instance at its own time, posed and skinned by ossify/gpu. Per frame the CPU writes one time per instance.
import { Color, Matrix4, type PerspectiveCamera, SRGBColorSpace } from 'three';
import {
  createGpuDeformer,
  createGpuPlayer,
  type GpuModel,
  makeRestNormals,
  requestGpuDevice,
} from '../../../src/entry/gpu.ts';
import type { CrowdSource } from '../messages/protocol.ts';
import type { MeshView } from '../messages/views.ts';
import type { TextureStore } from '../viewport/textures/texture-store.ts';
import { STAMPEDE_SOURCE } from './stampede.wgsl.ts';
import { makeHerdParts, makeUvBuffer } from './stampede-look.ts';

export interface Stampede {
  readonly count: number;
  readonly vertexCount: number;
  /** GPU time of the last measured frame, milliseconds; undefined if the device has no timestamps. */
  gpu: { deform: number; draw: number } | undefined;
  /** Whether the graphics card was lost: nothing can be drawn any more. */
  readonly isLost: boolean;
  /** Changes the colours around the animals: background and ground, as CSS colours. */
  paint(background: string, ground: string): void;
  /** Draws a frame; resolves when the GPU is done with it. */
  draw(seconds: number, camera: PerspectiveCamera): Promise<void>;
  dispose(): void;
}

/** Offsets of bindings must be multiples of 256 bytes; those of 64 instances always are. */
const BATCH = 64;
/** Bytes of the uniform: two matrices, two vectors, two numbers, two colours. */
const VIEW_BYTES = 208;
const COLORS_OFFSET = 176;
/** Of the shader. */
const GAMMA = 2.2;
/** Clip space of WebGL (depth −1 to 1) to that of WebGPU (0 to 1). */
const DEPTH = new Matrix4().set(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 1);

export async function createStampede(
  canvas: HTMLCanvasElement,
  { asset, up }: CrowdSource,
  count: number,
  surface: { view: MeshView; textures: TextureStore | undefined },
): Promise<Stampede> {
  const { rig, nodes, animations } = asset;
  if (!rig) throw new Error('a herd needs bones; decompose first, or open a rig');
  const device = await requestGpuDevice({ features: ['timestamp-query'] });
  let isLost = false;
  device.lost.then(({ reason }) => {
    // this page destroys it at the end
    isLost = reason !== 'destroyed';
  });
  const mesh = { ...asset.mesh, normals: asset.mesh.normals ?? makeRestNormals(asset.mesh) };
  const { skeleton, skin } = rig;
  const richer = asset.ddm ?? asset.twoLayer ?? asset.linearTwoLayer;
  const model: GpuModel = { ...(richer ?? { kind: 'skin', skeleton, skin }), mesh };
  const played = { nodes, animations, skeleton, nodeOfBone: rig.nodeOfBone };
  const player = await createGpuPlayer(device, played, { instances: count });
  const deformer = await createGpuDeformer(device, model, { instances: count });

  const context = canvas.getContext('webgpu') as GPUCanvasContext;
  const format = navigator.gpu.getPreferredCanvasFormat();
  context.configure({ device, format, alphaMode: 'opaque' });
  const module = device.createShaderModule({ code: STAMPEDE_SOURCE });
  const entries = [
    { type: 'uniform' },
    { type: 'read-only-storage' },
    { type: 'read-only-storage' },
    { type: 'uniform' },
    { type: 'read-only-storage' },
  ];
  const layout = device.createBindGroupLayout({
    entries: entries.map((buffer, binding) => ({ binding, visibility: 3, buffer: buffer as GPUBufferBindingLayout })),
  });
  const surfaceLayout = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: 3, buffer: { type: 'uniform' } },
      { binding: 1, visibility: 2, texture: {} },
      { binding: 2, visibility: 2, sampler: {} },
    ],
  });
  const make = (vertex: string, fragment: string, topology: GPUPrimitiveTopology) =>
    device.createRenderPipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout, surfaceLayout] }),
      vertex: { module, entryPoint: vertex },
      fragment: { module, entryPoint: fragment, targets: [{ format }] },
      primitive: { topology, cullMode: 'none' },
      depthStencil: { format: 'depth24plus', depthCompare: 'less', depthWriteEnabled: true },
    });
  const [herd, ground] = await Promise.all([
    make('place', 'shade', 'triangle-list'),
    make('placeGround', 'shadeGround', 'triangle-strip'),
  ]);
  const indices = device.createBuffer({ size: mesh.triangles.byteLength, usage: 0x10 | 0x8 });
  device.queue.writeBuffer(indices, 0, mesh.triangles as Uint32Array<ArrayBuffer>);
  const view = device.createBuffer({ size: VIEW_BYTES, usage: 0x40 | 0x8 });
  const uvs = makeUvBuffer(device, surface.view.look);
  const parts = await makeHerdParts(device, surfaceLayout, surface.view, surface.textures);
  const stride = 12 * deformer.vertexCount;
  const most = Math.max(BATCH, Math.floor(device.limits.maxStorageBufferBindingSize / stride / BATCH) * BATCH);
  const batches = Array.from({ length: Math.ceil(count / most) }, (_, n) => {
    const first = n * most;
    const size = Math.min(most, count - first);
    const own = device.createBuffer({ size: 16, usage: 0x40 | 0x8 });
    device.queue.writeBuffer(own, 0, Uint32Array.of(first));
    const range = (buffer: GPUBuffer) => ({ buffer, offset: first * stride, size: size * stride });
    const resources = [
      { buffer: view },
      range(deformer.positions),
      range(deformer.normals!),
      { buffer: own },
      { buffer: uvs },
    ];
    const bindings = device.createBindGroup({
      layout,
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
    return { size, bindings };
  });

  const place = makePlaces(mesh.positions, up, count);
  const phases = Float32Array.from({ length: count }, (_, k) => (k * 0.618034) % 1);
  const duration = Math.max(animations[0]?.duration ?? 0, 1e-3);
  const times = new Float32Array(count);
  const clock = makeGpuClock(device);
  const matrix = new Matrix4();
  let depth: GPUTexture | undefined;
  let background = [0, 0, 0, 1];

  const stampede: Stampede = {
    count,
    vertexCount: deformer.vertexCount,
    gpu: undefined,
    get isLost() {
      return isLost;
    },
    async draw(seconds, camera) {
      const ratio = Math.min(2, devicePixelRatio);
      const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
      const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
      if (!depth || canvas.width !== width || canvas.height !== height) {
        Object.assign(canvas, { width, height });
        depth?.destroy();
        depth = device.createTexture({ size: [width, height], format: 'depth24plus', usage: 0x10 });
      }
      for (let k = 0; k < count; k++) times[k] = seconds + phases[k] * duration;
      player.writeTimes(times);
      matrix.copy(camera.projectionMatrix).multiply(camera.matrixWorldInverse).premultiply(DEPTH);
      const { x, y, z } = camera.position;
      const numbers = [
        ...matrix.elements,
        ...place.upright.elements,
        x,
        y,
        z,
        1,
        place.dx,
        place.dz,
        place.ground,
        // on a narrow screen the camera is far away, and all animals must be seen
        Math.max(place.far, CLEARNESS * camera.position.length()),
      ];
      device.queue.writeBuffer(view, 0, Float32Array.from(numbers));
      device.queue.writeBuffer(view, 160, Uint32Array.of(deformer.vertexCount, place.side));
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginComputePass(clock.writes(0));
      player.encode(pass);
      deformer.encode(pass, player.palettes);
      pass.end();
      const drawing = encoder.beginRenderPass({
        colorAttachments: [
          {
            view: context.getCurrentTexture().createView(),
            loadOp: 'clear',
            storeOp: 'store',
            clearValue: background,
          },
        ],
        depthStencilAttachment: {
          view: depth.createView(),
          depthLoadOp: 'clear',
          depthStoreOp: 'discard',
          depthClearValue: 1,
        },
        ...clock.writes(2),
      });
      drawing.setPipeline(ground);
      drawing.setBindGroup(0, batches[0].bindings);
      drawing.setBindGroup(1, parts[0].bindings);
      drawing.draw(4);
      drawing.setPipeline(herd);
      drawing.setIndexBuffer(indices, 'uint32');
      for (const { size, bindings } of batches) {
        drawing.setBindGroup(0, bindings);
        for (const part of parts) {
          drawing.setBindGroup(1, part.bindings);
          drawing.drawIndexed(part.count, size, part.first);
        }
      }
      drawing.end();
      clock.resolve(encoder);
      device.queue.submit([encoder.finish()]);
      await device.queue.onSubmittedWorkDone();
      const measured = await clock.read();
      if (measured) stampede.gpu = { deform: measured[1] - measured[0], draw: measured[3] - measured[2] };
    },
    paint(...colors) {
      const [far, near] = colors.map((color) => {
        const { r, g, b } = new Color(color).getRGB({ r: 0, g: 0, b: 0 }, SRGBColorSpace);
        return [r, g, b];
      });
      background = [...far, 1];
      const linear = [...far, 1, ...near, 1].map((value) => value ** GAMMA);
      device.queue.writeBuffer(view, COLORS_OFFSET, Float32Array.from(linear));
    },
    dispose() {
      deformer.destroy();
      player.destroy();
      depth?.destroy();
      device.destroy();
    },
  };
  return stampede;
}

/** How far fog lets one see, relative to the distance of the camera from the herd. */
const CLEARNESS = 1.8;

/** Places of the instances: rows with spacing from their size, y up. */
function makePlaces(rest: Float32Array, up: 'x' | 'y' | 'z', count: number) {
  const upright = new Matrix4();
  if (up === 'z') upright.makeRotationX(-Math.PI / 2);
  if (up === 'x') upright.makeRotationZ(Math.PI / 2);
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const e = upright.elements;
  for (let c = 0; c < rest.length; c += 3) {
    for (let r = 0; r < 3; r++) {
      const value = e[r] * rest[c] + e[4 + r] * rest[c + 1] + e[8 + r] * rest[c + 2];
      low[r] = Math.min(low[r], value);
      high[r] = Math.max(high[r], value);
    }
  }
  const [sx, sy, sz] = high.map((value, r) => value - low[r]);
  const side = Math.ceil(Math.sqrt(count));
  const dx = 1.25 * Math.max(sx, 0.35 * sy);
  const dz = 1.25 * Math.max(sz, 0.35 * sy);
  const far = Math.max(6 * Math.hypot(sx, sy, sz), 1.6 * side * Math.max(dx, dz));
  return { upright, side, dx, dz, ground: low[1], far, height: sy };
}

/** Timestamps around passes, if the device supports them. */
function makeGpuClock(device: GPUDevice) {
  if (!device.features.has('timestamp-query'))
    return { writes: () => ({}), resolve: () => {}, read: async () => undefined };
  const querySet = device.createQuerySet({ type: 'timestamp', count: 4 });
  const resolved = device.createBuffer({ size: 32, usage: 0x200 | 0x4 });
  const staging = device.createBuffer({ size: 32, usage: 0x1 | 0x8 });
  return {
    writes: (first: number) => ({
      timestampWrites: { querySet, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 },
    }),
    resolve(encoder: GPUCommandEncoder) {
      encoder.resolveQuerySet(querySet, 0, 4, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, staging, 0, 32);
    },
    /** Milliseconds of the four timestamps. */
    async read(): Promise<number[] | undefined> {
      await staging.mapAsync(0x1);
      const marks = [...new BigUint64Array(staging.getMappedRange())].map((mark) => Number(mark) / 1e6);
      staging.unmap();
      return marks;
    },
  };
}
