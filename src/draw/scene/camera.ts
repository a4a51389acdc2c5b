// SPDX-License-Identifier: MIT

import type { UpAxis } from '../../core/model/asset.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';

/** Names of standard views. */
export type ViewName = 'front' | 'back' | 'side' | 'left' | 'top' | 'three-quarter';

/** A named view, or the direction from the shape towards the viewer, in model axes. */
export type View = ViewName | readonly [number, number, number];

export const VIEW_NAMES: readonly ViewName[] = ['front', 'back', 'side', 'left', 'top', 'three-quarter'];

/** Empty border, as a share of the smaller side. */
const MARGIN = 0.05;
/** Sine of the angle to the vertical below which a view is from straight above or below. */
const OVERHEAD = 1e-6;

/** x, y, z in model axes. */
export type Vector = readonly [number, number, number];

// In the frame right, up, front of the model. Level views look down a little, so that the ground shows.
const DIRECTIONS: Record<ViewName, Vector> = {
  front: [0, 0.1, 1],
  back: [0, 0.1, -1],
  side: [1, 0.1, 0],
  left: [-1, 0.1, 0],
  top: [0, 1, 0],
  'three-quarter': [0.72, 0.42, 0.78],
};

// Right, up and front of a model for each up axis. Front is +z where y is up (glTF) and -y where z is up (Blender, CAD).
const MODEL_FRAMES: Record<UpAxis, readonly [Vector, Vector, Vector]> = {
  x: [
    [0, -1, 0],
    [1, 0, 0],
    [0, 0, 1],
  ],
  y: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  z: [
    [1, 0, 0],
    [0, 0, 1],
    [0, -1, 0],
  ],
};

/**
 * Position and projection of a picture. A point at (x, y, d) along right, up and toward from the center is drawn at
 * offsetX + scale f x, offsetY - scale f y with f = distance / (distance - d); f = 1 when the distance is infinite.
 */
export interface Camera {
  /** Unit vector to the right of the picture, in model space. */
  right: Vector;
  /** Unit vector up in the picture, in model space. */
  up: Vector;
  /** Unit vector towards the eye, in model space. */
  toward: Vector;
  /** The model's own up, a unit vector. */
  ground: Vector;
  /** Height of the lowest fitted point along ground. */
  groundLevel: number;
  /** Center of the fitted points, file units. */
  center: Vector;
  /** From the eye to the center, file units; Infinity for parallel projection. */
  distance: number;
  /** Largest distance of a fitted point from the center; 1 for none. */
  radius: number;
  /** Pixels per file unit at the center. */
  scale: number;
  /** Horizontal pixel position of the center. */
  offsetX: number;
  /** Vertical pixel position of the center. */
  offsetY: number;
}

/** Options of fitCamera. */
export interface CameraOptions {
  /** Width of the picture in pixels. */
  width: number;
  /** Height of the picture in pixels. */
  height: number;
  /** Default 'three-quarter'. */
  view?: View;
  /** Default 'y'. */
  up?: UpAxis;
  /** Eye distance as a multiple of the shape's radius; Infinity for parallel projection. Default 6. */
  distance?: number;
  /** Empty border in pixels. Default 5 % of the smaller side. */
  margin?: number;
}

/**
 * Makes a camera that fits all points tightly. Pass the points of all frames to keep it fixed during an animation.
 * Points that are not finite are ignored.
 * @param points pointCount x 3
 * @example
 * ```ts
 * import { frameOf } from 'ossify';
 * import { fitCamera, renderView } from 'ossify/draw';
 *
 * const camera = fitCamera(clip.positions, { width: 640, height: 480, view: 'side' });
 * const image = renderView({ positions: frameOf(clip, 10), triangles: clip.mesh.triangles }, { camera });
 * ```
 */
export function fitCamera(points: ArrayLike<number>, options: CameraOptions): Camera {
  const [modelRight, ground, front] = MODEL_FRAMES[options.up ?? 'y'];
  const view = options.view ?? 'three-quarter';
  const direction = typeof view === 'string' ? turn(DIRECTIONS[view], modelRight, ground, front) : view;
  if (!(Math.hypot(...direction) > 0 && direction.every(Number.isFinite))) {
    throw new InputError('fitCamera', `the view direction must not be zero, got ${direction.join(' ')}`);
  }
  const toward = normalize(direction);
  // From straight above or below, the up direction of the picture is the model's back.
  const side = cross(ground, toward);
  const right = Math.hypot(...side) > OVERHEAD ? normalize(side) : modelRight;
  const up = cross(toward, right);

  const { center, radius, groundLevel } = measurePoints(points, ground);
  const ratio = options.distance ?? 6;
  if (!(ratio > 1)) throw new UsageError('fitCamera', `the eye must be more than one radius away, got ${ratio}`);
  const distance = ratio * radius;
  const camera: Camera = {
    right,
    up,
    toward,
    ground,
    groundLevel,
    center,
    distance,
    radius,
    scale: 1,
    offsetX: 0,
    offsetY: 0,
  };
  fitExtent(camera, points, options);
  return camera;
}

/** Chooses scale and offset so that the points fill the picture less its margin. */
function fitExtent(camera: Camera, points: ArrayLike<number>, options: CameraOptions): void {
  const { width, height } = options;
  const margin = options.margin ?? MARGIN * Math.min(width, height);
  const [x0, y0, x1, y1] = measureExtent(camera, points);
  const scale = Math.min(Math.max(1, width - 2 * margin) / (x1 - x0), Math.max(1, height - 2 * margin) / (y1 - y0));
  camera.scale = Number.isFinite(scale) ? scale : (0.25 * Math.min(width, height)) / camera.radius;
  camera.offsetX = width / 2 - (camera.scale * (x0 + x1)) / 2;
  camera.offsetY = height / 2 - (camera.scale * (y0 + y1)) / 2;
}

/** Left, top, right and bottom of the points in the picture; zeros for none. */
function measureExtent(camera: Camera, points: ArrayLike<number>): [number, number, number, number] {
  const out = new Float64Array(3);
  let x0 = Infinity;
  let x1 = -Infinity;
  let y0 = Infinity;
  let y1 = -Infinity;
  for (let o = 0; o + 2 < points.length; o += 3) {
    projectInto(camera, points[o], points[o + 1], points[o + 2], out, 0);
    if (!Number.isFinite(out[0] + out[1])) continue;
    if (out[0] < x0) x0 = out[0];
    if (out[0] > x1) x1 = out[0];
    if (out[1] < y0) y0 = out[1];
    if (out[1] > y1) y1 = out[1];
  }
  return x1 >= x0 ? [x0, y0, x1, y1] : [0, 0, 0, 0];
}

/**
 * A height for pictures of the given width that leaves little empty, seen from all the views at one scale; between half
 * and five quarters of the width.
 */
export function suggestHeight(
  points: ArrayLike<number>,
  views: readonly View[],
  width: number,
  up: UpAxis = 'y',
): number {
  let widest = 0;
  let highest = 0;
  for (const view of views) {
    const camera = fitCamera(points, { width, height: width, view, up });
    const [x0, y0, x1, y1] = measureExtent(camera, points);
    widest = Math.max(widest, (x1 - x0) / camera.scale);
    highest = Math.max(highest, (y1 - y0) / camera.scale);
  }
  const ratio = widest > 0 ? highest / widest : 1;
  const height = (1 - 2 * MARGIN) * width * ratio + 2.5 * MARGIN * width;
  return Math.round(Math.min(1.25, Math.max(0.5, height / width)) * width);
}

/** The camera zoomed about the middle of its picture, to give several views one scale. */
export function zoomCamera(camera: Camera, scale: number, width: number, height: number): Camera {
  const zoom = scale / camera.scale;
  return {
    ...camera,
    scale,
    offsetX: width / 2 + (camera.offsetX - width / 2) * zoom,
    offsetY: height / 2 + (camera.offsetY - height / 2) * zoom,
  };
}

/**
 * Pixel coordinates and nearness of a point into out[offset..offset + 2]. Nearness grows towards the viewer and is linear
 * in the picture: f - 1 with the f of Camera, or the depth over the radius in parallel projection. NaN behind the eye.
 */
export function projectInto(
  camera: Camera,
  px: number,
  py: number,
  pz: number,
  out: Float64Array,
  offset: number,
): void {
  const { right, up, toward, center, distance } = camera;
  const dx = px - center[0];
  const dy = py - center[1];
  const dz = pz - center[2];
  const depth = dx * toward[0] + dy * toward[1] + dz * toward[2];
  let f = 1;
  let nearness = depth / camera.radius;
  if (distance !== Infinity) {
    f = distance / (distance - depth);
    // Closer than a fiftieth of the distance, or behind the eye, a point is not drawn.
    if (!(f > 0 && f < 50)) f = Number.NaN;
    nearness = f - 1;
  }
  out[offset] = camera.offsetX + camera.scale * f * (dx * right[0] + dy * right[1] + dz * right[2]);
  out[offset + 1] = camera.offsetY - camera.scale * f * (dx * up[0] + dy * up[1] + dz * up[2]);
  out[offset + 2] = nearness;
}

/** Depth towards the viewer, file units, of a nearness. */
export function depthOf(camera: Camera, nearness: number): number {
  return camera.distance === Infinity ? nearness * camera.radius : camera.distance * (1 - 1 / (1 + nearness));
}

function measurePoints(
  points: ArrayLike<number>,
  ground: Vector,
): { center: Vector; radius: number; groundLevel: number } {
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  let groundLevel = Infinity;
  for (let o = 0; o + 2 < points.length; o += 3) {
    if (!Number.isFinite(points[o] + points[o + 1] + points[o + 2])) continue;
    for (let c = 0; c < 3; c++) {
      if (points[o + c] < min[c]) min[c] = points[o + c];
      if (points[o + c] > max[c]) max[c] = points[o + c];
    }
    groundLevel = Math.min(groundLevel, points[o] * ground[0] + points[o + 1] * ground[1] + points[o + 2] * ground[2]);
  }
  if (groundLevel === Infinity) return { center: [0, 0, 0], radius: 1, groundLevel: 0 };
  const center: Vector = [(min[0] + max[0]) / 2, (min[1] + max[1]) / 2, (min[2] + max[2]) / 2];
  // Half the box diagonal: never less than the true radius, and one pass.
  const radius = Math.sqrt((max[0] - min[0]) ** 2 + (max[1] - min[1]) ** 2 + (max[2] - min[2]) ** 2) / 2;
  return { center, radius: radius > 0 ? radius : 1, groundLevel };
}

function turn(v: Vector, x: Vector, y: Vector, z: Vector): Vector {
  return [
    v[0] * x[0] + v[1] * y[0] + v[2] * z[0],
    v[0] * x[1] + v[1] * y[1] + v[2] * z[1],
    v[0] * x[2] + v[1] * y[2] + v[2] * z[2],
  ];
}

function normalize(v: Vector): Vector {
  const length = Math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  return [v[0] / length, v[1] / length, v[2] / length];
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
