// SPDX-License-Identifier: MIT
// More virtual bones for a solved model: its own, and new ones at the points of the largest errors.
import type { CompressProblem } from '../compress-problem.ts';
import { copyBone, type VirtualBone } from '../virtual-bones/virtual-bones.ts';
import { listWorstPoints } from './compress-relocate.ts';
import { insertNearest, makeNearestBones, type StartResult } from './compress-start.ts';

/** A solved model, for a solve that continues from it. */
export interface SolvedBones {
  bones: VirtualBone[];
  /** pointCount: squared errors */
  errors: Float64Array;
}

/**
 * Makes the start of a solve with at least as many virtual bones as a solved model.
 * @param width bones in the list of a point
 */
export function growStart(
  { points, linear, maker }: CompressProblem,
  { bones: solved, errors }: SolvedBones,
  count: number,
  width: number,
): StartResult {
  const added = listWorstPoints(points, errors, count - solved.length);
  const bones = [...solved.map(copyBone), ...added.map((point) => maker.make([point]))];
  const responses = bones.map((bone) => linear.respond(bone, linear.allocateScratch()));
  const nearest = makeNearestBones(points.pointCount, Math.min(width, bones.length));
  responses.forEach((response, k) => {
    for (let i = 0; i < points.pointCount; i++) insertNearest(nearest, i, k, linear.distance(i, response));
  });
  return { bones, responses, nearest };
}
