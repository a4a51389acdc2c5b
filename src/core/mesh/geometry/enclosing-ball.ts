// SPDX-License-Identifier: MIT
// After Bernd Gärtner, "Fast and robust smallest enclosing balls", ESA 1999, doi:10.1007/3-540-48481-7_29: the ball is
// that of a support of at most four points; the point farthest outside is added, and the support of these at most
// five points is found again. The radius rises at every step, so no support repeats. Gärtner's recursion over the support is
// replaced by trying its fifteen subsets, each judged by how large a ball around its center must be to hold all five: the
// best one is right without any test of affine independence, so flat, straight and repeated points need no special case.

export interface Ball {
  center: [number, number, number];
  radius: number;
}

/** Points outside by less than this ratio of the radius count as on the ball: far above double rounding, far below any visible size. */
const ON_BALL = 1e-12;

/** Maximum number of steps. Ten to thirty are usual; rounding could cause more. */
const MAX_STEPS = 1000;

/**
 * Steps without a measurable rise that are allowed. Where the next support adds almost nothing (nearly right angles),
 * the rise is of second order and below rounding, while the center still converges.
 */
const MAX_STALLED = 8;

/**
 * The smallest ball around points, exact up to rounding; every point is inside (in double precision). Without points: a
 * ball of radius zero at the origin.
 * @param positions pointCount x 3, finite
 */
export function smallestEnclosingBall(positions: ArrayLike<number>): Ball {
  const pointCount = Math.floor(positions.length / 3);
  if (pointCount === 0) return { center: [0, 0, 0], radius: 0 };
  // Work relative to the first point, so that a shape far from the origin keeps its digits.
  const ox = positions[0];
  const oy = positions[1];
  const oz = positions[2];
  // up to 5 x 3: the support, then the added point
  const points = new Float64Array(15);
  let supportCount = 1;
  // center and radius: of the support, of the next one, and the smallest around all points so far
  const ball = new Float64Array(4);
  const next = new Float64Array(4);
  const best = new Float64Array([0, 0, 0, Number.POSITIVE_INFINITY]);
  let stalled = 0;
  for (let step = 0; ; step++) {
    let farthest = 0;
    let square = -1;
    const x = ball[0] + ox;
    const y = ball[1] + oy;
    const z = ball[2] + oz;
    for (let c = 0; c < 3 * pointCount; c += 3) {
      const dx = positions[c] - x;
      const dy = positions[c + 1] - y;
      const dz = positions[c + 2] - z;
      const d = dx * dx + dy * dy + dz * dz;
      if (d > square) {
        square = d;
        farthest = c;
      }
    }
    const reach = Math.sqrt(Math.max(square, 0));
    if (reach < best[3]) {
      best.set(ball);
      best[3] = reach;
    }
    if (reach <= ball[3] * (1 + ON_BALL) || step === MAX_STEPS || stalled > MAX_STALLED) break;

    points[3 * supportCount] = positions[farthest] - ox;
    points[3 * supportCount + 1] = positions[farthest + 1] - oy;
    points[3 * supportCount + 2] = positions[farthest + 2] - oz;
    const subset = bestSubset(points, supportCount + 1, next);
    stalled = next[3] > ball[3] ? 0 : stalled + 1;
    ball.set(next);
    supportCount = keepSubset(points, supportCount + 1, subset);
  }
  return { center: [best[0] + ox, best[1] + oy, best[2] + oz], radius: best[3] };
}

/**
 * Finds the subset whose circumscribed ball, enlarged to contain all points, is the smallest; fills that ball.
 * The last point is in every subset: it lay outside the ball of the others.
 */
function bestSubset(points: Float64Array, count: number, ball: Float64Array): number {
  const last = 1 << (count - 1);
  const candidate = new Float64Array(3);
  let chosen = last;
  ball[3] = Number.POSITIVE_INFINITY;
  for (let rest = 0; rest < last; rest++) {
    const subset = rest | last;
    if (!circumcenterInto(points, count, subset, candidate)) continue;
    let square = 0;
    for (let n = 0; n < count; n++) {
      const dx = points[3 * n] - candidate[0];
      const dy = points[3 * n + 1] - candidate[1];
      const dz = points[3 * n + 2] - candidate[2];
      square = Math.max(square, dx * dx + dy * dy + dz * dz);
    }
    const radius = Math.sqrt(square);
    if (radius < ball[3]) {
      ball.set(candidate);
      ball[3] = radius;
      chosen = subset;
    }
  }
  return chosen;
}

/** Center of the smallest sphere through the points of a subset; false when there is none (dependent, or five points). */
function circumcenterInto(points: Float64Array, count: number, subset: number, out: Float64Array): boolean {
  let size = 0;
  let o = 0;
  let [ax, ay, az] = [0, 0, 0];
  let [bx, by, bz] = [0, 0, 0];
  let [cx, cy, cz] = [0, 0, 0];
  for (let n = 0; n < count; n++) {
    if ((subset & (1 << n)) === 0) continue;
    if (size === 0) o = 3 * n;
    const x = points[3 * n] - points[o];
    const y = points[3 * n + 1] - points[o + 1];
    const z = points[3 * n + 2] - points[o + 2];
    if (size === 1) [ax, ay, az] = [x, y, z];
    else if (size === 2) [bx, by, bz] = [x, y, z];
    else if (size === 3) [cx, cy, cz] = [x, y, z];
    size++;
  }
  if (size > 4) return false;
  const aa = ax * ax + ay * ay + az * az;
  const bb = bx * bx + by * by + bz * bz;
  const cc = cx * cx + cy * cy + cz * cz;
  const abx = ay * bz - az * by;
  const aby = az * bx - ax * bz;
  const abz = ax * by - ay * bx;
  let x = ax / 2;
  let y = ay / 2;
  let z = az / 2;
  if (size === 3) {
    // In the plane of a and b: ((aa b - bb a) x (a x b)) / (2 |a x b|^2)
    const ux = aa * bx - bb * ax;
    const uy = aa * by - bb * ay;
    const uz = aa * bz - bb * az;
    const d = 2 * (abx * abx + aby * aby + abz * abz);
    x = (uy * abz - uz * aby) / d;
    y = (uz * abx - ux * abz) / d;
    z = (ux * aby - uy * abx) / d;
  } else if (size === 4) {
    // (aa (b x c) + bb (c x a) + cc (a x b)) / (2 a . (b x c))
    const bcx = by * cz - bz * cy;
    const bcy = bz * cx - bx * cz;
    const bcz = bx * cy - by * cx;
    const d = 2 * (ax * bcx + ay * bcy + az * bcz);
    x = (aa * bcx + bb * (cy * az - cz * ay) + cc * abx) / d;
    y = (aa * bcy + bb * (cz * ax - cx * az) + cc * aby) / d;
    z = (aa * bcz + bb * (cx * ay - cy * ax) + cc * abz) / d;
  }
  out[0] = points[o] + x;
  out[1] = points[o + 1] + y;
  out[2] = points[o + 2] + z;
  return Number.isFinite(out[0]) && Number.isFinite(out[1]) && Number.isFinite(out[2]);
}

/** Moves the points of a subset to the front, in order, and returns their number. */
function keepSubset(points: Float64Array, count: number, subset: number): number {
  let kept = 0;
  for (let n = 0; n < count; n++) {
    if ((subset & (1 << n)) === 0) continue;
    points.copyWithin(3 * kept, 3 * n, 3 * n + 3);
    kept++;
  }
  return kept;
}
