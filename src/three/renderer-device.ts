// SPDX-License-Identifier: MIT
// What is used of a three.js renderer beyond its public interface: its device, and the GPU buffer of an attribute. There is no public way to
// draw an attribute from a buffer that a compute pass of another library writes.
import type { BufferAttribute } from 'three';

/** Any renderer of three.js; only WebGPURenderer on WebGPU deforms on the GPU. */
export interface AnyRenderer {
  isWebGPURenderer?: boolean;
  init?: () => Promise<unknown>;
}

interface WebGPUBackend {
  isWebGPUBackend?: boolean;
  device?: GPUDevice;
  get(object: object): { buffer?: GPUBuffer };
}

const backendOf = (renderer: AnyRenderer): WebGPUBackend | undefined =>
  (renderer as { backend?: WebGPUBackend }).backend;

/** The device of a renderer once it is there; undefined where it draws with WebGL. */
export async function findRendererDevice(renderer: AnyRenderer): Promise<GPUDevice | undefined> {
  if (!renderer.isWebGPURenderer) return undefined;
  await renderer.init?.();
  const backend = backendOf(renderer);
  return backend?.isWebGPUBackend ? backend.device : undefined;
}

/** Makes the renderer draw an attribute from a buffer that compute passes write. Renderers create a buffer only where an attribute has none. */
export function bindAttribute(renderer: AnyRenderer, attribute: BufferAttribute, buffer: GPUBuffer): void {
  const data = backendOf(renderer)?.get(attribute);
  if (!data || data.buffer === buffer) return;
  data.buffer?.destroy();
  data.buffer = buffer;
}
