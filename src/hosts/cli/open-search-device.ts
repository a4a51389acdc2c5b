// SPDX-License-Identifier: MIT
// The npm package webgpu is an optional peer dependency: it is loaded when --gpu is given.
import { execFile } from 'node:child_process';
import { faultOf, UsageError } from '../../core/model/errors.ts';
import type { OpenedSearchDevice } from '../../jobs/engine/index.ts';
import { createGpuSearch, requestGpuDevice } from '../../runtimes/gpu/index.ts';

/** Software renderers by their names: they are slower than the kernels on threads. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render/i;

const NO_GPU = 'no GPU was found; update its driver, or leave this option out';

/** Dawn keeps no reference to the object that create() returns, and crashes once it is collected: it lives here. */
const home = globalThis as typeof globalThis & { ossifyGpu?: GPU };

/** Opens the GPU of this machine for searches. Throws a UsageError if there is none. */
export async function openSearchDevice(): Promise<OpenedSearchDevice> {
  home.ossifyGpu ??= await loadGpu();
  let device: GPUDevice;
  try {
    device = await requestGpuDevice({ gpu: home.ossifyGpu });
  } catch (error) {
    throw new UsageError('--gpu', NO_GPU, { cause: error });
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

/** A script for another process: its status is 0 if there is a GPU. */
const PROBE =
  'const { create } = await import(process.argv[1]); const gpu = create([]); process.exit((await gpu.requestAdapter()) ? 0 : 3);';
const PROBE_MS = 20_000;
const NO_ADAPTER = 3;

/** Dawn prints its own warnings about missing drivers, which nothing in this process can redirect. So another process, without a terminal, looks for a GPU first. */
export async function probeGpu(env = process.env): Promise<void> {
  const module = import.meta.resolve('webgpu');
  await new Promise<void>((resolve, reject) => {
    const args = ['--input-type=module', '-e', PROBE, module];
    execFile(process.execPath, args, { timeout: PROBE_MS, env }, (error) => {
      // a driver that crashes the probe would crash this process, too; any other failure is left to the real attempt, which has an error of its own
      const isCrash = Boolean(error?.signal) && !error?.killed;
      if (isCrash || error?.code === NO_ADAPTER) reject(new UsageError('--gpu', NO_GPU));
      else resolve();
    });
  });
}

async function loadGpu(): Promise<GPU> {
  try {
    const { create, globals } = await import('webgpu');
    await probeGpu();
    Object.assign(globalThis, globals);
    return create([]);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const fault = 'requires the npm package webgpu, which is not installed or does not load; run npm install webgpu';
    throw new UsageError('--gpu', fault, { cause: error });
  }
}
