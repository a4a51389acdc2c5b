// SPDX-License-Identifier: MIT
// Bone palettes from the weights of shapes; deform/make-shape-driver.ts is the reference. Every bone of every instance has its own thread. Rows of drivers are stored
// densely, three vectors per term and bone, so that neighbouring threads read neighbouring memory; terms without weight are skipped, which all threads of an instance do together.

export const SHAPE_PALETTES_SOURCE = /* wgsl */ `
struct Params {
  termCount: u32,
  boneCount: u32,
  shapeCount: u32,
  instanceCount: u32,
  // floats
  weightOffset: u32,
  // vec4s
  paletteOffset: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// term: the shapes of a product
@group(0) @binding(1) var<storage, read> factors: array<vec2u>;
// term x 3 x bone
@group(0) @binding(2) var<storage, read> drivers: array<vec4f>;
// 4 x bone: origin, then the axes of the bind matrix
@group(0) @binding(3) var<storage, read> binds: array<vec4f>;
// instance x shape
@group(0) @binding(4) var<storage, read> weights: array<f32>;
@group(0) @binding(5) var<storage, read_write> palettes: array<vec4f>;

// outputs are translation, rotation vector and scale, instead of the rows of a matrix
override isRotation: bool = false;

const NO_FACTOR = 0xffffffffu;

// exp(r) as columns, by its quaternion. Series in the squared half angle, exact in single precision up to half a turn: WGSL allows sin and cos an error of 2^-11.
fn turn(r: vec3f) -> mat3x3f {
  let x = 0.25 * dot(r, r);
  let sinc = 1.0 - x / 6.0 * (1.0 - x / 20.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0 * (1.0 - x / 110.0 * (1.0 - x / 156.0)))));
  let w = 1.0 - x / 2.0 * (1.0 - x / 12.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0 * (1.0 - x / 90.0 * (1.0 - x / 132.0 * (1.0 - x / 182.0))))));
  let v = 0.5 * sinc * r;
  return mat3x3f(
    vec3f(1.0 - 2.0 * (v.y * v.y + v.z * v.z), 2.0 * (v.x * v.y + w * v.z), 2.0 * (v.x * v.z - w * v.y)),
    vec3f(2.0 * (v.x * v.y - w * v.z), 1.0 - 2.0 * (v.x * v.x + v.z * v.z), 2.0 * (v.y * v.z + w * v.x)),
    vec3f(2.0 * (v.x * v.z + w * v.y), 2.0 * (v.y * v.z - w * v.x), 1.0 - 2.0 * (v.x * v.x + v.y * v.y)),
  );
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.instanceCount * params.boneCount) { return; }
  let instance = id.x / params.boneCount;
  let bone = id.x % params.boneCount;
  let first = params.weightOffset + instance * params.shapeCount;
  var a = vec4f();
  var b = vec4f();
  var c = vec4f();
  for (var n = 0u; n < params.termCount; n++) {
    let factor = factors[n];
    var term = weights[first + factor.x];
    if (factor.y != NO_FACTOR) { term *= weights[first + factor.y]; }
    if (term == 0.0) { continue; }
    let o = 3u * n * params.boneCount + bone;
    a += term * drivers[o];
    b += term * drivers[o + params.boneCount];
    c += term * drivers[o + 2u * params.boneCount];
  }
  let origin = binds[bone].xyz;
  var x: vec4f;
  var y: vec4f;
  var z: vec4f;
  if (isRotation) {
    let axes = mat3x3f(binds[bone + params.boneCount].xyz, binds[bone + 2u * params.boneCount].xyz, binds[bone + 3u * params.boneCount].xyz);
    let scaled = mat3x3f((1.0 + c.x) * axes[0], (1.0 + c.y) * axes[1], (1.0 + c.z) * axes[2]);
    let m = turn(b.xyz) * scaled * transpose(axes);
    let rows = transpose(m);
    let moved = origin + a.xyz - m * origin;
    x = vec4f(rows[0], moved.x);
    y = vec4f(rows[1], moved.y);
    z = vec4f(rows[2], moved.z);
  } else {
    // the origin cancels: c + t - (I + A) c = t - A c
    x = vec4f(a.xyz + vec3f(1.0, 0.0, 0.0), a.w - dot(a.xyz, origin));
    y = vec4f(b.xyz + vec3f(0.0, 1.0, 0.0), b.w - dot(b.xyz, origin));
    z = vec4f(c.xyz + vec3f(0.0, 0.0, 1.0), c.w - dot(c.xyz, origin));
  }
  let to = params.paletteOffset + 3u * instance * params.boneCount + bone;
  palettes[to] = x;
  palettes[to + params.boneCount] = y;
  palettes[to + 2u * params.boneCount] = z;
}
`;
