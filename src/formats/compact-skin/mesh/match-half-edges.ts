// SPDX-License-Identifier: MIT

/** By half-edge 3t + c, from corner c of triangle t to the next: one in the other direction; -1: none. Each is matched once, so an edge with more triangles has some without. */
export function matchHalfEdges(triangles: Uint32Array): Int32Array {
  const opposite = new Int32Array(triangles.length).fill(-1);
  // open addressing: a half-edge that waits for its opposite
  const size = 2 ** Math.ceil(Math.log2(2 * triangles.length + 2));
  const table = new Int32Array(size).fill(-1);
  const slotOf = (a: number, b: number) => (Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b)) & (size - 1);
  for (let h = 0; h < triangles.length; h++) {
    const [a, b] = [triangles[h], triangles[nextOf(h)]];
    if (a === b) continue;
    let slot = slotOf(b, a);
    while (table[slot] !== -1) {
      const other = table[slot];
      if (opposite[other] < 0 && triangles[other] === b && triangles[nextOf(other)] === a) {
        opposite[other] = h;
        opposite[h] = other;
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
    if (opposite[h] >= 0) continue;
    slot = slotOf(a, b);
    while (table[slot] !== -1) slot = (slot + 1) & (size - 1);
    table[slot] = h;
  }
  return opposite;
}

function nextOf(halfEdge: number): number {
  return halfEdge % 3 === 2 ? halfEdge - 2 : halfEdge + 1;
}
