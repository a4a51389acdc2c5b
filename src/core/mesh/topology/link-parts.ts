// SPDX-License-Identifier: MIT
// Contacts between the connected parts of a mesh. The limbs of a robot, the clothes and the eyes of a character share no vertex with their neighbours, so neither edges nor weights
// tell which parts belong together; their distance at rest does.

/** Maximum number of points whose distances are measured, and the minimum per part. */
const MAX_POINTS = 3000;
const MIN_POINTS = 12;
/** Number of nearest parts of a part. Two fingers are nearer to each other than to the palm, so one is not enough. Chosen by hand. */
const NEIGHBOURS = 8;
/** Maximum number of parts: their pairs are kept in a square matrix. */
const MAX_PARTS = 1000;

/** The place where two parts are nearest to each other at rest. */
export interface PartContact {
  /** A point of each part. */
  a: number;
  b: number;
  /** Their distance. */
  distance: number;
}

/**
 * Lists the contacts of every part with the parts nearest to it, in ascending order of their parts.
 * @param points pointCount x 3
 * @param parts pointCount: the part of every point
 */
export function linkParts(points: ArrayLike<number>, parts: Uint32Array): PartContact[] {
  const partCount = parts.reduce((max, part) => Math.max(max, part + 1), 0);
  if (partCount < 2 || partCount > MAX_PARTS) return [];
  const chosen = samplePoints(parts, partCount);
  /** partCount x partCount: the smallest squared distance of two parts, and the point of the first */
  const squares = new Float64Array(partCount ** 2).fill(Number.POSITIVE_INFINITY);
  const from = new Uint32Array(partCount ** 2);
  for (const i of chosen) {
    for (const l of chosen) {
      if (parts[i] === parts[l]) continue;
      const square =
        (points[3 * i] - points[3 * l]) ** 2 +
        (points[3 * i + 1] - points[3 * l + 1]) ** 2 +
        (points[3 * i + 2] - points[3 * l + 2]) ** 2;
      const pair = parts[i] * partCount + parts[l];
      if (square < squares[pair]) {
        squares[pair] = square;
        from[pair] = i;
      }
    }
  }
  const contacts: PartContact[] = [];
  const listed = new Uint8Array(partCount ** 2);
  for (let p = 0; p < partCount; p++) {
    const others = Array.from({ length: partCount }, (_, q) => q).filter(
      (q) => q !== p && squares[p * partCount + q] < Infinity,
    );
    others.sort((q, r) => squares[p * partCount + q] - squares[p * partCount + r] || q - r);
    for (const q of others.slice(0, NEIGHBOURS)) {
      const pair = Math.min(p, q) * partCount + Math.max(p, q);
      if (listed[pair]++) continue;
      contacts.push({ a: from[p * partCount + q], b: from[q * partCount + p], distance: Math.sqrt(squares[pair]) });
    }
  }
  return contacts;
}

/** Evenly spaced points of every part. */
function samplePoints(parts: Uint32Array, partCount: number): number[] {
  const sizes = new Uint32Array(partCount);
  for (const part of parts) sizes[part]++;
  const seen = new Uint32Array(partCount);
  const chosen: number[] = [];
  parts.forEach((part, i) => {
    const wanted = Math.min(sizes[part], Math.max(MIN_POINTS, Math.round((MAX_POINTS * sizes[part]) / parts.length)));
    const isDue =
      Math.floor(((seen[part] + 1) * wanted) / sizes[part]) > Math.floor((seen[part] * wanted) / sizes[part]);
    seen[part]++;
    if (isDue) chosen.push(i);
  });
  return chosen;
}
