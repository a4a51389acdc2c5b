// SPDX-License-Identifier: MIT

import type { JsonObject } from '../../../deformers/layout/index.ts';
import type { CompactAttribute, CompactPrimitive } from '../codec/compact-skin.ts';
import { fromOctahedralInto } from '../mesh/code-attributes.ts';
import type { SteppedWeights } from '../mesh/code-weights.ts';
import type { ExpandedViews } from './expanded-views.ts';
import { listDisplacementTargets } from './list-displacement-targets.ts';

const TYPES = ['', 'SCALAR', 'VEC2', 'VEC3', 'VEC4'];
const ARRAYS: Readonly<
  Record<number, new (length: number) => Uint8Array | Uint16Array | Uint32Array | Int8Array | Int16Array | Float32Array>
> = {
  5120: Int8Array,
  5121: Uint8Array,
  5122: Int16Array,
  5123: Uint16Array,
  5125: Uint32Array,
  5126: Float32Array,
};
/** Weights with this many steps are bytes; others are floats. */
const BYTE_STEPS = 255;

/** The glTF primitive of a decoded one. */
export function makeCompactPrimitive(primitive: CompactPrimitive, step: number, views: ExpandedViews): JsonObject {
  const { vertexCount, triangles, pointOfVertex, positions, weights } = primitive;
  const placed = new Float32Array(3 * vertexCount);
  for (let v = 0; v < vertexCount; v++)
    for (let r = 0; r < 3; r++) placed[3 * v + r] = positions[3 * pointOfVertex[v] + r] * step;
  const attributes: Record<string, number> = { POSITION: views.add(placed, 'VEC3', true) };
  for (const attribute of primitive.attributes) {
    const values = restoreAttribute(attribute, vertexCount);
    const extra = attribute.normalized ? { normalized: true } : {};
    attributes[attribute.semantic] = views.add(values, TYPES[attribute.size] ?? 'SCALAR', false, extra);
  }
  if (weights) addWeights(weights, pointOfVertex, views, attributes);
  const indices = vertexCount <= 65535 ? Uint16Array.from(triangles) : triangles;
  const targets = listDisplacementTargets(primitive).map((target) => ({ POSITION: views.add(target, 'VEC3', true) }));
  return { attributes, indices: views.add(indices, 'SCALAR'), ...(targets.length > 0 ? { targets } : {}) };
}

function restoreAttribute({ kind, size, componentType, step, origin, values }: CompactAttribute, vertexCount: number) {
  if (kind === 'grid') {
    const out = new ARRAYS[componentType](vertexCount * size);
    for (let n = 0; n < out.length; n++) out[n] = origin[n % size] + values[n] * step;
    return out;
  }
  const out = new Float32Array(vertexCount * size);
  const width = kind === 'normal' ? 2 : 3;
  for (let v = 0; v < vertexCount; v++) {
    fromOctahedralInto(values[width * v], values[width * v + 1], step, out, size * v);
    if (kind === 'tangent') out[size * v + 3] = values[width * v + 2] < 0 ? -1 : 1;
  }
  return out;
}

function addWeights(
  { boneCount, steps, width, bones, counts }: SteppedWeights,
  pointOfVertex: Uint32Array,
  views: ExpandedViews,
  attributes: Record<string, number>,
): void {
  const vertexCount = pointOfVertex.length;
  const isBytes = BYTE_STEPS % steps === 0;
  for (let set = 0; 4 * set < width; set++) {
    const joints = boneCount <= 256 ? new Uint8Array(4 * vertexCount) : new Uint16Array(4 * vertexCount);
    const weights = isBytes ? new Uint8Array(4 * vertexCount) : new Float32Array(4 * vertexCount);
    const unit = isBytes ? BYTE_STEPS / steps : 1 / steps;
    const used = Math.min(4, width - 4 * set);
    for (let v = 0; v < vertexCount; v++) {
      const row = width * pointOfVertex[v] + 4 * set;
      for (let c = 0; c < used; c++) {
        joints[4 * v + c] = counts[row + c] > 0 ? bones[row + c] : 0;
        weights[4 * v + c] = counts[row + c] * unit;
      }
    }
    attributes[`JOINTS_${set}`] = views.add(joints, 'VEC4');
    attributes[`WEIGHTS_${set}`] = views.add(weights, 'VEC4', false, isBytes ? { normalized: true } : {});
  }
}
