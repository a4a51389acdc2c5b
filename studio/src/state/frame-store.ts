// SPDX-License-Identifier: MIT
import type { FrameBatch } from '../messages/protocol.ts';
import type { VersionInfo } from '../messages/views.ts';

/** One frame of one version: views into the message of the worker. */
export interface Shape {
  /** vertexCount x 3 */
  positions: Float32Array;
  /** boneCount x 16, rest to posed; empty without bones */
  bones: Float64Array;
  /** virtualBoneCount x 12 */
  virtual: Float64Array;
}

interface Reel {
  frameCount: number;
  /** Frames per batch; the last may have fewer. */
  size: number;
  batches: (FrameBatch | undefined)[];
  /** The rest shape, shown until the first frames arrive. */
  rest: Shape;
}

/** Frames received from the worker, by version and motion. */
export class FrameStore {
  readonly #reels = new Map<string, Reel>();

  has(version: number, motion: number): boolean {
    return this.#reels.has(`${version} ${motion}`);
  }

  expect({ id, mesh, motions }: VersionInfo, motion: number): void {
    const rest = { positions: mesh.positions, bones: new Float64Array(0), virtual: new Float64Array(0) };
    const frameCount = motions[motion]?.times.length ?? 0;
    this.#reels.set(`${id} ${motion}`, { frameCount, size: 0, batches: [], rest });
  }

  put(batch: FrameBatch): void {
    const reel = this.#reels.get(`${batch.version} ${batch.motion}`);
    if (!reel) return;
    reel.size = batch.size;
    reel.batches[batch.first / reel.size] = batch;
  }

  /** Frame k; undefined if it has not arrived. Errors are measured on these alone. */
  get(version: number, motion: number, k: number): Shape | undefined {
    const reel = this.#reels.get(`${version} ${motion}`);
    const batch = reel && reel.size > 0 ? reel.batches[Math.floor(k / reel.size)] : undefined;
    return batch && k - batch.first < batch.count ? cutFrame(batch, k - batch.first) : undefined;
  }

  /** The shape to show while frame k is awaited: the last frame before it that has arrived, or the rest shape. */
  nearest(version: number, motion: number, k: number): Shape | undefined {
    const reel = this.#reels.get(`${version} ${motion}`);
    if (!reel) return undefined;
    for (let n = reel.size > 0 ? Math.floor(k / reel.size) : -1; n >= 0; n--) {
      const batch = reel.batches[n];
      if (batch) return cutFrame(batch, Math.min(k - batch.first, batch.count - 1));
    }
    return reel.rest;
  }

  /** Number of received frames, and of all frames. */
  progressOf(version: number, motion: number): { ready: number; of: number } {
    const reel = this.#reels.get(`${version} ${motion}`);
    const ready = reel?.batches.reduce((sum, batch) => sum + (batch?.count ?? 0), 0) ?? 0;
    return { ready, of: reel?.frameCount ?? 0 };
  }

  /** Ranges of frames that have arrived: first, and first that has not. */
  rangesOf(version: number, motion: number): [number, number][] {
    const ranges: [number, number][] = [];
    for (const batch of this.#reels.get(`${version} ${motion}`)?.batches ?? []) {
      if (!batch) continue;
      const last = ranges.at(-1);
      if (last && last[1] === batch.first) last[1] += batch.count;
      else ranges.push([batch.first, batch.first + batch.count]);
    }
    return ranges;
  }

  drop(version: number): void {
    for (const key of [...this.#reels.keys()]) if (key.startsWith(`${version} `)) this.#reels.delete(key);
  }
}

function cutFrame(batch: FrameBatch, n: number): Shape {
  const cut = <T extends Float32Array | Float64Array>(array: T): T => {
    const stride = array.length / batch.count;
    return array.subarray(n * stride, (n + 1) * stride) as T;
  };
  return { positions: cut(batch.positions), bones: cut(batch.bones), virtual: cut(batch.virtual) };
}
