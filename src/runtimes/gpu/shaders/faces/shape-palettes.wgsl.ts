// SPDX-License-Identifier: MIT
// Bone palettes from the weights of shapes; deformers/shape-drivers/make-shape-driver.ts is the reference. A workgroup computes 128 rows of the matrices of one instance. Rows of drivers are stored densely,
// three vectors per term and bone, so that neighbouring threads read neighbouring memory.
import { makeDriveRows } from './drive-rows.wgsl.ts';

/** @param isHalf palettes for half-blend.wgsl.ts */
export function makeShapePalettesSource(isHalf: boolean): string {
  return /* wgsl */ `
struct Params {
  termCount: u32,
  boneCount: u32,
  shapeCount: u32,
  // floats
  weightOffset: u32,
  // rows
  paletteOffset: u32,
  centerX: f32,
  centerY: f32,
  centerZ: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
// term: the shapes of a product
@group(0) @binding(1) var<storage, read> factors: array<vec2u>;
// term x 3 x bone, then 4 x bone: origin and axes of the bind matrices
@group(0) @binding(2) var<storage, read> drivers: array<vec4f>;
// instance x shape
@group(0) @binding(3) var<storage, read> weights: array<f32>;
@group(0) @binding(4) var<storage, read_write> palettes: array<${isHalf ? 'vec2u' : 'vec4f'}>;

// outputs are translation, rotation vector and scale, instead of the rows of a matrix
override isRotation: bool = false;

const NO_FACTOR = 0xffffffffu;
${makeDriveRows('drivers')}
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

// One row of a bone: rest to posed.
fn putRow(o: u32, unit: vec3f, row: vec4f) {
  ${
    isHalf
      ? `let center = vec3f(params.centerX, params.centerY, params.centerZ);
  let a = row.xyz - unit;
  palettes[o] = vec2u(pack2x16float(a.xy), pack2x16float(vec2f(a.z, row.w + dot(a, center))));`
      : 'palettes[o] = row;'
  }
}

// The product of a term; zero beyond the last one.
fn termOf(n: u32, first: u32) -> f32 {
  if (n >= params.termCount) { return 0.0; }
  let factor = factors[n];
  var term = weights[first + factor.x];
  if (factor.y != NO_FACTOR) { term *= weights[first + factor.y]; }
  return term;
}

@compute @workgroup_size(DRIVE_THREADS)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32) {
  let rowCount = 3u * params.boneCount;
  let binds = params.termCount * rowCount;
  // a matrix: one row per thread; otherwise: one bone per thread
  let row = group.y * DRIVE_THREADS + index;
  let isUsed = row < select(rowCount, params.boneCount, isRotation);
  let first = params.weightOffset + group.x * params.shapeCount;
  var a = vec4f();
  var b = vec4f();
  var c = vec4f();
  for (var n = 0u; n < params.termCount; n += DRIVE_THREADS) {
    let count = listTerms(n, termOf(n + index, first), index);
    if (isUsed) {
      a += sumRow(count, row, rowCount);
      if (isRotation) {
        b += sumRow(count, row + params.boneCount, rowCount);
        c += sumRow(count, row + 2u * params.boneCount, rowCount);
      }
    }
    workgroupBarrier();
  }
  if (!isUsed) { return; }
  let bone = row % params.boneCount;
  let origin = drivers[binds + bone].xyz;
  let to = params.paletteOffset + group.x * rowCount + row;
  if (isRotation) {
    let axes = mat3x3f(
      drivers[binds + bone + params.boneCount].xyz,
      drivers[binds + bone + 2u * params.boneCount].xyz,
      drivers[binds + bone + 3u * params.boneCount].xyz,
    );
    let scaled = mat3x3f((1.0 + c.x) * axes[0], (1.0 + c.y) * axes[1], (1.0 + c.z) * axes[2]);
    let m = turn(b.xyz) * scaled * transpose(axes);
    let rows = transpose(m);
    let moved = origin + a.xyz - m * origin;
    putRow(to, vec3f(1.0, 0.0, 0.0), vec4f(rows[0], moved.x));
    putRow(to + params.boneCount, vec3f(0.0, 1.0, 0.0), vec4f(rows[1], moved.y));
    putRow(to + 2u * params.boneCount, vec3f(0.0, 0.0, 1.0), vec4f(rows[2], moved.z));
  } else {
    // the origin cancels: c + t - (I + A) c = t - A c
    let axis = row / params.boneCount;
    let unit = vec3f(f32(axis == 0u), f32(axis == 1u), f32(axis == 2u));
    putRow(to, unit, vec4f(a.xyz + unit, a.w - dot(a.xyz, origin)));
  }
}
`;
}
