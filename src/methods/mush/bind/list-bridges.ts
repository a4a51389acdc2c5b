// SPDX-License-Identifier: MIT
// Le & Lewis 2019, "Models with multiple geometry parts": entries of the Laplacian that connect close vertices associated to the same bone.

/**
 * Pairs of close points of different connected parts, bound to the same bone, so that smoothing continues across them and touching parts do not separate.
 * Each point is connected to the nearest point of every other part; of equal distances the lower index wins.
 * @param positions pointCount x 3
 * @param partOfPoint pointCount: which connected part
 * @param boneOfPoint pointCount: which bone
 * @param distance maximum distance, file units; 0 gives none
 * @returns linkCount x 2, the lower point first, in ascending order
 */
export function listBridges(
  positions: ArrayLike<number>,
  partOfPoint: Uint32Array,
  boneOfPoint: Uint32Array,
  distance: number,
): Uint32Array {
  const pointCount = partOfPoint.length;
  if (!(distance > 0) || partOfPoint.every((part) => part === partOfPoint[0])) return new Uint32Array(0);
  const cells = new Map<number, number[]>();
  const cellOf = (c: number): number => Math.floor(positions[c] / distance);
  for (let i = 0; i < pointCount; i++) {
    const key = keyOf(cellOf(3 * i), cellOf(3 * i + 1), cellOf(3 * i + 2));
    const cell = cells.get(key);
    if (cell) cell.push(i);
    else cells.set(key, [i]);
  }
  const pairs = new Set<number>();
  /** Nearest point of each other part so far: part to [point, squared distance]. */
  const nearest = new Map<number, [number, number]>();
  for (let i = 0; i < pointCount; i++) {
    nearest.clear();
    const x = cellOf(3 * i),
      y = cellOf(3 * i + 1),
      z = cellOf(3 * i + 2);
    for (let n = 0; n < 27; n++) {
      const key = keyOf(x + (n % 3) - 1, y + (Math.floor(n / 3) % 3) - 1, z + Math.floor(n / 9) - 1);
      for (const j of cells.get(key) ?? []) {
        if (partOfPoint[j] === partOfPoint[i] || boneOfPoint[j] !== boneOfPoint[i]) continue;
        const square =
          (positions[3 * i] - positions[3 * j]) ** 2 +
          (positions[3 * i + 1] - positions[3 * j + 1]) ** 2 +
          (positions[3 * i + 2] - positions[3 * j + 2]) ** 2;
        if (!(square <= distance * distance)) continue;
        const best = nearest.get(partOfPoint[j]);
        if (!best || square < best[1] || (square === best[1] && j < best[0])) nearest.set(partOfPoint[j], [j, square]);
      }
    }
    for (const [j] of nearest.values()) pairs.add(Math.min(i, j) * pointCount + Math.max(i, j));
  }
  const sorted = [...pairs].sort((a, b) => a - b);
  return Uint32Array.from(sorted.flatMap((pair) => [Math.floor(pair / pointCount), pair % pointCount]));
}

/** Hash of a cell. Cells with the same key only add candidates: the distance decides. */
function keyOf(x: number, y: number, z: number): number {
  return Math.imul(x, 73856093) ^ Math.imul(y, 19349663) ^ Math.imul(z, 83492791);
}
