// SPDX-License-Identifier: MIT
// The range of motion of each joint, from which example poses of the compression are drawn (Le et al. 2021, §3.6 and §6).
import { InputError, UsageError } from '../../core/model/errors.ts';
import { boneCountOf, type Skeleton } from '../../core/model/skin/skeleton.ts';

/** Low and high ends. */
export type Range = readonly [number, number];

/** The range of one joint about its bind pose, in its own frame: R = Rx Ry Rz, angles and translations uniform and independent. */
export interface JointRange {
  /** Radians about x, y and z. */
  rotation: readonly [Range, Range, Range];
  /** File units along x, y and z. */
  translation: readonly [Range, Range, Range];
}

/** A range as written in a file or by a caller: a number n for -n to n, a pair for low and high, or three of either for x, y and z. */
export type RangeWords = number | Range | readonly [number | Range, number | Range, number | Range];

/** Ranges of one joint as written in a file or by a caller. */
export interface JointRangeWords {
  /** Degrees. */
  rotation?: RangeWords;
  /** File units. */
  translation?: RangeWords;
}

/** By bone name: the range of rotation in degrees, or both ranges. '*' applies to all other bones. */
export type RangeTable = Readonly<Record<string, RangeWords | JointRangeWords>>;

/** The paper's ranges of hips and spine, and of all others, degrees. */
const TRUNK_DEGREES = 30;
const LIMB_DEGREES = 120;
/** Translation range of bones without parent and children if there are several, relative to the model's height. Not tuned. */
const LOOSE_TRANSLATION = 0.1;
/** Names of the trunk, without a side: mixamorig:Hips, spine_02, Pelvis … but not LeftHip. */
const TRUNK =
  /^(?:.*[:|])?(?:(?:def|bip\d*|b|bn|j|jnt|c)[-_. ]?)?(?:hips?|pelvis|spine|chest|torso|abdomen|waist|root)[-_. ]?\d*$/i;

/**
 * The ranges of Le et al. 2021: hips, spine and roots ±30°, all others ±120°; translations only for loose bones.
 * @param height height of the model in its rest pose, file units
 * @param limbs half range of bones that are neither trunk nor root, degrees
 * @example
 * ```ts
 * import { defaultRanges, makeDdmCompressor } from 'ossify';
 *
 * const ranges = defaultRanges(skeleton, 1.8);
 * ranges[skeleton.names.indexOf('Head')] = { ...ranges[0], rotation: [[-0.5, 0.5], [-1, 1], [-0.5, 0.5]] };
 * ```
 */
export function defaultRanges(skeleton: Skeleton, height: number, limbs = LIMB_DEGREES): JointRange[] {
  const { parents } = skeleton;
  const hasChild = new Uint8Array(parents.length);
  let rootCount = 0;
  for (const parent of parents) {
    if (parent >= 0) hasChild[parent] = 1;
    else rootCount++;
  }
  return skeleton.names.map((name, j) => {
    const isRoot = parents[j] < 0;
    const isLoose = isRoot && hasChild[j] === 0 && rootCount > 1;
    const isTrunk = TRUNK.test(name) || (isRoot && !isLoose);
    return {
      rotation: triple(symmetric((isTrunk ? TRUNK_DEGREES : limbs) * (Math.PI / 180))),
      translation: triple(symmetric(isLoose ? LOOSE_TRANSLATION * height : 0)),
    };
  });
}

/**
 * Ranges from a table such as a JSON file holds; bones that are not in the table, without '*', keep the defaults. Throws on invalid tables.
 * @param limbs as in defaultRanges
 */
export function readRanges(table: unknown, skeleton: Skeleton, height: number, limbs?: number): JointRange[] {
  if (typeof table !== 'object' || table === null || Array.isArray(table))
    throw new InputError('ranges of motion', 'expected an object with a range per bone name');
  const words = table as Record<string, unknown>;
  const known = new Set(skeleton.names);
  for (const name of Object.keys(words)) {
    if (name !== '*' && !known.has(name))
      throw new InputError('ranges of motion', `there is no bone "${name}"; the first bone is "${skeleton.names[0]}"`);
  }
  const ranges = defaultRanges(skeleton, height, limbs);
  for (let j = 0; j < boneCountOf(skeleton); j++) {
    const name = skeleton.names[j];
    const given = Object.hasOwn(words, name) ? words[name] : words['*'];
    if (given === undefined) continue;
    const isPair = typeof given === 'object' && given !== null && !Array.isArray(given);
    const { rotation, translation } = (isPair ? given : { rotation: given }) as Record<string, unknown>;
    if (isPair) {
      for (const key of Object.keys(given)) {
        if (key !== 'rotation' && key !== 'translation')
          throw new InputError(
            'ranges of motion',
            `bone "${name}" has "${key}"; only rotation and translation are allowed`,
          );
      }
    }
    ranges[j] = {
      rotation: rotation === undefined ? ranges[j].rotation : readTriple(rotation, `${name}: rotation`, Math.PI / 180),
      translation:
        translation === undefined ? ranges[j].translation : readTriple(translation, `${name}: translation`, 1),
    };
    for (const [low, high] of ranges[j].rotation) {
      if (high - low > 2 * Math.PI + 1e-9 || low < -2 * Math.PI - 1e-9 || high > 2 * Math.PI + 1e-9)
        throw new InputError(
          'ranges of motion',
          `the rotation of bone "${name}" goes beyond a full turn; angles are in degrees`,
        );
    }
  }
  return ranges;
}

/** Ranges scaled by a ratio, about the same bind pose. */
export function scaleRanges(ranges: readonly JointRange[], ratio: number): JointRange[] {
  const scale = ([low, high]: Range): Range => [ratio * low, ratio * high];
  return ranges.map(({ rotation, translation }) => ({
    rotation: [scale(rotation[0]), scale(rotation[1]), scale(rotation[2])],
    translation: [scale(translation[0]), scale(translation[1]), scale(translation[2])],
  }));
}

function symmetric(half: number): Range {
  return [-half, half];
}

function triple(range: Range): [Range, Range, Range] {
  return [range, range, range];
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function readRange(value: unknown, what: string, unit: number): Range {
  if (isNumber(value) && value >= 0) return symmetric(value * unit);
  if (Array.isArray(value) && value.length === 2 && value.every(isNumber) && value[0] <= value[1])
    return [value[0] * unit, value[1] * unit];
  throw new UsageError(
    'ranges of motion',
    `${what} must be a number of at least 0 or a rising pair, got ${JSON.stringify(value)}`,
  );
}

function readTriple(value: unknown, what: string, unit: number): [Range, Range, Range] {
  if (Array.isArray(value) && value.length === 3)
    return [readRange(value[0], what, unit), readRange(value[1], what, unit), readRange(value[2], what, unit)];
  return triple(readRange(value, what, unit));
}
