// SPDX-License-Identifier: MIT

/** Draws instances from buffers of posed positions and normals, each in its place of the herd; and the ground they run on. */
export const STAMPEDE_SOURCE = /* wgsl */ `
struct View {
  matrix: mat4x4f,
  // file space to y up
  upright: mat4x4f,
  eye: vec4f,
  // x and z between neighbours, height of the ground, and how far fog lets one see
  spread: vec4f,
  vertexCount: u32,
  side: u32,
  // linear colours of the page
  background: vec4f,
  ground: vec4f,
}
struct Batch { first: u32 }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> positions: array<f32>;
@group(0) @binding(2) var<storage, read> normals: array<f32>;
@group(0) @binding(3) var<uniform> batch: Batch;
@group(0) @binding(4) var<storage, read> uvs: array<f32>;

struct Surface {
  color: vec4f,
  // whether the file has materials, and whether this one has a map
  has: vec4f,
}
@group(1) @binding(0) var<uniform> surface: Surface;
@group(1) @binding(1) var colorMap: texture_2d<f32>;
@group(1) @binding(2) var colorSampler: sampler;

struct Corner {
  @builtin(position) at: vec4f,
  @location(0) normal: vec3f,
  @location(1) tint: vec3f,
  @location(2) place: vec3f,
  @location(3) uv: vec2f,
}

fn random(n: u32) -> f32 {
  var x = n * 747796405u + 2891336453u;
  x = ((x >> ((x >> 28u) + 4u)) ^ x) * 277803737u;
  return f32((x >> 22u) ^ x) / 4294967295.0;
}

@vertex fn place(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Corner {
  let o = (instance * view.vertexCount + vertex) * 3u;
  let animal = batch.first + instance;
  let jitter = 0.55 * (vec2f(random(2u * animal), random(2u * animal + 1u)) - 0.5);
  let cell = vec2f(f32(animal % view.side), f32(animal / view.side)) - 0.5 * f32(view.side - 1u) + jitter;
  let own = (view.upright * vec4f(positions[o], positions[o + 1u], positions[o + 2u], 1.0)).xyz;
  // animals are placed here and not in their poses: single precision stays with the shape
  let position = own + vec3f(cell.x * view.spread.x, 0.0, cell.y * view.spread.y);
  let normal = (view.upright * vec4f(normals[o], normals[o + 1u], normals[o + 2u], 0.0)).xyz;
  let shade = random(animal + 7919u);
  let coat = mix(vec3f(0.24, 0.12, 0.06), vec3f(0.72, 0.56, 0.38), shade);
  let tint = select(coat, vec3f(1.0), surface.has.x > 0.5);
  let u = min(2u * vertex, arrayLength(&uvs) - 2u);
  return Corner(view.matrix * vec4f(position, 1.0), normal, tint, position, vec2f(uvs[u], uvs[u + 1u]));
}

fn finish(color: vec3f, place: vec3f) -> vec4f {
  let fog = smoothstep(0.45, 1.0, distance(place, view.eye.xyz) / view.spread.w);
  return vec4f(pow(mix(color, view.background.rgb, fog), vec3f(1.0 / 2.2)), 1.0);
}

@fragment fn shade(corner: Corner) -> @location(0) vec4f {
  let texel = textureSample(colorMap, colorSampler, corner.uv);
  let own = surface.color.rgb * select(vec3f(1.0), texel.rgb, surface.has.y > 0.5);
  let tint = corner.tint * own;
  let n = normalize(corner.normal);
  let key = max(0.0, dot(n, normalize(vec3f(0.5, 0.9, 0.6))));
  let sky = 0.5 + 0.5 * n.y;
  // feet stand in the shadow of the body
  let low = smoothstep(0.0, 1.0, (corner.place.y - view.spread.z) / max(view.spread.x, view.spread.y));
  return finish(tint * (1.15 * key + 0.42 * sky) * mix(0.45, 1.0, low), corner.place);
}

@vertex fn placeGround(@builtin(vertex_index) vertex: u32) -> Corner {
  let corner = vec2f(f32(vertex & 1u), f32(vertex >> 1u)) * 2.0 - 1.0;
  let position = vec3f(view.eye.x + corner.x * view.spread.w, view.spread.z, view.eye.z + corner.y * view.spread.w);
  return Corner(view.matrix * vec4f(position, 1.0), vec3f(0.0, 1.0, 0.0), view.ground.rgb, position, vec2f(0.0));
}

@fragment fn shadeGround(corner: Corner) -> @location(0) vec4f {
  return finish(corner.tint, corner.place);
}`;
