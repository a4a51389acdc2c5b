// SPDX-License-Identifier: MIT
import type { Document, Skin as GltfSkin, Node } from '@gltf-transform/core';
import { DDM_EXTENSION, DDM_EXTENSION_VERSIONS } from '../../../../deformers/direct-delta-mush/index.ts';
import { BLEND_EXTENSION, BLEND_EXTENSION_VERSION } from '../../../../deformers/dual-quaternion/index.ts';
import { HELPER_EXTENSION } from '../../../../deformers/helper-bones/index.ts';
import { TWO_LAYER_EXTENSION, TWO_LAYER_EXTENSION_VERSION } from '../../../../deformers/two-layer/index.ts';
import type { GltfArrays } from '../../extensions/gltf-arrays-extension.ts';
import type { GltfHelper, HelperInput } from '../../extensions/gltf-helper-extension.ts';
import { integersOf } from '../read-accessor.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';

const VERSIONS: readonly (readonly [name: string, versions: readonly number[]])[] = [
  [DDM_EXTENSION, DDM_EXTENSION_VERSIONS],
  [TWO_LAYER_EXTENSION, [TWO_LAYER_EXTENSION_VERSION]],
  [BLEND_EXTENSION, [BLEND_EXTENSION_VERSION]],
];

/** By skin, joints that are used without weights: by extensions of its pieces, or by controllers. */
export function listNamedJoints(document: Document, pieces: readonly GltfPiece[]): Map<GltfSkin, Set<number>> {
  const named = new Map<GltfSkin, Set<number>>();
  const setOf = (skin: GltfSkin): Set<number> => {
    const set = named.get(skin) ?? new Set<number>();
    named.set(skin, set);
    return set;
  };
  for (const { skin, primitive } of pieces) {
    if (!skin) continue;
    for (const [name, versions] of VERSIONS) {
      const property = primitive.getExtension<GltfArrays>(name);
      for (const field of ['joints', 'normalJoints']) {
        const joints = property?.getAccessor(field);
        const { version = 0 } = (property?.getFacts() ?? {}) as { version?: number };
        if (!joints || !versions.includes(version)) continue;
        const set = setOf(skin);
        for (const joint of integersOf(joints)) set.add(joint);
      }
    }
  }
  const read = listReadNodes(document);
  if (read.size === 0) return named;
  for (const skin of document.getRoot().listSkins())
    skin.listJoints().forEach((node, joint) => {
      if (read.has(node)) setOf(skin).add(joint);
    });
  return named;
}

function listReadNodes(document: Document): Set<Node> {
  const read = new Set<Node>();
  for (const node of document.getRoot().listNodes()) {
    const property = node.getExtension<GltfHelper>(HELPER_EXTENSION);
    if (!property) continue;
    read.add(node);
    const { inputs } = (property.getFacts() ?? {}) as { inputs?: HelperInput[] };
    for (let n = 0; Array.isArray(inputs) && n < inputs.length; n++) {
      const input = property.getNode(n, 'node');
      if (input) read.add(input);
    }
  }
  return read;
}
