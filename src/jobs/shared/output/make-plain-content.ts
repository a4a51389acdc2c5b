// SPDX-License-Identifier: MIT

import { makeIdentities } from '../../../core/math/mat4.ts';
import type { Asset, SkinnedModel } from '../../../core/model/asset.ts';
import type { Motion } from '../../../core/model/clip/motion.ts';
import type { ConvertedRig } from '../../../core/model/deformed/helper-bones.ts';
import type { Morphs, SkinnedMorphs } from '../../../core/model/deformed/morphs.ts';
import { makeLooseSkeleton } from '../../../core/model/skin/skeleton.ts';
import type { Skin } from '../../../core/model/skin/skin.ts';
import { addHelperMotion, listFrameTimes, sampleAnimation } from '../../../deformers/playback/index.ts';
import type { FbxContent } from '../../../formats/fbx/index.ts';
import type { GlbContent, SkinContent } from '../../../formats/gltf/index.ts';

/** Of a frame: the matrix of a bone, and its keys. */
const BYTES_PER_BONE = 256;

/** Options of makePlainContent. */
export interface PlainContentOptions {
  /** Frames per second at which animations are sampled. Default: the rate of their keys. */
  fps?: number;
  /** Receives a sentence about everything that a plain skin cannot hold. */
  log?: (message: string) => void;
}

/**
 * Makes what formats without extensions can hold of some content: clips stay clips, everything else becomes bones, weights, a motion per
 * animation and morph targets. What was more than a plain skin is named in one sentence.
 * @example
 * ```ts
 * import { makePlainContent, writeFbx } from 'ossify';
 *
 * const bytes = writeFbx(asset, makePlainContent(asset, { kind: 'clip' }, { log: console.warn }));
 * ```
 */
export function makePlainContent(asset: Asset, content: GlbContent, options: PlainContentOptions = {}): FbxContent {
  const { log } = options;
  switch (content.kind) {
    case 'skin':
      return content;
    case 'static':
      return { kind: 'clip' };
    case 'clip':
    case 'shape':
    case 'levels':
    case 'light':
    case 'eliminated':
      if (asset.clips.length > 0 || (!asset.rig && asset.animations.length === 0)) return { kind: 'clip' };
      noteRicher(asset, log);
      return sampleContent(asset, asset.rig?.skin, options);
    case 'converted':
      log?.('the controllers of helper bones need OSSIFY_helper_bones, which only glTF holds: their keys are written');
      return sampleConverted(asset, content, options);
    case 'weights':
      if (content.layers)
        log?.('two-layer weights need OSSIFY_two_layer_skin, which only glTF holds: the plain skin is written');
      return sampleContent(asset, content.skin, options);
    case 'delta-mush':
    case 'two-layer':
      log?.('Direct Delta Mush needs an OSSIFY extension, which only glTF holds: the plain skin is written');
      return sampleContent(asset, content.skin ?? asset.rig?.skin, options);
  }
}

function noteRicher(asset: Asset, log?: (message: string) => void): void {
  if (
    asset.ddm ??
    asset.twoLayer ??
    asset.linearTwoLayer ??
    asset.helpers ??
    asset.blend ??
    asset.correction ??
    asset.light
  )
    log?.('the OSSIFY extensions of the file are not written, since only glTF holds them: the plain skin is written');
}

/** The bones and morph targets of an asset over its animations. Without bones, one that stays carries everything. */
function sampleContent(asset: Asset, skin: Skin | undefined, { fps }: PlainContentOptions): SkinContent {
  const { mesh, rig, morphs, animations } = asset;
  const vertexCount = mesh.positions.length / 3;
  const skeleton = rig?.skeleton ?? makeLooseSkeleton(1, [mesh.name || 'root']);
  const sampled = animations.map((animation) => {
    const times = listFrameTimes(animation, { fps, bytesPerFrame: BYTES_PER_BONE * skeleton.names.length });
    return { ...sampleAnimation(asset, animation, times), name: animation.name };
  });
  const motions = sampled.map(({ motion, name }): Motion => {
    if (rig) return { ...motion, name };
    return { name, times: motion.times, matrices: makeIdentities(motion.times.length) };
  });
  const model: SkinnedModel = {
    kind: 'skin',
    mesh,
    skeleton,
    skin: skin ?? {
      rowStart: Uint32Array.from({ length: vertexCount + 1 }, (_, i) => i),
      boneIndices: new Uint32Array(vertexCount),
      weights: new Float32Array(vertexCount).fill(1),
    },
    motions,
  };
  if (!morphs) return { kind: 'skin', model };
  return {
    kind: 'skin',
    model,
    morphs: joinTargets(
      morphs,
      sampled.map(({ morphWeights }) => morphWeights),
    ),
  };
}

/** Targets with one weight, listed once per part, as one target of all these parts. weights: per motion, frameCount x targetCount */
function joinTargets(morphs: Morphs, weights: Float32Array[]): SkinnedMorphs {
  const groups = new Map<string, number[]>();
  morphs.targets.forEach(({ node, weight }, t) => {
    const key = `${node} ${weight}`;
    groups.set(key, [...(groups.get(key) ?? []), t]);
  });
  const lists = [...groups.values()];
  const targets = lists.map((list) => {
    const parts = list.map((t) => morphs.targets[t]);
    const vertexStart = Math.min(...parts.map((part) => part.vertexStart));
    const vertexEnd = Math.max(...parts.map((part) => part.vertexStart + part.vertexCount));
    const positions = new Float32Array(3 * (vertexEnd - vertexStart));
    for (const part of parts) positions.set(part.positions, 3 * (part.vertexStart - vertexStart));
    const { name, node, weight } = parts[0];
    return { name, node, weight, vertexStart, vertexCount: vertexEnd - vertexStart, positions };
  });
  const targetCount = morphs.targets.length;
  const picked = weights.map((all) =>
    Float32Array.from({ length: (all.length / targetCount) * lists.length }, (_, at) => {
      const [first] = lists[at % lists.length];
      return all[Math.floor(at / lists.length) * targetCount + first];
    }),
  );
  return { morphs: { targets, restWeights: morphs.restWeights }, weights: picked };
}

/** A converted rig over the animations of its asset: joints as the asset moves them, helpers by their controllers. */
function sampleConverted(
  asset: Asset,
  { model, bones, dropMorphs }: ConvertedRig,
  { fps }: PlainContentOptions,
): SkinContent {
  const { skeleton, skin, mesh, controllers } = model;
  // helpers are the last bones
  const jointCount = skeleton.names.length - controllers.length;
  const sourceCount = asset.rig?.skeleton.names.length ?? 0;
  const weights: Float32Array[] = [];
  const motions = asset.animations.map((animation): Motion => {
    const times = listFrameTimes(animation, { fps });
    const { motion, morphWeights } = sampleAnimation(asset, animation, times);
    weights.push(morphWeights);
    const matrices = new Float64Array(16 * times.length * jointCount);
    for (let k = 0; k < times.length; k++) {
      for (let j = 0; j < jointCount; j++) {
        const from = 16 * (k * sourceCount + bones[j]);
        matrices.set(motion.matrices.subarray(from, from + 16), 16 * (k * jointCount + j));
      }
    }
    return addHelperMotion(model, { name: animation.name, times, matrices });
  });
  const skinned: SkinnedModel = { kind: 'skin', mesh, skeleton, skin, motions };
  if (!asset.morphs || dropMorphs) return { kind: 'skin', model: skinned };
  return { kind: 'skin', model: skinned, morphs: joinTargets(asset.morphs, weights) };
}
