// SPDX-License-Identifier: MIT
// What all deformers share: bindings, the lane's vertex, bones, and how results leave.
//
// A workgroup takes a window of 64 vertices (workgroup x) and a few instances (workgroup y): what a vertex needs is read once for all of them.
// Threads of a window take its vertices in the order of their number of entries, so their results are handed over through workgroup memory and
// leave in vertex order, one run of memory per instance.

export interface FrameShape {
  /** Instances per thread. */
  instances: number;
  /** Numbers per position and per normal in the output: 3 (packed) or 4 (x y z 1, and x y z 0). */
  stride: 3 | 4;
  /** Words per load of an entry. */
  load: 2 | 4;
  /** Bones as quaternions are bound too. */
  isRigid: boolean;
}

/** Text for each instance of a thread, 'N' standing for its number. */
export function repeat(instances: number, text: string): string {
  return Array.from({ length: instances }, (_, n) => text.replaceAll('N', String(n))).join('\n');
}

export function makeFrameSource({ instances, stride, load, isRigid }: FrameShape): string {
  return /* wgsl */ `
struct Params {
  vertexCount: u32,
  boneCount: u32,
  firstWindow: u32,
  // instances of this dispatch; all offsets below are those of its first one
  instanceCount: u32,
  // vec4s
  paletteOffset: u32,
  quaternionOffset: u32,
  // floats, or vec4s where the output is made of those
  positionOffset: u32,
  normalOffset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> rest: array<vec4u>;
@group(0) @binding(2) var<storage, read> slices: array<vec2u>;
@group(0) @binding(3) var<storage, read> entries: array<vec${load}u>;
// instance x bone x 3 rows of four
@group(0) @binding(4) var<storage, read> palettes: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> positions: array<${stride === 3 ? 'f32' : 'vec4f'}>;
@group(0) @binding(6) var<storage, read_write> normals: array<${stride === 3 ? 'f32' : 'vec4f'}>;
${isRigid ? '// instance x bone x (real, dual), x y z w\n@group(0) @binding(7) var<storage, read> quaternions: array<vec4f>;' : ''}

override withNormals: bool = true;
// rows of every slice, where they agree; 0: each says its own
override uniformWidth: u32 = 0u;
override restRows: u32 = 2u;

const WINDOW = 64u;
const SLICE = 32u;
const INSTANCES = ${instances}u;

struct Lane {
  slot: u32,
  // within its window
  local: u32,
  firstRow: u32,
  rowCount: u32,
}

fn laneOf(group: vec3u, index: u32) -> Lane {
  let slot = (params.firstWindow + group.x) * WINDOW + index;
  let slice = slices[slot / SLICE];
  let vertex = rest[(slot / SLICE) * restRows * SLICE + slot % SLICE].w;
  var rowCount = slice.y;
  if (uniformWidth > 0u) { rowCount = uniformWidth; }
  // lanes without a vertex have no rows of their own
  rowCount = select(rowCount, 0u, vertex == 0xffffffffu);
  return Lane(slot, vertex % WINDOW, slice.x, rowCount);
}

fn restOf(lane: Lane, row: u32) -> vec4f {
  return bitcast<vec4f>(rest[((lane.slot / SLICE) * restRows + row) * SLICE + lane.slot % SLICE]);
}

// Where the bones of the workgroup's n-th instance start; past the last instance, those of the last.
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

// The unit vector along v, or the fallback where v vanishes.
fn unitOr(v: vec3f, fallback: vec3f) -> vec3f {
  let largest = max(max(abs(v.x), abs(v.y)), abs(v.z));
  // by its largest number first: squares of small cofactors would vanish
  let scaled = v / max(largest, 1e-37);
  return select(fallback, scaled * inverseSqrt(max(dot(scaled, scaled), 1.0)), largest > 1e-36);
}

// Columns of the cofactor matrix of the matrix with rows a, b, c applied to v: rows of the cofactors are cross products of rows.
fn turnByCofactors(a: vec3f, b: vec3f, c: vec3f, v: vec3f) -> vec3f {
  let bc = cross(b, c);
  let turned = vec3f(dot(bc, v), dot(cross(c, a), v), dot(cross(a, b), v));
  return select(turned, -turned, dot(a, bc) < 0.0);
}
${stride === 3 ? stagedOutput : directOutput}`;
}

/** Through workgroup memory: 64 threads write 64 consecutive floats at a time. */
const stagedOutput = /* wgsl */ `
var<workgroup> staging: array<f32, WINDOW * 6u * INSTANCES>;

fn putPosition(lane: Lane, group: vec3u, n: u32, v: vec3f) {
  let o = (n * WINDOW + lane.local) * 3u;
  staging[o] = v.x;
  staging[o + 1u] = v.y;
  staging[o + 2u] = v.z;
}

fn putNormal(lane: Lane, group: vec3u, n: u32, v: vec3f) {
  let o = ((INSTANCES + n) * WINDOW + lane.local) * 3u;
  staging[o] = v.x;
  staging[o + 1u] = v.y;
  staging[o + 2u] = v.z;
}

fn flush(group: vec3u, index: u32) {
  workgroupBarrier();
  let start = (params.firstWindow + group.x) * WINDOW * 3u;
  let count = min(WINDOW * 3u, params.vertexCount * 3u - start);
  for (var n = 0u; n < INSTANCES; n++) {
    let instance = group.y * INSTANCES + n;
    if (instance >= params.instanceCount) { break; }
    let to = instance * params.vertexCount * 3u + start;
    for (var c = index; c < count; c += WINDOW) {
      positions[params.positionOffset + to + c] = staging[n * WINDOW * 3u + c];
      if (withNormals) { normals[params.normalOffset + to + c] = staging[(INSTANCES + n) * WINDOW * 3u + c]; }
    }
  }
}
`;

const directOutput = /* wgsl */ `
fn putAt(lane: Lane, group: vec3u, n: u32) -> u32 {
  return (group.y * INSTANCES + n) * params.vertexCount + (lane.slot / WINDOW) * WINDOW + lane.local;
}

fn isInside(lane: Lane, group: vec3u, n: u32) -> bool {
  return lane.rowCount > 0u && group.y * INSTANCES + n < params.instanceCount;
}

fn putPosition(lane: Lane, group: vec3u, n: u32, v: vec3f) {
  if (isInside(lane, group, n)) { positions[params.positionOffset + putAt(lane, group, n)] = vec4f(v, 1.0); }
}

fn putNormal(lane: Lane, group: vec3u, n: u32, v: vec3f) {
  if (isInside(lane, group, n)) { normals[params.normalOffset + putAt(lane, group, n)] = vec4f(v, 0.0); }
}

fn flush(group: vec3u, index: u32) {}
`;
