// SPDX-License-Identifier: MIT
import { type MeshFrame, makeMeshFrame } from '../../core/model/clip/mesh-frame.ts';
import { makePolygonMesh, type Polygons } from '../polygons/index.ts';

/** Triangles over the points of a file, which have one colour each. */
export function makePointFrame(polygons: Polygons, name: string): MeshFrame {
  const none = new Int32Array(polygons.cornerPositions.length).fill(-1);
  const bare: Polygons = {
    ...polygons,
    ...{ colors: colorsOfPoints(polygons), cornerColors: undefined, alphas: undefined },
    ...{ cornerUvs: none, uvSets: undefined, cornerNormals: none },
  };
  return makeMeshFrame(makePolygonMesh(bare, name).mesh, name);
}

/** Colours by point; of points whose corners have several, the last. */
function colorsOfPoints({ positions, colors, cornerColors, cornerPositions }: Polygons): Float32Array | undefined {
  if (!colors || !cornerColors) return colors;
  const out = new Float32Array(positions.length).fill(1);
  for (const [c, color] of cornerColors.entries())
    out.set(colors.subarray(3 * color, 3 * color + 3), 3 * cornerPositions[c]);
  return out;
}
