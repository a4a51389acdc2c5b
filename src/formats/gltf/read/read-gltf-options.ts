// SPDX-License-Identifier: MIT

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
  /** Receives a warning for everything that was repaired or ignored. */
  log?: (message: string) => void;
}
