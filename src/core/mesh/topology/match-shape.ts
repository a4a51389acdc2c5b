// SPDX-License-Identifier: MIT
import { InputError } from '../../model/errors.ts';
import type { Mesh } from '../../model/mesh/mesh.ts';
import { measureBounds } from '../geometry/bounds.ts';
import { weldVertices } from './weld.ts';

/** Maximum distance of a vertex from the point that it came from, relative to the diagonal of the box: files round positions to six digits or more. */
const MAX_DISTANCE = 1e-4;

type Shape = Pick<Mesh, 'positions' | 'triangles'>;

/**
 * The positions of an edited shape for the vertices of a mesh. Programs reorder and split vertices when they export, so three ways are tried: by
 * position in the shape before the edit, if it is given; by index, if the counts are equal; by the corners of the triangles, if those are equal in
 * number and agree. Throws an InputError if none applies.
 * @param mesh the mesh whose vertices are wanted
 * @param edited the edited shape
 * @param original the shape before the edit, with the vertices of `edited`
 * @returns vertexCount x 3
 */
export function matchShape(mesh: Shape, edited: Shape, original?: Shape): Float32Array {
  if (original) return matchByPosition(mesh, edited, original);
  if (edited.positions.length === mesh.positions.length) return edited.positions;
  const matched = edited.triangles.length === mesh.triangles.length ? matchByCorners(mesh, edited) : undefined;
  if (matched) return matched;
  throw new InputError(
    'edited shape',
    `has ${edited.positions.length / 3} vertices, the skin has ${mesh.positions.length / 3}; ` +
      'export it with the vertices of the skin, or give the shape before the edit with --original',
  );
}

/** Vertices at the corners of the same triangles. Undefined if the corners of a vertex of the mesh have different positions. */
function matchByCorners(mesh: Shape, edited: Shape): Float32Array | undefined {
  const positions = mesh.positions.slice();
  const source = new Int32Array(mesh.positions.length / 3).fill(-1);
  for (let c = 0; c < mesh.triangles.length; c++) {
    const [to, from] = [mesh.triangles[c], edited.triangles[c]];
    const known = source[to];
    for (let r = 0; r < 3; r++) {
      const value = edited.positions[3 * from + r];
      if (known >= 0 && edited.positions[3 * known + r] !== value) return undefined;
      positions[3 * to + r] = value;
    }
    source[to] = from;
  }
  return positions;
}

function matchByPosition(mesh: Shape, edited: Shape, original: Shape): Float32Array {
  if (original.positions.length !== edited.positions.length)
    throw new InputError(
      'edited shape',
      `has ${edited.positions.length / 3} vertices, the shape before the edit has ${original.positions.length / 3}`,
    );
  const own = weldVertices(original.positions);
  const cell = MAX_DISTANCE * measureBounds(mesh.positions).diagonal || Number.MIN_VALUE;
  const find = makePointFinder(original.positions, own.vertexOfPoint, cell);
  const positions = new Float32Array(mesh.positions.length);
  for (let i = 0; i < mesh.positions.length / 3; i++) {
    const found = find(mesh.positions, 3 * i);
    if (found < 0)
      throw new InputError('shape before the edit', `has no vertex where vertex ${i} of the skin is, at rest`);
    // a vertex that was not edited keeps its position, whatever the file rounded
    for (let r = 0; r < 3; r++) {
      const moved = edited.positions[3 * found + r] - original.positions[3 * found + r];
      positions[3 * i + r] = mesh.positions[3 * i + r] + moved;
    }
  }
  return positions;
}

/** Finds the nearest of some vertices within a distance, by a grid with cells of that size; -1 if there is none. */
function makePointFinder(positions: Float32Array, vertices: Uint32Array, distance: number) {
  const cellOf = (x: number): number => Math.floor(x / distance);
  const cells = new Map<string, number[]>();
  for (const i of vertices) {
    const key = `${cellOf(positions[3 * i])} ${cellOf(positions[3 * i + 1])} ${cellOf(positions[3 * i + 2])}`;
    const list = cells.get(key);
    if (list) list.push(i);
    else cells.set(key, [i]);
  }
  return (from: Float32Array, o: number): number => {
    const [x, y, z] = [cellOf(from[o]), cellOf(from[o + 1]), cellOf(from[o + 2])];
    let nearest = -1;
    let least = distance ** 2;
    for (let n = 0; n < 27; n++) {
      const key = `${x + (n % 3) - 1} ${y + (Math.floor(n / 3) % 3) - 1} ${z + Math.floor(n / 9) - 1}`;
      for (const i of cells.get(key) ?? []) {
        const [a, b, c] = [0, 1, 2].map((r) => positions[3 * i + r] - from[o + r]);
        const squared = a * a + b * b + c * c;
        if (squared > least) continue;
        least = squared;
        nearest = i;
      }
    }
    return nearest;
  };
}
