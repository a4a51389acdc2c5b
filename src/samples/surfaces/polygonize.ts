// SPDX-License-Identifier: MIT
// The zero surface of a field: samples on a lattice, a dual surface (trace-lattice.ts), and vertices spread evenly along it.

import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { InputError } from '../../core/model/errors.ts';
import { type Mesh, makeMesh } from '../../core/model/mesh/mesh.ts';
import type { Vector } from '../rigs/bones.ts';
import { relaxSurface } from './relax-surface.ts';
import { isClosedManifold, splitQuads } from './split-quads.ts';
import { traceLattice } from './trace-lattice.ts';

type Field = (x: number, y: number, z: number) => number;

/** Cells per side of a block; blocks without surface are skipped. */
const BLOCK = 8;
/** Number of attempts with a shifted lattice, if no diagonal of a quad is available (rare). */
const TRIES = 8;

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
    if (!isClosedManifold(triangles)) continue;
    const mesh = makeMesh(Float32Array.from(relaxed), triangles, name);
    mesh.normals = new Float32Array(mesh.positions.length);
    vertexNormalsInto(mesh.positions, mesh.triangles, mesh.normals);
    return mesh;
  }
  throw new InputError('sample', `${resolution} vertices are too few for this shape; use a higher resolution`);
}

/** Vertices and quads of the surface on a lattice, whose origin differs for each shift. */
function traceSurface(
  field: Field,
  min: Vector,
  max: Vector,
  spacing: number,
  shift: number,
): { positions: Float64Array; quads: Uint32Array } {
  const counts = [0, 1, 2].map((c) => Math.ceil((max[c] - min[c]) / spacing) + 3);
  const origin = [0, 1, 2].map((c) => min[c] - spacing * (1.5 - (0.37 * shift) / (c + 2)));
  return traceLattice(sampleField(field, counts, origin, spacing), { counts, origin, spacing });
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
