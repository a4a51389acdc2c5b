// SPDX-License-Identifier: MIT
// Dual quaternion skinning; deformers/dual-quaternion/dual-quaternion.ts is its reference.
import { type FrameShape, LOAD_ROW, makeFrameSource } from './common.wgsl.ts';

export function makeDualQuaternionSource(shape: FrameShape): string {
  return /* wgsl */ `${makeFrameSource(shape)}
struct Dual { real: vec4f, dual: vec4f }

// Adds a bone, in the hemisphere of the vertex's strongest bone: q and −q are the same rotation.
fn add(before: Dual, first: vec4f, o: u32, weight: f32) -> Dual {
  let real = quaternions[o];
  let w = select(weight, -weight, dot(first, real) < 0.0);
  return Dual(before.real + w * real, before.dual + w * quaternions[o + 1u]);
}

fn blend(bones: u32, first: vec4f, b: vec4u, w: vec4f, before: Dual) -> Dual {
  let o = vec4u(bones) + b * 2u;
  return add(add(add(add(before, first, o.x, w.x), first, o.y, w.y), first, o.z, w.z), first, o.w, w.w);
}

fn turn(q: vec4f, v: vec3f) -> vec3f {
  return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

fn put(lane: Lane, group: vec3u, n: u32, sum: Dual, u: vec3f, normal: vec3f) {
  let scale = inverseSqrt(max(dot(sum.real, sum.real), 1e-30));
  let r = sum.real * scale;
  let d = sum.dual * scale;
  // the vector part of 2 dual conj(real)
  let moved = 2.0 * (r.w * d.xyz - d.w * r.xyz + cross(r.xyz, d.xyz));
  putPosition(lane, group, n, turn(r, u) + moved);
  if (withNormals) { putNormal(lane, group, n, turn(r, normal)); }
}

${LOAD_ROW}
@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let lane = laneOf(group, index);
  if (lane.rowCount == 0u) { return; }
  let u = restOf(lane, 0u).xyz;
  let normal = restOf(lane, 1u).xyz;
  let row0 = loadRow(lane, 0u, index);
  let count = countInstances(group);
  for (var n = 0u; n < count; n++) {
    let bones = quaternionsOf(group, n);
    let first = quaternions[bones + row0.b.x * 2u];
    var q = blend(bones, first, row0.b, row0.w, Dual());
    for (var row = 1u; row < lane.rowCount; row++) {
      let more = loadRow(lane, row, index);
      q = blend(bones, first, more.b, more.w, q);
    }
    put(lane, group, n, q, u, normal);
  }
}
`;
}
