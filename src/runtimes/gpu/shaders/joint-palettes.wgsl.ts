// SPDX-License-Identifier: MIT
// Bone palettes from local poses: each bone multiplies the matrices from its node up to the root, then its inverse bind matrix. Every bone of every instance
// has its own thread, without synchronization; each bone of a chain walks it again, which costs less than a pass per level of the tree.

export const JOINT_PALETTES_SOURCE = /* wgsl */ `
struct Params {
  nodeCount: u32,
  boneCount: u32,
  instanceCount: u32,
  // vec4s
  localOffset: u32,
  paletteOffset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> parents: array<u32>;
@group(0) @binding(2) var<storage, read> nodeOfBone: array<u32>;
// bone x 3 rows
@group(0) @binding(3) var<storage, read> inverseBinds: array<vec4f>;
// instance x node x (translation, rotation, scale)
@group(0) @binding(4) var<storage, read> locals: array<vec4f>;
@group(0) @binding(5) var<storage, read_write> palettes: array<vec4f>;

const NO_NODE = 0xffffffffu;

// Rows of an affine map.
struct Affine { x: vec4f, y: vec4f, z: vec4f }

fn localOf(o: u32) -> Affine {
  let t = locals[o];
  let q = locals[o + 1u];
  let s = locals[o + 2u];
  let d = 2.0 * q.xyz;
  let xx = d.x * q.x; let yy = d.y * q.y; let zz = d.z * q.z;
  let xy = d.x * q.y; let xz = d.x * q.z; let yz = d.y * q.z;
  let wx = d.x * q.w; let wy = d.y * q.w; let wz = d.z * q.w;
  return Affine(
    vec4f(vec3f(1.0 - yy - zz, xy - wz, xz + wy) * s.xyz, t.x),
    vec4f(vec3f(xy + wz, 1.0 - xx - zz, yz - wx) * s.xyz, t.y),
    vec4f(vec3f(xz - wy, yz + wx, 1.0 - xx - yy) * s.xyz, t.z),
  );
}

fn multiplyRow(row: vec4f, b: Affine) -> vec4f {
  return row.x * b.x + row.y * b.y + row.z * b.z + vec4f(0.0, 0.0, 0.0, row.w);
}

fn multiply(a: Affine, b: Affine) -> Affine {
  return Affine(multiplyRow(a.x, b), multiplyRow(a.y, b), multiplyRow(a.z, b));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.instanceCount * params.boneCount) { return; }
  let instance = id.x / params.boneCount;
  let bone = id.x % params.boneCount;
  let base = params.localOffset + instance * params.nodeCount * 3u;
  let o = bone * 3u;
  var m = Affine(inverseBinds[o], inverseBinds[o + 1u], inverseBinds[o + 2u]);
  var node = nodeOfBone[bone];
  if (node == NO_NODE) { m = Affine(vec4f(1.0, 0.0, 0.0, 0.0), vec4f(0.0, 1.0, 0.0, 0.0), vec4f(0.0, 0.0, 1.0, 0.0)); }
  while (node != NO_NODE) {
    m = multiply(localOf(base + node * 3u), m);
    node = parents[node];
  }
  let to = params.paletteOffset + 3u * instance * params.boneCount + bone;
  palettes[to] = m.x;
  palettes[to + params.boneCount] = m.y;
  palettes[to + 2u * params.boneCount] = m.z;
}
`;
