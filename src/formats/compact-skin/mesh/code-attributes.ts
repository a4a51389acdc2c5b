// SPDX-License-Identifier: MIT
// Normals, texture coordinates and other numbers of vertices. Normals are predicted by those of the decoded triangles, which leaves little of smooth shading; all others by their neighbours on the surface.

import type { CompactAttribute, CompactPrimitive } from '../codec/compact-skin.ts';
import type { BitCoder } from '../entropy/range-coder.ts';
import { ScaledIntegerModel } from '../entropy/scaled-integer-model.ts';
import { codePositions } from './code-positions.ts';
import { type MeshWalk, makeMeshWalk } from './mesh-walk.ts';

/** Numbers stored per vertex. */
export function widthOf({ kind, size }: Pick<CompactAttribute, 'kind' | 'size'>): number {
  return kind === 'normal' ? 2 : kind === 'tangent' ? 3 : size;
}

/**
 * Codes the attributes of a primitive whose points and triangles are known. A decoder fills their values.
 * @param opposite half-edges on the other side, by points
 */
export function codeAttributes(
  coder: BitCoder,
  primitive: Pick<CompactPrimitive, 'attributes' | 'triangles' | 'pointOfVertex' | 'positions' | 'vertexCount'>,
  opposite: Int32Array,
): void {
  const { attributes, triangles, vertexCount } = primitive;
  let walk: MeshWalk | undefined;
  for (const attribute of attributes) {
    if (attribute.kind === 'normal') codeNormals(coder, primitive, attribute);
    else {
      walk ??= makeMeshWalk(triangles, openSeams(triangles, opposite), vertexCount);
      codePositions(coder, walk, attribute.values, widthOf(attribute));
    }
  }
}

/** Half-edges without those along seams, where vertices differ. */
function openSeams(triangles: Uint32Array, opposite: Int32Array): Int32Array {
  const nextOf = (h: number) => (h % 3 === 2 ? h - 2 : h + 1);
  return opposite.map((other, h) =>
    other >= 0 && triangles[h] === triangles[nextOf(other)] && triangles[other] === triangles[nextOf(h)] ? other : -1,
  );
}

function codeNormals(
  coder: BitCoder,
  { triangles, pointOfVertex, positions }: Pick<CompactPrimitive, 'triangles' | 'pointOfVertex' | 'positions'>,
  { values, step }: CompactAttribute,
): void {
  const vertexCount = pointOfVertex.length;
  const sums = new Float64Array(3 * vertexCount);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = 3 * pointOfVertex[triangles[t]];
    const b = 3 * pointOfVertex[triangles[t + 1]];
    const c = 3 * pointOfVertex[triangles[t + 2]];
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    const x = uy * vz - uz * vy;
    const y = uz * vx - ux * vz;
    const z = ux * vy - uy * vx;
    for (let n = t; n < t + 3; n++) {
      sums[3 * triangles[n]] += x;
      sums[3 * triangles[n] + 1] += y;
      sums[3 * triangles[n] + 2] += z;
    }
  }
  const models = [new ScaledIntegerModel(), new ScaledIntegerModel()];
  const predicted = [0, 0];
  let expected = 1;
  for (let v = 0; v < vertexCount; v++) {
    octahedralInto(sums[3 * v], sums[3 * v + 1], sums[3 * v + 2], step, predicted);
    let size = 0;
    for (let c = 0; c < 2; c++) {
      const residual = models[c].code(coder, values[2 * v + c] - predicted[c], expected);
      values[2 * v + c] = predicted[c] + residual;
      size += Math.abs(residual) / 2;
    }
    expected += 0.1 * (Math.min(64, size) - expected);
  }
}

/** A vector as two integers up to `steps` in magnitude: its direction on an octahedron, unfolded. */
export function octahedralInto(x: number, y: number, z: number, steps: number, out: number[]): void {
  const sum = Math.abs(x) + Math.abs(y) + Math.abs(z);
  if (!(sum > 0)) {
    out[0] = 0;
    out[1] = 0;
    return;
  }
  let [u, v] = [x / sum, y / sum];
  if (z < 0) [u, v] = [(1 - Math.abs(v)) * (u < 0 ? -1 : 1), (1 - Math.abs(u)) * (v < 0 ? -1 : 1)];
  out[0] = Math.round(u * steps);
  out[1] = Math.round(v * steps);
}

/** The unit vector of two integers. */
export function fromOctahedralInto(a: number, b: number, steps: number, out: Float32Array, at: number): void {
  let [x, y] = [a / steps, b / steps];
  const z = 1 - Math.abs(x) - Math.abs(y);
  if (z < 0) [x, y] = [(1 - Math.abs(y)) * (x < 0 ? -1 : 1), (1 - Math.abs(x)) * (y < 0 ? -1 : 1)];
  const length = Math.sqrt(x * x + y * y + z * z) || 1;
  out[at] = x / length;
  out[at + 1] = y / length;
  out[at + 2] = z / length;
}
