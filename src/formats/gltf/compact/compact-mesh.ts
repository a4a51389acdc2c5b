// SPDX-License-Identifier: MIT
// A primitive of a plain glTF on the grids of a compact skin. Vertices with the same position and weights share a point; vertices with the same numbers are one vertex.
import type { GLTF } from '@gltf-transform/core';
import { roundToSteps } from '../../../deformers/linear-blend/index.ts';
import {
  type CompactAttribute,
  type CompactDisplacements,
  type CompactPrimitive,
  octahedralInto,
  type SteppedWeights,
} from '../../compact-skin/index.ts';
import { COMPONENT_BYTES, TYPE_SIZE } from '../check/check-gltf-data.ts';
import { readJsonAccessor, readJsonFloats } from '../check/json-accessor.ts';
import { jsonAccessor, jsonIndices } from '../document/gltf-json.ts';
import { gridOf } from '../small/small-mesh.ts';
import type { AttributePrecision } from '../small/small-precision.ts';

const FLOAT = 5126;
/** Bits of tangents beyond those of normals, and of numbers that are not known. */
const TANGENT_BITS = 2;
const OTHER_BITS = 16;

/**
 * @param boneCount number of joints of the skin; 0: none
 * @param displacements by vertex instead of by point
 */
export function makeCompactMesh(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  primitive: GLTF.IMeshPrimitive,
  precision: AttributePrecision,
  boneCount: number,
  displacements?: CompactDisplacements,
): CompactPrimitive {
  const positions = readJsonFloats(json, binary, primitive.attributes.POSITION);
  const grid = Int32Array.from(positions, (x) => Math.round(x / precision.positionStep));
  const weights = boneCount > 0 ? readWeights(json, binary, primitive, precision.weightSteps, boneCount) : undefined;
  const attributes = Object.keys(primitive.attributes)
    .filter((semantic) => semantic !== 'POSITION' && !(weights && /^(JOINTS|WEIGHTS)_/.test(semantic)))
    .map((semantic) => makeAttribute(json, binary, semantic, primitive.attributes[semantic], precision));
  const vertexCount = positions.length / 3;
  const points = groupRows(vertexCount, [
    { values: grid, width: 3 },
    ...(weights ? [weights.bones, weights.counts].map((values) => ({ values, width: weights.width })) : []),
  ]);
  const same = groupRows(points.length, [
    { values: points.groups, width: 1 },
    ...attributes.map(({ values, kind, size }) => ({
      values,
      width: kind === 'normal' ? 2 : kind === 'tangent' ? 3 : size,
    })),
  ]);
  const corners = readJsonAccessor(json, binary, jsonIndices(primitive));
  const { firsts } = points;
  return {
    vertexCount: points.length,
    pointCount: firsts.length,
    triangles: listTriangles(
      Uint32Array.from(corners, (v) => same.firsts[same.groups[v]]),
      points.groups,
    ),
    pointOfVertex: Uint32Array.from(points.groups),
    positions: pickRows(grid, firsts, 3),
    ...(weights ? { weights: pickWeights(weights, firsts) } : {}),
    attributes,
    ...(displacements
      ? { displacements: { ...displacements, values: pickColumns(displacements.values, firsts, vertexCount) } }
      : {}),
  };
}

/** Some rows of a table. */
function pickRows<T extends Int32Array | Uint16Array>(values: T, rows: Uint32Array, width: number): T {
  const picked = new (values.constructor as new (length: number) => T)(rows.length * width);
  rows.forEach((row, n) => {
    for (let c = 0; c < width; c++) picked[n * width + c] = values[row * width + c];
  });
  return picked;
}

function pickWeights(weights: SteppedWeights, rows: Uint32Array): SteppedWeights {
  const { bones, counts, width } = weights;
  return { ...weights, bones: pickRows(bones, rows, width), counts: pickRows(counts, rows, width) };
}

/** Some columns of a table whose rows are frames. */
function pickColumns(values: Int32Array, columns: Uint32Array, width: number): Int32Array {
  const rows = new Int32Array((values.length / width) * columns.length);
  for (let n = 0; n < rows.length; n++)
    rows[n] = values[Math.floor(n / columns.length) * width + columns[n % columns.length]];
  return rows;
}

/** Triangles between three points; others have no area in any pose. */
function listTriangles(corners: ArrayLike<number>, pointOf: Int32Array): Uint32Array {
  const kept: number[] = [];
  for (let c = 0; c < corners.length; c += 3) {
    const [a, b, d] = [corners[c], corners[c + 1], corners[c + 2]];
    if (pointOf[a] !== pointOf[b] && pointOf[b] !== pointOf[d] && pointOf[d] !== pointOf[a]) kept.push(a, b, d);
  }
  return Uint32Array.from(kept);
}

/** Weights in steps, falling. */
function readWeights(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  { attributes }: GLTF.IMeshPrimitive,
  steps: number,
  boneCount: number,
): SteppedWeights {
  const sets: { joints: ArrayLike<number>; weights: Float32Array }[] = [];
  for (let set = 0; attributes[`JOINTS_${set}`] !== undefined; set++)
    sets.push({
      joints: readJsonAccessor(json, binary, attributes[`JOINTS_${set}`]),
      weights: readJsonFloats(json, binary, attributes[`WEIGHTS_${set}`]),
    });
  const most = 4 * sets.length;
  const vertexCount = jsonAccessor(json, attributes.POSITION).count;
  const bones = new Uint16Array(vertexCount * most);
  const counts = new Uint16Array(vertexCount * most);
  const row = new Float64Array(most);
  const order = Array.from({ length: most }, (_, e) => e);
  let width = 1;
  for (let i = 0; i < vertexCount; i++) {
    const jointOf = (e: number) => sets[e >> 2].joints[4 * i + (e & 3)];
    for (let e = 0; e < most; e++) row[e] = sets[e >> 2].weights[4 * i + (e & 3)];
    if (!roundToSteps(row, steps)) row[0] = steps;
    order.sort((a, b) => row[b] - row[a] || jointOf(a) - jointOf(b));
    let used = 0;
    for (const e of order) {
      if (!(row[e] > 0)) break;
      // a bone that is listed twice has the sum
      const known = bones.subarray(i * most, i * most + used).indexOf(jointOf(e));
      if (known >= 0) counts[i * most + known] += row[e];
      else {
        bones[i * most + used] = jointOf(e);
        counts[i * most + used++] = row[e];
      }
    }
    width = Math.max(width, used);
  }
  const shorten = (values: Uint16Array) =>
    Uint16Array.from({ length: vertexCount * width }, (_, n) => values[Math.floor(n / width) * most + (n % width)]);
  return { boneCount, steps, width, bones: shorten(bones), counts: shorten(counts) };
}

function makeAttribute(
  json: GLTF.IGLTF,
  binary: Uint8Array,
  semantic: string,
  index: number,
  precision: AttributePrecision,
): CompactAttribute {
  const { type, componentType } = jsonAccessor(json, index);
  const size = TYPE_SIZE[type];
  const values = readJsonFloats(json, binary, index);
  const base = { semantic, size, componentType: FLOAT, normalized: false, origin: new Array<number>(size).fill(0) };
  if (semantic === 'NORMAL' || semantic === 'TANGENT') {
    const isTangent = semantic === 'TANGENT';
    const step = 2 ** (precision.normalBits + (isTangent ? TANGENT_BITS : 0) - 1) - 1;
    const width = isTangent ? 3 : 2;
    const stored = new Int32Array((values.length / size) * width);
    const pair = [0, 0];
    for (let v = 0; v < values.length / size; v++) {
      octahedralInto(values[size * v], values[size * v + 1], values[size * v + 2], step, pair);
      stored.set(pair, width * v);
      if (isTangent) stored[width * v + 2] = values[size * v + 3] < 0 ? -1 : 1;
    }
    return { ...base, kind: isTangent ? 'tangent' : 'normal', step, values: stored };
  }
  const known = semantic.startsWith('TEXCOORD_')
    ? precision.texcoordBits
    : semantic.startsWith('COLOR_')
      ? precision.colorBits
      : undefined;
  if (known === undefined && componentType !== FLOAT) {
    // integers as they are; accessors of vertices have elements of four bytes
    const raw = Int32Array.from(readJsonAccessor(json, binary, index));
    const isAligned = (size * COMPONENT_BYTES[componentType]) % 4 === 0;
    const { normalized = false } = jsonAccessor(json, index);
    if (isAligned) return { ...base, componentType, normalized, kind: 'grid', step: 1, values: raw };
  }
  const { origin, range } = gridOf(values, size);
  const step = range / (2 ** (known ?? OTHER_BITS) - 1);
  const start = origin.map((x) => Math.fround(x));
  const stored = Int32Array.from(values, (x, n) => Math.round((x - start[n % size]) / step));
  return { ...base, kind: 'grid', step, origin: start, values: stored };
}

/** Rows with equal numbers: by row its group, and by group its first row. */
function groupRows(count: number, parts: readonly { values: ArrayLike<number>; width: number }[]) {
  const groups = new Int32Array(count);
  const firsts: number[] = [];
  const buckets = new Map<number, number[]>();
  const isSame = (a: number, b: number): boolean =>
    parts.every(({ values, width }) => {
      for (let c = 0; c < width; c++) if (values[a * width + c] !== values[b * width + c]) return false;
      return true;
    });
  for (let i = 0; i < count; i++) {
    let hash = 0x811c9dc5;
    for (const { values, width } of parts)
      for (let n = i * width; n < (i + 1) * width; n++) hash = Math.imul(hash ^ values[n], 0x01000193);
    const bucket = buckets.get(hash) ?? [];
    const found = bucket.find((group) => isSame(firsts[group], i));
    groups[i] = found ?? firsts.push(i) - 1;
    if (found === undefined) buckets.set(hash, [...bucket, groups[i]]);
  }
  return { length: count, groups, firsts: Uint32Array.from(firsts) };
}
