// SPDX-License-Identifier: MIT

const DEGREES = 180 / Math.PI;
/** Sine of the middle angle beyond which the other two turn about one axis. */
const LOCKED = 1 - 1e-12;

/**
 * Fills out with the angles x, y, z in degrees of a rotation Rz Ry Rx, the order that FBX calls XYZ. With a previous triple, the angles are
 * those of the two solutions, and of their full turns, that are nearest to it, so that curves do not jump.
 */
export function degreesFromQuaternionInto(
  q: ArrayLike<number>,
  qOffset: number,
  out: Float64Array,
  outOffset: number,
  previous?: ArrayLike<number>,
): void {
  const [x, y, z, w] = [q[qOffset], q[qOffset + 1], q[qOffset + 2], q[qOffset + 3]];
  const sin = Math.max(-1, Math.min(1, 2 * (w * y - x * z)));
  let angles: number[];
  if (Math.abs(sin) < LOCKED) {
    angles = [
      Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
      Math.asin(sin),
      Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
    ].map((angle) => angle * DEGREES);
  } else {
    // x and z turn about one axis: z keeps its previous angle, and x gets the rest
    const kept = previous ? previous[2] : 0;
    const sign = sin < 0 ? -1 : 1;
    const joint = 2 * Math.atan2(x, w) * DEGREES;
    angles = [joint + sign * kept, 90 * sign, kept];
  }
  if (previous) {
    const other = [angles[0] + 180, 180 - angles[1], angles[2] + 180];
    const [near, far] = [angles, other].map((list) => list.map((angle, c) => nearestTurn(angle, previous[c])));
    const distance = (list: number[]): number => list.reduce((sum, angle, c) => sum + Math.abs(angle - previous[c]), 0);
    angles = distance(far) < distance(near) ? far : near;
  }
  for (let c = 0; c < 3; c++) out[outOffset + c] = angles[c];
}

function nearestTurn(angle: number, previous: number): number {
  return angle + 360 * Math.round((previous - angle) / 360);
}
