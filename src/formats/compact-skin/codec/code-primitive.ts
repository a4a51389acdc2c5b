// SPDX-License-Identifier: MIT
// A primitive of a stream: triangles of points, vertices at corners, positions and weights of points, attributes of vertices.
import { FormatError } from '../../../core/model/errors.ts';
import type { FieldCoder } from '../entropy/field-coder.ts';
import { codeAttributes, widthOf } from '../mesh/code-attributes.ts';
import { decodeConnectivity, encodeConnectivity } from '../mesh/code-connectivity.ts';
import { codeCorners } from '../mesh/code-corners.ts';
import { codeDisplacements } from '../mesh/code-displacements.ts';
import { codePositions } from '../mesh/code-positions.ts';
import { codeWeights, type SteppedWeights } from '../mesh/code-weights.ts';
import { makeMeshWalk } from '../mesh/mesh-walk.ts';
import { codeTimes } from './code-animations.ts';
import type { CompactAttribute, CompactDisplacements, CompactPrimitive } from './compact-skin.ts';

const KINDS = ['normal', 'tangent', 'grid'] as const;
/** Memory of a triangle, a point and a vertex while they are decoded and in the glTF that is made, bytes. */
const TRIANGLE_BYTES = 160;
const POINT_BYTES = 120;
const VERTEX_BYTES = 60;
/** Memory of a vertex in a morph target, bytes. */
const DISPLACED_BYTES = 24;
const MAX_ATTRIBUTES = 64;
const MAX_SIZE = 4;
const MAX_STEPS = 255;
const MAX_STEP = 1e20;
const MAX_INFLUENCES = 64;
const MAX_BONES = 65536;
const MAX_ANIMATIONS = 4096;
/** The version of streams with displacements. */
export const DISPLACED_VERSION = 2;

/** Encodes a primitive; its arrays are not changed. Returns by vertex of the stream the vertex that was given. */
export function encodePrimitive(fields: FieldCoder, given: CompactPrimitive, version: number): Uint32Array {
  const { triangles, pointOfVertex, pointCount } = given;
  const { coder } = fields;
  const points = triangles.map((v) => pointOfVertex[v]);
  const used = new Set(triangles);
  const isUsed = new Uint8Array(pointCount);
  for (const p of points) isUsed[p] = 1;
  const vertexOfPoint = new Uint32Array(pointCount);
  for (let v = pointOfVertex.length - 1; v >= 0; v--) vertexOfPoint[pointOfVertex[v]] = v;
  const unusedCount = isUsed.reduce((sum, one) => sum + 1 - one, 0);
  const vertexCount = used.size + unusedCount;
  codeCounts(fields, { pointCount, vertexCount, triangleCount: triangles.length / 3 });
  const surface = encodeConnectivity(coder, points, pointCount);
  const { usedCount } = surface;
  const made = codeCorners(
    coder,
    surface.triangles,
    { pointCount, usedCount, vertexCount },
    {
      corners: Uint32Array.from(surface.corners, (corner) => triangles[corner]),
      unused: surface.order.slice(usedCount).map((p) => vertexOfPoint[p]),
    },
  );
  const walk = makeMeshWalk(surface.triangles, surface.opposite, pointCount);
  const positions = pickRows(given.positions, surface.order, 3);
  codePositions(coder, walk, positions);
  if (codeWeightFields(fields, given.weights) && given.weights) {
    const { width } = given.weights;
    const [bones, counts] = [given.weights.bones, given.weights.counts].map((row) =>
      pickRows(row, surface.order, width),
    );
    codeWeights(coder, walk, { ...given.weights, bones, counts });
  }
  fields.count(given.attributes.length);
  const attributes = given.attributes.map((attribute) => {
    codeAttributeFields(fields, attribute);
    return { ...attribute, values: pickRows(attribute.values, made.order, widthOf(attribute)) };
  });
  codeAttributes(coder, { ...made, positions, attributes, vertexCount }, surface.opposite);
  if (version < DISPLACED_VERSION) return made.order;
  const { displacements } = given;
  if (codeDisplacementFields(fields, { pointCount, vertexCount }, displacements) && displacements) {
    const frameCount = displacements.times.length;
    const values = new Int32Array(frameCount * pointCount);
    for (let k = 0; k < frameCount; k++)
      values.set(
        surface.order.map((p) => displacements.values[k * pointCount + p]),
        k * pointCount,
      );
    codeDisplacements(coder, walk, values, frameCount);
  }
  return made.order;
}

export function decodePrimitive(fields: FieldCoder, version: number): CompactPrimitive {
  const { coder } = fields;
  const { pointCount, vertexCount, triangleCount } = codeCounts(fields, {
    ...{ pointCount: 0, vertexCount: 0, triangleCount: 0 },
  });
  const surface = decodeConnectivity(coder, pointCount, triangleCount);
  const counts = { pointCount, usedCount: surface.usedCount, vertexCount };
  const { triangles, pointOfVertex } = codeCorners(coder, surface.triangles, counts);
  const walk = makeMeshWalk(surface.triangles, surface.opposite, pointCount);
  const positions = new Int32Array(3 * pointCount);
  codePositions(coder, walk, positions);
  const rows = codeWeightFields(fields);
  let weights: SteppedWeights | undefined;
  if (rows) {
    fields.reserve(pointCount * rows.width * 4 + vertexCount * rows.width * 8);
    const size = pointCount * rows.width;
    weights = { ...rows, bones: new Uint16Array(size), counts: new Uint16Array(size) };
    codeWeights(coder, walk, weights);
  }
  const attributeCount = fields.count(0, MAX_ATTRIBUTES);
  const attributes: CompactAttribute[] = [];
  for (let n = 0; n < attributeCount; n++) {
    const attribute = codeAttributeFields(fields);
    fields.reserve(vertexCount * (attribute.size + widthOf(attribute)) * 4);
    attributes.push({ ...attribute, values: new Int32Array(vertexCount * widthOf(attribute)) });
  }
  const primitive = { vertexCount, pointCount, triangles, pointOfVertex, positions, weights, attributes };
  codeAttributes(coder, primitive, surface.opposite);
  if (version < DISPLACED_VERSION) return primitive;
  const displacements = codeDisplacementFields(fields, { pointCount, vertexCount });
  if (!displacements) return primitive;
  codeDisplacements(coder, walk, displacements.values, displacements.times.length);
  return { ...primitive, displacements };
}

function codeCounts(fields: FieldCoder, given: { pointCount: number; vertexCount: number; triangleCount: number }) {
  const pointCount = fields.count(given.pointCount);
  const vertexCount = pointCount + fields.count(given.vertexCount - given.pointCount);
  const triangleCount = fields.count(given.triangleCount);
  fields.reserve(TRIANGLE_BYTES * triangleCount + POINT_BYTES * pointCount + VERTEX_BYTES * vertexCount);
  return { pointCount: Math.max(1, pointCount), vertexCount: Math.max(1, vertexCount), triangleCount };
}

/** Codes the numbers that describe weights; undefined if there are none. */
function codeWeightFields(
  fields: FieldCoder,
  given?: SteppedWeights,
): { boneCount: number; steps: number; width: number } | undefined {
  if (!fields.flag(given !== undefined, 1)) return undefined;
  const boneCount = 1 + fields.count((given?.boneCount ?? 1) - 1, MAX_BONES - 1);
  const steps = 1 + fields.count((given?.steps ?? 1) - 1, MAX_STEPS - 1);
  const width = 1 + fields.count((given?.width ?? 1) - 1, MAX_INFLUENCES - 1);
  return { boneCount, steps, width };
}

/** Codes what displacements there are; undefined if there are none. A decoder allocates their values. */
function codeDisplacementFields(
  fields: FieldCoder,
  { pointCount, vertexCount }: { pointCount: number; vertexCount: number },
  given?: CompactDisplacements,
): CompactDisplacements | undefined {
  if (!fields.flag(given !== undefined, 3)) return undefined;
  const step = fields.double(given?.step ?? 0);
  if (!(step > 0 && step < MAX_STEP))
    throw new FormatError('gltf', 'value', 'a compressed stream has displacements with an impossible step');
  const animation = fields.count(given?.animation ?? 0, MAX_ANIMATIONS - 1);
  const times = codeTimes(fields, given?.times);
  fields.reserve(times.length * (4 * pointCount + DISPLACED_BYTES * vertexCount + 8 * times.length));
  return { step, animation, times, values: given?.values ?? new Int32Array(times.length * pointCount) };
}

const COMPONENT_TYPES = [5120, 5121, 5122, 5123, 5125, 5126];

/** Codes what an attribute is, without its values. */
function codeAttributeFields(fields: FieldCoder, given?: CompactAttribute): Omit<CompactAttribute, 'values'> {
  const semantic = fields.name(given?.semantic ?? '');
  const kind = KINDS[fields.count(given ? KINDS.indexOf(given.kind) : 0, KINDS.length - 1)];
  const size = 1 + fields.count((given?.size ?? 1) - 1, MAX_SIZE - 1);
  const type = fields.count(given ? COMPONENT_TYPES.indexOf(given.componentType) : 0, COMPONENT_TYPES.length - 1);
  const normalized = fields.flag(given?.normalized ?? false, 2);
  const step = fields.double(given?.step ?? 0);
  if (!(step > 0 && step < MAX_STEP) || (kind === 'normal' && size !== 3) || (kind === 'tangent' && size !== 4))
    throw new FormatError('gltf', 'value', 'a compressed stream has an attribute with an impossible size or step');
  const origin: number[] = [];
  if (kind === 'grid') for (let c = 0; c < size; c++) origin.push(fields.float(given?.origin[c] ?? 0));
  return { semantic, kind, size, componentType: COMPONENT_TYPES[type], normalized, step, origin };
}

function pickRows<T extends Int32Array | Uint16Array>(values: T, order: Uint32Array, width: number): T {
  const rows = new (values.constructor as new (length: number) => T)(order.length * width);
  for (let n = 0; n < order.length; n++)
    for (let c = 0; c < width; c++) rows[n * width + c] = values[order[n] * width + c];
  return rows;
}
