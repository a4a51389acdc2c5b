// SPDX-License-Identifier: MIT
// The triangles and attributes of a primitive as views that meshopt compresses: vertices in an order that suits it, positions as multiples of a power of two, other attributes as in small-mesh.ts.
import type { GLTF } from '@gltf-transform/core';
import { TYPE_SIZE } from '../check/check-gltf-data.ts';
import { type AccessorArray, readJsonAccessor, readJsonFloats } from '../check/json-accessor.ts';
import { jsonAccessor, jsonIndices } from '../document/gltf-json.ts';
import { placeInfluences } from './small-mesh.ts';
import { packLengths, placeAccessor } from './small-motion.ts';
import type { AttributePrecision } from './small-precision.ts';
import type { SmallViews } from './small-views.ts';

type Encoder = typeof import('meshoptimizer/encoder').MeshoptEncoder;

const BYTE = 5121;
const SHORT = 5123;
const INT = 5125;

/** Stores a primitive; accessors are changed in place. Returns by vertex of the file the vertex of the source. */
export function storeMeshopt(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  primitive: GLTF.IMeshPrimitive,
  precision: AttributePrecision,
  { views, encoder }: { views: SmallViews; encoder: Encoder },
): Uint32Array {
  const triangles = Uint32Array.from(readJsonAccessor(json, binary, jsonIndices(primitive)));
  const [remap, used] = encoder.reorderMesh(triangles, true, true);
  const order = new Uint32Array(used);
  remap.forEach((place: number, v: number) => {
    if (place < used) order[place] = v;
  });
  const lanes = placeInfluences(json, binary, primitive, precision.weightSteps);
  for (const [semantic, index] of Object.entries(primitive.attributes)) {
    const accessor = jsonAccessor(json, index);
    const size = TYPE_SIZE[accessor.type];
    const placed = lanes.get(semantic);
    accessor.count = used;
    if (placed) {
      accessor.componentType = placed instanceof Uint8Array ? BYTE : SHORT;
      if (semantic.startsWith('WEIGHTS_')) accessor.normalized = true;
      const rows = pickRows(placed, order, size);
      placeAccessor(accessor, views.addElements(bytesOf(rows), size * rows.BYTES_PER_ELEMENT), 0);
      continue;
    }
    const rows = pickRows(readJsonFloats(json, binary, index), order, size) as Float32Array;
    accessor.componentType = 5126;
    delete accessor.normalized;
    const step = stepOf(semantic, precision);
    placeAccessor(accessor, views.addElements(packLengths(rows, step), 4 * size, 'EXPONENTIAL'), 0);
    delete accessor.min;
    delete accessor.max;
    if (semantic === 'POSITION') Object.assign(accessor, boundsOf(rows, size, step));
  }
  const accessor = jsonAccessor(json, jsonIndices(primitive));
  accessor.componentType = INT;
  placeAccessor(accessor, views.addTriangles(triangles), 0);
  return order;
}

/** Steps of numbers that are at most about one, and of positions. */
function stepOf(semantic: string, { positionStep, normalBits, texcoordBits, colorBits }: AttributePrecision): number {
  if (semantic === 'POSITION') return positionStep;
  if (semantic.startsWith('TEXCOORD_')) return 2 ** -texcoordBits;
  return 2 ** -(semantic.startsWith('COLOR_') ? colorBits : normalBits);
}

function pickRows(values: AccessorArray, order: Uint32Array, size: number): AccessorArray {
  const rows = values.slice(0, order.length * size);
  for (let n = 0; n < order.length; n++)
    for (let c = 0; c < size; c++) rows[n * size + c] = values[order[n] * size + c];
  return rows;
}

function bytesOf(values: AccessorArray): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** The bounds of positions that are rounded to a power of two below a step. */
function boundsOf(values: Float32Array, size: number, step: number): { min: number[]; max: number[] } {
  const unit = 2 ** Math.floor(Math.log2(step));
  const min = new Array<number>(size).fill(Number.POSITIVE_INFINITY);
  const max = new Array<number>(size).fill(Number.NEGATIVE_INFINITY);
  values.forEach((x, n) => {
    const rounded = Math.fround(Math.round(x / unit) * unit);
    min[n % size] = Math.min(min[n % size], rounded);
    max[n % size] = Math.max(max[n % size], rounded);
  });
  return { min, max };
}
