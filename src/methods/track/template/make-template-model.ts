// SPDX-License-Identifier: MIT
// Makes a surface ready for registration: the template with its graphs and solvers, and a frame with its search.
import type { Compute } from '../../../core/kernels/compute.ts';
import { makeRandom } from '../../../core/math/random.ts';
import { vertexNormalsInto } from '../../../core/mesh/geometry/vertex-normals.ts';
import type { SearchDevice } from '../../../core/model/clip/triangle-search.ts';
import { findLimbs } from '../limbs/find-limbs.ts';
import { measureMedialCenters } from '../limbs/measure-medial-centers.ts';
import { placeJoints } from '../limbs/place-joints.ts';
import { makeSurfacePaths } from '../limbs/surface-paths.ts';
import { DeviceSearch } from '../register/device-search.ts';
import type { PlacedSurface } from '../register/find-matches.ts';
import type { ScanSurface } from '../register/make-scan-surface.ts';
import type { TemplateModel } from '../register/register-frame.ts';
import { SurfaceSearch } from '../register/surface-search.ts';
import { addInnerEdges } from '../solve/add-inner-edges.ts';
import { DetailSolver } from '../solve/detail-solver.ts';
import { GraphSolver } from '../solve/graph-solver.ts';
import { makeDeformationGraph, spreadPoints } from '../solve/make-deformation-graph.ts';

/** Nodes of the levels. */
const LEVELS = [1, 12, 40, 150, 400];
/** Minimum points per node: fewer would not determine its rotation. */
const POINTS_PER_NODE = 6;
/** Maximum points of a surface that are matched while there are only nodes. */
const MAX_SAMPLES = 4000;

/** Makes everything that registration needs of the template. */
export function makeTemplateModel(
  compute: Compute,
  surface: ScanSurface,
  seed: number,
  device?: SearchDevice,
): TemplateModel {
  const paths = makeSurfacePaths(surface);
  const most = Math.max(1, Math.floor(surface.areas.length / POINTS_PER_NODE));
  const counts = LEVELS.map((count) => Math.min(count, most));
  const placed = placeSurface(compute, surface, surface.positions.slice(), device);
  const { points, spacings } = spreadPoints(paths, counts[counts.length - 1]);
  const medialCenters = measureMedialCenters(surface, placed.normals);
  return {
    medialCenters,
    placed,
    rest: surface.positions,
    levels: counts.map((count) => {
      const shell = makeDeformationGraph(paths, points.slice(0, count), spacings[count - 1]);
      const graph = addInnerEdges(shell, surface, placed.normals);
      return { graph, joints: placeJoints(graph, surface, medialCenters), solver: new GraphSolver(compute, graph) };
    }),
    limbs: findLimbs(paths),
    detail: new DetailSolver(compute, surface),
    samples: listSamples(surface, seed),
  };
}

/** A surface at some positions, ready for searches. */
export function placeSurface(
  compute: Compute,
  surface: ScanSurface,
  positions: Float64Array,
  device?: SearchDevice,
): PlacedSurface {
  const normals = new Float32Array(positions.length);
  vertexNormalsInto(positions, surface.triangles, normals);
  const search = device
    ? new DeviceSearch(device, positions, surface.triangles)
    : new SurfaceSearch(compute, positions, surface.triangles);
  return { surface, positions, normals, search };
}

/** Random points, all if there are few. */
export function listSamples({ areas }: ScanSurface, seed: number): Uint32Array {
  const points = Uint32Array.from(areas, (_, i) => i);
  const random = makeRandom(seed);
  for (let n = 0; n < Math.min(MAX_SAMPLES, points.length - 1); n++) {
    const other = n + random.below(points.length - n);
    [points[n], points[other]] = [points[other], points[n]];
  }
  // ascending: neighbours in memory are mostly near in space
  return points.slice(0, MAX_SAMPLES).sort();
}
