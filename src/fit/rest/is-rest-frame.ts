// SPDX-License-Identifier: MIT
import { type Clip, frameCountOf, frameOf } from '../../core/model/clip/clip.ts';

/** Whether the rest pose of a clip is one of its frames: a sequence of frames without a rest pose of its own. */
export function isRestFrame(clip: Clip): boolean {
  const rest = clip.mesh.positions;
  for (let k = 0; k < frameCountOf(clip); k++) if (frameOf(clip, k).every((x, c) => x === rest[c])) return true;
  return false;
}
