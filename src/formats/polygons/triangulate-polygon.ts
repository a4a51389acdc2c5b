// SPDX-License-Identifier: MIT

/**
 * Ear clipping is quadratic in the corners; polygons with more corners than this become a fan, so that a
 * hostile polygon cannot block a reader for minutes.
 */
const MAX_CLIPPED_CORNERS = 512;

/**
 * Appends the triangles of a polygon to a list, as corner numbers 0 … cornerCount - 1 in the polygon's own turning sense;
 * always cornerCount - 2 triangles. A polygon whose fan from the first corner does not fold (every convex one) gives that
 * fan; others are clipped ear by ear in the plane of their area vector. A polygon without area, or one that crosses itself, still
 * gives triangles that use each corner.
 * @param positions vertexCount x 3
 * @param corners vertex index per corner, from cornerStart
 */
export function triangulatePolygon(
  positions: ArrayLike<number>,
  corners: ArrayLike<number>,
  cornerStart: number,
  cornerCount: number,
  triangles: number[],
): void {
  if (cornerCount === 3) {
    triangles.push(0, 1, 2);
    return;
  }
  const flat = cornerCount > MAX_CLIPPED_CORNERS ? undefined : flatten(positions, corners, cornerStart, cornerCount);
  if (!flat || !isFolded(flat, cornerCount)) {
    for (let n = 1; n + 1 < cornerCount; n++) triangles.push(0, n, n + 1);
    return;
  }
  clipEars(flat, cornerCount, triangles);
}

/**
 * The polygon in the coordinate plane that its area vector (Newell's sum) is closest to, turned counter-clockwise:
 * cornerCount x 2. Undefined when it has no area.
 */
function flatten(
  positions: ArrayLike<number>,
  corners: ArrayLike<number>,
  start: number,
  count: number,
): Float64Array | undefined {
  let nx = 0;
  let ny = 0;
  let nz = 0;
  const o = 3 * corners[start];
  for (let n = 1; n + 1 < count; n++) {
    const a = 3 * corners[start + n];
    const b = 3 * corners[start + n + 1];
    const ax = positions[a] - positions[o];
    const ay = positions[a + 1] - positions[o + 1];
    const az = positions[a + 2] - positions[o + 2];
    const bx = positions[b] - positions[o];
    const by = positions[b + 1] - positions[o + 1];
    const bz = positions[b + 2] - positions[o + 2];
    nx += ay * bz - az * by;
    ny += az * bx - ax * bz;
    nz += ax * by - ay * bx;
  }
  const largest = Math.max(Math.abs(nx), Math.abs(ny), Math.abs(nz));
  if (!(largest > 0)) return undefined;
  // Drop the axis of the largest component; keep the cyclic order, so that a positive component turns counter-clockwise.
  const drop = Math.abs(nz) === largest ? 2 : Math.abs(ny) === largest ? 1 : 0;
  const sign = [nx, ny, nz][drop] > 0 ? 1 : -1;
  const u = (drop + 1) % 3;
  const v = (drop + 2) % 3;
  const flat = new Float64Array(2 * count);
  for (let n = 0; n < count; n++) {
    const c = 3 * corners[start + n];
    flat[2 * n] = sign * positions[c + u];
    flat[2 * n + 1] = positions[c + v];
  }
  return flat;
}

/** Twice the signed area of the triangle a b c; positive when counter-clockwise. */
function turn(flat: Float64Array, a: number, b: number, c: number): number {
  const ax = flat[2 * a];
  const ay = flat[2 * a + 1];
  return (flat[2 * b] - ax) * (flat[2 * c + 1] - ay) - (flat[2 * b + 1] - ay) * (flat[2 * c] - ax);
}

/** Whether some triangle of the fan from corner 0 faces backwards. */
function isFolded(flat: Float64Array, count: number): boolean {
  for (let n = 1; n + 1 < count; n++) if (turn(flat, 0, n, n + 1) < 0) return true;
  return false;
}

function clipEars(flat: Float64Array, count: number, triangles: number[]): void {
  const next = new Int32Array(count);
  const previous = new Int32Array(count);
  for (let n = 0; n < count; n++) {
    next[n] = (n + 1) % count;
    previous[n] = (n + count - 1) % count;
  }
  let left = count;
  let corner = 0;
  let refused = 0;
  while (left > 3) {
    const before = previous[corner];
    const after = next[corner];
    // When no corner is an ear, the polygon crosses itself or has no width: clip anyway, so that the loop ends.
    if (refused >= left || isEar(flat, next, before, corner, after)) {
      triangles.push(before, corner, after);
      next[before] = after;
      previous[after] = before;
      left--;
      refused = 0;
      corner = after;
    } else {
      refused++;
      corner = after;
    }
  }
  triangles.push(previous[corner], corner, next[corner]);
}

/** Whether the triangle at a corner is not reversed and contains no other remaining corner. */
function isEar(flat: Float64Array, next: Int32Array, before: number, corner: number, after: number): boolean {
  if (turn(flat, before, corner, after) <= 0) return false;
  for (let n = next[after]; n !== before; n = next[n]) {
    const inside =
      turn(flat, before, corner, n) >= 0 && turn(flat, corner, after, n) >= 0 && turn(flat, after, before, n) >= 0;
    if (inside && !isAt(flat, n, before) && !isAt(flat, n, corner) && !isAt(flat, n, after)) return false;
  }
  return true;
}

/** Corners that coincide (a hole joined by a bridge) do not block one another. */
function isAt(flat: Float64Array, a: number, b: number): boolean {
  return flat[2 * a] === flat[2 * b] && flat[2 * a + 1] === flat[2 * b + 1];
}
