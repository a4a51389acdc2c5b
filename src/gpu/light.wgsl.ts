// SPDX-License-Identifier: MIT
// The light of a skin as vertex colours; deform/light-into.ts is its reference. A thread processes one vertex of one instance: it adds the components with the
// coefficients of the instance, per channel, and mixes the channels to a colour. Components of neighbouring vertices are neighbours in memory.

export const LIGHT_THREADS = 64;

export const LIGHT_SOURCE = /* wgsl */ `
struct Params {
  vertexCount: u32, rank: u32, channels: u32, firstWindow: u32,
  coefficientShift: u32, colorShift: u32, stride: u32, spare: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// component x vertex x channel
@group(0) @binding(1) var<storage, read> basis: array<f32>;
// vertex colours without light, three per vertex
@group(0) @binding(2) var<storage, read> base: array<f32>;
// the colour of each channel
@group(0) @binding(3) var<storage, read> tints: array<f32>;
@group(0) @binding(4) var<storage, read> coefficients: array<f32>;
// the fourth number of a colour is not written
@group(0) @binding(5) var<storage, read_write> colors: array<f32>;

@compute @workgroup_size(${LIGHT_THREADS})
fn main(@builtin(global_invocation_id) id: vec3u) {
  let vertex = params.firstWindow * ${LIGHT_THREADS}u + id.x;
  if (vertex >= params.vertexCount) { return; }
  let first = params.coefficientShift + id.y * params.rank;
  var color = vec3f(0.0);
  for (var c = 0u; c < params.channels; c++) {
    var sum = 0.0;
    for (var r = 0u; r < params.rank; r++) {
      sum += coefficients[first + r] * basis[(r * params.vertexCount + vertex) * params.channels + c];
    }
    color += sum * vec3f(tints[3u * c], tints[3u * c + 1u], tints[3u * c + 2u]);
  }
  let o = 3u * vertex;
  let lit = max(color, vec3f(0.0)) * vec3f(base[o], base[o + 1u], base[o + 2u]);
  let at = params.colorShift + (id.y * params.vertexCount + vertex) * params.stride;
  colors[at] = lit.x;
  colors[at + 1u] = lit.y;
  colors[at + 2u] = lit.z;
}
`;
