// SPDX-License-Identifier: MIT
// The mirror image of each bone. The plane is x = c or z = c. For each axis, c starts at the middle of the box, at the mean of the centers and at zero, and moves to the mean of the points halfway between bones and their
// images; the plane is the one with the largest number of pairs, each counted by how well it fits.
import type { BodyTree } from './body-tree.ts';

/** Distance of an image, relative to the size, from which on two bones are no pair. */
const PAIR = 0.1;
/** Distance from the plane, relative to the size, within which a bone without an image is in the middle. */
export const MIDDLE = 0.025;
const STEPS = 4;
/** Weight of a bone that is its own image: the plane along a straight body has pairs too, by chance. */
const OWN = 0.6;

export interface JointMirror {
  /** The axis across the plane. */
  axis: 0 | 2;
  at: number;
  /** By bone: its image; itself for one in the middle, -1 for one without an image. */
  images: Int32Array;
}

export function mirrorJoints(tree: BodyTree): JointMirror {
  const { box, centers, masses } = tree.shape;
  const bones = tree.order.filter((j) => masses[j] > 0);
  let best: { score: number; mirror: JointMirror } | undefined;
  for (const axis of [0, 2] as const) {
    const mean = bones.reduce((sum, j) => sum + centers[3 * j + axis], 0) / (bones.length || 1);
    for (const start of [(box[axis] + box[axis + 3]) / 2, mean, 0]) {
      let at = start;
      let found = match(tree, bones, axis, at);
      for (let n = 0; n < STEPS; n++) {
        at = found.middle;
        found = match(tree, bones, axis, at);
      }
      // ties go to x, and to the middle of the box
      if (!best || found.score > best.score * (1 + 1e-6) + 1e-9)
        best = { score: found.score, mirror: { axis, at, images: found.images } };
    }
  }
  return best?.mirror ?? { axis: 0, at: 0, images: new Int32Array(masses.length).fill(-1) };
}

function match(
  { shape, joints }: BodyTree,
  bones: readonly number[],
  axis: 0 | 2,
  at: number,
): { images: Int32Array; score: number; middle: number } {
  const { centers, size } = shape;
  const distance = (i: number, j: number): number =>
    reflectedDistance(centers, i, j, axis, at) + reflectedDistance(joints, i, j, axis, at) / 2;
  const nearest = new Int32Array(centers.length / 3).fill(-1);
  const costs = new Float64Array(nearest.length).fill(Infinity);
  for (const i of bones)
    for (const j of bones) {
      const cost = distance(i, j);
      if (cost < costs[i]) [costs[i], nearest[i]] = [cost, j];
    }
  const images = new Int32Array(nearest.length).fill(-1);
  let [score, sum, count] = [0, 0, 0];
  for (const i of bones) {
    const j = nearest[i];
    if (nearest[j] !== i || !(costs[i] < PAIR * size)) continue;
    images[i] = j;
    score += (i === j ? OWN : 1) * (1 - costs[i] / (PAIR * size));
    sum += (centers[3 * i + axis] + centers[3 * j + axis]) / 2;
    count++;
  }
  return { images, score, middle: count > 0 ? sum / count : at };
}

function reflectedDistance(points: Float64Array, i: number, j: number, axis: 0 | 2, at: number): number {
  let sum = 0;
  for (let c = 0; c < 3; c++) {
    const x = points[3 * i + c];
    sum += ((c === axis ? 2 * at - x : x) - points[3 * j + c]) ** 2;
  }
  return Math.sqrt(sum);
}
