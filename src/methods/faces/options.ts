// SPDX-License-Identifier: MIT

import { TRANSFORM_KINDS, type TransformKind } from '../../core/kernels/bones/bone-sweep.ts';
import { UsageError } from '../../core/model/errors.ts';
import { choice, count, group, notNegative, type OptionsOf, option, positive } from '../../core/options/option.ts';
import { EXAMPLE_KINDS, type FaceShapes } from './shape-examples.ts';

/** Number of bones if neither a number nor a maximum error is given. */
export const FACE_BONES = 40;

/** Options of the conversion of morph targets to driven bones. */
export const FACE_OPTIONS = {
  ...group('Shape options (for morph targets):', {
    /** Number of bones. Default: 40, or with maxError the fewest of 5, 10, 20, 40 … 320 that meet it. */
    bones: option(count(1, 1024), `number of bones (default: ${FACE_BONES} without --max-error)`, {
      form: { label: 'Bones', note: 'For morph targets: number of bones.', range: [1, 200, 1] },
    }),
    /** Maximum number of non-zeros of the drivers; 0: no limit. */
    nonzeros: option(count(0, 10_000_000), 'maximum number of non-zeros of the drivers; 0: no limit', { default: 0 }),
    /** Poses that the fit is for: every shape alone, the animations, or both. */
    examples: option(
      choice(EXAMPLE_KINDS, '<poses>'),
      'poses of the fit: every shape alone, the animations of the file, or both',
      { default: 'shapes' },
    ),
    /** Number of shapes that remain as morph targets: those with the largest errors. */
    keepShapes: option(count(0), 'number of shapes that remain as morph targets', { default: 0 }),
    /** Shapes with a larger maximum error remain as morph targets, file units. */
    keepError: option(positive('<length>'), 'maximum error of shapes that do not remain as morph targets'),
    /** Maximum number of products of two weights as further terms, for 'rigid' and 'similarity': pairs that the animations use. */
    pairs: option(
      count(0, 10_000),
      'with rigid or similarity transforms: maximum number of products of two weights as further terms, for pairs that the animations use',
      { default: 0 },
    ),
    /** Maximum number of weights per vertex. */
    influences: option(count(1, 64), 'maximum bones per vertex', { default: 4 }),
    /** Transformations of bones. Drivers of 'affine' bones are exact for mixtures of shapes; those of 'rigid' and 'similarity' bones are linear in rotation vectors. Default: 'affine', or 'similarity' under the joints of a skin. */
    transforms: option(choice(TRANSFORM_KINDS, '<kind>'), 'transforms of bones'),
  }),
  ...group('Common options:', {
    /** Random seed. */
    seed: option(count(0, 2 ** 32 - 1), 'random seed', { default: 0 }),
    /** Time limit of the search for bones in seconds; the best result so far is used. 0: no limit. */
    time: option(notNegative('<seconds>'), 'time limit in seconds; 0: no limit', { default: 0 }),
  }),
};

/** All options of the conversion of morph targets. */
export type FaceOptions = OptionsOf<typeof FACE_OPTIONS>;

/** The transforms of the bones if none are given. */
export function defaultTransforms({ rig }: FaceShapes): TransformKind {
  return rig ? 'similarity' : 'affine';
}

/** The transforms of the bones: affine bones are two nodes below the root, so they would not follow the joints of a skin. */
export function transformsOf({ transforms }: Pick<FaceOptions, 'transforms'>, shapes: FaceShapes): TransformKind {
  if (shapes.rig && transforms === 'affine')
    throw new UsageError('--transforms', 'bones under the joints of a skin must be rigid or similarity, not affine');
  return transforms ?? defaultTransforms(shapes);
}

/** Throws a UsageError where options are invalid. */
export function checkFaceOptions(o: FaceOptions): void {
  const checkWhole = (name: 'bones' | 'influences' | 'nonzeros' | 'pairs' | 'keepShapes', min: number): void => {
    const value = o[name];
    if (value !== undefined && !(Number.isInteger(value) && value >= min))
      throw new UsageError('convert', `${name} must be a whole number, at least ${min}, got ${value}`);
  };
  checkWhole('bones', 1);
  checkWhole('influences', 1);
  checkWhole('nonzeros', 0);
  checkWhole('pairs', 0);
  checkWhole('keepShapes', 0);
  if (o.transforms !== undefined && !TRANSFORM_KINDS.includes(o.transforms))
    throw new UsageError('convert', `transforms must be ${TRANSFORM_KINDS.join(', ')}, got ${o.transforms}`);
  if (!EXAMPLE_KINDS.includes(o.examples))
    throw new UsageError('convert', `examples must be ${EXAMPLE_KINDS.join(', ')}, got ${o.examples}`);
  if (o.keepError !== undefined && !(o.keepError > 0 && Number.isFinite(o.keepError)))
    throw new UsageError('convert', `keepError must be a length above zero, got ${o.keepError}`);
}
