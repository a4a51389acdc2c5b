// SPDX-License-Identifier: MIT
// Cages around samples: a closed surface of few vertices that encloses a mesh and moves with it.
import { measureBounds } from '../core/mesh/geometry/bounds.ts';
import { vertexNormalsInto } from '../core/mesh/geometry/vertex-normals.ts';
import { type Clip, frameCountOf, frameOf } from '../core/model/clip/clip.ts';
import { type Mesh, makeMesh } from '../core/model/mesh/mesh.ts';

/** Number of mesh vertices that determine the motion of a cage vertex. */
const FOLLOWED = 8;

/**
 * Makes the cage of a mesh: the boundary of the cells of a grid that come within half a cell of it. Every vertex of the mesh is at least half a cell inside.
 * @param cells along the longest side of the mesh's box
 */
export function makeCage(mesh: Mesh, cells: number): Mesh {
  const { min, max } = measureBounds(mesh.positions);
  const size = Math.max(max[0] - min[0], max[1] - min[1], max[2] - min[2]) / cells || 1;
  const counts = [0, 1, 2].map((r) => Math.ceil((max[r] - min[r]) / size) + 3);
  const origin = [0, 1, 2].map((r) => (min[r] + max[r] - counts[r] * size) / 2);
  const isFull = fillCells(mesh.positions, { counts, origin, size });
  const positions: number[] = [];
  const triangles: number[] = [];
  const places = new Map<string, number>();
  const vertexAt = (corner: readonly number[]): number => {
    const key = corner.join();
    let known = places.get(key);
    if (known === undefined) {
      known = positions.length / 3;
      places.set(key, known);
      for (let r = 0; r < 3; r++) positions.push(origin[r] + corner[r] * size);
    }
    return known;
  };
  for (let z = 0; z < counts[2]; z++)
    for (let y = 0; y < counts[1]; y++)
      for (let x = 0; x < counts[0]; x++) {
        if (!isFull(x, y, z)) continue;
        for (let axis = 0; axis < 3; axis++)
          for (const side of [0, 1]) {
            const next = [x, y, z];
            next[axis] += side === 1 ? 1 : -1;
            if (isFull(next[0], next[1], next[2])) continue;
            const quad = listFaceCorners([x, y, z], axis, side).map(vertexAt);
            // counter-clockwise from outside
            if (side === 0) quad.reverse();
            triangles.push(quad[0], quad[1], quad[2], quad[0], quad[2], quad[3]);
          }
      }
  const cage = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), 'cage');
  cage.normals = new Float32Array(positions.length);
  vertexNormalsInto(cage.positions, cage.triangles, cage.normals);
  return cage;
}

interface Grid {
  /** Cells along x, y and z. */
  counts: readonly number[];
  origin: readonly number[];
  size: number;
}

/** Whether a vertex is within half a cell of a cell. Cells outside of the grid are empty. */
function fillCells(
  positions: Float32Array,
  { counts, origin, size }: Grid,
): (x: number, y: number, z: number) => boolean {
  const isFull = new Uint8Array(counts[0] * counts[1] * counts[2]);
  const cellAt = (x: number, y: number, z: number): number => (z * counts[1] + y) * counts[0] + x;
  for (let i = 0; i < positions.length; i += 3) {
    for (let corner = 0; corner < 8; corner++) {
      const [x, y, z] = [0, 1, 2].map((r) => {
        const shift = (corner >> r) & 1 ? 0.5 : -0.5;
        return Math.floor((positions[i + r] - origin[r]) / size + shift);
      });
      isFull[cellAt(x, y, z)] = 1;
    }
  }
  return (x, y, z) =>
    x >= 0 && y >= 0 && z >= 0 && x < counts[0] && y < counts[1] && z < counts[2] && isFull[cellAt(x, y, z)] === 1;
}

/** The four corners of a face of a cell, counter-clockwise along the axis. */
function listFaceCorners(cell: readonly number[], axis: number, side: number): number[][] {
  const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
  return [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ].map(([a, b]) => {
    const corner = [...cell];
    corner[axis] += side;
    corner[u] += a;
    corner[v] += b;
    return corner;
  });
}

/** The cage of a clip in motion: each vertex moves with the weighted mean of the nearest mesh vertices. */
export function makeCageClip(clip: Clip, cells: number): Clip {
  const cage = makeCage(clip.mesh, cells);
  const count = cage.positions.length / 3;
  const nearest = listNearest(cage.positions, clip.mesh.positions);
  const frames = frameCountOf(clip);
  const positions = new Float32Array(frames * 3 * count);
  for (let k = 0; k < frames; k++) {
    const posed = frameOf(clip, k);
    for (let j = 0; j < count; j++)
      for (let r = 0; r < 3; r++) {
        let moved = 0;
        for (const { vertex, weight } of nearest[j])
          moved += weight * (posed[3 * vertex + r] - clip.mesh.positions[3 * vertex + r]);
        positions[3 * (k * count + j) + r] = cage.positions[3 * j + r] + moved;
      }
  }
  return { kind: 'clip', name: clip.name, mesh: cage, positions, times: clip.times };
}

/** The nearest few vertices of a mesh, weighted by one over the squared distance. */
function listNearest(places: Float32Array, positions: Float32Array): { vertex: number; weight: number }[][] {
  const out: { vertex: number; weight: number }[][] = [];
  for (let j = 0; j < places.length; j += 3) {
    const found: { vertex: number; weight: number }[] = [];
    for (let i = 0; i < positions.length; i += 3) {
      let square = 0;
      for (let r = 0; r < 3; r++) square += (positions[i + r] - places[j + r]) ** 2;
      const weight = 1 / Math.max(square, 1e-12);
      if (found.length === FOLLOWED && weight <= found[FOLLOWED - 1].weight) continue;
      found.push({ vertex: i / 3, weight });
      found.sort((a, b) => b.weight - a.weight || a.vertex - b.vertex);
      if (found.length > FOLLOWED) found.pop();
    }
    const sum = found.reduce((total, { weight }) => total + weight, 0);
    out.push(found.map(({ vertex, weight }) => ({ vertex, weight: weight / sum })));
  }
  return out;
}
