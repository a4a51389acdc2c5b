// SPDX-License-Identifier: MIT
// Moves points along normals onto the smooth surface that a scan samples. Flat triangles lie inside of what is convex, and the planes of vertices lie outside of it, so the target is between both: the
// nearest point of a triangle, moved by half towards its projections on the planes of its corners (T. Boubekeur and M. Alexa, Phong Tessellation, SIGGRAPH Asia 2008), then most of the way to the plane of
// the nearest vertex, which is what codecs of scans are measured against. At sharp edges vertices have no plane, so triangles stay flat there.
import type { Compute } from '../../../core/kernels/compute.ts';
import { NO_TRIANGLE } from '../../../core/kernels/search/nearest-points.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { PointGrid } from '../../../core/mesh/geometry/point-grid.ts';
import { vertexNormalsInto } from '../../../core/mesh/geometry/vertex-normals.ts';
import { weldVertices } from '../../../core/mesh/topology/weld.ts';
import type { ScanFrame } from './scan-frame.ts';
import { SurfaceSearch } from './surface-search.ts';

/** Part of the way from a flat triangle to the planes of its corners, and then to that of the nearest vertex. */
const SMOOTHNESS = 0.5;
const PLANE_PART = 0.7;
/** Cosines of the angle between a vertex normal and a triangle: above the first, the vertex is on a smooth surface, and below the second, on an edge (25 and 45 degrees). */
const SMOOTH = 0.906;
const SHARP = Math.SQRT1_2;
/** The point moves along a normal, so that another triangle may be nearest then. */
const ROUNDS = 2;
/** Maximum distance of a point from a frame, relative to the largest diagonal. */
const MAX_DISTANCE = 2;

/** Projects points onto the surfaces of frames, any number of times. */
export class FrameProjector {
  readonly #frames: readonly ScanFrame[];
  readonly #normals: readonly Float32Array[];
  readonly #searches: readonly SurfaceSearch[];
  readonly #grids: readonly PointGrid[];
  readonly #maxDistance: number;

  /** @param compute freed by dispose() of this object */
  constructor(compute: Compute, frames: readonly ScanFrame[]) {
    this.#frames = frames;
    this.#normals = frames.map(({ positions, triangles }) => {
      const normals = new Float32Array(positions.length);
      vertexNormalsInto(positions, triangles, normals, weldVertices(positions));
      return normals;
    });
    this.#searches = frames.map(
      ({ positions, triangles }) => new SurfaceSearch(compute, Float64Array.from(positions), triangles),
    );
    this.#grids = frames.map(({ positions }) => new PointGrid(positions));
    this.#maxDistance = MAX_DISTANCE * Math.max(...frames.map(({ positions }) => measureBounds(positions).diagonal));
  }

  /**
   * Returns the places of points on the frames; points that are far from all of a frame stay.
   * @param positions frameCount x pointCount x 3
   */
  async project(positions: Float32Array): Promise<Float32Array> {
    const projected = positions.slice();
    const pointCount = positions.length / 3 / this.#frames.length;
    const queries = new Float64Array(6 * pointCount);
    const faces = new Float64Array(3 * pointCount);
    for (const [k, frame] of this.#frames.entries()) {
      const points = projected.subarray(3 * k * pointCount, 3 * (k + 1) * pointCount);
      for (let round = 0; round < ROUNDS; round++) {
        for (let i = 0; i < pointCount; i++) for (let r = 0; r < 3; r++) queries[6 * i + r] = points[3 * i + r];
        const { triangles, places } = await this.#searches[k].search(queries, {
          minCosine: -1,
          maxDistance: this.#maxDistance,
        });
        for (let i = 0; i < pointCount; i++) {
          const t = triangles[i];
          if (t === NO_TRIANGLE) continue;
          const weights = [1 - places[3 * i] - places[3 * i + 1], places[3 * i], places[3 * i + 1]];
          const face = faces.subarray(3 * i, 3 * i + 3);
          faceNormalInto(frame, 3 * t, face);
          moveToCorners(frame, this.#normals[k], 3 * t, weights, face, points.subarray(3 * i, 3 * i + 3));
        }
      }
      this.#moveToPlanes(k, points, faces);
    }
    return projected;
  }

  /** Moves points of a frame towards the planes of the nearest vertices. */
  #moveToPlanes(k: number, points: Float32Array, faces: Float64Array): void {
    const { positions } = this.#frames[k];
    const normals = this.#normals[k];
    for (let i = 0; i < points.length; i += 3) {
      const v = 3 * this.#grids[k].findNearest(points[i], points[i + 1], points[i + 2]);
      let across = 0;
      for (let r = 0; r < 3; r++) across += (points[i + r] - positions[v + r]) * normals[v + r];
      across *= PLANE_PART * smoothnessOf(normals, v, faces, i);
      for (let r = 0; r < 3; r++) points[i + r] -= across * normals[v + r];
    }
  }

  dispose(): void {
    for (const search of this.#searches) search.dispose();
  }
}

/** Moves a point along the normal of a place in a triangle until it is level with the smooth surface there. */
function moveToCorners(
  { positions, triangles }: ScanFrame,
  normals: Float32Array,
  corner: number,
  weights: readonly number[],
  face: Float64Array,
  point: Float32Array,
): void {
  const flat = [0, 0, 0];
  const normal = [0, 0, 0];
  for (let c = 0; c < 3; c++) {
    const v = 3 * triangles[corner + c];
    for (let r = 0; r < 3; r++) {
      flat[r] += weights[c] * positions[v + r];
      normal[r] += weights[c] * normals[v + r];
    }
  }
  const length = Math.hypot(...normal);
  if (!(length > 0)) return;
  const smooth = [...flat];
  for (let c = 0; c < 3; c++) {
    const v = 3 * triangles[corner + c];
    let offset = 0;
    for (let r = 0; r < 3; r++) offset += (flat[r] - positions[v + r]) * normals[v + r];
    offset *= SMOOTHNESS * weights[c] * smoothnessOf(normals, v, face, 0);
    for (let r = 0; r < 3; r++) smooth[r] -= offset * normals[v + r];
  }
  let across = 0;
  for (let r = 0; r < 3; r++) across += ((smooth[r] - point[r]) * normal[r]) / length;
  for (let r = 0; r < 3; r++) point[r] += (across * normal[r]) / length;
}

/** The normal of a triangle; zero if it has no area. */
function faceNormalInto({ positions, triangles }: ScanFrame, corner: number, face: Float64Array): void {
  const [a, b, c] = [3 * triangles[corner], 3 * triangles[corner + 1], 3 * triangles[corner + 2]];
  const u = [0, 1, 2].map((r) => positions[b + r] - positions[a + r]);
  const w = [0, 1, 2].map((r) => positions[c + r] - positions[a + r]);
  face[0] = u[1] * w[2] - u[2] * w[1];
  face[1] = u[2] * w[0] - u[0] * w[2];
  face[2] = u[0] * w[1] - u[1] * w[0];
  const length = Math.hypot(face[0], face[1], face[2]);
  if (length > 0) for (let r = 0; r < 3; r++) face[r] /= length;
}

/** How smooth the surface is at a vertex as seen from a triangle, 0 to 1. */
function smoothnessOf(normals: Float32Array, v: number, face: Float64Array, f: number): number {
  const cosine = normals[v] * face[f] + normals[v + 1] * face[f + 1] + normals[v + 2] * face[f + 2];
  return Math.max(0, Math.min(1, (cosine - SHARP) / (SMOOTH - SHARP)));
}
