// SPDX-License-Identifier: MIT
// Direct Delta Mush, variants 2 and 3: q = Σⱼ Mⱼ (last column of Ωⱼ); R by quaternions blended by ω, or Σ ωⱼ Rⱼ. deformers/direct-delta-mush/make-ddm.ts is their reference.
import { type FrameShape, makeFrameSource, repeat } from '../common.wgsl.ts';

const BY_QUATERNIONS = /* wgsl */ `
struct Sum { q: vec4f, center: vec3f }

fn add(before: Sum, first: vec4f, palette: u32, bones: u32, bone: u32, column: vec4f) -> Sum {
  let m = palette + bone;
  let q = quaternions[bones + bone * 2u];
  let image = vec3f(dot(palettes[m], column), dot(palettes[m + params.boneCount], column), dot(palettes[m + 2u * params.boneCount], column));
  return Sum(before.q + select(column.w, -column.w, dot(first, q) < 0.0) * q, before.center + image);
}

fn turn(q: vec4f, v: vec3f) -> vec3f {
  return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

fn put(lane: Lane, group: vec3u, n: u32, sum: Sum, d: vec3f, normal: vec3f) {
  let q = sum.q * inverseSqrt(max(dot(sum.q, sum.q), 1e-30));
  putPosition(lane, group, n, turn(q, d) + sum.center);
  if (withNormals) { putNormal(lane, group, n, turn(q, normal)); }
}`;

const BY_MATRICES = /* wgsl */ `
// Rows of [Σ ωⱼ Rⱼ, q].
struct Sum { x: vec4f, y: vec4f, z: vec4f }

// Summed from the left, so that every product is added immediately. (The same for the centers of variant 2 is slower: 0.0327 ns per vertex against 0.0280.)
fn addRow(before: vec4f, row: vec4f, column: vec4f) -> vec4f {
  return vec4f(before.xyz + row.xyz * column.w, before.w + row.x * column.x + row.y * column.y + row.z * column.z + row.w * column.w);
}

fn add(before: Sum, palette: u32, bone: u32, column: vec4f) -> Sum {
  let m = palette + bone;
  return Sum(addRow(before.x, palettes[m], column), addRow(before.y, palettes[m + params.boneCount], column), addRow(before.z, palettes[m + 2u * params.boneCount], column));
}

fn put(lane: Lane, group: vec3u, n: u32, s: Sum, d: vec3f, normal: vec3f) {
  let v = vec4f(d, 1.0);
  putPosition(lane, group, n, vec3f(dot(s.x, v), dot(s.y, v), dot(s.z, v)));
  if (withNormals) { putNormal(lane, group, n, unitOr(turnByCofactors(s.x.xyz, s.y.xyz, s.z.xyz, normal), normal)); }
}`;

/** Variant 2 if quaternions are bound, otherwise variant 3. */
export function makeDdmColumnsSource(shape: FrameShape): string {
  const { instances, isRigid } = shape;
  const first = isRigid ? 'let qsN = quaternionsOf(group, Nu); let firstN = quaternions[qsN + strongest * 2u];' : '';
  return /* wgsl */ `${makeFrameSource(shape)}
${isRigid ? BY_QUATERNIONS : BY_MATRICES}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let lane = laneOf(group, index);
  let d = restOf(lane, 0u).xyz;
  let normal = restOf(lane, 1u).xyz;
  let strongest = entries[(lane.firstRow * 3u + 2u) * SLICE + index % SLICE].x;
${repeat(instances, `  let bonesN = paletteOf(group, Nu); ${first} var sN = Sum();`)}
  for (var row = 0u; row < lane.rowCount; row++) {
    let o = (lane.firstRow + row) * 3u * SLICE + index % SLICE;
    let column = bitcast<vec4f>(vec4u(entries[o], entries[o + SLICE]));
    let bone = entries[o + 2u * SLICE].x;
${repeat(instances, isRigid ? '    sN = add(sN, firstN, bonesN, qsN, bone, column);' : '    sN = add(sN, bonesN, bone, column);')}
  }
  // in a loop: the code of a put, and its registers, exist once
  let count = countInstances(group);
  for (var n = 0u; n < count && lane.rowCount > 0u; n++) {
    var s = s0;
${repeat(instances, '    if (n == Nu) { s = sN; }')}
    put(lane, group, n, s, d, normal);
  }
}
`;
}
