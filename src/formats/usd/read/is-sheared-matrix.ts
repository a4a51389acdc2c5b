// SPDX-License-Identifier: MIT

/** Cosine between axes that counts as shear. */
const SHEAR = 1e-4;

/** Whether the axes of a matrix are not at right angles. Axes of length zero are at right angles to all. */
export function isShearedMatrix(m: Float64Array): boolean {
  const axes = [0, 4, 8].map((o) => m.subarray(o, o + 3));
  const cosine = (a: Float64Array, b: Float64Array): number => {
    const length = Math.hypot(...a) * Math.hypot(...b);
    return length > 0 ? (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / length : 0;
  };
  const pairs = [
    [0, 1],
    [0, 2],
    [1, 2],
  ];
  return pairs.some(([a, b]) => Math.abs(cosine(axes[a], axes[b])) > SHEAR);
}
