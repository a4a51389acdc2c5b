// SPDX-License-Identifier: MIT
import { BufferAttribute, BufferGeometry, Vector3 } from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import type { PlayedScene } from '../players/played-scene.ts';

/** Largest distance between two surfaces: of the corners of either from the other. Triangles with a position that is no number are not drawn. */
export function measureSurfaces(source: PlayedScene, result: PlayedScene, a: Float64Array, b: Float64Array): number {
  const [left, right] = [keepDrawn(listTriangles(source), a), keepDrawn(listTriangles(result), b)];
  return Math.max(measureFrom(a, left, b, right), measureFrom(b, right, a, left));
}

function listTriangles({ parts }: PlayedScene): number[] {
  let start = 0;
  return parts.flatMap(({ corners, vertexCount }) => {
    const own = Array.from(corners, (corner) => corner + start);
    start += vertexCount;
    return own;
  });
}

const keepDrawn = (corners: readonly number[], shape: Float64Array): number[] =>
  corners.filter((_, c) => {
    const first = c - (c % 3);
    return [0, 1, 2].every((n) => !Number.isNaN(shape[3 * corners[first + n]]));
  });

function measureFrom(points: Float64Array, corners: readonly number[], shape: Float64Array, index: number[]): number {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(shape), 3)).setIndex(index);
  const tree = new MeshBVH(geometry);
  const point = new Vector3();
  let worst = 0;
  for (const corner of new Set(corners)) {
    const hit = tree.closestPointToPoint(point.fromArray(points, 3 * corner));
    worst = Math.max(worst, hit?.distance ?? Infinity);
  }
  return worst;
}
