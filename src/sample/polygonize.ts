// SPDX-License-Identifier: MIT
// A dual surface: one vertex per sheet and lattice cell, one quad per lattice edge that crosses the surface.
// S. F. F. Gibson 1998, Constrained Elastic Surface Nets; G. M. Nielson 2004, Dual Marching Cubes (several sheets per cell).

import { vertexNormalsInto } from '../mesh/vertex-normals.ts';
import { InputError } from '../model/errors.ts';
import { type Mesh, makeMesh } from '../model/mesh.ts';
import type { Vector } from './bones.ts';
import { relaxSurface } from './relax-surface.ts';

type Field = (x: number, y: number, z: number) => number;

/** Cells per side of a block; blocks without surface are skipped. */
const BLOCK = 8;
/** Number of attempts with a shifted lattice, if no diagonal of a quad is available (rare). */
const TRIES = 8;
/** Factor on the value of a lattice point that is moved inside. */
const BARELY = 0.01;

/** Made at first use. Corners of a cell are numbered x + 2y + 4z; edge 4a + u + 2v runs along axis a, u and v being the other two axes in order. */
let sheetTable: Int8Array[] | undefined;

/**
 * The zero surface of a field as a closed mesh, each edge in two triangles, nearly even in size.
 * @param field negative inside, growing no faster than distance
 * @param resolution vertices to aim for
 */
export function polygonize(field: Field, min: Vector, max: Vector, resolution: number, name: string): Mesh {
  const longest = Math.max(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
  // The number of vertices is proportional to 1 / spacing²: measure it on a coarse lattice, then on one close to the target.
  let spacing = longest / 40;
  for (let n = 0; n < 2; n++) {
    const { positions } = traceSurface(field, min, max, spacing, 0);
    if (positions.length === 0) break;
    spacing *= Math.sqrt(positions.length / 3 / resolution);
  }
  for (let shift = 0; shift < TRIES; shift++) {
    const { positions, quads } = traceSurface(field, min, max, spacing, shift);
    if (positions.length === 0) break;
    const relaxed = relaxSurface(positions, quads, field, spacing);
    const triangles = splitQuads(relaxed, quads);
    if (!isManifold(triangles)) continue;
    const mesh = makeMesh(Float32Array.from(relaxed), triangles, name);
    mesh.normals = new Float32Array(mesh.positions.length);
    vertexNormalsInto(mesh.positions, mesh.triangles, mesh.normals);
    return mesh;
  }
  throw new InputError('sample', `${resolution} vertices are too few for this shape; use a higher resolution`);
}

/** For each of 256 inside/outside patterns, the sheet (0, 1 …) of each of the 12 edges, -1 where it does not cross. */
function listSheets(): Int8Array[] {
  const cornerOf = (axis: number, u: number, v: number, end: number): number => {
    const others = [0, 1, 2].filter((a) => a !== axis);
    return (end << axis) | (u << others[0]) | (v << others[1]);
  };
  const edges = Array.from({ length: 12 }, (_, e) => {
    const axis = e >> 2;
    return [cornerOf(axis, e & 1, (e >> 1) & 1, 0), cornerOf(axis, e & 1, (e >> 1) & 1, 1)];
  });
  return Array.from({ length: 256 }, (_, pattern) => {
    const isInside = (corner: number): boolean => ((pattern >> corner) & 1) === 1;
    const sheet = new Int8Array(12).map((_, e) => (isInside(edges[e][0]) !== isInside(edges[e][1]) ? e : -1));
    const join = (a: number, b: number): void => {
      const from = Math.max(sheet[a], sheet[b]),
        to = Math.min(sheet[a], sheet[b]);
      for (let e = 0; e < 12; e++) if (sheet[e] === from) sheet[e] = to;
    };
    for (let axis = 0; axis < 3; axis++) {
      for (const side of [0, 1]) {
        const around = edges.flatMap(([a, b], e) =>
          ((a >> axis) & 1) === side && ((b >> axis) & 1) === side ? [e] : [],
        );
        const crossing = around.filter((e) => sheet[e] >= 0);
        // Faces with four crossings do not occur after joinCorners.
        if (crossing.length === 2) join(crossing[0], crossing[1]);
      }
    }
    const names = [...new Set([...sheet].filter((s) => s >= 0))];
    return sheet.map((s) => (s < 0 ? -1 : names.indexOf(s)));
  });
}

/** Vertices (vertexCount x 3) and quads (quadCount x 4, counter-clockwise from outside). */
function traceSurface(
  field: Field,
  min: Vector,
  max: Vector,
  spacing: number,
  shift: number,
): { positions: Float64Array; quads: Uint32Array } {
  const counts = [0, 1, 2].map((c) => Math.ceil((max[c] - min[c]) / spacing) + 3);
  const origin = [0, 1, 2].map((c) => min[c] - spacing * (1.5 - (0.37 * shift) / (c + 2)));
  const [nx, ny] = counts;
  const steps = [1, nx, nx * ny];
  const values = sampleField(field, counts, origin, spacing);
  joinCorners(values, counts);

  sheetTable ??= listSheets();
  const sheets = sheetTable;
  const positions: number[] = [];
  const firstVertex = new Map<number, number>();
  const patternAt = (cell: number): number => {
    let pattern = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = cell + (corner & 1) + ((corner >> 1) & 1) * steps[1] + (corner >> 2) * steps[2];
      if (values[at] < 0) pattern |= 1 << corner;
    }
    return pattern;
  };
  for (let z = 0; z + 1 < counts[2]; z++) {
    for (let y = 0; y + 1 < ny; y++) {
      for (let x = 0; x + 1 < nx; x++) {
        const cell = x + y * steps[1] + z * steps[2];
        const pattern = patternAt(cell);
        if (pattern === 0 || pattern === 255) continue;
        firstVertex.set(cell, positions.length / 3);
        addCellVertices(sheets[pattern], values, cell, steps, [x, y, z], origin, spacing, positions);
      }
    }
  }

  const quads: number[] = [];
  for (let axis = 0; axis < 3; axis++) {
    const [u, v] = [0, 1, 2].filter((a) => a !== axis);
    const at = [0, 0, 0];
    for (at[2] = 1; at[2] + 1 < counts[2]; at[2]++) {
      for (at[1] = 1; at[1] + 1 < ny; at[1]++) {
        for (at[0] = 1; at[0] + 1 < nx; at[0]++) {
          const point = at[0] + at[1] * steps[1] + at[2] * steps[2];
          const isInside = values[point] < 0;
          if (isInside === values[point + steps[axis]] < 0) continue;
          const corner = (du: number, dv: number): number => {
            const cell = point - du * steps[u] - dv * steps[v];
            return firstVertex.get(cell)! + sheets[patternAt(cell)][4 * axis + du + 2 * dv];
          };
          const quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
          // Axes (x, z) turn the other way round y than (y, z) round x and (x, y) round z.
          if (isInside === (axis === 1)) quad.reverse();
          quads.push(...quad);
        }
      }
    }
  }
  return { positions: Float64Array.from(positions), quads: Uint32Array.from(quads) };
}

/** Field values at lattice points; blocks without surface have the value at their center. */
function sampleField(field: Field, counts: number[], origin: number[], spacing: number): Float32Array {
  const [nx, ny, nz] = counts;
  const values = new Float32Array(nx * ny * nz);
  const reach = (BLOCK / 2) * spacing * Math.sqrt(3);
  for (let bz = 0; bz < nz; bz += BLOCK) {
    for (let by = 0; by < ny; by += BLOCK) {
      for (let bx = 0; bx < nx; bx += BLOCK) {
        const half = (BLOCK / 2) * spacing;
        const middle = field(
          origin[0] + bx * spacing + half,
          origin[1] + by * spacing + half,
          origin[2] + bz * spacing + half,
        );
        const isFar = Math.abs(middle) > reach;
        for (let z = bz; z < Math.min(nz, bz + BLOCK); z++) {
          for (let y = by; y < Math.min(ny, by + BLOCK); y++) {
            for (let x = bx; x < Math.min(nx, bx + BLOCK); x++) {
              values[x + nx * (y + ny * z)] = isFar
                ? middle
                : field(origin[0] + x * spacing, origin[1] + y * spacing, origin[2] + z * spacing);
            }
          }
        }
      }
    }
  }
  return values;
}

/**
 * Where a face of the lattice has two opposite corners inside and two outside, the surface could go either way, and four quads
 * could meet in one edge. The outer corner nearer to the surface is moved inside, until there is no such face: every face then
 * crosses the surface at no or two edges, so every edge of the mesh has two quads.
 */
function joinCorners(values: Float32Array, counts: number[]): void {
  const [nx, ny, nz] = counts;
  const steps = [1, nx, nx * ny];
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (let z = 0; z + 1 < nz; z++) {
      for (let y = 0; y + 1 < ny; y++) {
        for (let x = 0; x + 1 < nx; x++) {
          const a = x + nx * (y + ny * z);
          const isInside = values[a] < 0;
          for (let n = 0; n < 3; n++) {
            const b = a + steps[n],
              d = a + steps[(n + 1) % 3];
            const c = b + d - a;
            if (values[c] < 0 !== isInside || values[b] < 0 === isInside || values[d] < 0 === isInside) continue;
            const [p, q] = isInside ? [b, d] : [a, c];
            const corner = values[p] <= values[q] ? p : q;
            values[corner] = -Math.max(1e-30, BARELY * values[corner]);
            isChanged = true;
            break;
          }
        }
      }
    }
  }
}

/** One vertex per sheet of a cell: the mean of where its edges cross the surface. */
function addCellVertices(
  sheets: Int8Array,
  values: Float32Array,
  cell: number,
  steps: number[],
  lattice: number[],
  origin: number[],
  spacing: number,
  positions: number[],
): void {
  const sheetCount = Math.max(...sheets) + 1;
  for (let sheet = 0; sheet < sheetCount; sheet++) {
    const sum = [0, 0, 0];
    let count = 0;
    for (let e = 0; e < 12; e++) {
      if (sheets[e] !== sheet) continue;
      const axis = e >> 2;
      const [u, v] = [0, 1, 2].filter((a) => a !== axis);
      const start = cell + (e & 1) * steps[u] + ((e >> 1) & 1) * steps[v];
      const a = values[start],
        b = values[start + steps[axis]];
      sum[axis] += a / (a - b);
      sum[u] += e & 1;
      sum[v] += (e >> 1) & 1;
      count++;
    }
    for (let c = 0; c < 3; c++) positions.push(origin[c] + (lattice[c] + sum[c] / count) * spacing);
  }
}

/**
 * Splits each quad along its shorter diagonal, the first if they are equal; along the other one if that edge exists already,
 * which happens around a hole that is one cell wide.
 */
function splitQuads(positions: Float64Array, quads: Uint32Array): Uint32Array {
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
function isManifold(triangles: Uint32Array): boolean {
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
