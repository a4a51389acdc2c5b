// SPDX-License-Identifier: MIT

const DEGREES = 180 / Math.PI;
/** Length of half a unit quaternion below which the other two angles turn about one axis: far below the rounding of 32-bit numbers. */
const LOCKED = 1e-8;

/**
 * Fills out with the angles x, y, z in degrees of a rotation Rz Ry Rx, the order that FBX calls XYZ. With a previous triple, the angles are
 * those of the two solutions, and of their full turns, that are nearest to it, so that curves do not jump.
 *
 * The quaternion splits into two planes: (w − y, x + z) turns by half the sum of z and x, (w + y, z − x) by half their difference, and the
 * ratio of their lengths is tan(45° + y / 2). Nothing cancels near y = ±90°, and the length of the quaternion does not matter.
 */
export function degreesFromQuaternionInto(
  q: ArrayLike<number>,
  qOffset: number,
  out: Float64Array,
  outOffset: number,
  previous?: ArrayLike<number>,
): void {
  const [x, y, z, w] = [q[qOffset], q[qOffset + 1], q[qOffset + 2], q[qOffset + 3]];
  const [sumCosine, sumSine] = [w - y, z + x];
  const [differenceCosine, differenceSine] = [w + y, z - x];
  const [low, high] = [Math.hypot(sumCosine, sumSine), Math.hypot(differenceCosine, differenceSine)];
  const middle = 2 * Math.atan2(high, low) * DEGREES - 90;
  let sum = 2 * Math.atan2(sumSine, sumCosine) * DEGREES;
  let difference = 2 * Math.atan2(differenceSine, differenceCosine) * DEGREES;
  // angles that are not determined keep their last values
  const locked = LOCKED * (low + high);
  if (low <= locked) sum = previous ? previous[2] + previous[0] : difference;
  else if (high <= locked) difference = previous ? previous[2] - previous[0] : -sum;
  let angles = [(sum - difference) / 2, middle, (sum + difference) / 2];
  if (previous) {
    const other = [angles[0] + 180, 180 - angles[1], angles[2] + 180];
    const [near, far] = [angles, other].map((list) => list.map((angle, c) => nearestTurn(angle, previous[c])));
    const distance = (list: number[]): number =>
      list.reduce((total, angle, c) => total + Math.abs(angle - previous[c]), 0);
    angles = distance(far) < distance(near) ? far : near;
  } else angles = angles.map((angle) => nearestTurn(angle, 0));
  for (let c = 0; c < 3; c++) out[outOffset + c] = angles[c];
}

function nearestTurn(angle: number, previous: number): number {
  return angle + 360 * Math.round((previous - angle) / 360);
}
