// SPDX-License-Identifier: MIT
import type { BakeSide } from '../../src/index.ts';
import type { BakeCalls } from './bake-worker.ts';
import { makeClient, type Port } from './rpc.ts';

/** Bytes of positions that a thread evaluates before it is given more. */
const CHUNK_BYTES = 4e6;
/** Below this many numbers a comparison is done before a thread has started. */
const WORTHWHILE = 3e6;

/** Evaluates frames on several threads. Small clips are evaluated on this one. */
export class BakePool {
  readonly #threads: number;
  #workers: { client: ReturnType<typeof makeClient<BakeCalls>>; end(): void }[] = [];

  constructor(threads: number) {
    this.#threads = threads;
  }

  /** For the comparison: frames of an asset at given times. */
  readonly bake: BakeSide = async (asset, animation, times) => {
    const { bakeAt } = await import('../../src/deform.ts');
    const stride = asset.mesh.positions.length;
    if (this.#threads < 2 || stride * times.length < WORTHWHILE) return bakeAt(asset, animation, times);
    while (this.#workers.length < this.#threads) this.#workers.push(startWorker());
    const positions = new Float32Array(stride * times.length);
    const size = Math.max(1, Math.floor(CHUNK_BYTES / (4 * stride)));
    let next = 0;
    const { source: _, ...bare } = asset;
    await Promise.all(
      this.#workers.map(async ({ client }) => {
        await client.call('take', { asset: bare, animation });
        while (next < times.length) {
          const first = next;
          next += size;
          const part = await client.call('bake', { times: times.slice(first, first + size) });
          positions.set(part, first * stride);
        }
      }),
    );
    return { kind: 'clip', name: animation?.name || asset.name, mesh: asset.mesh, positions, times };
  };

  end(): void {
    for (const { end } of this.#workers) end();
    this.#workers = [];
  }
}

function startWorker() {
  const worker = new Worker(new URL('./bake-worker.ts', import.meta.url), { type: 'module' });
  return { client: makeClient<BakeCalls>(worker as unknown as Port, () => {}), end: () => worker.terminate() };
}
