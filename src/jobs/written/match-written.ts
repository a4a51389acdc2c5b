// SPDX-License-Identifier: MIT
// Which vertex of a file that was read back is which vertex of the model that was written. Formats split vertices at seams, join parts and order them anew; the
// corners of the triangles of a part stay in order. So parts are paired by their corners at rest, and what is left by place.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { Mesh, MeshPart } from '../../core/model/mesh/mesh.ts';

/** Distance of one point in two files, relative to the box diagonal: above the rounding of 32 bits in two units, below the distance of neighbours. */
const SAME_PLACE = 2e-5;

/**
 * By vertex of `model`, the vertex of `written`; undefined if the surfaces differ at rest.
 * @param written the mesh as read back, in the units and axes of the model
 */
export function matchWritten(model: Mesh, written: Mesh): Uint32Array | undefined {
  const limit = SAME_PLACE * measureBounds(model.positions).diagonal;
  const match = new Int32Array(model.positions.length / 3).fill(-1);
  const free = new Set(written.parts);
  for (const part of model.parts) {
    const found = [...free].find((other) => isSamePart(model, part, written, other, limit));
    if (!found) continue;
    free.delete(found);
    pairCorners(model, part, written, found, match);
  }
  if (match.includes(-1)) pairByPlace(model, written, match, limit);
  return match.includes(-1) ? undefined : Uint32Array.from(match);
}

function isSamePart(model: Mesh, part: MeshPart, written: Mesh, other: MeshPart, limit: number): boolean {
  if (part.triangleCount !== other.triangleCount || part.triangleCount === 0) return false;
  const [a, b] = [3 * part.triangleStart, 3 * other.triangleStart];
  for (let c = 0; c < 3 * part.triangleCount; c++)
    if (!(distanceOf(model, model.triangles[a + c], written, written.triangles[b + c]) <= limit)) return false;
  return true;
}

function pairCorners(model: Mesh, part: MeshPart, written: Mesh, other: MeshPart, match: Int32Array): void {
  const [a, b] = [3 * part.triangleStart, 3 * other.triangleStart];
  for (let c = 0; c < 3 * part.triangleCount; c++) match[model.triangles[a + c]] = written.triangles[b + c];
}

/** Gives the vertices without a partner the nearest one. Vertices without triangles are not in some files: they stay with the first. */
function pairByPlace(model: Mesh, written: Mesh, match: Int32Array, limit: number): void {
  const isDrawn = new Uint8Array(match.length);
  for (const vertex of model.triangles) isDrawn[vertex] = 1;
  const cell = 2 * limit || 1;
  const grid = makeGrid(written, cell);
  for (let i = 0; i < match.length; i++) {
    if (match[i] >= 0) continue;
    let best = isDrawn[i] ? limit : Infinity;
    if (!isDrawn[i]) match[i] = 0;
    const [x, y, z] = cellOf(model, i, cell);
    for (let n = 0; n < 27; n++)
      for (const j of grid.get(keyOf(x + (n % 3) - 1, y + (Math.floor(n / 3) % 3) - 1, z + Math.floor(n / 9) - 1)) ??
        []) {
        const distance = distanceOf(model, i, written, j);
        if (distance > best) continue;
        best = distance;
        match[i] = j;
      }
  }
}

function makeGrid(mesh: Mesh, cell: number): Map<string, number[]> {
  const grid = new Map<string, number[]>();
  for (let i = 0; i < mesh.positions.length / 3; i++) {
    const key = keyOf(...cellOf(mesh, i, cell));
    const list = grid.get(key);
    if (list) list.push(i);
    else grid.set(key, [i]);
  }
  return grid;
}

const keyOf = (x: number, y: number, z: number): string => `${x},${y},${z}`;

const cellOf = ({ positions }: Mesh, i: number, cell: number): [number, number, number] => [
  Math.floor(positions[3 * i] / cell),
  Math.floor(positions[3 * i + 1] / cell),
  Math.floor(positions[3 * i + 2] / cell),
];

const distanceOf = ({ positions: p }: Mesh, i: number, { positions: q }: Mesh, j: number): number =>
  Math.hypot(p[3 * i] - q[3 * j], p[3 * i + 1] - q[3 * j + 1], p[3 * i + 2] - q[3 * j + 2]);
