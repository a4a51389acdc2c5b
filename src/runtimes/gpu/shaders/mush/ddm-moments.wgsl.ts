// SPDX-License-Identifier: MIT
// Direct Delta Mush, variants 0 and 1; deformers/direct-delta-mush/make-ddm.ts is their reference, deformers/direct-delta-mush/pack-multi-weights.ts explains the stored numbers.
import { type FrameShape, makeFrameSource, repeat } from '../common.wgsl.ts';
import { NEAREST_ROTATION_SOURCE } from '../nearest-rotation.wgsl.ts';

/** Columns of the symmetric 4x4. */
const ENTRY = /* wgsl */ `struct Entry { x: vec4f, y: vec4f, z: vec4f, w: vec4f, bone: u32 }`;

export const LOAD_MOMENTS = /* wgsl */ `${ENTRY}
fn loadEntry(row: u32, at: u32) -> Entry {
  let o = row * 3u * SLICE + at;
  let a = bitcast<vec4f>(entries[o]);
  let b = bitcast<vec4f>(entries[o + SLICE]);
  let last = entries[o + 2u * SLICE];
  let c = bitcast<vec2f>(last.xy);
  return Entry(a, vec4f(a.y, b.xyz), vec4f(a.z, b.y, b.w, c.x), vec4f(a.w, b.z, c), last.z);
}`;

const LOAD_SHORT_MOMENTS = /* wgsl */ `${ENTRY}
fn loadEntry(row: u32, at: u32) -> Entry {
  let o = row * 3u * SLICE + at;
  let words = vec4u(entries[o], entries[o + SLICE]);
  let last = entries[o + 2u * SLICE];
  let a = vec4f(unpack2x16snorm(words.x), unpack2x16snorm(words.y));
  let b = vec4f(unpack2x16snorm(words.z), unpack2x16snorm(words.w));
  let c = unpack2x16snorm(last.x);
  return Entry(a, vec4f(a.y, b.xyz), vec4f(a.z, b.y, b.w, c.x), vec4f(a.w, b.z, c), last.y);
}`;

export function makeDdmMomentsSource(shape: FrameShape): string {
  const { instances } = shape;
  return /* wgsl */ `${makeFrameSource(shape)}
${NEAREST_ROTATION_SOURCE}
// 0 or 1
override variant: u32 = 0u;
// A map whose determinant is below this ratio of its size cubed is singular up to rounding.
const SINGULAR = 1e-6;

${shape.load === 4 ? LOAD_MOMENTS : LOAD_SHORT_MOMENTS}

// Rest data of the lane's vertex: lower is the map L below its diagonal. Variant 0 divides by σ, so that only g = Mⱼ p has to: p is p / σ there, and unit 1 / σ.
struct Vertex { offset: vec3f, normal: vec3f, p: vec3f, unit: f32, diagonal: vec3f, lower: vec3f }
// Rows of [Q̃ q], of variant 0 divided by σ.
struct Sum { x: vec4f, y: vec4f, z: vec4f }

// Summed from the left, so that every product is added immediately.
fn addRow(before: vec4f, row: vec4f, v: Vertex, e: Entry) -> vec4f {
  var r = row.xyz;
  var g = row.w;
  if (variant == 1u) { r = r * v.diagonal + vec3f(row.y * v.lower.x + row.z * v.lower.y, row.z * v.lower.z, 0.0); } else { g *= v.unit; }
  g = g + row.x * v.p.x + row.y * v.p.y + row.z * v.p.z;
  return before + r.x * e.x + r.y * e.y + r.z * e.z + g * e.w;
}

fn add(before: Sum, palette: u32, v: Vertex, e: Entry) -> Sum {
  let m = palette + e.bone;
  return Sum(addRow(before.x, palettes[m], v, e), addRow(before.y, palettes[m + params.boneCount], v, e), addRow(before.z, palettes[m + 2u * params.boneCount], v, e));
}

fn put(lane: Lane, group: vec3u, n: u32, s: Sum, v: Vertex) {
  var q = vec3f(s.x.w, s.y.w, s.z.w);
  var a = s.x.xyz; var b = s.y.xyz; var c = s.z.xyz;
  var offset = v.offset;
  var normal = v.normal;
  if (variant == 1u) {
    // R = Q̃⁻ᵀ Lᵀ; offset and normal are already multiplied by Lᵀ
    let bc = cross(b, c);
    let det = dot(a, bc);
    let size = length(vec3f(length(a), length(b), length(c)));
    if (abs(det) > SINGULAR * size * size * size) {
      let ca = cross(c, a); let ab = cross(a, b);
      putPosition(lane, group, n, q + vec3f(dot(bc, offset), dot(ca, offset), dot(ab, offset)) / det);
      let turned = vec3f(dot(bc, normal), dot(ca, normal), dot(ab, normal));
      if (withNormals) { putNormal(lane, group, n, unitOr(select(turned, -turned, det < 0.0), unlower(v, normal))); }
      return;
    }
    // variant 0 of the same vertex: converted from the units of the patch
    a = vec3f(a.x * v.diagonal.x, a.x * v.lower.x + a.y * v.diagonal.y, a.x * v.lower.y + a.y * v.lower.z + a.z * v.diagonal.z);
    b = vec3f(b.x * v.diagonal.x, b.x * v.lower.x + b.y * v.diagonal.y, b.x * v.lower.y + b.y * v.lower.z + b.z * v.diagonal.z);
    c = vec3f(c.x * v.diagonal.x, c.x * v.lower.x + c.y * v.diagonal.y, c.x * v.lower.y + c.y * v.lower.z + c.z * v.diagonal.z);
    offset = unlower(v, offset);
    normal = unlower(v, normal);
  }
  if (variant == 0u) { q *= v.diagonal.x; }
  let rows = rowsOf(nearestRotation(a, b, c));
  putPosition(lane, group, n, q + offset * rows);
  if (withNormals) { putNormal(lane, group, n, normal * rows); }
}

// L⁻ᵀ v
fn unlower(v: Vertex, x: vec3f) -> vec3f {
  let z = x.z / v.diagonal.z;
  let y = (x.y - v.lower.z * z) / v.diagonal.y;
  return vec3f((x.x - v.lower.x * y - v.lower.y * z) / v.diagonal.x, y, z);
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let lane = laneOf(group, index);
  let normal = restOf(lane, 1u);
  let p = restOf(lane, 2u);
  var v = Vertex(restOf(lane, 0u).xyz, normal.xyz, p.xyz, 1.0 / normal.w, vec3f(normal.w), vec3f(0.0));
  if (variant == 1u) {
    let map = restOf(lane, 3u);
    v.diagonal = vec3f(normal.w, map.z, p.w);
    v.lower = vec3f(map.x, map.y, map.w);
  } else {
    v.p *= v.unit;
  }
${repeat(instances, '  let bonesN = paletteOf(group, Nu); var sN = Sum();')}
  for (var row = 0u; row < lane.rowCount; row++) {
    let e = loadEntry(lane.firstRow + row, index % SLICE);
${repeat(instances, '    sN = add(sN, bonesN, v, e);')}
  }
  // in a loop: the code of a put, and its registers, exist once
  let count = countInstances(group);
  for (var n = 0u; n < count && lane.rowCount > 0u; n++) {
    var s = s0;
${repeat(instances, '    if (n == Nu) { s = sN; }')}
    put(lane, group, n, s, v);
  }
}
`;
}
