// SPDX-License-Identifier: MIT
// Constants and functions of WebGPU that all deformers share.
import { InputError } from '../../core/model/errors.ts';

/** Usage flags of the WebGPU specification. The global constants do not exist in every environment. */
export const BUFFER_USAGE = { MAP_READ: 0x1, COPY_SRC: 0x4, COPY_DST: 0x8, UNIFORM: 0x40, STORAGE: 0x80 } as const;
const MAP_READ_MODE = 0x1;
export const COMPUTE_STAGE = 0x4;
/** Binding offsets are multiples of this on every device. */
export const OFFSET_ALIGNMENT = 256;

/** Options of requestGpuDevice. */
export interface GpuDeviceOptions {
  /** Entry point of WebGPU. Default: navigator.gpu. */
  gpu?: GPU;
  /** Features to request if the adapter supports them. */
  features?: GPUFeatureName[];
}

/**
 * Requests a device with the maximum buffer limits of the adapter, for large crowds. Any other device (three.js, Babylon, plain WebGPU) can be used
 * as well: deformers need no optional feature, and limits as large as their outputs.
 * @example
 * ```ts
 * import { requestGpuDevice } from 'ossify/gpu';
 *
 * const device = await requestGpuDevice({ features: ['timestamp-query'] });
 * device.lost.then(({ message }) => console.error(message));
 * ```
 * @example In Node, with the npm package webgpu.
 * ```ts
 * import { create, globals } from 'webgpu';
 * import { requestGpuDevice } from 'ossify/gpu';
 *
 * Object.assign(globalThis, globals);
 * const device = await requestGpuDevice({ gpu: create([]) });
 * ```
 */
export async function requestGpuDevice(options: GpuDeviceOptions = {}): Promise<GPUDevice> {
  const gpu = options.gpu ?? (globalThis.navigator as Navigator | undefined)?.gpu;
  if (!gpu)
    throw new InputError(
      'gpu',
      'WebGPU is not available here; use a browser that has it over https, the npm package webgpu in Node, or the deformers of ossify/deform',
    );
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (!adapter)
    throw new InputError(
      'gpu',
      'WebGPU found no adapter; update the graphics driver, or use the deformers of ossify/deform',
    );
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  return adapter.requestDevice({
    requiredFeatures: (options.features ?? []).filter((feature) => adapter.features.has(feature)),
    requiredLimits: { maxBufferSize, maxStorageBufferBindingSize },
  });
}

/** Throws an InputError if the device does not allow a buffer of this size. */
export function checkBufferSize(device: GPUDevice, what: string, size: number, remedy: string): void {
  const most = device.limits.maxBufferSize;
  if (size > most)
    throw new InputError(
      'gpu',
      `${what} need ${size} bytes and the device allows ${most} in a buffer; ask for a higher maxBufferSize, or ${remedy}`,
    );
}

/** Throws an InputError if the device does not allow a binding of this size. */
export function checkBindingSize(device: GPUDevice, what: string, size: number): void {
  const most = device.limits.maxStorageBufferBindingSize;
  if (size > most)
    throw new InputError(
      'gpu',
      `${what} takes ${size} bytes and the device binds ${most} at once; ask for a higher maxStorageBufferBindingSize, or split the mesh`,
    );
}

/** Makes a buffer with the given content. Empty arrays get 16 bytes, because a binding cannot be empty. */
export function makeDataBuffer(device: GPUDevice, label: string, data: Uint32Array, usage: number): GPUBuffer {
  checkBindingSize(device, label, data.byteLength);
  const size = Math.max(16, data.byteLength);
  const buffer = device.createBuffer({ label, size, usage, mappedAtCreation: true });
  new Uint32Array(buffer.getMappedRange()).set(data);
  buffer.unmap();
  return buffer;
}

/** Buffers of a model that several deformers share. They are freed with the last deformer. */
export class SharedBuffers {
  readonly list: readonly GPUBuffer[];
  #users = 1;

  constructor(list: readonly GPUBuffer[]) {
    this.list = list;
  }

  share(): this {
    this.#users++;
    return this;
  }

  release(): void {
    if (--this.#users === 0) for (const buffer of this.list) buffer.destroy();
  }
}

/** Throws if a deformer was destroyed or its device was lost. */
export class DeviceWatch {
  #lost: string | undefined;
  #isDestroyed = false;
  readonly #who: string;

  constructor(device: GPUDevice, who: string) {
    this.#who = who;
    device.lost.then((info) => {
      this.#lost = info.message || info.reason;
    });
  }

  destroy(): boolean {
    const isFirst = !this.#isDestroyed;
    this.#isDestroyed = true;
    return isFirst;
  }

  check(action: string): void {
    if (this.#isDestroyed) throw new InputError(this.#who, `${action} after destroy; create it again`);
    if (this.#lost !== undefined)
      throw new InputError(
        this.#who,
        `the GPU device was lost (${this.#lost}); request a new device and create it again on that`,
      );
  }
}

/** Reads a range of a buffer back, for tests and tools. It waits for all work submitted before. */
export async function readBuffer(
  device: GPUDevice,
  buffer: GPUBuffer,
  offset: number,
  size: number,
): Promise<ArrayBuffer> {
  const staging = device.createBuffer({ size, usage: BUFFER_USAGE.MAP_READ | BUFFER_USAGE.COPY_DST });
  try {
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, offset, staging, 0, size);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(MAP_READ_MODE);
    return staging.getMappedRange().slice(0);
  } finally {
    staging.destroy();
  }
}
