// SPDX-License-Identifier: MIT
// Boxes of six numbers, minimum and maximum, in the arrays of a collider.

/** Fills the box at b with that around the boxes at s and t. */
export function joinBoxes(boxes: Float64Array, s: number, t: number, b: number): void {
  for (let c = 0; c < 3; c++) {
    boxes[b + c] = Math.min(boxes[s + c], boxes[t + c]);
    boxes[b + 3 + c] = Math.max(boxes[s + 3 + c], boxes[t + 3 + c]);
  }
}

/**
 * Fills the sphere at o with that around the box at b.
 * @param slack added to the radius: more than all rounding
 */
export function wrapBox(boxes: Float64Array, b: number, spheres: Float64Array, o: number, slack: number): void {
  const x = (boxes[b + 3] - boxes[b]) / 2;
  const y = (boxes[b + 4] - boxes[b + 1]) / 2;
  const z = (boxes[b + 5] - boxes[b + 2]) / 2;
  spheres[o] = boxes[b] + x;
  spheres[o + 1] = boxes[b + 1] + y;
  spheres[o + 2] = boxes[b + 2] + z;
  spheres[o + 3] = Math.sqrt(x * x + y * y + z * z) + slack;
}
