// SPDX-License-Identifier: MIT
// Layer one of two: matrices of master bones are blended to virtual bones, which are written as a palette. deformers/two-layer/linear-two-layer.ts is its reference; a lane's vertex is a
// virtual bone.
import { type FrameShape, LOAD_ROW, makeFrameSource } from '../common.wgsl.ts';

export function makeLinearVirtualBonesSource(shape: FrameShape): string {
  return /* wgsl */ `${makeFrameSource(shape)}
${LOAD_ROW}
@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let lane = laneOf(group, index);
  if (lane.rowCount == 0u) { return; }
  let count = countInstances(group);
  for (var n = 0u; n < count; n++) {
    let bones = paletteOf(group, n);
    var x = vec4f(); var y = vec4f(); var z = vec4f();
    for (var row = 0u; row < lane.rowCount; row++) {
      let four = loadRow(lane, row, index);
      let o = vec4u(bones) + four.b;
      let p = o + params.boneCount;
      let q = p + params.boneCount;
      x += four.w.x * palettes[o.x] + four.w.y * palettes[o.y] + four.w.z * palettes[o.z] + four.w.w * palettes[o.w];
      y += four.w.x * palettes[p.x] + four.w.y * palettes[p.y] + four.w.z * palettes[p.z] + four.w.w * palettes[p.w];
      z += four.w.x * palettes[q.x] + four.w.y * palettes[q.y] + four.w.z * palettes[q.z] + four.w.w * palettes[q.w];
    }
    putBone(lane, group, n, x, y, z);
  }
}
`;
}
