// SPDX-License-Identifier: MIT
// Linear blend skinning, any number of influences, four per row; deformers/linear-blend/make-linear-blend.ts is its reference.
import { type FrameShape, LOAD_ROW, makeFrameSource } from './common.wgsl.ts';

export function makeLinearBlendSource(shape: FrameShape): string {
  return /* wgsl */ `${makeFrameSource(shape)}
// Rows of the blended matrix.
struct Blend { x: vec4f, y: vec4f, z: vec4f }

fn blend(bones: u32, b: vec4u, w: vec4f, before: Blend) -> Blend {
  let o = vec4u(bones) + b;
  let p = o + params.boneCount;
  let q = p + params.boneCount;
  return Blend(
    before.x + w.x * palettes[o.x] + w.y * palettes[o.y] + w.z * palettes[o.z] + w.w * palettes[o.w],
    before.y + w.x * palettes[p.x] + w.y * palettes[p.y] + w.z * palettes[p.z] + w.w * palettes[p.w],
    before.z + w.x * palettes[q.x] + w.y * palettes[q.y] + w.z * palettes[q.z] + w.w * palettes[q.w],
  );
}

fn put(lane: Lane, group: vec3u, n: u32, m: Blend, u: vec3f, normal: vec3f) {
  let v = vec4f(u, 1.0);
  putPosition(lane, group, n, vec3f(dot(m.x, v), dot(m.y, v), dot(m.z, v)));
  if (withNormals) { putNormal(lane, group, n, unitOr(turnByCofactors(m.x.xyz, m.y.xyz, m.z.xyz, normal), normal)); }
}

${LOAD_ROW}
@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let lane = laneOf(group, index);
  if (lane.rowCount == 0u) { return; }
  // a constant for the compiler if it is the same for all
  let rowCount = select(uniformWidth, lane.rowCount, uniformWidth == 0u);
  let u = restOf(lane, 0u).xyz;
  let normal = restOf(lane, 1u).xyz;
  // Instances in sequence: the first eight weights stay in registers, and enough registers remain for many threads.
  let first = loadRow(lane, 0u, index);
  var second = first;
  if (rowCount > 1u) { second = loadRow(lane, 1u, index); }
  let count = countInstances(group);
  for (var n = 0u; n < count; n++) {
    let bones = paletteOf(group, n);
    var m = blend(bones, first.b, first.w, Blend());
    if (rowCount > 1u) { m = blend(bones, second.b, second.w, m); }
    for (var row = 2u; row < rowCount; row++) {
      let more = loadRow(lane, row, index);
      m = blend(bones, more.b, more.w, m);
    }
    put(lane, group, n, m, u, normal);
  }
}
`;
}
