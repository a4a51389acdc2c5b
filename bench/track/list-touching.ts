// SPDX-License-Identifier: MIT

/** Distance of points that touch, and the distance that they have in another frame at least, relative to the box diagonal. */
const NEAR = 0.02;
const APART = 0.06;

/**
 * Points of parts that touch: those with another point that is near in a frame, and far away in another one. For a hand on a hip, most of the hand, and the hip below it.
 * @param shapes the same points in each frame, pointCount x 3
 * @param diagonal of the box
 * @returns pointCount, 0 or 1
 */
export function listTouching(shapes: readonly Float32Array[], diagonal: number): Uint8Array {
  const pointCount = shapes[0].length / 3;
  const isTouching = new Uint8Array(pointCount);
  const [near, apart] = [(NEAR * diagonal) ** 2, (APART * diagonal) ** 2];
  const squared = (p: Float32Array, i: number, j: number): number =>
    (p[3 * i] - p[3 * j]) ** 2 + (p[3 * i + 1] - p[3 * j + 1]) ** 2 + (p[3 * i + 2] - p[3 * j + 2]) ** 2;
  for (const shape of shapes) {
    const cells = new Map<string, number[]>();
    const placeOf = (i: number): number[] => [0, 1, 2].map((a) => Math.floor(shape[3 * i + a] / (NEAR * diagonal)));
    for (let i = 0; i < pointCount; i++) {
      const key = placeOf(i).join();
      const list = cells.get(key);
      if (list) list.push(i);
      else cells.set(key, [i]);
    }
    for (let i = 0; i < pointCount; i++) {
      if (isTouching[i]) continue;
      const [x, y, z] = placeOf(i);
      search: for (let n = 0; n < 27; n++) {
        const key = `${x + (n % 3) - 1},${y + (Math.floor(n / 3) % 3) - 1},${z + Math.floor(n / 9) - 1}`;
        for (const j of cells.get(key) ?? []) {
          if (squared(shape, i, j) > near || !shapes.some((other) => squared(other, i, j) > apart)) continue;
          isTouching[i] = 1;
          isTouching[j] = 1;
          break search;
        }
      }
    }
  }
  return isTouching;
}
