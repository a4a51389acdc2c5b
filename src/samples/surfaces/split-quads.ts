// SPDX-License-Identifier: MIT

/**
 * Splits each quad along its shorter diagonal, the first if they are equal; along the other one if that edge exists already,
 * which happens around a hole that is one cell wide.
 */
export function splitQuads(positions: Float64Array, quads: Uint32Array): Uint32Array {
  const triangles = new Uint32Array((quads.length / 4) * 6);
  const keyOf = (i: number, j: number): number => Math.min(i, j) * 2 ** 26 + Math.max(i, j);
  const edges = new Set<number>();
  for (let q = 0; q < quads.length; q++) edges.add(keyOf(quads[q], quads[q % 4 === 3 ? q - 3 : q + 1]));
  const squared = (i: number, j: number): number => {
    let sum = 0;
    for (let c = 0; c < 3; c++) sum += (positions[3 * i + c] - positions[3 * j + c]) ** 2;
    return sum;
  };
  for (let q = 0, t = 0; q < quads.length; q += 4, t += 6) {
    const [a, b, c, d] = quads.subarray(q, q + 4);
    const isShorter = squared(a, c) <= squared(b, d);
    const isTaken = edges.has(isShorter ? keyOf(a, c) : keyOf(b, d));
    const isFirst = isShorter !== isTaken;
    edges.add(isFirst ? keyOf(a, c) : keyOf(b, d));
    triangles.set(isFirst ? [a, b, c, a, c, d] : [a, b, d, b, c, d], t);
  }
  return triangles;
}

/** Whether each directed edge occurs once, and its reverse too. */
export function isClosedManifold(triangles: Uint32Array): boolean {
  const edges = new Set<number>();
  for (let c = 0; c < triangles.length; c++) {
    const next = c % 3 === 2 ? c - 2 : c + 1;
    const key = triangles[c] * 2 ** 26 + triangles[next];
    if (edges.has(key)) return false;
    edges.add(key);
  }
  for (const key of edges) {
    const from = Math.floor(key / 2 ** 26);
    if (!edges.has((key - from * 2 ** 26) * 2 ** 26 + from)) return false;
  }
  return true;
}
