// SPDX-License-Identifier: MIT
import type { Compute, ComputeOptions } from '../kernels/compute.ts';
import { importNode, isNode } from './threads.ts';
import { makeTypescriptEngine } from './typescript-engine.ts';
import { makeWasmEngine } from './wasm-engine.ts';

const MAX_THREADS = 16;

/** Defaults of ComputeOptions. */
export const COMPUTE_DEFAULTS: Required<ComputeOptions> = { threads: 0, kind: 'auto' };

/** Compiled once per process or page. */
const modules = new Map<boolean, Promise<WebAssembly.Module>>();

/**
 * Makes the compute on which kernels run: WebAssembly with SIMD on threads over shared memory; on one thread if the host has no shared memory
 * (a page without isolation headers); the TypeScript reference if WebAssembly does not load. Verbs make their own; share one to avoid starting
 * threads for every call.
 * @example
 * ```ts
 * import { decompose, makeCompute } from 'ossify';
 *
 * const compute = await makeCompute({ threads: 4 });
 * try {
 *   for (const one of asset.clips) await decompose(one, { bones: 20, compute });
 * } finally {
 *   compute.dispose();
 * }
 * ```
 */
export async function makeCompute(options: ComputeOptions = {}): Promise<Compute> {
  const kind = options.kind ?? COMPUTE_DEFAULTS.kind;
  const threads = options.threads || (await countCores());
  if (!Number.isInteger(threads) || threads < 1)
    throw new Error(`compute: threads must be a whole number, at least 0, got ${options.threads}`);
  if (kind === 'typescript') return makeTypescriptEngine();
  try {
    const shared = threads > 1 && canShare();
    return await makeWasmEngine(await loadModule(shared), shared, Math.min(threads, MAX_THREADS));
  } catch (error) {
    if (kind === 'wasm') throw error;
    return makeTypescriptEngine();
  }
}

function loadModule(shared: boolean): Promise<WebAssembly.Module> {
  let module = modules.get(shared);
  if (!module) {
    // Both addresses are written out: bundlers find assets by this exact form.
    module = shared
      ? compile(new URL('./kernels-shared.wasm', import.meta.url))
      : compile(new URL('./kernels.wasm', import.meta.url));
    module.catch(() => modules.delete(shared));
    modules.set(shared, module);
  }
  return module;
}

async function compile(url: URL): Promise<WebAssembly.Module> {
  if (isNode() && url.protocol === 'file:') {
    const { readFile } = await importNode<typeof import('node:fs/promises')>('node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`compute: ${url.href} did not load (${response.status})`);
  return WebAssembly.compile(await response.arrayBuffer());
}

function canShare(): boolean {
  if (typeof SharedArrayBuffer === 'undefined') return false;
  return isNode() || (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated === true;
}

async function countCores(): Promise<number> {
  if (isNode()) {
    const { availableParallelism } = await importNode<typeof import('node:os')>('node:os');
    return Math.min(availableParallelism(), MAX_THREADS);
  }
  return Math.min(globalThis.navigator?.hardwareConcurrency ?? 1, MAX_THREADS);
}
