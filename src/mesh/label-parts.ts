// SPDX-License-Identifier: MIT

/**
 * Labels the connected parts of a surface: pointCount numbers from zero, in the order of the first point of each part. A point without triangles is a part of its own.
 * @param triangles triangleCount x 3 point indices
 */
export function labelParts(pointCount: number, triangles: Uint32Array): Uint32Array {
  const top = Uint32Array.from({ length: pointCount }, (_, i) => i);
  const find = (i: number): number => {
    let at = i;
    while (top[at] !== at) {
      top[at] = top[top[at]];
      at = top[at];
    }
    return at;
  };
  for (let c = 0; c < triangles.length; c++) {
    const [p, q] = [find(triangles[c]), find(triangles[c - (c % 3)])];
    top[Math.max(p, q)] = Math.min(p, q);
  }
  let count = 0;
  const labels = new Uint32Array(pointCount);
  for (let i = 0; i < pointCount; i++) labels[i] = find(i) === i ? count++ : labels[find(i)];
  return labels;
}
