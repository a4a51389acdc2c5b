// SPDX-License-Identifier: MIT
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Muscle } from './muscles.ts';

/** A muscle with its vertices; symbols as in muscles.ts. */
export interface BoundMuscle {
  originJoint: number;
  insertionJoint: number;
  /** o, e and a */
  origin: readonly number[];
  insertion: readonly number[];
  axis: readonly number[];
  /** L₀ */
  restLength: number;
  swell: number;
  /** Vertices of the muscle. */
  vertices: Uint32Array;
  /** count: t */
  places: Float64Array;
  /** count: b(t) */
  bellies: Float64Array;
  /** count x 3: v − o − t L₀ a */
  across: Float64Array;
  /** count: m; the sum over all muscles is at most 1 per vertex */
  holds: Float64Array;
}

/** Minimum m: a thousandth of the thinnest visible line. */
const MIN_HOLD = 1e-4;

/** Finds the vertices and weights of each muscle. Throws on an invalid muscle. */
export function bindMuscles(mesh: Mesh, boneCount: number, muscles: readonly Muscle[]): BoundMuscle[] {
  const vertexCount = mesh.positions.length / 3;
  const sums = new Float64Array(vertexCount);
  const bound = muscles.map((muscle) => {
    checkMuscle(muscle, boneCount);
    const one = bindMuscle(mesh, muscle);
    one.vertices.forEach((i, n) => {
      sums[i] += one.holds[n];
    });
    return one;
  });
  // muscles whose weights at a vertex sum to more than one share it
  for (const { vertices, holds } of bound) {
    for (let n = 0; n < holds.length; n++) holds[n] /= Math.max(1, sums[vertices[n]]);
  }
  return bound;
}

function checkMuscle({ name, origin, insertion, radius, reach, swell = 1, hold = 1 }: Muscle, boneCount: number): void {
  for (const [what, { joint, point }] of [
    ['origin', origin],
    ['insertion', insertion],
  ] as const) {
    if (!(Number.isInteger(joint) && joint >= 0 && joint < boneCount))
      throw new InputError('muscles', `the ${what} of "${name}" is on joint ${joint}; there are ${boneCount} joints`);
    if (!(point.length === 3 && point.every(Number.isFinite)))
      throw new UsageError('muscles', `the ${what} of "${name}" must be three numbers, got ${point.join(' ')}`);
  }
  if (origin.point.every((x, c) => x === insertion.point[c]))
    throw new InputError('muscles', `the attachments of "${name}" are at the same point; move one of them`);
  if (!(radius > 0 && Number.isFinite(radius)))
    throw new UsageError('muscles', `the radius of "${name}" must be above 0, got ${radius}`);
  if (!(reach >= 0 && Number.isFinite(reach)))
    throw new UsageError('muscles', `the reach of "${name}" must be at least 0, got ${reach}`);
  if (!(swell >= 0 && Number.isFinite(swell)))
    throw new UsageError('muscles', `the swell of "${name}" must be at least 0, got ${swell}`);
  if (!(hold >= 0 && hold <= 1))
    throw new UsageError('muscles', `the hold of "${name}" must be from 0 to 1, got ${hold}`);
}

function bindMuscle({ positions }: Mesh, muscle: Muscle): BoundMuscle {
  const { origin, insertion, radius, reach, swell = 1, hold = 1 } = muscle;
  const [ox, oy, oz] = origin.point;
  const dx = insertion.point[0] - ox,
    dy = insertion.point[1] - oy,
    dz = insertion.point[2] - oz;
  const restLength = Math.sqrt(dx * dx + dy * dy + dz * dz);
  const [ax, ay, az] = [dx / restLength, dy / restLength, dz / restLength];
  const vertices: number[] = [],
    places: number[] = [],
    bellies: number[] = [],
    across: number[] = [],
    holds: number[] = [];
  for (let c = 0; c < positions.length; c += 3) {
    const x = positions[c] - ox,
      y = positions[c + 1] - oy,
      z = positions[c + 2] - oz;
    const along = x * ax + y * ay + z * az;
    const t = along / restLength;
    if (!(t > 0 && t < 1)) continue;
    const u = x - along * ax,
      v = y - along * ay,
      w = z - along * az;
    const belly = bellyAt(t);
    const outside = Math.sqrt(u * u + v * v + w * w) - radius * Math.sqrt(belly);
    const near = outside <= 0 ? 1 : reach > 0 ? Math.max(0, 1 - outside / reach) : 0;
    const m = hold * belly * belly * near * near * (3 - 2 * near);
    if (m < MIN_HOLD) continue;
    vertices.push(c / 3);
    places.push(t);
    bellies.push(belly);
    across.push(u, v, w);
    holds.push(m);
  }
  return {
    originJoint: origin.joint,
    insertionJoint: insertion.joint,
    origin: origin.point,
    insertion: insertion.point,
    axis: [ax, ay, az],
    restLength,
    swell,
    vertices: Uint32Array.from(vertices),
    places: Float64Array.from(places),
    bellies: Float64Array.from(bellies),
    across: Float64Array.from(across),
    holds: Float64Array.from(holds),
  };
}

/** b(t): 1 in the middle, with a flat top; 0 at both ends. */
function bellyAt(t: number): number {
  const u = (2 * t - 1) ** 2;
  return 1 - u * u;
}
