// SPDX-License-Identifier: MIT
import { makeSkin, type Skin } from '../../core/model/skin/skin.ts';
import type { Vector } from './bones.ts';

/** The volume of a limb: the hull of two balls (a cone with round ends), bound to a bone. */
export interface Lump {
  bone: number;
  from: Vector;
  to: Vector;
  fromRadius: number;
  toRadius: number;
  /** Blending distance with the lumps before it in the list, metres. */
  melt: number;
}

/** Maximum number of bones per vertex. */
const INFLUENCES = 4;
/** Minimum radius, in spacings between vertices. Chosen by hand: with less, coarse animals had folded triangles. */
const MIN_SPACINGS = 1.1;

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

/** Position of the nearest ball along the axis, from 0 to 1. */
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
 * The field whose zero set is the blended surface of all lumps: a smooth minimum that differs from the minimum only
 * where two distances differ by less than `melt`. It is a convex combination of distances, so it grows no faster than distance.
 */
export function makeFleshField(lumps: Lump[]): (x: number, y: number, z: number) => number {
  // A bounding ball of each lump: if it is too far away, the lump is skipped.
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

/** A box around all lumps, with a margin for blending. */
export function boundsOfLumps(lumps: Lump[]): { min: Vector; max: Vector } {
  const min: [number, number, number] = [Infinity, Infinity, Infinity];
  const max: [number, number, number] = [-Infinity, -Infinity, -Infinity];
  for (const lump of lumps) {
    for (let c = 0; c < 3; c++) {
      const room = 0.25 * lump.melt;
      min[c] = Math.min(min[c], lump.from[c] - lump.fromRadius - room, lump.to[c] - lump.toRadius - room);
      max[c] = Math.max(max[c], lump.from[c] + lump.fromRadius + room, lump.to[c] + lump.toRadius + room);
    }
  }
  return { min, max };
}

/**
 * Lumps with a minimum radius for a mesh of the given resolution: a limb that is thinner than its triangles would fold.
 */
export function thickenLumps(lumps: Lump[], resolution: number): Lump[] {
  let area = 0;
  for (const { from, to, fromRadius, toRadius } of lumps) {
    area += Math.PI * (fromRadius + toRadius) * Math.hypot(...from.map((x, c) => x - to[c]));
  }
  const least = MIN_SPACINGS * Math.sqrt(area / resolution);
  return lumps.map((lump) => ({
    ...lump,
    fromRadius: Math.max(least, lump.fromRadius),
    toRadius: Math.max(least, lump.toRadius),
  }));
}

/**
 * Smooth weights: a vertex is bound to the bone of the nearest lump, with a smooth transition to other bones
 * whose lumps are nearly as close, relative to their thickness.
 * @param positions vertexCount x 3
 * @param spread width of the transition, relative to a lump's radius
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
