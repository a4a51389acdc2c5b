// SPDX-License-Identifier: MIT
// Internals of three.js renderers that are used here: the device, and the GPU buffer of an attribute. three.js has no public way to draw an attribute
// from a buffer that another library writes.
import type { BufferAttribute } from 'three';

/** Any renderer of three.js; only WebGPURenderer on WebGPU deforms on the GPU. */
export interface AnyRenderer {
  /** Set by WebGPURenderer. */
  isWebGPURenderer?: boolean;
  /** Initializes the backend. */
  init?: () => Promise<unknown>;
}

interface WebGPUBackend {
  isWebGPUBackend?: boolean;
  device?: GPUDevice;
  get(object: object): { buffer?: GPUBuffer };
}

const backendOf = (renderer: AnyRenderer): WebGPUBackend | undefined =>
  (renderer as { backend?: WebGPUBackend }).backend;

/** Returns the device of a renderer after its initialization; undefined if it draws with WebGL. */
export async function findRendererDevice(renderer: AnyRenderer): Promise<GPUDevice | undefined> {
  if (!renderer.isWebGPURenderer) return undefined;
  await renderer.init?.();
  const backend = backendOf(renderer);
  return backend?.isWebGPUBackend ? backend.device : undefined;
}

/** Makes the renderer draw an attribute from the given buffer. Renderers create a buffer only for attributes that have none. */
export function bindAttribute(renderer: AnyRenderer, attribute: BufferAttribute, buffer: GPUBuffer): void {
  const data = backendOf(renderer)?.get(attribute);
  if (!data || data.buffer === buffer) return;
  data.buffer?.destroy();
  data.buffer = buffer;
}
