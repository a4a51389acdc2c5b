// SPDX-License-Identifier: MIT
import { type Asset, type Clip, LOCAL_MEASURE_HOST, type MeasureHost } from '../../../src/entry/index.ts';
import { makeClient, type Port } from '../messages/rpc.ts';
import type { MeasureCalls } from './measure-thread.ts';

/** Bytes of positions that a thread evaluates before it is given more. */
const CHUNK_BYTES = 4e6;
/** Below this many numbers, a measurement ends before a thread has started. */
const WORTHWHILE = 3e6;

type Thread = ReturnType<typeof startThread>;

/** Evaluates and measures frames on several threads. Small clips are measured on this one. */
export class MeasurePool implements MeasureHost {
  readonly #count: number;
  #threads: Thread[] = [];
  /** Threads without a measurement, and measurements that wait for a thread. */
  #idle: Thread[] = [];
  #waiting: ((thread: Thread) => void)[] = [];

  constructor(threads: number) {
    this.#count = threads;
  }

  readonly bake: MeasureHost['bake'] = async (asset, animation, times, onProgress) => {
    const stride = asset.mesh.positions.length;
    if (!this.#start(stride * times.length)) return LOCAL_MEASURE_HOST.bake(asset, animation, times);
    const positions = new Float32Array(stride * times.length);
    const size = Math.max(1, Math.floor(CHUNK_BYTES / (4 * stride)));
    let next = 0;
    let done = 0;
    await Promise.all(
      this.#threads.map(async ({ client }) => {
        await client.call('take', { asset: bareOf(asset), animation });
        while (next < times.length) {
          const first = next;
          next += size;
          const part = await client.call('bake', { times: times.slice(first, first + size) });
          positions.set(part, first * stride);
          done += part.length / stride;
          onProgress?.(done / times.length);
        }
      }),
    );
    return { kind: 'clip', name: animation?.name || asset.name, mesh: asset.mesh, positions, times };
  };

  readonly measure: MeasureHost['measure'] = async (reference, result, { onFrame, ...options } = {}) => {
    if (!this.#start(reference.positions.length))
      return LOCAL_MEASURE_HOST.measure(reference, result, { ...options, onFrame });
    const give = { reference: plainOf(reference), result: plainOf(result), options };
    return this.#borrow(onFrame, ({ client }) => client.call('measure', give));
  };

  end(): void {
    for (const { end } of this.#threads) end();
    this.#threads = [];
    this.#idle = [];
  }

  /** Starts the threads if they are worth it for this many numbers. */
  #start(numbers: number): boolean {
    if (this.#count < 2 || numbers < WORTHWHILE) return false;
    while (this.#threads.length < this.#count) {
      const thread = startThread();
      this.#threads.push(thread);
      this.#idle.push(thread);
    }
    return true;
  }

  /** Runs a measurement on one thread, once a thread has no other. */
  async #borrow<T>(
    onFrame: ((fraction: number) => void) | undefined,
    work: (thread: Thread) => Promise<T>,
  ): Promise<T> {
    const thread = this.#idle.pop() ?? (await new Promise<Thread>((resolve) => this.#waiting.push(resolve)));
    thread.onFraction = onFrame;
    try {
      return await work(thread);
    } finally {
      onFrame?.(1);
      thread.onFraction = undefined;
      const next = this.#waiting.shift();
      if (next) next(thread);
      else this.#idle.push(thread);
    }
  }
}

/** Without the document of its file, which cannot be sent to a thread. */
function bareOf({ source: _, ...asset }: Asset): Asset {
  return asset;
}

/** The positions and times of a clip and the shape of its mesh: its attributes are not measured. */
function plainOf({ kind, name, mesh, positions, times }: Clip): Clip {
  return { kind, name, mesh: { ...mesh, attributes: [] }, positions, times };
}

function startThread() {
  const worker = new Worker(new URL('./measure-thread.ts', import.meta.url), { type: 'module' });
  const thread = {
    onFraction: undefined as ((fraction: number) => void) | undefined,
    client: makeClient<MeasureCalls>(worker as unknown as Port, (event) =>
      thread.onFraction?.((event as { fraction: number }).fraction),
    ),
    end: () => worker.terminate(),
  };
  return thread;
}
