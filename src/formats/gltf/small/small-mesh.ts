// SPDX-License-Identifier: MIT
// The triangles and attributes of a primitive as a Draco stream.

import type { GLTF } from '@gltf-transform/core';
import { roundToSteps } from '../../../deformers/linear-blend/index.ts';
import { TYPE_SIZE } from '../check/check-gltf-data.ts';
import { type AccessorArray, readJsonAccessor, readJsonFloats } from '../check/json-accessor.ts';
import { type DracoAttribute, type DracoMeshBytes, encodeDraco } from '../codecs/encode-draco.ts';
import { jsonAccessor, jsonIndices } from '../document/gltf-json.ts';
import { assignLanes } from './assign-lanes.ts';
import type { AttributePrecision } from './small-precision.ts';

/** Draco allows 30, but its tables then need a gigabyte. */
const MAX_BITS = 20;
const BYTE = 5121;
const SHORT = 5123;

/** Encodes a primitive. Joints and weights change their places; accessors get their new types, counts and bounds. */
export async function encodePrimitive(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  primitive: GLTF.IMeshPrimitive,
  precision: AttributePrecision,
): Promise<DracoMeshBytes> {
  const triangles = Uint32Array.from(readJsonAccessor(json, binary, jsonIndices(primitive)));
  const lanes = placeInfluences(json, binary, primitive, precision.weightSteps);
  const attributes = Object.entries(primitive.attributes).map(([semantic, index]): DracoAttribute => {
    const accessor = jsonAccessor(json, index);
    const size = TYPE_SIZE[accessor.type];
    const placed = lanes.get(semantic);
    if (placed) {
      accessor.componentType = placed instanceof Uint8Array ? BYTE : SHORT;
      if (semantic.startsWith('WEIGHTS_')) accessor.normalized = true;
      return { semantic, size, values: placed };
    }
    if (semantic === 'POSITION') return gridPositions(readJsonFloats(json, binary, index), precision.positionStep);
    const bits = bitsOf(semantic, precision);
    if (bits === undefined) return { semantic, size, values: readJsonAccessor(json, binary, index) };
    const values = readJsonFloats(json, binary, index);
    accessor.componentType = 5126;
    delete accessor.normalized;
    return { semantic, size, values, bits, ...(semantic === 'NORMAL' ? {} : gridOf(values, size)) };
  });
  const encoded = await encodeDraco(triangles, attributes);
  jsonAccessor(json, jsonIndices(primitive)).count = encoded.cornerCount;
  for (const attribute of attributes) {
    const accessor = jsonAccessor(json, primitive.attributes[attribute.semantic]);
    accessor.count = encoded.order.length;
    delete accessor.min;
    delete accessor.max;
    if (attribute.semantic === 'POSITION' && hasGrid(attribute)) setBounds(accessor, attribute);
  }
  return encoded;
}

function bitsOf(semantic: string, precision: AttributePrecision): number | undefined {
  if (semantic === 'NORMAL') return precision.normalBits;
  if (semantic.startsWith('TEXCOORD_')) return precision.texcoordBits;
  if (semantic.startsWith('COLOR_')) return precision.colorBits;
  if (semantic === 'TANGENT') return precision.normalBits + 2;
  return undefined;
}

/** The box of values: its lowest corner and longest side. */
export function gridOf(values: ArrayLike<number>, size: number): { origin: number[]; range: number } {
  const least = new Array<number>(size).fill(Number.POSITIVE_INFINITY);
  const most = new Array<number>(size).fill(Number.NEGATIVE_INFINITY);
  for (let n = 0; n < values.length; n++) {
    least[n % size] = Math.min(least[n % size], values[n]);
    most[n % size] = Math.max(most[n % size], values[n]);
  }
  return { origin: least, range: Math.max(...most.map((x, c) => x - least[c])) || 1 };
}

/** Positions with the smallest grid of a given step that contains them. */
function gridPositions(values: Float32Array, wanted: number): DracoAttribute & DracoGrid {
  const { origin, range } = gridOf(values, 3);
  const step = Math.max(wanted, (1.01 * range) / (2 ** MAX_BITS - 1));
  const start = origin.map((x) => Math.floor(x / step) * step);
  const bits = Math.min(MAX_BITS, Math.max(1, Math.ceil(Math.log2(range / step + 2))));
  return { semantic: 'POSITION', size: 3, values, bits, origin: start, range: step * (2 ** bits - 1) };
}

/** Bits and grid of an attribute of floats. */
type DracoGrid = Required<Pick<DracoAttribute, 'bits' | 'origin' | 'range'>>;

function hasGrid(attribute: DracoAttribute): attribute is DracoAttribute & DracoGrid {
  return attribute.bits !== undefined && attribute.origin !== undefined && attribute.range !== undefined;
}

/** The bounds of decoded positions. */
function setBounds(accessor: GLTF.IAccessor, { values, size, bits, origin, range }: DracoAttribute & DracoGrid): void {
  const step = Math.fround(range / (2 ** bits - 1));
  const min = new Array<number>(size).fill(Number.POSITIVE_INFINITY);
  const max = new Array<number>(size).fill(Number.NEGATIVE_INFINITY);
  for (let n = 0; n < values.length; n++) {
    const c = n % size;
    const x = Math.fround(
      Math.fround(Math.floor((values[n] - origin[c]) / step + 0.5) * step) + Math.fround(origin[c]),
    );
    min[c] = Math.min(min[c], x);
    max[c] = Math.max(max[c], x);
  }
  Object.assign(accessor, { min, max });
}

/** By semantic: joints, and weights in steps of 1/255, in places that neighbours share. */
export function placeInfluences(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  { attributes }: GLTF.IMeshPrimitive,
  weightSteps: number,
): Map<string, AccessorArray> {
  const sets: { joints: AccessorArray; weights: Float32Array }[] = [];
  for (let set = 0; attributes[`JOINTS_${set}`] !== undefined; set++)
    sets.push({
      joints: readJsonAccessor(json, binary, attributes[`JOINTS_${set}`]),
      weights: readJsonFloats(json, binary, attributes[`WEIGHTS_${set}`]),
    });
  const placed = new Map<string, AccessorArray>();
  if (sets.length === 0) return placed;
  const laneCount = 4 * sets.length;
  const vertexCount = sets[0].weights.length / 4;
  const joints = new Uint16Array(vertexCount * laneCount);
  const weights = new Float32Array(vertexCount * laneCount);
  const row = new Float64Array(laneCount);
  for (let i = 0; i < vertexCount; i++) {
    sets.forEach((set, n) => {
      joints.set(set.joints.subarray(4 * i, 4 * i + 4), i * laneCount + 4 * n);
      row.set(set.weights.subarray(4 * i, 4 * i + 4), 4 * n);
    });
    if (!roundToSteps(row, weightSteps)) row[0] = weightSteps;
    weights.set(row, i * laneCount);
  }
  assignLanes({ joints, weights }, laneCount);
  const isShort = joints.some((bone) => bone > 255);
  const pick = (values: ArrayLike<number>, set: number, out: Uint8Array | Uint16Array, factor: number) => {
    for (let e = 0; e < out.length; e++) out[e] = values[(e >> 2) * laneCount + 4 * set + (e & 3)] * factor;
    return out;
  };
  sets.forEach((_, n) => {
    const length = 4 * vertexCount;
    placed.set(`JOINTS_${n}`, pick(joints, n, isShort ? new Uint16Array(length) : new Uint8Array(length), 1));
    placed.set(`WEIGHTS_${n}`, pick(weights, n, new Uint8Array(length), 255 / weightSteps));
  });
  return placed;
}
