// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { GltfNodes } from './read-gltf-nodes.ts';

/** One drawn primitive of triangles: a primitive drawn by two nodes is two pieces. Each becomes a part of the mesh. */
export interface GltfPiece {
  /** Index of the node in the file. */
  node: number;
  mesh: number;
  primitive: number;
  /** Index of the skin in the file, where vertices follow joints. */
  skin?: number;
  /** First vertex in the joined mesh. */
  vertexStart: number;
  vertexCount: number;
  /** Number of JOINTS_n and WEIGHTS_n pairs; 0 without skin. */
  influenceSets: number;
}

const TRIANGLES = 4;

/** Lists what a file draws as triangles, in the order of the mesh's parts. Points and lines are left out with a note. */
export function listGltfPieces(json: GLTF.IGLTF, nodes: GltfNodes, log?: (message: string) => void): GltfPiece[] {
  const pieces: GltfPiece[] = [];
  let vertexStart = 0;
  let leftOut = 0;
  for (const node of nodes.drawn) {
    const { mesh, skin } = json.nodes![node];
    json.meshes![mesh!].primitives.forEach(({ attributes, mode }, primitive) => {
      if ((mode ?? TRIANGLES) < TRIANGLES || attributes.POSITION === undefined) {
        leftOut++;
        return;
      }
      const vertexCount = json.accessors![attributes.POSITION].count;
      const influenceSets = skin === undefined ? 0 : countInfluenceSets(attributes);
      if (skin !== undefined && influenceSets === 0)
        log?.(`a primitive of mesh ${mesh} has a skin but no weights; it is taken as rigid`);
      pieces.push({
        node,
        mesh: mesh!,
        primitive,
        skin: influenceSets > 0 ? skin : undefined,
        vertexStart,
        vertexCount,
        influenceSets,
      });
      vertexStart += vertexCount;
    });
  }
  if (leftOut > 0) log?.(`${leftOut} primitives that draw points or lines, or nothing, were left out`);
  return pieces;
}

function countInfluenceSets(attributes: Record<string, number>): number {
  let sets = 0;
  while (attributes[`JOINTS_${sets}`] !== undefined && attributes[`WEIGHTS_${sets}`] !== undefined) sets++;
  return sets;
}
