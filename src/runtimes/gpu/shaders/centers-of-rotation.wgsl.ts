// SPDX-License-Identifier: MIT
// Centers of rotation, and variant 4 of Direct Delta Mush: R = quaternions blended by weight, v' = R (v − p) + Σ wⱼ Mⱼ p.
import { type FrameShape, LOAD_ROW, makeFrameSource, repeat } from './common.wgsl.ts';

export function makeCentersOfRotationSource(shape: FrameShape): string {
  const { instances } = shape;
  return /* wgsl */ `${makeFrameSource(shape)}
struct Sum { q: vec4f, center: vec3f }

fn imageOf(row: vec4f, p: vec3f) -> f32 {
  return row.w + row.x * p.x + row.y * p.y + row.z * p.z;
}

fn add(before: Sum, first: vec4f, palette: u32, bones: u32, b: u32, weight: f32, p: vec3f) -> Sum {
  let m = palette + b;
  let q = quaternions[bones + b * 2u];
  let image = vec3f(imageOf(palettes[m], p), imageOf(palettes[m + params.boneCount], p), imageOf(palettes[m + 2u * params.boneCount], p));
  return Sum(before.q + select(weight, -weight, dot(first, q) < 0.0) * q, before.center + weight * image);
}

fn turn(q: vec4f, v: vec3f) -> vec3f {
  return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}

fn put(lane: Lane, group: vec3u, n: u32, sum: Sum, d: vec3f, normal: vec3f) {
  let q = sum.q * inverseSqrt(max(dot(sum.q, sum.q), 1e-30));
  putPosition(lane, group, n, turn(q, d) + sum.center);
  if (withNormals) { putNormal(lane, group, n, turn(q, normal)); }
}

${LOAD_ROW}
@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let lane = laneOf(group, index);
  let d = restOf(lane, 0u).xyz;
  let normal = restOf(lane, 1u).xyz;
  let p = restOf(lane, 2u).xyz;
  let strongest = entries[lane.firstRow * 3u * SLICE + index % SLICE].x & 0xffffu;
${repeat(
  instances,
  '  let paletteN = paletteOf(group, Nu); let bonesN = quaternionsOf(group, Nu); let firstN = quaternions[bonesN + strongest * 2u]; var sN = Sum();',
)}
  for (var row = 0u; row < lane.rowCount; row++) {
    let more = loadRow(lane, row, index);
    let w = more.w;
    let b = more.b;
${['x', 'y', 'z', 'w']
  .map(
    (c) => `    // unrolled: indexing a vector by a variable is slow
    if (w.${c} != 0.0) {
${repeat(instances, `      sN = add(sN, firstN, paletteN, bonesN, b.${c}, w.${c}, p);`)}
    }`,
  )
  .join('\n')}
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
