// SPDX-License-Identifier: MIT

import { pointValues, type Weld, weldVertices } from '../../core/mesh/topology/weld.ts';
import type { Polygons } from './polygons.ts';

/**
 * Polygons whose points are welded, for files that store each triangle with its own points.
 * @param weld which points to join; default: those of equal position
 */
export function weldPolygons(polygons: Polygons, weld: Weld = weldVertices(polygons.positions)): Polygons {
  const { colors, cornerColors } = polygons;
  return {
    ...polygons,
    positions: pointValues(polygons.positions, 3, weld),
    ...(colors && !cornerColors ? { colors: pointValues(colors, 3, weld) } : {}),
    cornerPositions: polygons.cornerPositions.map((v) => weld.pointOfVertex[v]),
  };
}
