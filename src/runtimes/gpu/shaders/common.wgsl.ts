// SPDX-License-Identifier: MIT
// The common part of all deformers: bindings, the vertex of a lane, bones, and output.
//
// A workgroup processes two windows of 64 vertices (workgroup x) and a few instances (workgroup y): the data of a vertex is read once for all of them.
// Results are written from registers. Passing them through workgroup memory, for longer contiguous writes, cost more than it gained: WebGPU clears
// that memory for every workgroup (H200, 300 ninjas, ns per vertex: LBS-4 0.0195 through it, 0.0167 without; palettes in it 0.022).

export interface FrameShape {
  /** Instances per thread. */
  instances: number;
  /** Numbers per position and per normal in the output: 3 (packed) or 4 (x y z 1, and x y z 0); 12: three rows of a bone, and no normals. */
  stride: 3 | 4 | 12;
  /** Words per load of an entry. */
  load: 2 | 4;
  /** Bones as quaternions are bound too. */
  isRigid: boolean;
  /** Palettes have displacements in 16 bits: two words per row. */
  isHalf?: boolean;
}

/** Threads of a workgroup: two windows. */
export const THREADS = 128;

/** Repeats text for each instance of a thread; 'N' is replaced by its number. */
export function repeat(instances: number, text: string): string {
  return Array.from({ length: instances }, (_, n) => text.replaceAll('N', String(n))).join('\n');
}

/** The WGSL text is one string, which is read from top to bottom. */
export function makeFrameSource({ instances, stride, load, isRigid, isHalf }: FrameShape): string {
  return /* wgsl */ `
struct Params {
  vertexCount: u32,
  boneCount: u32,
  firstWindow: u32,
  // instances of this dispatch; all offsets below are for its first one
  instanceCount: u32,
  // vec4s
  paletteOffset: u32,
  quaternionOffset: u32,
  // floats, or vec4s if the output consists of those
  positionOffset: u32,
  normalOffset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> rest: array<vec4u>;
@group(0) @binding(2) var<storage, read> slices: array<vec2u>;
@group(0) @binding(3) var<storage, read> entries: array<vec${load}u>;
// instance x row x bone, four numbers each: bones by rows, so that lanes that read neighbouring bones share cache lines
@group(0) @binding(4) var<storage, read> palettes: array<${isHalf ? 'vec2u' : 'vec4f'}>;
@group(0) @binding(5) var<storage, read_write> positions: array<${stride === 3 ? 'f32' : 'vec4f'}>;
@group(0) @binding(6) var<storage, read_write> normals: array<${stride === 3 ? 'f32' : 'vec4f'}>;
${isRigid ? '// instance x bone x (real, dual), x y z w\n@group(0) @binding(7) var<storage, read> quaternions: array<vec4f>;' : ''}

override withNormals: bool = true;
// rows per slice if all are equal; 0: each slice has its own
override uniformWidth: u32 = 0u;
override restRows: u32 = 2u;

const WINDOW = 64u;
const THREADS = ${THREADS}u;
const SLICE = 32u;
const INSTANCES = ${instances}u;

struct Lane {
  slot: u32,
  // within its window
  local: u32,
  firstRow: u32,
  rowCount: u32,
}

// Lanes past the last window have no vertex: they use the slot of the first, without rows.
fn laneOf(group: vec3u, index: u32) -> Lane {
  let wanted = (params.firstWindow * WINDOW) + group.x * THREADS + index;
  let isPast = (wanted / WINDOW) * WINDOW >= params.vertexCount;
  let slot = select(wanted, 0u, isPast);
  var slice = vec2u((slot / SLICE) * uniformWidth, uniformWidth);
  if (uniformWidth == 0u) { slice = slices[slot / SLICE]; }
  let vertex = select(rest[(slot / SLICE) * restRows * SLICE + slot % SLICE].w, 0xffffffffu, isPast);
  var rowCount = slice.y;
  // lanes without a vertex have no rows of their own
  rowCount = select(rowCount, 0u, vertex == 0xffffffffu);
  return Lane(slot, vertex % WINDOW, slice.x, rowCount);
}

fn restOf(lane: Lane, row: u32) -> vec4f {
  return bitcast<vec4f>(rest[((lane.slot / SLICE) * restRows + row) * SLICE + lane.slot % SLICE]);
}

// Start of the bones of the workgroup's n-th instance; clamped to the last instance.
fn paletteOf(group: vec3u, n: u32) -> u32 {
  return params.paletteOffset + min(group.y * INSTANCES + n, params.instanceCount - 1u) * params.boneCount * 3u;
}
${
  isRigid
    ? `fn quaternionsOf(group: vec3u, n: u32) -> u32 {
  return params.quaternionOffset + min(group.y * INSTANCES + n, params.instanceCount - 1u) * params.boneCount * 2u;
}`
    : ''
}

// The unit vector along v, or the fallback if v vanishes.
fn unitOr(v: vec3f, fallback: vec3f) -> vec3f {
  let square = dot(v, v);
  return select(fallback, v * inverseSqrt(square), square > 1e-30);
}

// Columns of the cofactor matrix of the matrix with rows a, b, c applied to v: rows of the cofactors are cross products of rows.
fn turnByCofactors(a: vec3f, b: vec3f, c: vec3f, v: vec3f) -> vec3f {
  let bc = cross(b, c);
  let turned = vec3f(dot(bc, v), dot(cross(c, a), v), dot(cross(a, b), v));
  return select(turned, -turned, dot(a, bc) < 0.0);
}

// Instances of this workgroup: fewer in the last one.
fn countInstances(group: vec3u) -> u32 {
  return min(INSTANCES, params.instanceCount - group.y * INSTANCES);
}

fn putAt(lane: Lane, group: vec3u, n: u32) -> u32 {
  return (group.y * INSTANCES + n) * params.vertexCount + (lane.slot / WINDOW) * WINDOW + lane.local;
}

${{ 3: PACKED_OUTPUT, 4: VECTOR_OUTPUT, 12: BONE_OUTPUT }[stride]}`;
}

const PACKED_OUTPUT = /* wgsl */ `
fn putPosition(lane: Lane, group: vec3u, n: u32, v: vec3f) {
  let o = params.positionOffset + 3u * putAt(lane, group, n);
  positions[o] = v.x;
  positions[o + 1u] = v.y;
  positions[o + 2u] = v.z;
}

fn putNormal(lane: Lane, group: vec3u, n: u32, v: vec3f) {
  let o = params.normalOffset + 3u * putAt(lane, group, n);
  normals[o] = v.x;
  normals[o + 1u] = v.y;
  normals[o + 2u] = v.z;
}
`;

const VECTOR_OUTPUT = /* wgsl */ `
fn putPosition(lane: Lane, group: vec3u, n: u32, v: vec3f) {
  positions[params.positionOffset + putAt(lane, group, n)] = vec4f(v, 1.0);
}

fn putNormal(lane: Lane, group: vec3u, n: u32, v: vec3f) {
  normals[params.normalOffset + putAt(lane, group, n)] = vec4f(v, 0.0);
}
`;

const BONE_OUTPUT = /* wgsl */ `
fn putBone(lane: Lane, group: vec3u, n: u32, x: vec4f, y: vec4f, z: vec4f) {
  // as the next layer reads them: instance x row x bone
  let o = params.positionOffset + putAt(lane, group, n) + 2u * (group.y * INSTANCES + n) * params.vertexCount;
  positions[o] = x;
  positions[o + params.vertexCount] = y;
  positions[o + 2u * params.vertexCount] = z;
}
`;

/** Four weights of the lane's vertex with their bones; for packed skins. */
export const LOAD_ROW = /* wgsl */ `struct Row { b: vec4u, w: vec4f }

fn loadRow(lane: Lane, row: u32, index: u32) -> Row {
  let o = (lane.firstRow + row) * 3u * SLICE + index % SLICE;
  let pairs = entries[o];
  let b = vec4u(pairs.x & 0xffffu, pairs.x >> 16u, pairs.y & 0xffffu, pairs.y >> 16u);
  return Row(b, bitcast<vec4f>(vec4u(entries[o + SLICE], entries[o + 2u * SLICE])));
}
`;
