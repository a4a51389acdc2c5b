// SPDX-License-Identifier: MIT
// Converts bones to dual quaternions, once per bone and instance: the first pass of deformers that blend rotations.

export const BONE_QUATERNIONS_SOURCE = /* wgsl */ `
struct Params {
  boneCount: u32,
  boneTotal: u32,
  // of this dispatch, in groups of 64 bones
  firstGroup: u32,
  // vec4s
  paletteOffset: u32,
  quaternionOffset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> palettes: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> quaternions: array<vec4f>;

// Four times the products of the largest of x y z w with all four. The trace and the diagonal determine the largest, so that no root is taken of
// something small.
fn quaternionOf(x: vec3f, y: vec3f, z: vec3f) -> vec4f {
  let trace = x.x + y.y + z.z;
  let byX = vec4f(1.0 + x.x - y.y - z.z, y.x + x.y, z.x + x.z, z.y - y.z);
  let byY = vec4f(y.x + x.y, 1.0 + y.y - x.x - z.z, z.y + y.z, x.z - z.x);
  let byZ = vec4f(z.x + x.z, z.y + y.z, 1.0 + z.z - x.x - y.y, y.x - x.y);
  var best = vec4f(z.y - y.z, x.z - z.x, y.x - x.y, 1.0 + trace);
  var most = trace;
  best = select(best, byX, x.x > most); most = max(most, x.x);
  best = select(best, byY, y.y > most); most = max(most, y.y);
  best = select(best, byZ, z.z > most);
  return normalize(best);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let n = (params.firstGroup + group.x) * 64u + index;
  if (n >= params.boneTotal) { return; }
  let instance = n / params.boneCount;
  let m = params.paletteOffset + n + 2u * instance * params.boneCount;
  let x = palettes[m]; let y = palettes[m + params.boneCount]; let z = palettes[m + 2u * params.boneCount];
  let q = quaternionOf(x.xyz, y.xyz, z.xyz);
  let t = vec3f(x.w, y.w, z.w);
  let o = params.quaternionOffset + n * 2u;
  quaternions[o] = q;
  // ½ t q, with t the pure quaternion of the translation
  quaternions[o + 1u] = 0.5 * vec4f(t * q.w + cross(t, q.xyz), -dot(t, q.xyz));
}
`;
