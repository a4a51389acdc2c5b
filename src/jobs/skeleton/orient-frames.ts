// SPDX-License-Identifier: MIT
// Frames of one sequence that another tool wrote with the triangles turned, or with another up axis. Matches compare normals, so that an inside-out frame would be matched with its far side; and joints are placed below the
// surface, so that a sequence that is inside out would have joints outside of the body. All surfaces that have an outer side are turned outward.

import { measureTriangleAreas } from '../../core/mesh/geometry/triangle-areas.ts';
import { vertexNormalsInto } from '../../core/mesh/geometry/vertex-normals.ts';
import { weldVertices } from '../../core/mesh/topology/weld.ts';
import type { ScanFrame } from '../../methods/track/index.ts';

/** Minimum volume of a body, relative to its area to the power of 1.5, whose triangles have an outer side: a ball has 0.094, a sheet none. */
const MIN_VOLUME = 0.005;
/** Maximum rim of a body whose triangles have an outer side, relative to the root of its area. Holes of scans are shorter in sum; the volume of an open sheet depends on how it bends. */
const MAX_RIM = 1;
/** Maximum difference of the moments of two neighbouring frames, relative to their size, of a motion. Of the samples, 12 frames of a bar that bends by 120 degrees have up to 0.48, but no exchange of axes explains it. */
const MAX_CHANGE = 0.3;
/** Maximum difference after the exchange of axes, relative to the difference before it. */
const MAX_REST = 1 / 3;
/** The orders of three axes but their own. */
const ORDERS = [
  [0, 2, 1],
  [1, 0, 2],
  [2, 1, 0],
  [1, 2, 0],
  [2, 0, 1],
] as const;

export interface OrientedFrames<Frame extends ScanFrame> {
  /** The frames with their triangles outward: counter-clockwise seen from outside. Frames whose side is not known, such as open ones, are turned as most frames are. */
  frames: Frame[];
  /** The template, outward, or turned as most frames are if its side is not known; undefined if none was given. */
  template?: Frame;
  /** Whether most frames were turned. */
  isInward: boolean;
  /** Whether all frames were turned. */
  isAllInward: boolean;
  /** Indices of the frames that were turned, if most were not. */
  turned: number[];
  /** Whether the template was turned. */
  isTemplateTurned: boolean;
  /** Indices of frames whose axes seem to be exchanged. They are left as they are. */
  rotated: number[];
}

/**
 * Turns triangles that face inward, and finds frames that are rotated by a right angle against their neighbours. Surfaces without an outer side, such as a sheet, are left as they are.
 * @param template a template that is no frame
 */
export function orientFrames<Frame extends ScanFrame>(
  frames: readonly Frame[],
  template?: Frame,
): OrientedFrames<Frame> {
  const facts = frames.map(measureFrame);
  const sides = facts.map(sideOf);
  const usual = Math.sign(sides.reduce((total, side) => total + side, 0));
  const turned = sides.flatMap((side, k) => ((side || usual) < 0 ? [k] : []));
  const isTemplateTurned = template !== undefined && (sideOf(measureFrame(template)) || usual) < 0;
  const last = frames.length - 1;
  // the first and the last frame have one neighbour, which may be the rotated one
  const neighbours = (k: number) => (k === 0 ? [1, 2] : k === last ? [last - 1, last - 2] : [k - 1, k + 1]);
  const isApart = (k: number) => neighbours(k).every((n) => isRotated(facts[k].moments, facts[n].moments));
  return {
    frames: frames.map((frame, k) => (turned.includes(k) ? turn(frame) : frame)),
    ...(template && { template: isTemplateTurned ? turn(template) : template }),
    ...{ isInward: usual < 0, isAllInward: usual < 0 && turned.length === frames.length },
    ...{ turned: usual < 0 ? [] : turned, isTemplateTurned },
    // of two frames alone, either one could be rotated
    rotated: frames.length > 2 ? [...facts.keys()].filter(isApart) : [],
  };
}

/** Whether the triangles of a surface face inward. */
export function isInward(frame: ScanFrame): boolean {
  const { area, volume, moments } = measureSurface(frame);
  // most surfaces face outward, and need no rim
  return volume < 0 && sideOf({ area, volume, moments, rim: measureRim(frame, area) }) < 0;
}

/** 1 if the triangles face outward, -1 if they face inward, 0 if there is no outer side. */
function sideOf({ area, volume, rim }: FrameFacts): number {
  return rim <= MAX_RIM && Math.abs(volume) > MIN_VOLUME * area ** 1.5 ? Math.sign(volume) : 0;
}

interface SurfaceFacts {
  area: number;
  /** The signed volume, seen from the center of area. */
  volume: number;
  /** Second moments over the area: xx, yy, zz, yz, xz, xy. */
  moments: number[];
}

interface FrameFacts extends SurfaceFacts {
  /** Length of the rim relative to the root of the area. */
  rim: number;
}

function measureFrame(frame: ScanFrame): FrameFacts {
  const surface = measureSurface(frame);
  return { ...surface, rim: measureRim(frame, surface.area) };
}

function measureSurface({ positions, triangles }: ScanFrame): SurfaceFacts {
  const areas = measureTriangleAreas(positions, triangles);
  const centers = new Float64Array(triangles.length);
  const center = [0, 0, 0];
  let area = 0;
  for (let f = 0; f < areas.length; f++) {
    for (let a = 0; a < 3; a++) {
      const sum =
        positions[3 * triangles[3 * f] + a] +
        positions[3 * triangles[3 * f + 1] + a] +
        positions[3 * triangles[3 * f + 2] + a];
      centers[3 * f + a] = sum / 3;
      center[a] += (areas[f] * sum) / 3;
    }
    area += areas[f];
  }
  const moments = [0, 0, 0, 0, 0, 0];
  let volume = 0;
  for (let f = 0; f < areas.length && area > 0; f++) {
    const x = centers[3 * f] - center[0] / area;
    const y = centers[3 * f + 1] - center[1] / area;
    const z = centers[3 * f + 2] - center[2] / area;
    const i = 3 * triangles[3 * f];
    const j = 3 * triangles[3 * f + 1];
    const k = 3 * triangles[3 * f + 2];
    const ux = positions[j] - positions[i];
    const uy = positions[j + 1] - positions[i + 1];
    const uz = positions[j + 2] - positions[i + 2];
    const vx = positions[k] - positions[i];
    const vy = positions[k + 1] - positions[i + 1];
    const vz = positions[k + 2] - positions[i + 2];
    volume += (x * (uy * vz - uz * vy) + y * (uz * vx - ux * vz) + z * (ux * vy - uy * vx)) / 6;
    const share = areas[f] / area;
    moments[0] += share * x * x;
    moments[1] += share * y * y;
    moments[2] += share * z * z;
    moments[3] += share * y * z;
    moments[4] += share * x * z;
    moments[5] += share * x * y;
  }
  return { area, volume, moments };
}

/** The length of all edges of welded points that have one triangle, relative to the root of the area. */
function measureRim({ positions, triangles }: ScanFrame, area: number): number {
  const { pointOfVertex, pointCount } = weldVertices(positions);
  const lengths = new Map<number, number>();
  for (let c = 0; c < triangles.length; c++) {
    const [i, j] = [triangles[c], triangles[c % 3 === 2 ? c - 2 : c + 1]];
    const [p, q] = [pointOfVertex[i], pointOfVertex[j]];
    if (p === q) continue;
    const key = Math.min(p, q) * pointCount + Math.max(p, q);
    if (lengths.has(key)) lengths.set(key, 0);
    else
      lengths.set(
        key,
        Math.hypot(
          positions[3 * i] - positions[3 * j],
          positions[3 * i + 1] - positions[3 * j + 1],
          positions[3 * i + 2] - positions[3 * j + 2],
        ),
      );
  }
  let sum = 0;
  for (const length of lengths.values()) sum += length;
  return sum / Math.sqrt(area || 1);
}

/** Whether the moments of two frames differ, but hardly differ after an exchange of axes. */
function isRotated(own: readonly number[], other: readonly number[]): boolean {
  const size = other[0] + other[1] + other[2];
  const apart = (order: readonly number[]) =>
    // the signs of products of two axes depend on the directions of the axes
    Math.hypot(
      ...order.map((from, a) => own[from] - other[a]),
      ...order.map((from, a) => Math.abs(own[3 + from]) - Math.abs(other[3 + a])),
    ) / size;
  const change = apart([0, 1, 2]);
  return change > MAX_CHANGE && ORDERS.some((order) => apart(order) < MAX_REST * change);
}

/** The frame with its triangles the other way round. Normals that face as the triangles did are turned, too. */
function turn<Frame extends ScanFrame & { normals?: Float32Array }>(frame: Frame): Frame {
  const triangles = frame.triangles.map((_, c, all) => all[c % 3 === 0 ? c : c % 3 === 1 ? c + 1 : c - 1]);
  const { normals, positions } = frame;
  if (!normals) return { ...frame, triangles };
  const own = new Float32Array(positions.length);
  vertexNormalsInto(positions, triangles, own);
  const isOpposite = normals.reduce((sum, x, c) => sum + x * own[c], 0) < 0;
  return { ...frame, triangles, normals: isOpposite ? normals.map((x) => -x) : normals };
}
