// SPDX-License-Identifier: MIT
import { type Document, type Skin as GltfSkin, type Node, Primitive } from '@gltf-transform/core';
import { label } from '../../../../deformers/layout/index.ts';
import type { GltfNodes } from '../../read/read-gltf-nodes.ts';
import { indexIn, meshOf } from '../gltf-graph.ts';

/** One drawn primitive of triangles: a primitive drawn by two nodes is two pieces. Each becomes a part of the mesh. */
export interface GltfPiece {
  node: Node;
  primitive: Primitive;
  /** The skin, if vertices follow joints. */
  skin?: GltfSkin;
  /** First vertex in the joined mesh. */
  vertexStart: number;
  vertexCount: number;
  /** Number of JOINTS_n and WEIGHTS_n pairs; 0 without skin. */
  influenceSets: number;
  /** Name of the part. */
  name: string;
  /** Name of the mesh in messages. */
  label: string;
}

/** Lists the drawn triangle primitives of a document, in the order of the mesh's parts. Points and lines are ignored, with a warning. */
export function listGltfPieces(document: Document, nodes: GltfNodes, log?: (message: string) => void): GltfPiece[] {
  const pieces: GltfPiece[] = [];
  const meshIndex = new Map(
    document
      .getRoot()
      .listMeshes()
      .map((mesh, m) => [mesh, m]),
  );
  let vertexStart = 0;
  let leftOut = 0;
  for (const node of nodes.drawn) {
    const mesh = meshOf(node);
    const skin = node.getSkin() ?? undefined;
    const index = indexIn(meshIndex, mesh);
    const primitives = mesh.listPrimitives();
    const name = node.getName() || mesh.getName() || `mesh ${index}`;
    primitives.forEach((primitive, p) => {
      const positions = primitive.getAttribute('POSITION');
      if (primitive.getMode() < Primitive.Mode.TRIANGLES || !positions) {
        leftOut++;
        return;
      }
      const influenceSets = skin ? countInfluenceSets(primitive) : 0;
      if (skin && influenceSets === 0)
        log?.(`a primitive of mesh ${index} has a skin but no weights; it is taken as rigid`);
      const vertexCount = positions.getCount();
      pieces.push({
        node,
        primitive,
        skin: influenceSets > 0 ? skin : undefined,
        vertexStart,
        vertexCount,
        influenceSets,
        name: primitives.length > 1 ? `${name} ${p}` : name,
        label: label(mesh.getName(), index),
      });
      vertexStart += vertexCount;
    });
  }
  if (leftOut > 0) log?.(`${leftOut} primitives that draw points or lines, or nothing, were left out`);
  return pieces;
}

/** Number of vertices of all pieces. */
export function vertexCountOfPieces(pieces: readonly GltfPiece[]): number {
  const last = pieces[pieces.length - 1];
  return last.vertexStart + last.vertexCount;
}

function countInfluenceSets(primitive: Primitive): number {
  let sets = 0;
  while (primitive.getAttribute(`JOINTS_${sets}`) && primitive.getAttribute(`WEIGHTS_${sets}`)) sets++;
  return sets;
}
