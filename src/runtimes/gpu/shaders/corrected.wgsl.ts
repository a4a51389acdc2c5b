// SPDX-License-Identifier: MIT
// Linear blend skinning of a corrected rest shape; deformers/corrections/corrected.ts is its reference. A thread processes one vertex of one instance: it adds the
// components, with the coefficients of the instance, and blends. Components of neighbouring vertices are neighbours in memory.

export const CORRECTED_THREADS = 64;

export const CORRECTED_SOURCE = /* wgsl */ `
struct Params {
  vertexCount: u32, boneCount: u32, rank: u32, normalRank: u32,
  // coefficients of normals start at firstNormal
  firstNormal: u32, coefficientCount: u32, firstWindow: u32, paletteShift: u32,
  coefficientShift: u32, positionShift: u32, normalShift: u32, spare: u32,
}
override withNormals: bool;
override byCofactors: bool;
override stride: u32;

@group(0) @binding(0) var<uniform> params: Params;
// x y z first entry | normal, number of entries
@group(0) @binding(1) var<storage, read> rest: array<vec4u>;
// bone, weight
@group(0) @binding(2) var<storage, read> entries: array<vec2u>;
// components of positions, then of normals: component x vertex x 3
@group(0) @binding(3) var<storage, read> basis: array<f32>;
@group(0) @binding(4) var<storage, read> coefficients: array<f32>;
@group(0) @binding(5) var<storage, read> palettes: array<vec4f>;
@group(0) @binding(6) var<storage, read_write> positions: array<f32>;
@group(0) @binding(7) var<storage, read_write> normals: array<f32>;

fn component(row: u32, vertex: u32) -> vec3f {
  let o = 3u * (row * params.vertexCount + vertex);
  return vec3f(basis[o], basis[o + 1u], basis[o + 2u]);
}

fn unitOr(v: vec3f, other: vec3f) -> vec3f {
  let square = dot(v, v);
  return select(other, v * inverseSqrt(square), square > 0.0);
}

@compute @workgroup_size(${CORRECTED_THREADS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let vertex = params.firstWindow * ${CORRECTED_THREADS}u + id.x;
  if (vertex >= params.vertexCount) { return; }
  let at = rest[2u * vertex];
  let facing = rest[2u * vertex + 1u];
  let normal = bitcast<vec3f>(facing.xyz);
  let first = params.coefficientShift + id.y * params.coefficientCount;
  var u = bitcast<vec3f>(at.xyz);
  for (var r = 0u; r < params.rank; r++) { u += coefficients[first + r] * component(r, vertex); }

  let bones = params.paletteShift + 3u * id.y * params.boneCount;
  let end = at.w + facing.w;
  var x = vec4f(); var y = vec4f(); var z = vec4f();
  for (var e = at.w; e < end; e++) {
    let w = bitcast<f32>(entries[e].y);
    let o = bones + entries[e].x;
    x += w * palettes[o]; y += w * palettes[o + params.boneCount]; z += w * palettes[o + 2u * params.boneCount];
  }
  let v = vec4f(u, 1.0);
  let p = params.positionShift + (id.y * params.vertexCount + vertex) * stride;
  positions[p] = dot(x, v); positions[p + 1u] = dot(y, v); positions[p + 2u] = dot(z, v);
  if (stride == 4u) { positions[p + 3u] = 1.0; }
  if (!withNormals) { return; }

  var n = normal;
  for (var r = 0u; r < params.normalRank; r++) {
    n += coefficients[first + params.firstNormal + r] * component(params.rank + r, vertex);
  }
  n = unitOr(n, normal);
  var turned = vec3f(dot(x.xyz, n), dot(y.xyz, n), dot(z.xyz, n));
  if (byCofactors) {
    // rows of det(F) F⁻ᵀ; its sign is that of the determinant
    let c = cross(y.xyz, z.xyz);
    turned = vec3f(dot(c, n), dot(cross(z.xyz, x.xyz), n), dot(cross(x.xyz, y.xyz), n));
    if (dot(x.xyz, c) < 0.0) { turned = -turned; }
  }
  turned = unitOr(turned, n);
  let q = params.normalShift + (id.y * params.vertexCount + vertex) * stride;
  normals[q] = turned.x; normals[q + 1u] = turned.y; normals[q + 2u] = turned.z;
  if (stride == 4u) { normals[q + 3u] = 0.0; }
}
`;
