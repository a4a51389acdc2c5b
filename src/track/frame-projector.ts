// SPDX-License-Identifier: MIT
// Moves points along normals onto the smooth surface that a scan samples. Flat triangles lie inside of what is convex, and the planes of vertices lie outside of it, so the target is between both: the
// nearest point of a triangle, moved by half towards its projections on the planes of its corners (T. Boubekeur and M. Alexa, Phong Tessellation, SIGGRAPH Asia 2008), then towards the plane of the nearest
// corner. Against the scan of a dancer, both distances fell: from the result to the scan and from the scan to the result.
import type { Compute } from '../kernels/compute.ts';
import { NO_TRIANGLE } from '../kernels/nearest-points.ts';
import { measureBounds } from '../mesh/bounds.ts';
import { vertexNormalsInto } from '../mesh/vertex-normals.ts';
import { weldVertices } from '../mesh/weld.ts';
import type { ScanFrame } from './scan-frame.ts';
import { SurfaceSearch } from './surface-search.ts';

/** Part of the way from a flat triangle to the planes of its corners, and then to that of the nearest one. */
const SMOOTHNESS = 0.5;
const PLANE_PART = 0.7;
/** The point moves along a normal, so that another triangle may be nearest then. */
const ROUNDS = 2;
/** Maximum distance of a point from a frame, relative to the largest diagonal. */
const MAX_DISTANCE = 2;

/** Projects points onto the surfaces of frames, any number of times. */
export class FrameProjector {
  readonly #frames: readonly ScanFrame[];
  readonly #normals: readonly Float32Array[];
  readonly #searches: readonly SurfaceSearch[];
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
          moveToCorners(frame, this.#normals[k], 3 * t, weights, points.subarray(3 * i, 3 * i + 3));
        }
      }
    }
    return projected;
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
  point: Float32Array,
): void {
  const flat = [0, 0, 0];
  const normal = [0, 0, 0];
  let nearest = 0;
  for (let c = 0; c < 3; c++) {
    const v = 3 * triangles[corner + c];
    for (let r = 0; r < 3; r++) {
      flat[r] += weights[c] * positions[v + r];
      normal[r] += weights[c] * normals[v + r];
    }
    if (weights[c] > weights[nearest]) nearest = c;
  }
  const length = Math.hypot(...normal);
  if (!(length > 0)) return;
  const offsetFrom = (v: number, at: readonly number[]) => {
    let offset = 0;
    for (let r = 0; r < 3; r++) offset += (at[r] - positions[v + r]) * normals[v + r];
    return offset;
  };
  const smooth = [...flat];
  for (let c = 0; c < 3; c++) {
    const v = 3 * triangles[corner + c];
    const offset = SMOOTHNESS * weights[c] * offsetFrom(v, flat);
    for (let r = 0; r < 3; r++) smooth[r] -= offset * normals[v + r];
  }
  const v = 3 * triangles[corner + nearest];
  const offset = PLANE_PART * offsetFrom(v, smooth);
  let across = 0;
  for (let r = 0; r < 3; r++) across += ((smooth[r] - offset * normals[v + r] - point[r]) * normal[r]) / length;
  for (let r = 0; r < 3; r++) point[r] += (across * normal[r]) / length;
}
