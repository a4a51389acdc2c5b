// SPDX-License-Identifier: MIT

/** Frames of a surface that transfer detail from its rest shape to a posed shape. */
export interface DetailFrames {
  /** Adds to each point of a posed surface its detail, rotated with the surface around the point. pointCount x 3, in place */
  addDetailsInto(points: Float64Array): void;
}

/** A corner whose sine is smaller has no reliable normal: rounding of float32 positions rotates it by degrees. */
const FLAT_SINE = 1e-6;

/**
 * Makes frames at the corners of triangles: first edge, across, normal. A corner without a normal at rest is skipped; a point without any
 * corner keeps its rest detail, and so does a point whose corners give details that cancel.
 * @param surface pointCount x 3
 * @param triangles triangleCount x 3 point indices
 * @param details pointCount x 3
 */
export function makeDetailFrames(surface: Float64Array, triangles: Uint32Array, details: Float64Array): DetailFrames {
  const pointCount = surface.length / 3;
  const frame = new Float64Array(9);
  const corners: number[] = [];
  const coordinates: number[] = [];
  for (let c = 0; c < triangles.length; c++) {
    const p = triangles[c];
    if (!cornerFrameInto(surface, triangles, c, frame)) continue;
    corners.push(c);
    const x = details[3 * p],
      y = details[3 * p + 1],
      z = details[3 * p + 2];
    for (let axis = 0; axis < 9; axis += 3)
      coordinates.push(frame[axis] * x + frame[axis + 1] * y + frame[axis + 2] * z);
  }
  const lengths = new Float64Array(pointCount);
  for (let p = 0; p < pointCount; p++) {
    lengths[p] = Math.sqrt(details[3 * p] ** 2 + details[3 * p + 1] ** 2 + details[3 * p + 2] ** 2);
  }
  const sums = new Float64Array(3 * pointCount);
  return {
    addDetailsInto(points) {
      sums.fill(0);
      for (let n = 0; n < corners.length; n++) {
        if (!cornerFrameInto(points, triangles, corners[n], frame)) continue;
        const o = 3 * triangles[corners[n]];
        const x = coordinates[3 * n],
          y = coordinates[3 * n + 1],
          z = coordinates[3 * n + 2];
        for (let row = 0; row < 3; row++) sums[o + row] += frame[row] * x + frame[3 + row] * y + frame[6 + row] * z;
      }
      for (let p = 0; p < pointCount; p++) {
        const o = 3 * p;
        const length = Math.sqrt(sums[o] ** 2 + sums[o + 1] ** 2 + sums[o + 2] ** 2);
        const isDefined = length > FLAT_SINE * lengths[p];
        const scale = isDefined ? lengths[p] / length : 1;
        for (let row = 0; row < 3; row++) points[o + row] += scale * (isDefined ? sums[o + row] : details[o + row]);
      }
    },
  };
}

/** Fills the frame of corner c, axis by axis; false if the triangle has no normal. */
function cornerFrameInto(points: Float64Array, triangles: Uint32Array, c: number, frame: Float64Array): boolean {
  const first = c - (c % 3);
  const a = 3 * triangles[c];
  const b = 3 * triangles[first + ((c + 1) % 3)];
  const d = 3 * triangles[first + ((c + 2) % 3)];
  const ux = points[b] - points[a],
    uy = points[b + 1] - points[a + 1],
    uz = points[b + 2] - points[a + 2];
  const vx = points[d] - points[a],
    vy = points[d + 1] - points[a + 1],
    vz = points[d + 2] - points[a + 2];
  const nx = uy * vz - uz * vy,
    ny = uz * vx - ux * vz,
    nz = ux * vy - uy * vx;
  const u = Math.sqrt(ux * ux + uy * uy + uz * uz);
  const v = Math.sqrt(vx * vx + vy * vy + vz * vz);
  const n = Math.sqrt(nx * nx + ny * ny + nz * nz);
  if (!(n > FLAT_SINE * u * v)) return false;
  frame[0] = ux / u;
  frame[1] = uy / u;
  frame[2] = uz / u;
  frame[6] = nx / n;
  frame[7] = ny / n;
  frame[8] = nz / n;
  frame[3] = frame[7] * frame[2] - frame[8] * frame[1];
  frame[4] = frame[8] * frame[0] - frame[6] * frame[2];
  frame[5] = frame[6] * frame[1] - frame[7] * frame[0];
  return true;
}
