// SPDX-License-Identifier: MIT
import { InputError } from '../model/errors.ts';
import { COMPUTE_STAGE } from './gpu-device.ts';

/** Layouts are the same for all deformers of a kind: one per device, so that models of one kind share what the device compiles. */
const layouts = new WeakMap<GPUDevice, Map<string, GPUBindGroupLayout>>();
const pipelines = new WeakMap<GPUDevice, Map<string, Promise<GPUComputePipeline>>>();

/**
 * The layout of binding 0, a uniform buffer, and storage buffers from 1 on.
 * @param storage one letter per storage buffer: r read, w written
 */
export function makeBindLayout(device: GPUDevice, storage: string): GPUBindGroupLayout {
  const known: Map<string, GPUBindGroupLayout> = layouts.get(device) ?? new Map();
  layouts.set(device, known);
  let layout = known.get(storage);
  if (!layout) {
    const types: GPUBufferBindingType[] = [
      'uniform',
      ...Array.from(storage, (letter) => (letter === 'w' ? ('storage' as const) : ('read-only-storage' as const))),
    ];
    const entries = types.map((type, binding) => ({ binding, visibility: COMPUTE_STAGE, buffer: { type } }));
    layout = device.createBindGroupLayout({ entries });
    known.set(storage, layout);
  }
  return layout;
}

/** Compiles a pass, or finds it compiled on this device. What the compiler says of a source becomes the error. */
export function makePipeline(
  device: GPUDevice,
  label: string,
  source: string,
  storage: string,
  constants: Record<string, number> = {},
): Promise<GPUComputePipeline> {
  const known: Map<string, Promise<GPUComputePipeline>> = pipelines.get(device) ?? new Map();
  pipelines.set(device, known);
  const key = `${source}\n${JSON.stringify(constants)}`;
  let pipeline = known.get(key);
  if (!pipeline) {
    pipeline = compile(device, label, source, storage, constants);
    known.set(key, pipeline);
    // a device that ran out of memory may have it again later
    pipeline.catch(() => known.delete(key));
  }
  return pipeline;
}

async function compile(
  device: GPUDevice,
  label: string,
  source: string,
  storage: string,
  constants: Record<string, number>,
): Promise<GPUComputePipeline> {
  const module = device.createShaderModule({ label, code: source });
  try {
    return await device.createComputePipelineAsync({
      label,
      layout: device.createPipelineLayout({ bindGroupLayouts: [makeBindLayout(device, storage)] }),
      compute: { module, entryPoint: 'main', constants },
    });
  } catch (error) {
    const { messages } = await module.getCompilationInfo();
    const first = messages.find((message) => message.type === 'error');
    const cause = first ? `line ${first.lineNum}: ${first.message}` : (error as Error).message;
    throw new InputError('gpu', `the device refused the ${label} kernel (${cause.split('\n')[0]})`);
  }
}
