// SPDX-License-Identifier: MIT
import type { Camera } from './camera.ts';
import { rasterize } from './rasterize.ts';

/** Cells along the longer side of the shadow map. */
const MAP_SIZE = 128;
/** Empty cells around the shape, room for the blur. */
const MAP_MARGIN = 16;
const BLUR_CELLS = 3;
/** Minimum slope of a line of sight; flatter ones meet the ground outside the picture. */
const MIN_FALL = 1e-4;
/** Border in which the shadow fades, as a share of the picture's smaller side. */
const FADE = 0.08;
/** Height at which a part's shade has fallen to half, as a share of the radius. */
const HALF_HEIGHT = 0.4;

/**
 * The soft shadow of a shape on the ground, lit by the sky: per pixel, 0 (none) to 1. Returns undefined if the
 * camera does not look down on the ground. The shape is seen from below in a small map (nearer parts shade more), the map is blurred
 * and looked up through each pixel.
 * @param positions vertexCount x 3
 */
export function groundShadow(
  camera: Camera,
  positions: ArrayLike<number>,
  triangles: ArrayLike<number>,
  width: number,
  height: number,
): Float32Array | undefined {
  const { right, up, toward, center, ground, groundLevel, distance, radius } = camera;
  const facing = dot(toward, ground);
  if (facing < 0.02 || triangles.length === 0) return undefined;

  // Axes of the map: the camera's right lies in the ground already.
  const across = right;
  const along = [
    ground[1] * across[2] - ground[2] * across[1],
    ground[2] * across[0] - ground[0] * across[2],
    ground[0] * across[1] - ground[1] * across[0],
  ];
  const seen = seeFromBelow(camera, positions, across, along);
  if (!seen) return undefined;
  const { points, cell, left, low } = seen;
  const map = shadeMap(points, triangles, radius);

  const shadow = new Float32Array(width * height);
  const border = Math.max(1, FADE * Math.min(width, height));
  const drop = dot(center, ground) - groundLevel;
  for (let y = 0; y < height; y++) {
    const planeY = (camera.offsetY - (y + 0.5)) / camera.scale;
    for (let x = 0; x < width; x++) {
      const planeX = (x + 0.5 - camera.offsetX) / camera.scale;
      // The pixel's point on the plane through the center, and from there along the line of sight down to the ground.
      const h = drop + planeY * dot(up, ground);
      // Line of sight: away from the eye at center + distance x toward, or straight along -toward.
      const viewX = distance === Infinity ? 0 : planeX / distance;
      const viewY = distance === Infinity ? 0 : planeY / distance;
      const fall = facing - viewY * dot(up, ground);
      if (fall < MIN_FALL) continue;
      const t = h / fall;
      const px = planeX + t * viewX;
      const py = planeY + t * viewY;
      const u = dot(center, across) + px * dot(right, across) + (py * dot(up, across) - t * dot(toward, across));
      const v = dot(center, along) + px * dot(right, along) + (py * dot(up, along) - t * dot(toward, along));
      // Fades out before the border, where it would be cut.
      const inset = Math.min(x + 1, y + 1, width - x, height - y) / border;
      shadow[y * width + x] = Math.min(1, inset) * lookUp(map, (u - left) / cell - 0.5, (v - low) / cell - 0.5);
    }
  }
  return shadow;
}

/** Vertices in cells of the map, with their distance below the ground, and the place of the map. Undefined if they have no extent on the ground. */
function seeFromBelow(
  { ground, groundLevel }: Camera,
  positions: ArrayLike<number>,
  across: ArrayLike<number>,
  along: ArrayLike<number>,
): { points: Float64Array; cell: number; left: number; low: number } | undefined {
  const points = new Float64Array(3 * Math.floor(positions.length / 3));
  let u0 = Infinity;
  let u1 = -Infinity;
  let v0 = Infinity;
  let v1 = -Infinity;
  for (let o = 0; o < points.length; o += 3) {
    const x = positions[o];
    const y = positions[o + 1];
    const z = positions[o + 2];
    const u = x * across[0] + y * across[1] + z * across[2];
    const v = x * along[0] + y * along[1] + z * along[2];
    points[o] = u;
    points[o + 1] = v;
    points[o + 2] = groundLevel - (x * ground[0] + y * ground[1] + z * ground[2]);
    if (!Number.isFinite(u + v)) continue;
    u0 = Math.min(u0, u);
    u1 = Math.max(u1, u);
    v0 = Math.min(v0, v);
    v1 = Math.max(v1, v);
  }
  const span = Math.max(u1 - u0, v1 - v0);
  if (!(span > 0 && span < Infinity)) return undefined;
  const cell = span / (MAP_SIZE - 2 * MAP_MARGIN);
  const left = (u0 + u1) / 2 - (cell * MAP_SIZE) / 2;
  const low = (v0 + v1) / 2 - (cell * MAP_SIZE) / 2;
  for (let o = 0; o < points.length; o += 3) {
    points[o] = (points[o] - left) / cell;
    points[o + 1] = (points[o + 1] - low) / cell;
  }
  return { points, cell, left, low };
}

/** MAP_SIZE x MAP_SIZE: shade on the ground, 0 to 1. */
function shadeMap(points: Float64Array, triangles: ArrayLike<number>, radius: number): Float32Array {
  const { triangleOf, nearness } = rasterize(points, triangles, MAP_SIZE, MAP_SIZE);
  let map = new Float32Array(MAP_SIZE * MAP_SIZE);
  for (let o = 0; o < map.length; o++) {
    if (triangleOf[o] < 0) continue;
    const h = Math.max(0, -nearness[o]) / (HALF_HEIGHT * radius);
    map[o] = 1 / (1 + h * h);
  }
  // Three box blurs each way come close to a Gaussian.
  for (let n = 0; n < 3; n++) {
    map = blur(map, 1, MAP_SIZE);
    map = blur(map, MAP_SIZE, 1);
  }
  return map;
}

function blur(map: Float32Array, step: number, rowStep: number): Float32Array<ArrayBuffer> {
  const out = new Float32Array(map.length);
  const share = 1 / (2 * BLUR_CELLS + 1);
  for (let row = 0; row < MAP_SIZE; row++) {
    const start = row * rowStep;
    for (let n = 0; n < MAP_SIZE; n++) {
      let sum = 0;
      for (let m = Math.max(0, n - BLUR_CELLS); m <= Math.min(MAP_SIZE - 1, n + BLUR_CELLS); m++) {
        sum += map[start + m * step];
      }
      out[start + n * step] = sum * share;
    }
  }
  return out;
}

/** Bilinear, zero outside. */
function lookUp(map: Float32Array, u: number, v: number): number {
  if (!(u >= 0 && v >= 0 && u < MAP_SIZE - 1 && v < MAP_SIZE - 1)) return 0;
  const x = Math.floor(u);
  const y = Math.floor(v);
  const s = u - x;
  const t = v - y;
  const o = y * MAP_SIZE + x;
  const top = map[o] + (map[o + 1] - map[o]) * s;
  const bottom = map[o + MAP_SIZE] + (map[o + MAP_SIZE + 1] - map[o + MAP_SIZE]) * s;
  return top + (bottom - top) * t;
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
