// SPDX-License-Identifier: MIT
import type { Remark } from '../../../core/model/remark.ts';

/** Reads a file by relative path, which is already checked to be within the file's folder. */
export type ResolveUri = (path: string) => Promise<Uint8Array>;

/** How a glTF is read. Public: this file imports nothing of glTF-Transform. */
export interface ReadGltfOptions {
  /** Name of the asset; by default 'gltf'. */
  name?: string;
  /** Frames per second of a flip-book without times. Default 24. */
  fps?: number;
  /** Reads buffers and images beside the file, by a relative path that is already checked to be within its folder. */
  resolve?: ResolveUri;
  /** Receives a sentence for everything that was ignored, and for every kind of fault that was repaired. */
  log?: Remark;
}
