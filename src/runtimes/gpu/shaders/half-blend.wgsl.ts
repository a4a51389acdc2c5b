// SPDX-License-Identifier: MIT
// Linear blend skinning of driven bones with palettes in 16 bits: a row of a bone is its displacement, a (v - m) + e, with m the center of the mesh. Skinning waits for reads of bones,
// and these have half the size. Displacements have eleven significant bits.
import { type FrameShape, LOAD_ROW, makeFrameSource } from './common.wgsl.ts';

export function makeHalfBlendSource(shape: FrameShape): string {
  return /* wgsl */ `${makeFrameSource(shape)}
override centerX: f32 = 0.0;
override centerY: f32 = 0.0;
override centerZ: f32 = 0.0;

// Rows of the blended displacement.
struct Blend { x: vec4f, y: vec4f, z: vec4f }

fn rowAt(o: u32) -> vec4f {
  let packed = palettes[o];
  return vec4f(unpack2x16float(packed.x), unpack2x16float(packed.y));
}

fn blend(bones: u32, b: vec4u, w: vec4f, before: Blend) -> Blend {
  let o = vec4u(bones) + b;
  let p = o + params.boneCount;
  let q = p + params.boneCount;
  return Blend(
    before.x + w.x * rowAt(o.x) + w.y * rowAt(o.y) + w.z * rowAt(o.z) + w.w * rowAt(o.w),
    before.y + w.x * rowAt(p.x) + w.y * rowAt(p.y) + w.z * rowAt(p.z) + w.w * rowAt(p.w),
    before.z + w.x * rowAt(q.x) + w.y * rowAt(q.y) + w.z * rowAt(q.z) + w.w * rowAt(q.w),
  );
}

fn put(lane: Lane, group: vec3u, n: u32, m: Blend, u: vec3f, normal: vec3f) {
  let v = vec4f(u - vec3f(centerX, centerY, centerZ), 1.0);
  putPosition(lane, group, n, u + vec3f(dot(m.x, v), dot(m.y, v), dot(m.z, v)));
  if (withNormals) {
    let x = m.x.xyz + vec3f(1.0, 0.0, 0.0);
    let y = m.y.xyz + vec3f(0.0, 1.0, 0.0);
    let z = m.z.xyz + vec3f(0.0, 0.0, 1.0);
    putNormal(lane, group, n, unitOr(turnByCofactors(x, y, z, normal), normal));
  }
}

${LOAD_ROW}
@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let lane = laneOf(group, index);
  if (lane.rowCount == 0u) { return; }
  let rowCount = select(uniformWidth, lane.rowCount, uniformWidth == 0u);
  let u = restOf(lane, 0u).xyz;
  let normal = restOf(lane, 1u).xyz;
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
