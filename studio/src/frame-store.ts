// SPDX-License-Identifier: MIT
import type { FrameBatch, VersionInfo } from './protocol.ts';

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
    this.#reels.set(`${id} ${motion}`, { frameCount: motions[motion].times.length, size: 0, batches: [], rest });
  }

  put(batch: FrameBatch): void {
    const reel = this.#reels.get(`${batch.version} ${batch.motion}`);
    if (!reel) return;
    if (batch.first === 0) reel.size = batch.count;
    reel.batches[batch.first / reel.size] = batch;
  }

  /** Frame k, or the last received frame before it, or the rest shape. */
  get(version: number, motion: number, k: number): Shape | undefined {
    const reel = this.#reels.get(`${version} ${motion}`);
    if (!reel) return undefined;
    const last = Math.min(Math.floor(k / reel.size), reel.batches.length - 1);
    const batch = reel.size > 0 ? reel.batches[last] : undefined;
    if (!batch) return reel.rest;
    const n = Math.min(k - batch.first, batch.count - 1);
    const cut = <T extends Float32Array | Float64Array>(array: T): T => {
      const stride = array.length / batch.count;
      return array.subarray(n * stride, (n + 1) * stride) as T;
    };
    return { positions: cut(batch.positions), bones: cut(batch.bones), virtual: cut(batch.virtual) };
  }

  /** Number of received frames, and of all frames. */
  progressOf(version: number, motion: number): { ready: number; of: number } {
    const reel = this.#reels.get(`${version} ${motion}`);
    const ready = reel?.batches.reduce((sum, batch) => sum + (batch?.count ?? 0), 0) ?? 0;
    return { ready, of: reel?.frameCount ?? 0 };
  }

  drop(version: number): void {
    for (const key of [...this.#reels.keys()]) if (key.startsWith(`${version} `)) this.#reels.delete(key);
  }
}
