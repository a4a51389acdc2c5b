// SPDX-License-Identifier: MIT
import { quaternionFromMatrix } from '../math/quaternion.ts';
import type { Asset, AssetRig, SkinnedModel } from './asset.ts';
import type { Clip } from './clip/clip.ts';
import type { NodeTree } from './skin/node-tree.ts';

/** Properties of a file that a clip or a model does not have. */
export interface MakeAssetOptions {
  /** Name of the asset. Default: the name of the clip or of the mesh. */
  name?: string;
  /** Metres per file unit. Default: unknown. */
  metresPerUnit?: number;
  /** The axis that points up. Default 'y'. */
  up?: Asset['up'];
}

/**
 * Makes an asset from a clip or from a skinned model, like one that was read from a file. Arrays are shared, not copied.
 * @example
 * ```ts
 * import { decompose, makeAsset, reduce } from 'ossify';
 *
 * const { model } = await decompose(clip, { bones: 40, influences: 8 });
 * const { skin } = await reduce(makeAsset(model), { influences: 4 });
 * ```
 */
export function makeAsset(content: Clip | SkinnedModel, options: MakeAssetOptions = {}): Asset {
  const { metresPerUnit, up = 'y' } = options;
  const { mesh } = content;
  const common = { mesh, metresPerUnit, up, byteLength: 0 };
  if (content.kind === 'clip') {
    const name = options.name ?? content.name;
    return { ...common, name, nodes: makeNodeTree(0), animations: [], clips: [content] };
  }
  const name = options.name ?? mesh.name;
  const animations = content.motions.map((motion) => ({
    name: motion.name,
    duration: motion.times.at(-1) ?? 0,
    tracks: [],
    motion,
  }));
  return { ...common, name, nodes: makeBoneNodes(content), rig: makeRig(content), animations, clips: [] };
}

/** Makes nodes without parents and with identity transforms. */
export function makeNodeTree(nodeCount: number): NodeTree {
  return {
    names: Array.from({ length: nodeCount }, () => ''),
    parents: new Int32Array(nodeCount).fill(-1),
    translations: new Float64Array(3 * nodeCount),
    rotations: Float64Array.from({ length: 4 * nodeCount }, (_, c) => (c % 4 === 3 ? 1 : 0)),
    scales: new Float64Array(3 * nodeCount).fill(1),
  };
}

function makeRig({ skeleton, skin }: SkinnedModel): AssetRig {
  const boneCount = skeleton.names.length;
  return {
    skeleton,
    skin,
    nodeOfBone: Int32Array.from({ length: boneCount }, (_, j) => j),
    isJoint: new Uint8Array(boneCount).fill(1),
  };
}

/** Makes a node per bone, at its bind pose in model space; shear of a bind matrix is dropped. */
function makeBoneNodes({ skeleton: { names, bindMatrices } }: SkinnedModel): NodeTree {
  const nodes = makeNodeTree(names.length);
  nodes.names = [...names];
  for (let j = 0; j < names.length; j++) {
    const m = bindMatrices.slice(16 * j, 16 * j + 16);
    nodes.translations.set(m.subarray(12, 15), 3 * j);
    for (let c = 0; c < 3; c++) {
      const length = Math.hypot(m[4 * c], m[4 * c + 1], m[4 * c + 2]);
      nodes.scales[3 * j + c] = length;
      for (let r = 0; r < 3; r++) m[4 * c + r] /= length || 1;
    }
    quaternionFromMatrix(m, nodes.rotations, 0, 4 * j);
  }
  return nodes;
}
