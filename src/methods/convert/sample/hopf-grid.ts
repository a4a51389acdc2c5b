// SPDX-License-Identifier: MIT
// A. Yershova, S. Jain, S. M. LaValle, J. C. Mitchell, "Generating uniform incremental grids on SO(3) using the Hopf fibration", Int. J. Robotics
// Research 29(7), 2010. Rotations are a circle times a sphere (Hopf fibration): a HEALPix grid on the sphere (K. M. Górski et al., Astrophys. J. 622, 2005)
// times an even grid on the circle. Level l has 12·4ˡ points times 6·2ˡ angles: 72, 576, 4608 …
//
// Hopf coordinates (θ, φ, ψ) to a quaternion:
//   w = cos θ/2 cos ψ/2,  x = sin θ/2 cos(φ + ψ/2),  y = sin θ/2 sin(φ + ψ/2),  z = cos θ/2 sin ψ/2.

import { cosineOf, sineOf } from '../../../core/math/sine.ts';
import { UsageError } from '../../../core/model/errors.ts';

/** count x 4: unit quaternions x y z w, a uniform grid of rotations. Level 1 has the 576 rotations of the paper. */
export function hopfGrid(level = 1): Float64Array {
  if (!(Number.isInteger(level) && level >= 0 && level <= 4))
    throw new UsageError('hopfGrid', `the level must be 0 to 4, got ${level}`);
  const sphere = listHealpix(2 ** level);
  const turns = 6 * 2 ** level;
  const out = new Float64Array((sphere.length / 2) * turns * 4);
  let o = 0;
  for (let s = 0; s < sphere.length; s += 2) {
    const [z, phi] = [sphere[s], sphere[s + 1]];
    const cos = Math.sqrt((1 + z) / 2);
    const sin = Math.sqrt((1 - z) / 2);
    for (let n = 0; n < turns; n++) {
      const half = ((2 * n + 1) * Math.PI) / turns / 2;
      out[o++] = sin * cosineOf(phi + half);
      out[o++] = sin * sineOf(phi + half);
      out[o++] = cos * sineOf(half);
      out[o++] = cos * cosineOf(half);
    }
  }
  return out;
}

/** Centers of HEALPix pixels in rings from north to south: z and longitude of each. */
function listHealpix(side: number): number[] {
  const out: number[] = [];
  for (let ring = 1; ring < 4 * side; ring++) {
    const fromPole = Math.min(ring, 4 * side - ring);
    const inCap = fromPole < side;
    const z = inCap ? 1 - (fromPole * fromPole) / (3 * side * side) : 4 / 3 - (2 * fromPole) / (3 * side);
    const count = 4 * Math.min(fromPole, side);
    const shift = inCap || (ring - side) % 2 === 0 ? 0.5 : 0;
    for (let n = 0; n < count; n++) {
      const south = ring > 2 * side;
      out.push(south ? -z : z, (2 * Math.PI * (n + shift)) / count);
    }
  }
  return out;
}
