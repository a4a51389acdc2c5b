// SPDX-License-Identifier: MIT
import { cosineOf, sineOf } from '../core/math/sine.ts';
import { vertexNormalsInto } from '../core/mesh/geometry/vertex-normals.ts';
import { makeTimes } from '../core/model/clip/clip.ts';
import { type Mesh, makeMesh } from '../core/model/mesh/mesh.ts';
import { phaseOf, SAMPLE_FPS, type SampleBody, type SampleOptions } from './sample.ts';

const LENGTH = 4;
const RADIUS = 0.3;
/** The swelling: how much wider at its middle, and how far it reaches. */
const SWELLING = 0.9;
const REACH = 0.45;

/** A closed tube along x with round ends; a swelling travels from one end to the other, as a swallowed meal does. */
export function makeTubeSwell(options: Required<SampleOptions>): SampleBody {
  const mesh = makeTube(options.resolution);
  const rest = mesh.positions;
  const positions = new Float32Array(options.frames * rest.length);
  // From beyond one end to beyond the other, so that the loop closes on the plain tube.
  const from = -LENGTH / 2 - 2.5 * REACH;
  for (let k = 0; k < options.frames; k++) {
    const middle = from + (phaseOf(k, options.frames) / (2 * Math.PI)) * -2 * from;
    for (let c = 0; c < rest.length; c += 3) {
      const away = (rest[c] - middle) / REACH;
      // The ends keep their shape.
      const square = (rest[c] / (LENGTH / 2)) ** 2;
      const inside = 1 - square * square * square;
      const factor = 1 + SWELLING * inside * Math.exp(-away * away);
      const o = k * rest.length + c;
      positions[o] = rest[c];
      positions[o + 1] = rest[c + 1] * factor;
      positions[o + 2] = rest[c + 2] * factor;
    }
  }
  return {
    clip: { kind: 'clip', name: 'swell', mesh, positions, times: makeTimes(options.frames, SAMPLE_FPS) },
    isExact: false,
  };
}

/** Rings along a capsule's profile, by arc length, and a pole at each end. */
function makeTube(resolution: number): Mesh {
  const straight = LENGTH - 2 * RADIUS;
  const profile = straight + Math.PI * RADIUS;
  const spacing = Math.sqrt((profile * 2 * Math.PI * RADIUS) / Math.max(16, resolution));
  const around = Math.max(3, Math.round((2 * Math.PI * RADIUS) / spacing));
  const along = Math.max(3, Math.round(profile / spacing));
  const positions: number[] = [-LENGTH / 2, 0, 0];
  for (let n = 1; n < along; n++) {
    const [x, r] = capsuleAt((n / along) * profile, straight);
    for (let m = 0; m < around; m++) {
      const angle = (2 * Math.PI * m) / around;
      positions.push(x, r * cosineOf(angle), r * sineOf(angle));
    }
  }
  positions.push(LENGTH / 2, 0, 0);
  const last = positions.length / 3 - 1;
  const triangles: number[] = [];
  for (let m = 0; m < around; m++) {
    const next = (m + 1) % around;
    triangles.push(0, 1 + next, 1 + m);
    for (let n = 0; n < along - 2; n++) {
      const a = 1 + n * around,
        b = a + around;
      triangles.push(a + m, a + next, b + next, a + m, b + next, b + m);
    }
    const end = 1 + (along - 2) * around;
    triangles.push(last, end + m, end + next);
  }
  const mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), 'tube-swell');
  mesh.normals = new Float32Array(mesh.positions.length);
  vertexNormalsInto(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

/** Position along x and distance from the axis, at arc length s of the profile. */
function capsuleAt(s: number, straight: number): [number, number] {
  const quarter = (Math.PI / 2) * RADIUS;
  if (s < quarter) return [-straight / 2 - RADIUS * cosineOf(s / RADIUS), RADIUS * sineOf(s / RADIUS)];
  if (s <= quarter + straight) return [s - quarter - straight / 2, RADIUS];
  const angle = (s - quarter - straight) / RADIUS;
  return [straight / 2 + RADIUS * sineOf(angle), RADIUS * cosineOf(angle)];
}
