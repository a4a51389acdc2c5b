// SPDX-License-Identifier: MIT
// The light of a skin as vertex colours; deformers/light/light-into.ts is its reference. A thread processes one vertex of one instance: it adds the components with the
// coefficients of the instance, per channel, and mixes the channels to a colour, by its posed normal if the light depends on it. Components of neighbouring vertices are neighbours in memory.

export const LIGHT_THREADS = 64;

/** What a colour is, beside the sum of components: nothing, terms of the normal that they are factors of, or unshadowed light that they are added to. */
export const LIGHT_MODES = { plain: 0, terms: 1, unshadowed: 2 } as const;

export const LIGHT_SOURCE = /* wgsl */ `
struct Params {
  vertexCount: u32, rank: u32, width: u32, firstWindow: u32,
  coefficientShift: u32, colorShift: u32, stride: u32, mode: u32,
  normalShift: u32, normalStride: u32, spare0: u32, spare1: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// component x vertex x channel
@group(0) @binding(1) var<storage, read> basis: array<f32>;
// vertex colours without light, three per vertex
@group(0) @binding(2) var<storage, read> base: array<f32>;
// terms: 33 numbers each; otherwise the colour of each channel, and for unshadowed light its colour by harmonic of the normal
@group(0) @binding(3) var<storage, read> tints: array<f32>;
@group(0) @binding(4) var<storage, read> coefficients: array<f32>;
@group(0) @binding(5) var<storage, read> normals: array<f32>;
// the fourth number of a colour is not written
@group(0) @binding(6) var<storage, read_write> colors: array<f32>;

fn tintAt(o: u32) -> vec3f {
  return vec3f(tints[o], tints[o + 1u], tints[o + 2u]);
}

// red green blue of nine spherical harmonics from o on
fn harmonicColor(n: vec3f, o: u32) -> vec3f {
  return 0.282095 * tintAt(o)
    + 0.488603 * (n.y * tintAt(o + 3u) + n.z * tintAt(o + 6u) + n.x * tintAt(o + 9u))
    + 1.092548 * (n.x * n.y * tintAt(o + 12u) + n.y * n.z * tintAt(o + 15u) + n.x * n.z * tintAt(o + 21u))
    + 0.315392 * (3.0 * n.z * n.z - 1.0) * tintAt(o + 18u)
    + 0.546274 * (n.x * n.x - n.y * n.y) * tintAt(o + 24u);
}

fn termColor(n: vec3f, o: u32) -> vec3f {
  return max(harmonicColor(n, o), vec3f(0.0)) + max(0.0, dot(n, tintAt(o + 27u))) * tintAt(o + 30u);
}

@compute @workgroup_size(${LIGHT_THREADS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let vertex = params.firstWindow * ${LIGHT_THREADS}u + id.x;
  if (vertex >= params.vertexCount) { return; }
  let first = params.coefficientShift + id.y * params.rank;
  var normal = vec3f(0.0);
  var color = vec3f(0.0);
  if (params.mode != ${LIGHT_MODES.plain}u) {
    let source = params.normalShift + (id.y * params.vertexCount + vertex) * params.normalStride;
    normal = vec3f(normals[source], normals[source + 1u], normals[source + 2u]);
  }
  if (params.mode == ${LIGHT_MODES.unshadowed}u) { color = harmonicColor(normal, 3u * params.width); }
  for (var c = 0u; c < params.width; c++) {
    var sum = 0.0;
    for (var r = 0u; r < params.rank; r++) {
      sum += coefficients[first + r] * basis[(r * params.vertexCount + vertex) * params.width + c];
    }
    if (params.mode == ${LIGHT_MODES.terms}u) {
      color += sum * termColor(normal, 33u * c);
    } else {
      color += sum * tintAt(3u * c);
    }
  }
  let o = 3u * vertex;
  let lit = max(color, vec3f(0.0)) * vec3f(base[o], base[o + 1u], base[o + 2u]);
  let at = params.colorShift + (id.y * params.vertexCount + vertex) * params.stride;
  colors[at] = lit.x;
  colors[at + 1u] = lit.y;
  colors[at + 2u] = lit.z;
}
`;
