// SPDX-License-Identifier: MIT
// The files that formats of frames consist of: a cache has its mesh beside, and a sequence a file per frame.

import type { Clip } from '../../core/model/clip/clip.ts';
import { writeObj } from '../meshes/index.ts';
import type { FramesFile } from '../shared/index.ts';

/** The frames, and the .obj file of the mesh beside them. */
export const listWithMesh = (path: string): string[] => [path, meshPathOf(path)];

/** The mesh of a cache, beside it. */
export const meshBeside = (clip: Clip, path: string): FramesFile => ({
  path: meshPathOf(path),
  bytes: writeObj(clip.mesh),
});

const meshPathOf = (path: string): string => path.replace(/\.[^.]*$/, '.obj');

/** Names of the frames of a sequence: 'walk.obj' gives walk.0001.obj and so on; one frame keeps its name. */
export function listSequencePaths(path: string, frameCount: number): string[] {
  if (frameCount === 1) return [path];
  const digits = Math.max(4, String(frameCount).length);
  return Array.from({ length: frameCount }, (_, k) =>
    path.replace(/(\.[^.]*)$/, `.${String(k + 1).padStart(digits, '0')}$1`),
  );
}
