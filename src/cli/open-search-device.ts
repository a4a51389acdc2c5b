// SPDX-License-Identifier: MIT
// The npm package webgpu is an optional peer dependency: it is loaded when --gpu is given.
import { createGpuSearch } from '../gpu/create-gpu-search.ts';
import { requestGpuDevice } from '../gpu/gpu-device.ts';
import { faultOf, UsageError } from '../model/errors.ts';
import type { OpenedSearchDevice } from '../recipe/job.ts';

/** Software renderers by their names: they are slower than the kernels on threads. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render/i;

/** Dawn keeps no reference to the object that create() returns, and crashes once it is collected: it lives here. */
const home = globalThis as typeof globalThis & { ossifyGpu?: GPU };

/** Opens the GPU of this machine for searches. Throws a UsageError if there is none. */
export async function openSearchDevice(): Promise<OpenedSearchDevice> {
  home.ossifyGpu ??= await loadGpu();
  let device: GPUDevice;
  try {
    device = await requestGpuDevice({ gpu: home.ossifyGpu });
  } catch (error) {
    throw new UsageError('--gpu', 'no GPU was found; update its driver, or leave this option out', { cause: error });
  }
  try {
    const { vendor, architecture, description } = device.adapterInfo;
    const name = [description, vendor, architecture].filter(Boolean).join(' ');
    if (SOFTWARE.test(name))
      throw new UsageError(
        '--gpu',
        `found only the software renderer ${name}, which is slower than threads; leave it out`,
      );
    return { device: await createGpuSearch(device), close: () => device.destroy() };
  } catch (error) {
    device.destroy();
    if (error instanceof UsageError) throw error;
    throw new UsageError('--gpu', `${faultOf(error)}; leave this option out`, { cause: error });
  }
}

async function loadGpu(): Promise<GPU> {
  try {
    const { create, globals } = await import('webgpu');
    Object.assign(globalThis, globals);
    return create([]);
  } catch (error) {
    const fault = 'requires the npm package webgpu, which is not installed or does not load; run npm install webgpu';
    throw new UsageError('--gpu', fault, { cause: error });
  }
}
