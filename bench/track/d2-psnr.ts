// SPDX-License-Identifier: MIT
// The D2-PSNR of TVMC, by the definition of its evaluation script:
//   G. Chen, F. Hácha, L. Váša and M. Dasari, TVMC: Time-Varying Mesh Compression Using Volume-Tracked Reference Meshes, ACM MMSys 2025, doi:10.1145/3712676.3714440
//
// The samples are the vertices of one mesh. Each is compared with the nearest vertex of the other mesh: its distance from the plane through that vertex, along the vertex normal there. The peak is the
// diagonal of the box of the sampled mesh. A frame counts with the better one of both directions, and a sequence with the mean of its frames in decibels.
import { PointGrid } from '../../src/core/mesh/geometry/point-grid.ts';
import { vertexNormalsInto } from '../../src/core/mesh/geometry/vertex-normals.ts';

/** A mesh of a frame. */
export interface D2Mesh {
  /** vertexCount x 3 */
  positions: Float32Array;
  /** triangleCount x 3 */
  triangles: Uint32Array;
}

/** The ratio of a frame in decibels; infinite for equal meshes. */
export interface D2Psnr {
  /** Samples are the vertices of the original. */
  fromOriginal: number;
  /** Samples are the vertices of the decoded mesh. */
  fromDecoded: number;
  /** TVMC's figure: the larger one of both. */
  psnr: number;
}

/** Measures a decoded mesh against the original. */
export function d2Psnr(original: D2Mesh, decoded: D2Mesh): D2Psnr {
  const fromOriginal = measureOneWay(original, decoded);
  const fromDecoded = measureOneWay(decoded, original);
  return { fromOriginal, fromDecoded, psnr: Math.max(fromOriginal, fromDecoded) };
}

function measureOneWay({ positions }: D2Mesh, other: D2Mesh): number {
  const normals = new Float32Array(other.positions.length);
  vertexNormalsInto(other.positions, other.triangles, normals);
  const grid = new PointGrid(other.positions);
  let sum = 0;
  const low = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const high = low.map((x) => -x);
  for (let v = 0; v < positions.length; v += 3) {
    const nearest = 3 * grid.findNearest(positions[v], positions[v + 1], positions[v + 2]);
    let distance = 0;
    for (let r = 0; r < 3; r++) {
      const x = positions[v + r];
      distance += (x - other.positions[nearest + r]) * normals[nearest + r];
      low[r] = Math.min(low[r], x);
      high[r] = Math.max(high[r], x);
    }
    sum += distance * distance;
  }
  const peak = Math.hypot(...high.map((x, r) => x - low[r]));
  return 20 * Math.log10(peak) - 10 * Math.log10(sum / (positions.length / 3));
}
