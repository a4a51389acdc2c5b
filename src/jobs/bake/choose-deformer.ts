// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { Deformer } from '../../core/model/deformed/deformer.ts';
import type { DdmVariant } from '../../core/model/deformed/direct-delta-mush.ts';
import { InputError, UsageError } from '../../core/model/errors.ts';
import type { Mesh } from '../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../core/model/skin/skeleton.ts';
import type { Skin } from '../../core/model/skin/skin.ts';
import { makeCentersOfRotation, solveCentersOfRotation } from '../../deformers/centers-of-rotation/index.ts';
import { makeDeltaMush } from '../../deformers/delta-mush/index.ts';
import { makeDdm } from '../../deformers/direct-delta-mush/index.ts';
import { makeDualQuaternion } from '../../deformers/dual-quaternion/index.ts';
import { makeLinearBlend } from '../../deformers/linear-blend/index.ts';
import { makeMorphBlend, makeSwingTwist } from '../../deformers/rig-sources/index.ts';
import { boundedBiharmonicWeights, skinOfLayers, solveElasticWeights } from '../../methods/reduce/index.ts';
import { mush } from '../mush/index.ts';

/** Deformers that a rig can be played with. */
export const DEFORMER_NAMES = [
  'linear',
  'dual-quaternion',
  'centers-of-rotation',
  'delta-mush',
  'swing-twist',
  'ddm0',
  'ddm1',
  'ddm2',
  'ddm3',
  'ddm4',
  'ddm5',
] as const;
/** The name of a deformer. */
export type DeformerName = (typeof DEFORMER_NAMES)[number];

/** Where the weights come from: the file, elasticity-inspired, or bounded biharmonic with the vertices of one bone as handles. */
export const DEFORMER_WEIGHTS = ['own', 'elastic', 'biharmonic'] as const;
/** The origin of weights. */
export type DeformerWeights = (typeof DEFORMER_WEIGHTS)[number];

type Rig = NonNullable<Asset['rig']>;

/** Options of chooseDeformer. */
export interface ChooseDeformerOptions {
  /** Origin of the weights. Default 'own'. */
  weights?: DeformerWeights;
  /** Number of threads of Direct Delta Mush; 0: one per core. */
  threads?: number;
}

/** The variants of Direct Delta Mush by name. */
const DDM_VARIANTS: Readonly<Partial<Record<DeformerName, DdmVariant>>> = {
  ...{ ddm0: 0, ddm1: 1, ddm2: 2, ddm3: 3, ddm4: 4, ddm5: 5 },
};
/** Deformers that read the rest shape at each call, and so work after morph targets. */
const READS_REST: readonly DeformerName[] = ['linear', 'dual-quaternion', 'swing-twist'];
/** A vertex with a larger weight is a handle of its bone. */
const HANDLE_WEIGHT = 0.99;

/**
 * Makes a deformer of a rig by name, whatever model the file itself has. Morph targets come first, as in glTF. Throws an InputError if the asset has no
 * bones, and a UsageError if it has morph targets and the deformer is solved for one rest shape.
 * @example
 * ```ts
 * import { chooseDeformer } from 'ossify';
 * import { bakeAt } from 'ossify/deform';
 *
 * const deformer = await chooseDeformer(asset, 'dual-quaternion');
 * const frames = bakeAt(asset, asset.animations[0], clip.times, deformer);
 * ```
 */
export async function chooseDeformer(
  asset: Asset,
  name: DeformerName,
  options: ChooseDeformerOptions = {},
): Promise<Deformer> {
  const { rig, morphs } = asset;
  if (!rig) throw new InputError('deformer', 'the file has no bones; give a skinned file');
  if (morphs && !READS_REST.includes(name))
    throw new UsageError('--deformer', `${name} does not support morph targets; use ${READS_REST.join(', ')}`);
  const skin = asset.linearTwoLayer ? skinOfLayers(asset.linearTwoLayer) : rig.skin;
  const weights = chooseWeights(asset.mesh, rig.skeleton, skin, options.weights ?? 'own');
  const variant = DDM_VARIANTS[name];
  if (variant !== undefined) return makeMushed(asset, { ...rig, skin: weights.swing }, variant, options.threads);
  const make = (mesh: Mesh) => makePlain(mesh, rig.skeleton, name, weights);
  return morphs ? makeMorphBlend(asset.mesh, morphs, make) : make(asset.mesh);
}

/** Weights of the swing and of the twist of bones; they differ for elasticity-inspired weights only. */
interface ChosenWeights {
  swing: Skin;
  twist: Skin;
}

function makePlain(mesh: Mesh, skeleton: Skeleton, name: DeformerName, { swing, twist }: ChosenWeights): Deformer {
  const boneCount = skeleton.names.length;
  switch (name) {
    case 'dual-quaternion':
      return makeDualQuaternion(mesh, swing, boneCount);
    case 'centers-of-rotation':
      return makeCentersOfRotation(mesh, swing, boneCount, solveCentersOfRotation(mesh, swing));
    case 'delta-mush':
      return makeDeltaMush(makeLinearBlend(mesh, swing, boneCount), mesh);
    case 'swing-twist':
      return makeSwingTwist(mesh, skeleton, swing, { twist });
    default:
      return makeLinearBlend(mesh, swing, boneCount);
  }
}

/** The file's own Direct Delta Mush, if it has one and its weights are used, otherwise one with the defaults of mush. */
async function makeMushed(asset: Asset, rig: Rig, variant: DdmVariant, threads?: number): Promise<Deformer> {
  if (asset.ddm && rig.skin === asset.rig?.skin) return makeDdm(asset.ddm, variant);
  const plain = { ...asset, ddm: undefined, twoLayer: undefined, linearTwoLayer: undefined };
  const { full } = await mush({ ...plain, rig }, { variant, threads });
  return makeDdm(full, variant);
}

function chooseWeights(mesh: Mesh, skeleton: Skeleton, skin: Skin, weights: DeformerWeights): ChosenWeights {
  if (weights === 'own') return { swing: skin, twist: skin };
  if (weights === 'elastic') return solveElasticWeights(mesh, skeleton, skin);
  const handles = Int32Array.from({ length: mesh.positions.length / 3 }, (_, i) => {
    const first = skin.rowStart[i];
    return skin.weights[first] > HANDLE_WEIGHT ? skin.boneIndices[first] : -1;
  });
  const { skin: smooth } = boundedBiharmonicWeights(mesh, handles, skeleton.names.length);
  return { swing: smooth, twist: smooth };
}
