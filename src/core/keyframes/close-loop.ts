// SPDX-License-Identifier: MIT
import { measureBounds } from '../mesh/geometry/bounds.ts';
import { boneCountOfMotion, type Motion } from '../model/clip/motion.ts';
import type { JointTracks } from './thin-joint-keys.ts';

/** Maximum distance of the last frame from the first for a loop, relative to the shape's diagonal. */
const SAME_POSE = 1e-6;

/** Maximum difference between the factors of equal matrices. If it is exceeded (exchanged axes), the keys are not changed. */
const SAME_FACTORS = 1e-3;

/**
 * Whether a motion ends in the pose it starts in: no bone moves any corner of the rest shape's box (so nothing inside it) by more than
 * a millionth of its diagonal between the two frames.
 * @param positions vertexCount x 3, the rest shape
 */
export function isLoop(motion: Motion, positions: Float32Array): boolean {
  const frameCount = motion.times.length;
  if (frameCount < 3) return false;
  const { min, max, diagonal } = measureBounds(positions);
  const boneCount = boneCountOfMotion(motion);
  const end = (frameCount - 1) * boneCount * 16;
  const d = new Float64Array(16);
  for (let j = 0; j < boneCount; j++) {
    for (let c = 0; c < 16; c++) d[c] = motion.matrices[end + 16 * j + c] - motion.matrices[16 * j + c];
    for (let corner = 0; corner < 8; corner++) {
      const x = corner & 1 ? max[0] : min[0];
      const y = corner & 2 ? max[1] : min[1];
      const z = corner & 4 ? max[2] : min[2];
      let squared = 0;
      for (let r = 0; r < 3; r++) squared += (d[r] * x + d[4 + r] * y + d[8 + r] * z + d[12 + r]) ** 2;
      if (!(Math.sqrt(squared) <= SAME_POSE * diagonal)) return false;
    }
  }
  return true;
}

/**
 * Gives the last key of each bone the bits of its first, in place, so that a loop closes without a seam. After a full turn the
 * rotation keeps the sign that continues the previous key: its last key is then the negative of the first, which is the same rotation.
 */
export function closeLoop(joints: JointTracks[]): void {
  for (const { tracks } of joints) {
    const signs = tracks.map(({ path, values }) => signOfReturn(values, path === 'rotation' ? 4 : 3));
    if (signs.some((sign, n) => sign === 0 || (sign < 0 && tracks[n].path !== 'rotation'))) continue;
    tracks.forEach(({ path, values }, n) => {
      const size = path === 'rotation' ? 4 : 3;
      for (let c = 0; c < size; c++) values[values.length - size + c] = signs[n] * values[c];
    });
  }
}

/** 1 if the last key is close to the first, -1 if it is close to its negative, otherwise 0. */
function signOfReturn(values: Float32Array, size: number): number {
  let largest = 0;
  for (let c = 0; c < values.length; c++) largest = Math.max(largest, Math.abs(values[c]));
  const isNear = (sign: number): boolean => {
    for (let c = 0; c < size; c++) {
      if (Math.abs(values[values.length - size + c] - sign * values[c]) > SAME_FACTORS * largest) return false;
    }
    return true;
  };
  return isNear(1) ? 1 : isNear(-1) ? -1 : 0;
}
