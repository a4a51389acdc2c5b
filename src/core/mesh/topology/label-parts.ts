// SPDX-License-Identifier: MIT

/**
 * Labels the connected parts of a surface: pointCount numbers from zero, in the order of the first point of each part. A point without triangles is a part of its own.
 * @param triangles triangleCount x 3 point indices
 */
export function labelParts(pointCount: number, triangles: Uint32Array): Uint32Array {
  const top = new Uint32Array(pointCount);
  for (let i = 0; i < pointCount; i++) top[i] = i;
  for (let c = 0; c < triangles.length; c += 3) {
    join(top, triangles[c], triangles[c + 1]);
    join(top, triangles[c], triangles[c + 2]);
  }
  let count = 0;
  const labels = new Uint32Array(pointCount);
  for (let i = 0; i < pointCount; i++) {
    const first = findTop(top, i);
    labels[i] = first === i ? count++ : labels[first];
  }
  return labels;
}

/** Joins the parts of two points; the smaller of their first points remains. */
function join(top: Uint32Array, a: number, b: number): void {
  const p = findTop(top, a);
  const q = findTop(top, b);
  if (p < q) top[q] = p;
  else if (q < p) top[p] = q;
}

/** The first point of a part. Paths are halved on the way. */
function findTop(top: Uint32Array, i: number): number {
  let at = i;
  while (top[at] !== at) {
    top[at] = top[top[at]];
    at = top[at];
  }
  return at;
}
