// SPDX-License-Identifier: MIT
// The rotation nearest to a 3x3 in single precision, without branches on its content. A unit quaternion throughout, so that whatever goes in, a proper
// rotation comes out.
//
// B. K. P. Horn 1987: the quaternion that maximizes tr(RᵀM) is the eigenvector of a symmetric 4x4 K(M) for its largest eigenvalue λ, the largest
// root of (λ² − 1)² − 8 λ det M − 4 |cof M|² for |M| = 1 (math/rotation.ts). Newton's method falls to it from above, and starts at the root itself for multiples
// of rotations, for a = b with c = 0 and for rank one: three steps are enough (eight gave no other digits). Any column of adj(K − λ) is the eigenvector.
// - λ is kept a little above the root: where two eigenvalues meet (rank one, reflections with equal smallest values) the adjugate at the root is
//   zero and all rounding; above it, it is a projector on their plane.
// - What that and rounding cost, two Newton steps on the rotations take back: with S = RᵀM and g its axial vector, (tr S − S) ω = g, damped by |g|.
// Over 20,000 matrices of each kind, singular values a ≥ b ≥ |c|, in single precision: orthogonal and proper to 1.3e-6 always; tr(RᵀM)/|M| within 5e-7 of
// the best where b + c ≥ 1e-3 a, and of rank one; R within 1e-6 a / (b + c) of the best where b + c ≥ 1e-2 a, 4e-3 at 1e-3 a. A multiple of a reflection
// that has no best rotation (a = b = −c) gets one that is proper and not always among the best. Matrices smaller than 1e-15 or larger than 1e15 give the identity.

export const NEAREST_ROTATION_SOURCE = /* wgsl */ `
const LAMBDA_MARGIN = 2e-4;
const LEAST_SLOPE = 0.03;
const LEAST_DAMPING = 1e-5;

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
  for (var step = 0; step < 3; step++) {
    let e = lambda * lambda - 1.0;
    lambda -= max(e * e - 8.0 * lambda * det - 4.0 * cof, 0.0) / max(4.0 * (lambda * e - 2.0 * det), LEAST_SLOPE);
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
  var column = vec4f(a01, a02, a03, a00);
  var best = abs(a00);
  column = select(column, vec4f(a11, a12, a13, a01), abs(a11) > best); best = max(best, abs(a11));
  column = select(column, vec4f(a12, a22, a23, a02), abs(a22) > best); best = max(best, abs(a22));
  column = select(column, vec4f(a13, a23, a33, a03), abs(a33) > best); best = max(best, abs(a33));
  var q = select(vec4f(0.0, 0.0, 0.0, 1.0), normalize(column / max(best, 1e-30)), best > 1e-20);

  for (var step = 0; step < 2; step++) {
    // columns of R, then S = RᵀM
    let r = rowsOf(q);
    let sx = r[0].x * x + r[1].x * y + r[2].x * z;
    let sy = r[0].y * x + r[1].y * y + r[2].y * z;
    let sz = r[0].z * x + r[1].z * y + r[2].z * z;
    let g = vec3f(sz.y - sy.z, sx.z - sz.x, sy.x - sx.y);
    let damping = LEAST_DAMPING + length(g);
    let h00 = max(sy.y + sz.z, 0.0) + damping; let h11 = max(sx.x + sz.z, 0.0) + damping; let h22 = max(sx.x + sy.y, 0.0) + damping;
    let h01 = -0.5 * (sx.y + sy.x); let h02 = -0.5 * (sx.z + sz.x); let h12 = -0.5 * (sy.z + sz.y);
    let c00 = h11 * h22 - h12 * h12; let c01 = h02 * h12 - h01 * h22; let c02 = h01 * h12 - h02 * h11;
    let c11 = h00 * h22 - h02 * h02; let c12 = h01 * h02 - h00 * h12; let c22 = h00 * h11 - h01 * h01;
    let d = max(h00 * c00 + h01 * c01 + h02 * c02, 1e-12);
    var half = vec3f(c00 * g.x + c01 * g.y + c02 * g.z, c01 * g.x + c11 * g.y + c12 * g.z, c02 * g.x + c12 * g.y + c22 * g.z) * (0.5 / d);
    half *= min(1.0, 0.5 / max(length(half), 1e-20));
    q = normalize(vec4f(q.xyz + q.w * half + cross(q.xyz, half), q.w - dot(q.xyz, half)));
  }
  return q;
}
`;
