// SPDX-License-Identifier: MIT

import { type Clip, checkClip } from '../../core/model/clip/clip.ts';
import { InputError } from '../../core/model/errors.ts';

/**
 * Writes the frames of a clip as an MDD point cache. Write the mesh with writeObj: vertices are in the same order.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { writeMdd, writeObj } from 'ossify';
 *
 * await writeFile('cloth.obj', writeObj(clip.mesh));
 * await writeFile('cloth.mdd', writeMdd(clip));
 * ```
 */
export function writeMdd(clip: Clip): Uint8Array<ArrayBuffer> {
  checkClip(clip);
  const { times, positions } = clip;
  const frameCount = times.length;
  if (positions.length === 0) throw new InputError('writeMdd', 'the clip has no frames or no vertices');
  const headerLength = 8 + 4 * frameCount;
  const bytes = new Uint8Array(headerLength + 4 * positions.length);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, frameCount, false);
  view.setInt32(4, positions.length / frameCount / 3, false);
  for (let k = 0; k < frameCount; k++) view.setFloat32(8 + 4 * k, times[k], false);
  for (let c = 0; c < positions.length; c++) view.setFloat32(headerLength + 4 * c, positions[c], false);
  return bytes;
}
