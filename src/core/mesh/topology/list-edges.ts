// SPDX-License-Identifier: MIT

/**
 * Each edge of the triangles once: edgeCount x 2.
 * @internal
 */
export function listEdges(triangles: Uint32Array): Uint32Array {
  const seen = new Set<number>();
  const edges: number[] = [];
  const stride = triangles.reduce((largest, v) => Math.max(largest, v), 0) + 1;
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const a = triangles[t + k];
      const b = triangles[t + ((k + 1) % 3)];
      const key = Math.min(a, b) * stride + Math.max(a, b);
      if (seen.has(key)) continue;
      seen.add(key);
      edges.push(a, b);
    }
  }
  return Uint32Array.from(edges);
}
