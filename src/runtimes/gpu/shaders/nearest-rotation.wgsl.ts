// SPDX-License-Identifier: MIT
// The rotation nearest to a 3x3 in single precision, without branches on its content. The result is a unit quaternion, hence a proper rotation, for any
// input.
//
// B. K. P. Horn 1987: the quaternion that maximizes tr(RᵀM) is the eigenvector of a symmetric 4x4 K(M) for its largest eigenvalue λ, the largest
// root of p = (λ² − 1)² − 8 λ det M − 4 |cof M|² for |M| = 1 (core/math/rotation.ts). Its roots are real, so Laguerre's method converges to the largest one from above, with
// cubic order: λ ← λ − 4 p / (p' + √(9 p'² − 12 p p'')). It starts at the root itself for multiples of rotations, for a = b with c = 0 and for rank one.
// - Any column of adj(K − λ) is the eigenvector. λ is kept slightly above the root: if two eigenvalues coincide (rank one, reflections with equal smallest
//   values), the adjugate at the root is zero up to rounding; above the root, it is a projector on their plane.
// - Applying the adjugate again corrects for this margin: each time, other eigenvectors are multiplied by margin / gap.
// Over 20,000 matrices of each kind, singular values a ≥ b ≥ |c|, in single precision: orthogonal and proper to 1.4e-6 always; tr(RᵀM)/|M| within 8e-7 of
// the best where b + c ≥ 1e-3 a, and of rank one; R within 1e-6 of the best where b + c ≥ 0.1 a, 8e-6 at 1e-2 a (1.6e-3 for 1, 0.5, −0.49: three eigenvalues near each other), 3e-4 at 1e-3 a. A multiple
// of a reflection that has no best rotation (a = b = −c) gets one that is proper and not always among the best. Matrices smaller than 1e-15 or larger than 1e15
// give the identity.

export const NEAREST_ROTATION_SOURCE = /* wgsl */ `
const LAMBDA_MARGIN = 2e-4;
const MIN_SLOPE = 0.03;
const ROOT_STEPS = 3;
const POWERS = 3;

// Rows of the rotation of a unit quaternion x y z w are the columns of this.
fn rowsOf(q: vec4f) -> mat3x3f {
  let d = 2.0 * q.xyz;
  let xx = d.x * q.x; let yy = d.y * q.y; let zz = d.z * q.z;
  let xy = d.x * q.y; let xz = d.x * q.z; let yz = d.y * q.z;
  let wx = d.x * q.w; let wy = d.y * q.w; let wz = d.z * q.w;
  return mat3x3f(1.0 - yy - zz, xy - wz, xz + wy, xy + wz, 1.0 - xx - zz, yz - wx, xz - wy, yz + wx, 1.0 - xx - yy);
}

// The quaternion x y z w of the rotation nearest to the matrix with rows a, b, c.
fn nearestRotation(a: vec3f, b: vec3f, c: vec3f) -> vec4f {
  let square = dot(a, a) + dot(b, b) + dot(c, c);
  let isGood = square > 1e-30 && square < 1e30;
  let scale = select(0.57735027, inverseSqrt(square), isGood);
  let x = scale * select(vec3f(1.0, 0.0, 0.0), a, isGood);
  let y = scale * select(vec3f(0.0, 1.0, 0.0), b, isGood);
  let z = scale * select(vec3f(0.0, 0.0, 1.0), c, isGood);

  let yz = cross(y, z); let zx = cross(z, x); let xy = cross(x, y);
  let det = dot(x, yz);
  let cof = dot(yz, yz) + dot(zx, zx) + dot(xy, xy);
  var lambda = sqrt(1.0 + 2.0 * sqrt(cof + 3.4641016 * max(det, 0.0)));
  for (var step = 0; step < ROOT_STEPS; step++) {
    let e = lambda * lambda - 1.0;
    let value = max(e * e - 8.0 * lambda * det - 4.0 * cof, 0.0);
    let slope = 4.0 * (lambda * e - 2.0 * det);
    let bend = 12.0 * lambda * lambda - 4.0;
    lambda -= 4.0 * value / max(slope + sqrt(max(9.0 * slope * slope - 12.0 * value * bend, 0.0)), MIN_SLOPE);
  }
  lambda += LAMBDA_MARGIN;

  // K − λ, order w x y z
  let k00 = x.x + y.y + z.z - lambda; let k11 = x.x - y.y - z.z - lambda;
  let k22 = y.y - x.x - z.z - lambda; let k33 = z.z - x.x - y.y - lambda;
  let k01 = z.y - y.z; let k02 = x.z - z.x; let k03 = y.x - x.y;
  let k12 = x.y + y.x; let k13 = x.z + z.x; let k23 = y.z + z.y;
  // 2x2 minors of the first two rows and of the last two
  let s0 = k00 * k11 - k01 * k01; let s1 = k00 * k12 - k01 * k02; let s2 = k00 * k13 - k01 * k03;
  let s3 = k01 * k12 - k11 * k02; let s4 = k01 * k13 - k11 * k03; let s5 = k02 * k13 - k12 * k03;
  let t5 = k22 * k33 - k23 * k23; let t4 = k12 * k33 - k13 * k23; let t3 = k12 * k23 - k13 * k22;
  let t2 = k02 * k33 - k03 * k23; let t1 = k02 * k23 - k03 * k22;
  let a00 = k11 * t5 - k12 * t4 + k13 * t3; let a01 = k02 * t4 - k01 * t5 - k03 * t3;
  let a02 = k13 * s5 - k23 * s4 + k33 * s3; let a03 = k22 * s4 - k12 * s5 - k23 * s3;
  let a11 = k00 * t5 - k02 * t2 + k03 * t1; let a12 = k23 * s2 - k03 * s5 - k33 * s1; let a13 = k02 * s5 - k22 * s2 + k23 * s1;
  let a22 = k03 * s4 - k13 * s2 + k33 * s0; let a23 = k12 * s2 - k02 * s4 - k23 * s0; let a33 = k02 * s3 - k12 * s1 + k22 * s0;
  // the longest column is that of the largest diagonal entry
  let aw = vec4f(a01, a02, a03, a00); let ax = vec4f(a11, a12, a13, a01);
  let ay = vec4f(a12, a22, a23, a02); let az = vec4f(a13, a23, a33, a03);
  var column = aw;
  var best = abs(a00);
  column = select(column, ax, abs(a11) > best); best = max(best, abs(a11));
  column = select(column, ay, abs(a22) > best); best = max(best, abs(a22));
  column = select(column, az, abs(a33) > best); best = max(best, abs(a33));
  let shrink = 1.0 / max(best, 1e-30);
  column *= shrink;
  for (var step = 0; step < POWERS; step++) {
    column = shrink * (column.x * ax + column.y * ay + column.z * az + column.w * aw);
  }
  return select(vec4f(0.0, 0.0, 0.0, 1.0), normalize(column), best > 1e-20);
}
`;
