// SPDX-License-Identifier: MIT
import { cosineOf, sineOf } from '../core/math/sine.ts';
import { vertexNormalsInto } from '../core/mesh/geometry/vertex-normals.ts';
import { type Mesh, makeMesh } from '../core/model/mesh/mesh.ts';

/** A cross-section of a tube along x: an ellipse. */
export interface TubeRing {
  x: number;
  /** Where its middle lies off the axis. */
  y: number;
  z: number;
  /** Half widths along y and z. */
  height: number;
  depth: number;
}

/**
 * A closed tube along x of rings and a pole at each end: rings x around + 2 vertices.
 * @param ends x of the two poles
 */
export function makeRingTube(rings: readonly TubeRing[], ends: [number, number], around: number, name: string): Mesh {
  const first = rings[0];
  const final = rings[rings.length - 1];
  const positions: number[] = [ends[0], first.y, first.z];
  for (const { x, y, z, height, depth } of rings) {
    for (let m = 0; m < around; m++) {
      const angle = (2 * Math.PI * m) / around;
      positions.push(x, y + height * cosineOf(angle), z + depth * sineOf(angle));
    }
  }
  positions.push(ends[1], final.y, final.z);
  const last = positions.length / 3 - 1;
  const triangles: number[] = [];
  for (let m = 0; m < around; m++) {
    const next = (m + 1) % around;
    triangles.push(0, 1 + next, 1 + m);
    for (let n = 0; n + 1 < rings.length; n++) {
      const a = 1 + n * around,
        b = a + around;
      // diagonals alternate, so that the tube has no grain
      if ((n + m) % 2 === 0) triangles.push(a + m, a + next, b + next, a + m, b + next, b + m);
      else triangles.push(a + m, a + next, b + m, a + next, b + next, b + m);
    }
    const end = 1 + (rings.length - 1) * around;
    triangles.push(last, end + m, end + next);
  }
  const mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), name);
  mesh.normals = new Float32Array(mesh.positions.length);
  vertexNormalsInto(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

/**
 * Rings of a tube with round ends, along its profile: evenly, or closer together in the middle.
 * @param cap how long the round ends are
 * @param crowding from 0 (even) up to, not with, 1: rings in the middle are 1 − crowding times as far apart as on average
 */
export function capsuleRings(
  count: number,
  ends: [number, number],
  cap: number,
  sectionAt: (x: number) => Omit<TubeRing, 'x'>,
  crowding = 0,
): TubeRing[] {
  const [from, to] = ends;
  const quarter = (Math.PI / 2) * cap;
  const straight = to - from - 2 * cap;
  const total = straight + 2 * quarter;
  return Array.from({ length: count }, (_, n) => {
    const u = (n + 1) / (count + 1);
    const s = total * (u + (crowding / (2 * Math.PI)) * sineOf(2 * Math.PI * u));
    let x: number, round: number;
    if (s < quarter) {
      x = from + cap - cap * cosineOf(s / cap);
      round = sineOf(s / cap);
    } else if (s <= quarter + straight) {
      x = from + cap + s - quarter;
      round = 1;
    } else {
      const angle = (s - quarter - straight) / cap;
      x = to - cap + cap * sineOf(angle);
      round = cosineOf(angle);
    }
    const { y, z, height, depth } = sectionAt(x);
    return { x, y, z, height: height * round, depth: depth * round };
  });
}
