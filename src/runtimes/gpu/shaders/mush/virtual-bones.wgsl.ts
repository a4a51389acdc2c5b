// SPDX-License-Identifier: MIT
// Layer one of two: Direct Delta Mush of virtual bones, which are written as a palette. deformers/two-layer/make-two-layer.ts is its reference,
// deformers/direct-delta-mush/pack-multi-weights.ts explains the stored numbers; a lane's vertex is a virtual bone, at its center p.

import { type FrameShape, makeFrameSource } from '../common.wgsl.ts';
import { NEAREST_ROTATION_SOURCE } from '../nearest-rotation.wgsl.ts';
import { LOAD_MOMENTS } from './ddm-moments.wgsl.ts';

export function makeVirtualBonesSource(shape: FrameShape): string {
  return /* wgsl */ `${makeFrameSource(shape)}
${NEAREST_ROTATION_SOURCE}
${LOAD_MOMENTS}

fn addRow(row: vec4f, unit: f32, p: vec3f, e: Entry) -> vec4f {
  let r = row.xyz * unit;
  return r.x * e.x + r.y * e.y + r.z * e.z + (dot(row.xyz, p) + row.w) * e.w;
}

@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let lane = laneOf(group, index);
  if (lane.rowCount == 0u) { return; }
  let unit = restOf(lane, 1u).w;
  let p = restOf(lane, 2u).xyz;
  let count = countInstances(group);
  for (var n = 0u; n < count; n++) {
    let bones = paletteOf(group, n);
    // rows of [Q̃ q]
    var x = vec4f(); var y = vec4f(); var z = vec4f();
    for (var row = 0u; row < lane.rowCount; row++) {
      let e = loadEntry(lane.firstRow + row, index % SLICE);
      let m = bones + e.bone;
      x += addRow(palettes[m], unit, p, e);
      y += addRow(palettes[m + params.boneCount], unit, p, e);
      z += addRow(palettes[m + 2u * params.boneCount], unit, p, e);
    }
    let r = rowsOf(nearestRotation(x.xyz, y.xyz, z.xyz));
    let t = vec3f(x.w, y.w, z.w) - p * r;
    putBone(lane, group, n, vec4f(r[0], t.x), vec4f(r[1], t.y), vec4f(r[2], t.z));
  }
}
`;
}
