// SPDX-License-Identifier: MIT
// A dual surface: one vertex per sheet and lattice cell, one quad per lattice edge that crosses the surface.
// S. F. F. Gibson 1998, Constrained Elastic Surface Nets; G. M. Nielson 2004, Dual Marching Cubes (several sheets per cell).

/** A lattice of cubes. */
export interface Lattice {
  /** 3: points along x, y and z */
  counts: readonly number[];
  /** 3: the first point */
  origin: readonly number[];
  spacing: number;
}

/** Factor on the value of a lattice point that is moved inside. */
const BARELY = 0.01;

/** Made at first use. Corners of a cell are numbered x + 2y + 4z; edge 4a + u + 2v runs along axis a, u and v being the other two axes in order. */
let sheetTable: Int8Array[] | undefined;

/**
 * The surface between the points of a lattice with values below zero (inside) and all others.
 * @param samples by x, then y, then z; points at the sides of the lattice are outside
 * @returns vertices (vertexCount x 3) and quads (quadCount x 4, counter-clockwise from outside)
 */
export function traceLattice(
  samples: Float32Array,
  { counts, origin, spacing }: Lattice,
): { positions: Float64Array; quads: Uint32Array } {
  const [nx, ny] = counts;
  const steps = [1, nx, nx * ny];
  const values = Float32Array.from(samples);
  joinCorners(values, counts);

  sheetTable ??= listSheets();
  const sheets = sheetTable;
  const positions: number[] = [];
  const lattice = { values, steps, origin, spacing };
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
        addCellVertices(sheets[pattern], lattice, cell, [x, y, z], positions);
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

/**
 * Where a face of the lattice has two opposite corners inside and two outside, the surface could go either way, and four quads
 * could meet in one edge. The outer corner nearer to the surface is moved inside, until there is no such face: every face then
 * crosses the surface at no or two edges, so every edge of the mesh has two quads.
 */
function joinCorners(values: Float32Array, counts: readonly number[]): void {
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

/** Values of a lattice, with the steps along its axes. */
interface LatticeValues {
  values: Float32Array;
  steps: readonly number[];
  origin: readonly number[];
  spacing: number;
}

/** One vertex per sheet of a cell, at (x, y, z) in steps: the mean of where its edges cross the surface. */
function addCellVertices(
  sheets: Int8Array,
  { values, steps, origin, spacing }: LatticeValues,
  cell: number,
  place: readonly number[],
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
    for (let c = 0; c < 3; c++) positions.push(origin[c] + (place[c] + sum[c] / count) * spacing);
  }
}
