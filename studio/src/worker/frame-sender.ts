// SPDX-License-Identifier: MIT
import type { FrameBaker } from '../../../src/entry/deform.ts';
import type { AssetEvent } from '../messages/protocol.ts';
import type { Version } from './asset-worker.ts';

/** Bytes of positions per message. */
const BATCH_BYTES = 2e6;

/** Bakes motions and sends their frames in batches, those that the page waits for first; other calls run in between. */
export class FrameSender {
  readonly #find: (id: number) => Version | undefined;
  readonly #tell: (event: AssetEvent, transfer?: Transferable[]) => void;
  /** By version: the frame that the page waits for. */
  readonly #wanted = new Map<number, number>();

  constructor(find: (id: number) => Version | undefined, tell: (event: AssetEvent, transfer?: Transferable[]) => void) {
    this.#find = find;
    this.#tell = tell;
  }

  seek(version: number, frame: number): void {
    this.#wanted.set(version, frame);
  }

  async send(id: number, index: number, baker: FrameBaker): Promise<{ frameCount: number }> {
    const version = this.#find(id)!;
    const motion = version.info.motions[index];
    const frameCount = motion.times.length;
    const bytes = Math.max(12, 4 * version.asset.mesh.positions.length);
    const size = Math.max(1, Math.floor(BATCH_BYTES / bytes));
    const left = Array.from({ length: Math.ceil(frameCount / size) }, (_, n) => n);
    while (left.length > 0 && this.#find(id)) {
      const wanted = Math.floor((this.#wanted.get(id) ?? 0) / size);
      const at = Math.max(
        0,
        left.findIndex((n) => n >= wanted),
      );
      const [batch] = left.splice(at, 1);
      const first = batch * size;
      const count = Math.min(size, frameCount - first);
      const baked = baker.bake(motion, index, first, count);
      const buffers = [...new Set([baked.positions.buffer, baked.bones.buffer, baked.virtual.buffer])] as ArrayBuffer[];
      this.#tell({ event: 'frames', batch: { version: id, motion: index, first, count, size, ...baked } }, buffers);
      await new Promise((resolve) => setTimeout(resolve));
    }
    this.#wanted.delete(id);
    return { frameCount };
  }
}
