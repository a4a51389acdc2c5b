// SPDX-License-Identifier: MIT
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import type { Object3D, SkinnedMesh } from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { FormatError, InputError } from '../src/core/model/errors.ts';
import { type AnyRenderer, DeformedMesh, ossifyPlugin } from '../src/entry/three.ts';
import type { Verdict } from './fuzz-format.ts';
import { forgetAllocations } from './run/track-allocations.ts';

/** Loads of three.js may never settle (cycles of nodes). */
const SETTLE_MS = 2000;

/** Loads a GLB as a page does. What three.js alone loads must load with the plugin, and what comes of it must deform. */
export async function readWithThree(bytes: Uint8Array<ArrayBuffer>): Promise<Verdict> {
  try {
    updateAll(await load(bytes));
  } catch (error) {
    throw new InputError('three.js', error instanceof Error ? error.name : 'it does not load');
  } finally {
    // What three.js takes by itself is not of this project.
    forgetAllocations();
  }
  try {
    const renderer = new FakeRenderer();
    const gltf = await load(bytes, renderer);
    updateAll(gltf);
    for (const scene of gltf.scenes)
      scene.traverse((object: Object3D) => {
        if (object instanceof DeformedMesh) object.deform(renderer);
      });
    return undefined;
  } catch (error) {
    // three.js alone shows nothing of a compact skin, so it does not notice a damaged one
    if (error instanceof FormatError) throw error;
    return `three.js loads it, the plugin does not: ${error instanceof Error ? error.message : error}`;
  }
}

function load(bytes: Uint8Array<ArrayBuffer>, renderer?: FakeRenderer): Promise<GLTF> {
  const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
  if (renderer) loader.register(ossifyPlugin(renderer, { warn: () => undefined }));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the load does not end')), SETTLE_MS);
    const end = () => clearTimeout(timer);
    loader.parseAsync(bytes.slice().buffer, '').then(resolve, reject).finally(end);
  });
}

/** What a renderer does before it draws. */
function updateAll(gltf: GLTF): void {
  for (const scene of gltf.scenes) {
    scene.updateMatrixWorld(true);
    scene.traverse((object: Object3D) => {
      if ((object as SkinnedMesh).isSkinnedMesh) (object as SkinnedMesh).skeleton?.update();
    });
  }
}

/** A renderer whose device takes everything and computes nothing. */
class FakeRenderer implements AnyRenderer {
  readonly isWebGPURenderer = true;
  readonly backend = { isWebGPUBackend: true, device: DEVICE, get: (): { buffer?: GPUBuffer } => ({}) };
}

const LIMITS = {
  ...{ maxBufferSize: 2 ** 28, maxStorageBufferBindingSize: 2 ** 27, maxComputeWorkgroupsPerDimension: 65535 },
  ...{ minStorageBufferOffsetAlignment: 256, minUniformBufferOffsetAlignment: 256, maxUniformBufferBindingSize: 65536 },
  ...{ maxComputeInvocationsPerWorkgroup: 256, maxComputeWorkgroupStorageSize: 16384 },
};

const makeAnything = (): object => ({
  setPipeline: ignore,
  setBindGroup: ignore,
  dispatchWorkgroups: ignore,
  end: ignore,
});
const ignore = (): void => undefined;

const DEVICE = {
  limits: LIMITS,
  features: new Set<string>(),
  lost: new Promise(ignore),
  queue: { writeBuffer: ignore, submit: ignore },
  createBuffer: ({ size }: { size: number }) => ({
    ...{ size, unmap: ignore, destroy: ignore, getMappedRange: () => new ArrayBuffer(size) },
  }),
  createBindGroup: makeAnything,
  createBindGroupLayout: makeAnything,
  createPipelineLayout: makeAnything,
  createShaderModule: makeAnything,
  createComputePipelineAsync: async () => makeAnything(),
  createCommandEncoder: () => ({ beginComputePass: makeAnything, finish: makeAnything }),
} as unknown as GPUDevice;
