// SPDX-License-Identifier: MIT
// A few frames that stand for a long clip. Frames are compared by shape: each is moved back to the rest pose by its closest rigid motion, since rigid bones fit a frame
// as well as any rigid motion of it. The frames are split into cells of equal size, again and again at the median along the direction of their largest spread; the
// frame closest to the mean of a cell represents it. With cells of equal size, a mean over the representatives estimates the mean over all frames.
import { fitRigidMotion } from '../../../core/mesh/topology/list-rigid-pieces.ts';
import { type Clip, frameCountOf, frameOf } from '../../../core/model/clip/clip.ts';

/** Power iterations for the direction of the largest spread: it only has to separate frames, not to be exact. */
const POWER_ITERATIONS = 4;

export interface RepresentativeFrames {
  /** Rising indices of the chosen frames. */
  frames: Uint32Array;
  /** frameCount: by frame, the place in frames of the one that represents it */
  cellOf: Uint32Array;
  /** frameCount x 16, column-major: the rigid motion closest to each frame, rest to posed, file units */
  motions: Float64Array;
}

/** Chooses count frames of a clip; all of them if it has no more. */
export function representativeFrames(clip: Clip, count: number): RepresentativeFrames {
  const frameCount = frameCountOf(clip);
  const vertices = Uint32Array.from({ length: clip.mesh.positions.length / 3 }, (_, v) => v);
  const motions = fitRigidMotion(clip, vertices)!;
  const everyFrame = Uint32Array.from({ length: frameCount }, (_, k) => k);
  if (count >= frameCount) return { frames: everyFrame, cellOf: everyFrame.slice(), motions };
  const shapes = listShapes(clip, motions);
  const width = clip.mesh.positions.length;
  const chosen: { frame: number; cell: Uint32Array }[] = [];
  const split = (cell: Uint32Array, wanted: number): void => {
    if (wanted === 1) {
      chosen.push({ frame: findClosest(shapes, width, cell), cell });
      return;
    }
    const direction = findDirection(shapes, width, cell);
    const places = new Map(Array.from(cell, (k) => [k, dot(shapes, k * width, direction, width)]));
    const sorted = cell.toSorted((a, b) => places.get(a)! - places.get(b)! || a - b);
    const left = Math.floor(wanted / 2);
    const at = Math.round((cell.length * left) / wanted);
    split(sorted.subarray(0, at), left);
    split(sorted.subarray(at), wanted - left);
  };
  split(everyFrame, Math.max(1, count));
  chosen.sort((a, b) => a.frame - b.frame);
  const cellOf = new Uint32Array(frameCount);
  for (const [n, { cell }] of chosen.entries()) for (const k of cell) cellOf[k] = n;
  return { frames: Uint32Array.from(chosen, ({ frame }) => frame), cellOf, motions };
}

/** frameCount x vertexCount x 3: each frame moved back by its rigid motion, less the rest pose */
function listShapes(clip: Clip, motions: Float64Array): Float32Array {
  const { positions: rest } = clip.mesh;
  const shapes = new Float32Array(clip.positions.length);
  for (let k = 0; k < frameCountOf(clip); k++) {
    const frame = frameOf(clip, k);
    const m = motions.subarray(16 * k, 16 * k + 16);
    for (let i = 0; i < rest.length; i += 3) {
      const [x, y, z] = [frame[i] - m[12], frame[i + 1] - m[13], frame[i + 2] - m[14]];
      for (let c = 0; c < 3; c++)
        shapes[k * rest.length + i + c] = m[4 * c] * x + m[4 * c + 1] * y + m[4 * c + 2] * z - rest[i + c];
    }
  }
  return shapes;
}

function meanOf(shapes: Float32Array, width: number, cell: Uint32Array): Float64Array {
  const mean = new Float64Array(width);
  for (const k of cell) for (let c = 0; c < width; c++) mean[c] += shapes[k * width + c] / cell.length;
  return mean;
}

function dot(shapes: Float32Array, offset: number, direction: Float64Array, width: number): number {
  let sum = 0;
  for (let c = 0; c < width; c++) sum += shapes[offset + c] * direction[c];
  return sum;
}

/** The frame of a cell that is closest to the mean; ties by index. */
function findClosest(shapes: Float32Array, width: number, cell: Uint32Array): number {
  const mean = meanOf(shapes, width, cell);
  let best = cell[0];
  let lowest = Number.POSITIVE_INFINITY;
  for (const k of cell) {
    let square = 0;
    for (let c = 0; c < width; c++) square += (shapes[k * width + c] - mean[c]) ** 2;
    if (square < lowest || (square === lowest && k < best)) {
      lowest = square;
      best = k;
    }
  }
  return best;
}

/** The direction of the largest spread, by power iterations from the first frame's distance to the mean. Not of unit length. */
function findDirection(shapes: Float32Array, width: number, cell: Uint32Array): Float64Array {
  const mean = meanOf(shapes, width, cell);
  let direction = Float64Array.from(mean, (x, c) => shapes[cell[0] * width + c] - x);
  for (let iteration = 0; iteration < POWER_ITERATIONS; iteration++) {
    const next = new Float64Array(width);
    const middle = direction.reduce((sum, x, c) => sum + x * mean[c], 0);
    for (const k of cell) {
      const along = dot(shapes, k * width, direction, width) - middle;
      for (let c = 0; c < width; c++) next[c] += along * (shapes[k * width + c] - mean[c]);
    }
    const length = Math.sqrt(next.reduce((sum, x) => sum + x * x, 0));
    if (!(length > 0)) return direction;
    direction = next.map((x) => x / length);
  }
  return direction;
}
