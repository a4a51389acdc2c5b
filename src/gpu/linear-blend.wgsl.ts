// SPDX-License-Identifier: MIT
// Linear blend skinning, any number of influences, four to a row; deform/linear-blend.ts is its reference.
import { type FrameShape, makeFrameSource, repeat } from './frame.wgsl.ts';

export function makeLinearBlendSource(shape: FrameShape): string {
  const { instances } = shape;
  return /* wgsl */ `${makeFrameSource(shape)}
// Rows of the blended matrix.
struct Blend { x: vec4f, y: vec4f, z: vec4f }

fn blend(bones: u32, b: vec4u, w: vec4f, before: Blend) -> Blend {
  let o = vec4u(bones) + b * 3u;
  return Blend(
    before.x + w.x * palettes[o.x] + w.y * palettes[o.y] + w.z * palettes[o.z] + w.w * palettes[o.w],
    before.y + w.x * palettes[o.x + 1u] + w.y * palettes[o.y + 1u] + w.z * palettes[o.z + 1u] + w.w * palettes[o.w + 1u],
    before.z + w.x * palettes[o.x + 2u] + w.y * palettes[o.y + 2u] + w.z * palettes[o.z + 2u] + w.w * palettes[o.w + 2u],
  );
}

fn put(lane: Lane, group: vec3u, n: u32, m: Blend, u: vec3f, normal: vec3f) {
  let v = vec4f(u, 1.0);
  putPosition(lane, group, n, vec3f(dot(m.x, v), dot(m.y, v), dot(m.z, v)));
  if (withNormals) { putNormal(lane, group, n, unitOr(turnByCofactors(m.x.xyz, m.y.xyz, m.z.xyz, normal), normal)); }
}

@compute @workgroup_size(WINDOW)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let lane = laneOf(group, index);
  let u = restOf(lane, 0u).xyz;
  let normal = restOf(lane, 1u).xyz;
${repeat(instances, '  let bonesN = paletteOf(group, Nu); var mN = Blend();')}
  for (var row = 0u; row < lane.rowCount; row++) {
    let o = (lane.firstRow + row) * 3u * SLICE + index % SLICE;
    let pairs = entries[o];
    let b = vec4u(pairs.x & 0xffffu, pairs.x >> 16u, pairs.y & 0xffffu, pairs.y >> 16u);
    let w = bitcast<vec4f>(vec4u(entries[o + SLICE], entries[o + 2u * SLICE]));
${repeat(instances, '    mN = blend(bonesN, b, w, mN);')}
  }
  if (lane.rowCount > 0u) {
${repeat(instances, '    put(lane, group, Nu, mN, u, normal);')}
  }
  flush(group, index);
}
`;
}
