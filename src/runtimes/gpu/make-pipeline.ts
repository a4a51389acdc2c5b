// SPDX-License-Identifier: MIT
import { InputError } from '../../core/model/errors.ts';
import { COMPUTE_STAGE } from './gpu-device.ts';

/** Layouts by device: deformers of a kind have the same layout and share compiled pipelines. */
const layouts = new WeakMap<GPUDevice, Map<string, GPUBindGroupLayout>>();
const pipelines = new WeakMap<GPUDevice, Map<string, Promise<GPUComputePipeline>>>();

/**
 * Makes a layout: binding 0 is a uniform buffer, the others are storage buffers.
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

/** The pipeline of a runner, which its method compile sets. */
export function compiled(who: string, pipeline: GPUComputePipeline | undefined): GPUComputePipeline {
  if (!pipeline) throw new InputError(who, 'compile it before it is encoded');
  return pipeline;
}

/** Compiles a pass, or returns the compiled one of this device. Messages of the compiler become the error. */
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
    // a device that is out of memory may succeed later
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
