// SPDX-License-Identifier: MIT
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { listConnectedParts } from '../../../core/mesh/topology/connected-parts.ts';
import { pointTriangles, type Weld, weldVertices } from '../../../core/mesh/topology/weld.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import { boneCountOf, type Skeleton } from '../../../core/model/skin/skeleton.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import { boneDistanceMap } from '../bone-distance-map.ts';
import { DDM_DEFAULTS, type DdmOptions, isByReach } from '../ddm-options.ts';
import { KAPPA_RATIO } from '../lambda-of-reach.ts';
import { bindCells } from './bind-cells.ts';
import { bindPoints, type PointBinding } from './bind-points.ts';
import { listBridges } from './list-bridges.ts';
import { refineSurface, type SurfacePoints, type SurfaceTraits, spreadValues } from './refine-surface.ts';

/** The surface that is smoothed: the welded points of a mesh, and points between them where it is coarse, relative to the center of its box. */
export interface BoundSurface extends SurfacePoints, SurfaceTraits {
  /** Vertices and the first weld.pointCount points. */
  weld: Weld;
  /** The center of the box, file units. */
  origin: [number, number, number];
  /** The weights that are smoothed. */
  binding: PointBinding;
}

/**
 * Binds the points of a mesh, and connects its parts.
 * @param length reach in file units; 0: the surface is not refined
 */
export function bindSurface(
  mesh: Mesh,
  skeleton: Skeleton,
  skin: Skin,
  options: DdmOptions,
  length: number,
): BoundSurface {
  const weld = weldVertices(mesh.positions);
  const bind = options.bind ?? (isByReach(options) ? 'cells' : 'rigid');
  const bounds = measureBounds(mesh.positions);
  const origin = bounds.min.map((low, c) => (low + bounds.max[c]) / 2) as [number, number, number];
  const bridge = (options.bridge ?? DDM_DEFAULTS.bridge) * bounds.diagonal;
  const given: SurfacePoints = {
    points: centeredPoints(mesh.positions, weld, origin),
    triangles: pointTriangles(mesh.triangles, weld),
    own: bindPoints(skin, weld, boneCountOf(skeleton), bind === 'rigid' ? 'rigid' : 'smooth'),
    ends: new Uint32Array(0),
  };
  const parts = listPartOfPoint(mesh, weld);
  const inFile = centeredPoints(mesh.positions, weld, [0, 0, 0]);
  const listTraits = ({ points, own, ends }: SurfacePoints): SurfaceTraits => {
    const boneOfPoint = strongestBones(own);
    const partOfPoint = Uint32Array.from(boneOfPoint, (_, p) => (p < parts.length ? parts[p] : 0));
    // the ends of an edge are in one part
    for (let p = parts.length; p < partOfPoint.length; p++) partOfPoint[p] = partOfPoint[ends[2 * (p - parts.length)]];
    return {
      boneOfPoint,
      bridges: listBridges(points, partOfPoint, boneOfPoint, bridge),
      factors: listFactors(spreadValues(inFile, ends, 3), skeleton, weld, { boneOfPoint, ends }, options),
    };
  };
  // bound by vertices, the border of bones follows the edges of the mesh
  const isRefined = length > 0 && bind !== 'rigid';
  const surface = isRefined ? refineSurface(given, Math.sqrt(KAPPA_RATIO) * length, listTraits) : given;
  const { own, points, triangles } = surface;
  const binding = bind === 'cells' ? bindCells(own, points, triangles) : own;
  return { ...surface, ...listTraits(surface), weld, origin, binding };
}

function strongestBones({ rowStart, boneIndices }: PointBinding): Uint32Array {
  return Uint32Array.from({ length: rowStart.length - 1 }, (_, p) => boneIndices[rowStart[p]]);
}

function centeredPoints(positions: ArrayLike<number>, weld: Weld, origin: readonly number[]): Float64Array {
  const points = new Float64Array(weld.pointCount * 3);
  for (let p = 0; p < weld.pointCount; p++) {
    for (let c = 0; c < 3; c++) points[3 * p + c] = positions[3 * weld.vertexOfPoint[p] + c] - origin[c];
  }
  return points;
}

function listPartOfPoint(mesh: Mesh, weld: Weld): Uint32Array {
  const parts = new Uint32Array(weld.pointCount);
  listConnectedParts(mesh, weld).forEach(({ vertices }, n) => {
    for (const i of vertices) parts[weld.pointOfVertex[i]] = n;
  });
  return parts;
}

/** @param points pointCount x 3, file coordinates */
function listFactors(
  points: Float64Array,
  skeleton: Skeleton,
  weld: Weld,
  { boneOfPoint, ends }: { boneOfPoint: Uint32Array; ends: Uint32Array },
  { map = DDM_DEFAULTS.map, height = DDM_DEFAULTS.height, isRigid }: DdmOptions,
): Float64Array {
  const ofVertices = (values: ArrayLike<number>): Float64Array =>
    spreadValues(
      Float64Array.from(weld.vertexOfPoint, (i) => values[i]),
      ends,
    );
  const factors =
    map === 'none'
      ? new Float64Array(boneOfPoint.length).fill(1)
      : map === 'distance'
        ? boneDistanceMap(points, skeleton, boneOfPoint, { height: height > 0 ? height : undefined })
        : ofVertices(map);
  if (!isRigid) return factors;
  const rigid = ofVertices(isRigid);
  return factors.map((f, p) => (rigid[p] === 1 ? 0 : f));
}
