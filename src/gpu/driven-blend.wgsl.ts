// SPDX-License-Identifier: MIT
// A face of driven bones in one pass, for few instances: every workgroup computes the bones of its instance from the weights of the shapes into workgroup memory, then blends its vertices.
// The drivers are computed once per 128 vertices, which costs less than a second pass that waits for the first.
import { LOAD_ROW, makeFrameSource, THREADS } from './common.wgsl.ts';
import { DRIVE_THREADS, makeDriveRows } from './drive-rows.wgsl.ts';

/** @param load words per load of an entry */
export function makeDrivenBlendSource(boneCount: number, shapeCount: number, stride: 3 | 4, load: 2 | 4): string {
  if (THREADS !== DRIVE_THREADS) throw new Error('driven blend: workgroups of drivers and of blending differ');
  return /* wgsl */ `${makeFrameSource({ instances: 1, stride, load, isRigid: false })}
// instance x shape; binding 4, palettes, has the rows of drivers: shape x 3 x bone, then the origins of the bones
@group(0) @binding(7) var<storage, read> shapeWeights: array<f32>;

const BONES = ${boneCount}u;
const ROWS = ${3 * boneCount}u;
const SHAPES = ${shapeCount}u;

var<workgroup> bones: array<vec4f, ROWS>;
${makeDriveRows('palettes')}
// Computes the bones of an instance.
fn driveBones(instance: u32, index: u32) {
  for (var row = index; row < ROWS; row += THREADS) { bones[row] = vec4f(); }
  for (var n = 0u; n < SHAPES; n += THREADS) {
    var weight = 0.0;
    if (n + index < SHAPES) { weight = shapeWeights[instance * SHAPES + n + index]; }
    let count = listTerms(n, weight, index);
    for (var row = index; row < ROWS; row += THREADS) { bones[row] += sumRow(count, row, ROWS); }
    workgroupBarrier();
  }
  for (var row = index; row < ROWS; row += THREADS) {
    // t - A c, see shape-palettes.wgsl.ts
    let origin = palettes[SHAPES * ROWS + row % BONES].xyz;
    let axis = row / BONES;
    let sum = bones[row];
    bones[row] = vec4f(sum.xyz + vec3f(f32(axis == 0u), f32(axis == 1u), f32(axis == 2u)), sum.w - dot(sum.xyz, origin));
  }
  workgroupBarrier();
}

struct Blend { x: vec4f, y: vec4f, z: vec4f }

fn blend(b: vec4u, w: vec4f, before: Blend) -> Blend {
  let p = b + BONES;
  let q = p + BONES;
  return Blend(
    before.x + w.x * bones[b.x] + w.y * bones[b.y] + w.z * bones[b.z] + w.w * bones[b.w],
    before.y + w.x * bones[p.x] + w.y * bones[p.y] + w.z * bones[p.z] + w.w * bones[p.w],
    before.z + w.x * bones[q.x] + w.y * bones[q.y] + w.z * bones[q.z] + w.w * bones[q.w],
  );
}

${LOAD_ROW}
@compute @workgroup_size(THREADS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  // vertices are read before the bones are computed: both wait for memory at the same time
  let lane = laneOf(group, index);
  let rowCount = select(uniformWidth, lane.rowCount, uniformWidth == 0u);
  let u = restOf(lane, 0u).xyz;
  let normal = restOf(lane, 1u).xyz;
  let first = loadRow(lane, 0u, index);
  var second = first;
  if (rowCount > 1u) { second = loadRow(lane, 1u, index); }
  driveBones(group.y, index);
  if (lane.rowCount == 0u) { return; }
  var m = blend(first.b, first.w, Blend());
  if (rowCount > 1u) { m = blend(second.b, second.w, m); }
  for (var row = 2u; row < rowCount; row++) {
    let more = loadRow(lane, row, index);
    m = blend(more.b, more.w, m);
  }
  let v = vec4f(u, 1.0);
  putPosition(lane, group, 0u, vec3f(dot(m.x, v), dot(m.y, v), dot(m.z, v)));
  if (withNormals) { putNormal(lane, group, 0u, unitOr(turnByCofactors(m.x.xyz, m.y.xyz, m.z.xyz, normal), normal)); }
}
`;
}
