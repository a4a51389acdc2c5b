// SPDX-License-Identifier: MIT
// The grouping of connected parts into bodies. Eyes, clothes and hair share no vertex with the body but stay near it, so they belong to it.
// A minimum spanning tree of the parts, by their nearest points at rest (Borůvka), is cut where this pair of points separates during the motion.
//
// Pieces of a broken wall may stay in contact without belonging together. So a body of rigid parts only is divided again. The nearest points of the head and the trunk of a robot may separate although a joint
// connects them. So two rigid parts, of one body or of two, belong together if a joint connects them, or if they move alike (measure-joint-gap.ts). The parts of a joint need not be neighbours in the tree (two
// fingers are closer to each other than to the palm), so several near parts are tested.

import { farthestPoints } from '../../../core/mesh/geometry/farthest-points.ts';
import { type ConnectedPart, listConnectedParts } from '../../../core/mesh/topology/connected-parts.ts';
import { listRigidPieces } from '../../../core/mesh/topology/list-rigid-pieces.ts';
import { weldClip } from '../../../core/mesh/topology/weld.ts';
import { type Clip, frameCountOf } from '../../../core/model/clip/clip.ts';
import { measureJointGap } from '../joints/measure-joint-gap.ts';

/** Number of sample points of all parts together, and the minimum per part. Chosen by hand. */
const POINTS = 1500;
const MIN_POINTS = 12;
/** Maximum number of parts; a mesh with more is treated as one body. */
const MAX_PARTS = 500;
/** Maximum separation of the nearest points of two parts of one body: half the size of the smaller part, clamped to this range relative to the whole. Chosen by hand. */
const NEAR_OF_SMALLER = 0.5;
const MIN_NEAR = 0.02;
const MAX_NEAR = 0.05;
/** Maximum change of the distance of two points by noise, in standard deviations: √2 times about five, the largest of some hundred frames. */
const NOISE_REACH = 7;

/** Maximum gap at the joint of two rigid parts, relative to the smaller one. Pieces of the wall that stay in contact have at least 0.04, connected rigid parts of RobotExpressive at most 1e-5. */
const MAX_GAP = 0.01;
/** Number of nearest parts that are tested for a joint. Chosen by hand. */
const NEIGHBOURS = 8;

/**
 * Vertices of each body, in ascending order; the largest body first.
 * @param noise standard deviation of the noise per coordinate, file units
 */
export function listBodies(clip: Clip, diagonal: number, noise = 0): Uint32Array[] {
  const all = listConnectedParts(clip.mesh, weldClip(clip));
  // vertices without triangles belong to the largest body
  const parts = all.filter(({ triangleCount }) => triangleCount > 0);
  if (parts.length <= 1 || parts.length > MAX_PARTS)
    return [Uint32Array.from({ length: clip.mesh.positions.length / 3 }, (_, i) => i)];
  const samples = samplePoints(
    clip,
    parts.map(({ vertices }) => vertices),
  );
  const { points, partOfPoint } = samples;
  const group = Array.from(parts.keys());
  const sizes = parts.map(({ vertices }) => measureSize(clip, vertices));
  const bodies = Array.from(parts.keys());
  for (let count = parts.length; count > 1; ) {
    // for every group, the nearest point of another group
    const best = new Map<number, { square: number; from: number; to: number }>();
    for (let n = 0; n < points.length; n++) {
      const own = group[partOfPoint[n]];
      for (let m = n + 1; m < points.length; m++) {
        const other = group[partOfPoint[m]];
        if (other === own) continue;
        const square = measureSquare(clip.mesh.positions, points[n], points[m]);
        for (const one of [own, other]) {
          const known = best.get(one);
          if (!known || square < known.square) best.set(one, { square, from: n, to: m });
        }
      }
    }
    for (const { from, to } of best.values()) {
      const [a, b] = [partOfPoint[from], partOfPoint[to]];
      if (group[a] === group[b]) continue;
      replace(group, Math.max(group[a], group[b]), Math.min(group[a], group[b]));
      count--;
      const near = NEAR_OF_SMALLER * Math.min(sizes[a], sizes[b]);
      const limit = Math.max(MIN_NEAR * diagonal, Math.min(near, MAX_NEAR * diagonal)) + NOISE_REACH * noise;
      if (measureFarthest(clip, points[from], points[to]) <= limit)
        replace(bodies, Math.max(bodies[a], bodies[b]), Math.min(bodies[a], bodies[b]));
    }
  }
  connectRigid(clip, parts, samples, sizes, bodies);
  const members = new Map<number, number[]>();
  parts.forEach(({ vertices }, p) => {
    const list = members.get(bodies[p]) ?? [];
    for (const v of vertices) list.push(v);
    members.set(bodies[p], list);
  });
  const largest = [...members.values()].reduce((best, list) => (list.length > best.length ? list : best));
  for (const { vertices, triangleCount } of all) if (triangleCount === 0) for (const v of vertices) largest.push(v);
  return [...members.values()]
    .map((list) => Uint32Array.from(list).sort())
    .sort((p, q) => q.length - p.length || p[0] - q[0]);
}

/** Divides bodies of rigid parts, and joins bodies whose rigid parts are connected by joints; labels are changed in place. */
function connectRigid(
  clip: Clip,
  parts: readonly ConnectedPart[],
  samples: SamplePoints,
  sizes: readonly number[],
  bodies: number[],
): void {
  const pieceOf = new Map(listRigidPieces(clip).map((piece) => [piece.vertices[0], piece]));
  const pieces = parts.map(({ vertices }) => pieceOf.get(vertices[0]));
  const soft = new Set(bodies.filter((_, p) => !pieces[p]));
  for (let a = 0; a < parts.length; a++) if (!soft.has(bodies[a])) bodies[a] = a;
  const { positions } = clip.mesh;
  for (let a = 0; a < parts.length; a++) {
    if (!pieces[a]) continue;
    for (const { part: b, from, to } of listNearest(positions, samples, a, (part) => pieces[part] !== undefined)) {
      if (bodies[a] === bodies[b]) continue;
      const near = [0, 1, 2].map((r) => 0.5 * (positions[3 * from + r] + positions[3 * to + r]));
      const gap = measureJointGap(pieces[a]!.matrices, pieces[b]!.matrices, near, Math.max(sizes[a], sizes[b]));
      if (gap <= MAX_GAP * Math.min(sizes[a], sizes[b]))
        replace(bodies, Math.max(bodies[a], bodies[b]), Math.min(bodies[a], bodies[b]));
    }
  }
}

/** The parts nearest to a given one, with the two vertices that are closest at rest. */
function listNearest(
  positions: Float32Array,
  { points, partOfPoint }: SamplePoints,
  own: number,
  isCandidate: (part: number) => boolean,
): { part: number; from: number; to: number }[] {
  const nearest = new Map<number, { part: number; from: number; to: number; square: number }>();
  for (let n = 0; n < points.length; n++) {
    if (partOfPoint[n] !== own) continue;
    for (let m = 0; m < points.length; m++) {
      const part = partOfPoint[m];
      if (part === own || !isCandidate(part)) continue;
      const square = measureSquare(positions, points[n], points[m]);
      const known = nearest.get(part);
      if (!known || square < known.square) nearest.set(part, { part, from: points[n], to: points[m], square });
    }
  }
  return [...nearest.values()].sort((p, q) => p.square - q.square || p.part - q.part).slice(0, NEIGHBOURS);
}

interface SamplePoints {
  /** Vertices. */
  points: number[];
  /** The part of each. */
  partOfPoint: number[];
}

function samplePoints(clip: Clip, parts: Uint32Array[]): SamplePoints {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const points: number[] = [];
  const partOfPoint: number[] = [];
  parts.forEach((vertices, p) => {
    const wanted = Math.min(vertices.length, Math.max(MIN_POINTS, Math.round((POINTS * vertices.length) / total)));
    const positions = new Float32Array(3 * vertices.length);
    vertices.forEach((v, n) => {
      for (let r = 0; r < 3; r++) positions[3 * n + r] = clip.mesh.positions[3 * v + r];
    });
    for (const n of farthestPoints(positions, wanted)) {
      points.push(vertices[n]);
      partOfPoint.push(p);
    }
  });
  return { points, partOfPoint };
}

/** Box diagonal of some vertices at rest. */
function measureSize(clip: Clip, vertices: Uint32Array): number {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const v of vertices) {
    for (let r = 0; r < 3; r++) {
      low[r] = Math.min(low[r], clip.mesh.positions[3 * v + r]);
      high[r] = Math.max(high[r], clip.mesh.positions[3 * v + r]);
    }
  }
  return Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

function measureSquare(positions: Float32Array, a: number, b: number, offset = 0): number {
  let sum = 0;
  for (let r = 0; r < 3; r++) sum += (positions[offset + 3 * a + r] - positions[offset + 3 * b + r]) ** 2;
  return sum;
}

/** Maximum increase of the distance of two vertices relative to the rest pose. */
function measureFarthest(clip: Clip, a: number, b: number): number {
  const rest = Math.sqrt(measureSquare(clip.mesh.positions, a, b));
  let max = 0;
  for (let k = 0; k < frameCountOf(clip); k++)
    max = Math.max(max, Math.sqrt(measureSquare(clip.positions, a, b, k * clip.mesh.positions.length)) - rest);
  return max;
}

function replace(labels: number[], from: number, to: number): void {
  for (let n = 0; n < labels.length; n++) if (labels[n] === from) labels[n] = to;
}
