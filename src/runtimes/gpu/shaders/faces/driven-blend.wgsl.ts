// SPDX-License-Identifier: MIT
// A face of driven bones in one pass, for few instances: every workgroup computes the bones of its instance from the active shapes into workgroup memory, then blends its vertices.
// The drivers are computed once per 128 vertices, which costs less than a second pass that waits for the first. Threads wait for memory twice (the list of shapes, rows of drivers),
// while they wait for their vertices anyway. H200, one face of 26,719 vertices: 6.1 µs, 5.8 with normals; with a list that the workgroup makes itself 6.0 and 7.0; in two passes 8.4 and 8.6.
import { LOAD_ROW, makeFrameSource } from '../common.wgsl.ts';

/** Shapes whose rows are read at once. Lists of shapes are padded to multiples of it. */
export const SHAPES_AT_ONCE = 16;

/**
 * @param slots entries of the list of an instance
 * @param load words per load of an entry
 */
export function makeDrivenBlendSource(
  boneCount: number,
  shapeCount: number,
  slots: number,
  stride: 3 | 4,
  load: 2 | 4,
): string {
  const each = (text: string): string =>
    Array.from({ length: SHAPES_AT_ONCE }, (_, n) => text.replaceAll('N', String(n))).join('\n    ');
  return /* wgsl */ `${makeFrameSource({ instances: 1, stride, load, isRigid: false })}
// instance x slot: shape and weight of the active shapes; others have the weight zero. Binding 4, palettes, has the rows of drivers: shape x 3 x bone, then the origins of the bones.
@group(0) @binding(7) var<storage, read> activeShapes: array<vec2u>;

const BONES = ${boneCount}u;
const ROWS = ${3 * boneCount}u;
const SHAPES = ${shapeCount}u;
const SLOTS = ${slots}u;

var<workgroup> bones: array<vec4f, ROWS>;

// The sum of one row over the active shapes.
fn sumRow(list: u32, row: u32) -> vec4f {
  var sum = vec4f();
  var o = list;
  loop {
    ${each('let eN = activeShapes[o + Nu];')}
    ${each('let rN = palettes[eN.x * ROWS + row];')}
    ${each('sum += bitcast<f32>(eN.y) * rN;')}
    o += ${SHAPES_AT_ONCE}u;
    // lists end with a weight of zero
    if (e${SHAPES_AT_ONCE - 1}.y == 0u || o >= list + SLOTS) { break; }
  }
  return sum;
}

// Computes the bones of an instance.
fn driveBones(instance: u32, index: u32) {
  for (var row = index; row < ROWS; row += THREADS) {
    let origin = palettes[SHAPES * ROWS + row % BONES].xyz;
    let sum = sumRow(instance * SLOTS, row);
    // t - A c, see shape-palettes.wgsl.ts
    let axis = row / BONES;
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
