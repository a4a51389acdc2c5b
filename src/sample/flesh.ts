// SPDX-License-Identifier: MIT
import { makeSkin, type Skin } from '../model/skin.ts';
import type { Vector } from './bones.ts';

/** A limb's flesh: the hull of two balls (a cone with round ends), carried by a bone. */
export interface Lump {
  bone: number;
  from: Vector;
  to: Vector;
  fromRadius: number;
  toRadius: number;
  /** Over which distance it melts into the lumps before it in the list, metres. */
  melt: number;
}

/** Most bones that a vertex follows. */
const INFLUENCES = 4;
/** Thinnest radius, in spacings between vertices; found by trial: with less, coarse animals had folded triangles. */
const LEAST_SPACINGS = 1.1;

/**
 * Distance to a lump, negative inside; exact. In the plane through the axis a point has coordinates s along it and ρ away
 * from it. The hull is the envelope of balls around the axis; the ball that touches it nearest the point sits behind s by
 * ρ tan α, where sin α = (r₀ − r₁) / length, since the hull's normal leans by α towards the thin end.
 */
export function lumpDistance(lump: Lump, x: number, y: number, z: number): number {
  const c = lumpPlace(lump, x, y, z);
  const cx = lump.from[0] + c * (lump.to[0] - lump.from[0]),
    cy = lump.from[1] + c * (lump.to[1] - lump.from[1]),
    cz = lump.from[2] + c * (lump.to[2] - lump.from[2]);
  const dx = x - cx,
    dy = y - cy,
    dz = z - cz;
  return Math.sqrt(dx * dx + dy * dy + dz * dz) - radiusAt(lump, c);
}

/** Where along the axis, from 0 to 1, the nearest ball sits. */
function lumpPlace(lump: Lump, x: number, y: number, z: number): number {
  const { from, to } = lump;
  const ax = to[0] - from[0],
    ay = to[1] - from[1],
    az = to[2] - from[2];
  const px = x - from[0],
    py = y - from[1],
    pz = z - from[2];
  const length = Math.sqrt(ax * ax + ay * ay + az * az);
  const taper = lump.fromRadius - lump.toRadius;
  // One ball inside the other: the hull is the larger ball.
  if (length <= Math.abs(taper)) return taper >= 0 ? 0 : 1;
  const s = (px * ax + py * ay + pz * az) / length;
  const rho = Math.sqrt(Math.max(0, px * px + py * py + pz * pz - s * s));
  const tangent = taper / Math.sqrt(length * length - taper * taper);
  return Math.min(1, Math.max(0, (s - rho * tangent) / length));
}

function radiusAt(lump: Lump, c: number): number {
  return lump.fromRadius + c * (lump.toRadius - lump.fromRadius);
}

/**
 * The field whose zero is the skin over all lumps, melted together: a smooth minimum that differs from the plain one only
 * where two distances are within `melt` of each other. A convex mix of distances, so it grows no faster than distance.
 */
export function makeFleshField(lumps: Lump[]): (x: number, y: number, z: number) => number {
  // A ball around each lump: where even that is too far to matter, the lump itself need not be measured.
  const balls = Float64Array.from(
    lumps.flatMap(({ from, to, fromRadius, toRadius, melt }) => [
      ...from.map((x, c) => (x + to[c]) / 2),
      Math.hypot(...from.map((x, c) => x - to[c])) / 2 + Math.max(fromRadius, toRadius) + melt,
    ]),
  );
  return (x, y, z) => {
    let field = lumpDistance(lumps[0], x, y, z);
    for (let n = 1; n < lumps.length; n++) {
      const dx = x - balls[4 * n],
        dy = y - balls[4 * n + 1],
        dz = z - balls[4 * n + 2];
      const far = field + balls[4 * n + 3];
      if (far > 0 && dx * dx + dy * dy + dz * dz > far * far) continue;
      const d = lumpDistance(lumps[n], x, y, z);
      const melt = lumps[n].melt;
      const overlap = Math.max(0, melt - Math.abs(field - d)) / melt;
      field = Math.min(field, d) - 0.25 * melt * overlap * overlap;
    }
    return field;
  };
}

/** A box around all lumps, and room for what melting adds. */
export function boundsOfLumps(lumps: Lump[]): { min: Vector; max: Vector } {
  const min = [Infinity, Infinity, Infinity],
    max = [-Infinity, -Infinity, -Infinity];
  for (const lump of lumps) {
    for (let c = 0; c < 3; c++) {
      const room = 0.25 * lump.melt;
      min[c] = Math.min(min[c], lump.from[c] - lump.fromRadius - room, lump.to[c] - lump.toRadius - room);
      max[c] = Math.max(max[c], lump.from[c] + lump.fromRadius + room, lump.to[c] + lump.toRadius + room);
    }
  }
  return { min: min as unknown as Vector, max: max as unknown as Vector };
}

/**
 * Lumps no thinner than a mesh of so many vertices can follow: a limb thinner than its triangles would fold over itself.
 */
export function thickenLumps(lumps: Lump[], resolution: number): Lump[] {
  let area = 0;
  for (const { from, to, fromRadius, toRadius } of lumps) {
    area += Math.PI * (fromRadius + toRadius) * Math.hypot(...from.map((x, c) => x - to[c]));
  }
  const least = LEAST_SPACINGS * Math.sqrt(area / resolution);
  return lumps.map((lump) => ({
    ...lump,
    fromRadius: Math.max(least, lump.fromRadius),
    toRadius: Math.max(least, lump.toRadius),
  }));
}

/**
 * Weights as a painter would lay them: a vertex follows the bone whose flesh is nearest, and hands over smoothly to others
 * whose flesh is nearly as near, measured in their own thickness.
 * @param positions vertexCount x 3
 * @param spread part of a lump's radius within which it still has a say
 */
export function paintWeights(positions: Float32Array, lumps: Lump[], boneCount: number, spread: number): Skin {
  const vertexCount = positions.length / 3;
  const bones = new Uint32Array(vertexCount * INFLUENCES);
  const weights = new Float64Array(vertexCount * INFLUENCES);
  const distances = new Float64Array(boneCount);
  const radii = new Float64Array(boneCount);
  const row: { bone: number; weight: number }[] = [];
  for (let i = 0; i < vertexCount; i++) {
    const x = positions[3 * i],
      y = positions[3 * i + 1],
      z = positions[3 * i + 2];
    distances.fill(Number.POSITIVE_INFINITY);
    let nearest = Number.POSITIVE_INFINITY;
    for (const lump of lumps) {
      const d = lumpDistance(lump, x, y, z);
      if (d < distances[lump.bone]) {
        distances[lump.bone] = d;
        radii[lump.bone] = radiusAt(lump, lumpPlace(lump, x, y, z));
      }
      nearest = Math.min(nearest, d);
    }
    row.length = 0;
    for (let j = 0; j < boneCount; j++) {
      const say = 1 - (distances[j] - nearest) / (spread * radii[j]);
      if (say > 0) row.push({ bone: j, weight: say * say * say });
    }
    row.sort((a, b) => b.weight - a.weight || a.bone - b.bone);
    for (let n = 0; n < Math.min(INFLUENCES, row.length); n++) {
      bones[i * INFLUENCES + n] = row[n].bone;
      weights[i * INFLUENCES + n] = row[n].weight;
    }
  }
  return makeSkin(bones, weights, INFLUENCES);
}
