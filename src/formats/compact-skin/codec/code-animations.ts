// SPDX-License-Identifier: MIT
// Animations of a stream: names, key times and tracks. Key times at a constant rate are two numbers.

import type { FieldCoder } from '../entropy/field-coder.ts';
import { chooseReferences, type ReferenceNode } from './choose-references.ts';
import { type CodedNode, type CodedTrack, codeMotion, MOTION_ORDERS, MotionModels } from './code-motion.ts';
import type { CompactMotion, CompactSkin, CompactTracks } from './compact-skin.ts';

const KINDS = ['translation', 'rotation', 'numbers'] as const;
const SIZES = { translation: 3, rotation: 4, numbers: 3 };
const MAX_MOTIONS = 4096;
/** Memory of a number of a track while it is decoded and in the glTF that is made, bytes. */
const NUMBER_BYTES = 40;
const TRACKS_BYTES = 2000;
/** Encoder: numbers are rounded towards their prediction by this part of a step (samba: 0.1 saves 4 % of motion for 1 % of its error). */
const DEAD_ZONE = 0.1;
const MAX_STEP_POWER = 400;

/** A node as animations see it: at rest, and below which node. */
export interface AnimatedNode {
  parent: number;
  translation: readonly number[];
  rotation: readonly number[];
}

/** Codes animations. Nodes are those of the JSON and of the stream; an encoder and a decoder have the same. */
export function codeAnimations(
  fields: FieldCoder,
  nodes: readonly AnimatedNode[],
  given?: Pick<CompactSkin, 'animationNames' | 'motions'>,
): Pick<CompactSkin, 'animationNames' | 'motions'> {
  const nameCount = fields.count(given?.animationNames.length ?? 0, MAX_MOTIONS);
  const animationNames: string[] = [];
  for (let n = 0; n < nameCount; n++) animationNames.push(fields.name(given?.animationNames[n] ?? ''));
  const motionCount = nameCount === 0 ? 0 : fields.count(given?.motions.length ?? 0, MAX_MOTIONS);
  const models = new MotionModels();
  const motions: CompactMotion[] = [];
  for (let n = 0; n < motionCount; n++) {
    const motion = given?.motions[n];
    const animation = fields.count(motion?.animation ?? 0, nameCount - 1);
    const isStepped = fields.flag(motion?.isStepped ?? false, 8);
    const times = codeTimes(fields, motion?.times);
    const tracks = motion
      ? encodeTracks(fields, models, nodes, motion)
      : decodeTracks(fields, models, nodes, times.length);
    motions.push({ animation, isStepped, times, tracks });
  }
  return { animationNames, motions };
}

/** Codes key times. */
export function codeTimes(fields: FieldCoder, given?: Float32Array): Float32Array {
  const count = fields.count(given?.length ?? 0);
  fields.reserve(count * NUMBER_BYTES);
  const start = fields.float(given?.[0] ?? 0);
  const interval = fields.double(given ? findInterval(given) : 0);
  const times = Float32Array.from({ length: count }, (_, k) => start + k * interval);
  if (interval === 0) for (let k = 1; k < count; k++) times[k] = fields.float(given?.[k] ?? 0);
  return times;
}

/** The constant interval of key times; 0: there is none */
function findInterval(times: Float32Array): number {
  if (times.length < 2) return 1;
  const mean = (times[times.length - 1] - times[0]) / (times.length - 1);
  const candidates = [1 / Math.round(1 / mean), 1.001 / Math.round(1.001 / mean), mean];
  return candidates.find((one) => one > 0 && times.every((t, k) => t === Math.fround(times[0] + k * one))) ?? 0;
}

function encodeTracks(
  fields: FieldCoder,
  models: MotionModels,
  nodes: readonly AnimatedNode[],
  { tracks, times }: CompactMotion,
): CompactTracks[] {
  const keyCount = times.length;
  const given = tracks.map((own): ReferenceNode => {
    const make = (kind: (typeof KINDS)[number]): CodedTrack | undefined => {
      const values = own[kind];
      return values && { size: SIZES[kind], stepPower: own.steps[kind], values: Float64Array.from(values), order: 0 };
    };
    const { translation, rotation, parent } = nodes[own.node];
    const track = { translation: make('translation'), rotation: make('rotation'), numbers: make('numbers') };
    return { parent, restTranslation: translation, restRotation: rotation, reference: -1, ...track };
  });
  const { ordered, places, period } = chooseReferences(given, keyCount);
  const coded = codeHeaders(fields, nodes.length, keyCount, {
    period,
    nodes: ordered,
    indices: places.map((j) => tracks[j].node),
  });
  codeMotion(fields.coder, models, ordered, { keyCount, period, deadZone: DEAD_ZONE });
  return finishTracks(coded.indices, ordered);
}

function decodeTracks(
  fields: FieldCoder,
  models: MotionModels,
  nodes: readonly AnimatedNode[],
  keyCount: number,
): CompactTracks[] {
  const { indices, coded, period } = codeHeaders(fields, nodes.length, keyCount);
  const own = coded.map((node, n): CodedNode => {
    const { translation, rotation } = nodes[indices[n]];
    return { ...node, restTranslation: translation, restRotation: rotation };
  });
  codeMotion(fields.coder, models, own, { keyCount, period });
  return finishTracks(indices, own);
}

interface Headers {
  period: number;
  nodes: readonly CodedNode[];
  indices: readonly number[];
}

type NodeHeader = Omit<CodedNode, 'restTranslation' | 'restRotation'>;

/** Codes what moves, and how it is predicted. A decoder allocates the tracks. */
function codeHeaders(
  fields: FieldCoder,
  nodeCount: number,
  keyCount: number,
  given?: Headers,
): { period: number; indices: number[]; coded: NodeHeader[] } {
  const period = fields.count(given?.period ?? 0, keyCount);
  const count = fields.count(given?.nodes.length ?? 0, nodeCount);
  fields.reserve(count * (TRACKS_BYTES + keyCount * 7 * 8));
  const indices: number[] = [];
  const coded: NodeHeader[] = [];
  let last = -1;
  for (let n = 0; n < count; n++) {
    const own = given?.nodes[n];
    last += 1 + fields.integer((given?.indices[n] ?? 0) - last - 1);
    last = Math.max(0, Math.min(nodeCount - 1, last));
    indices.push(last);
    const reference = n === 0 ? -1 : fields.count((own?.reference ?? -1) + 1, n) - 1;
    const header: NodeHeader = { reference };
    KINDS.forEach((kind, at) => {
      if (!fields.flag(own?.[kind] !== undefined, 9 + at)) return;
      fields.reserve(keyCount * SIZES[kind] * NUMBER_BYTES);
      const before = coded.findLast((node) => node[kind])?.[kind]?.stepPower ?? 0;
      const stepPower = before + fields.integer((own?.[kind]?.stepPower ?? 0) - before);
      header[kind] = {
        ...{ size: SIZES[kind], stepPower: Math.max(-MAX_STEP_POWER, Math.min(MAX_STEP_POWER, stepPower)) },
        order: fields.count(own?.[kind]?.order ?? 0, MOTION_ORDERS - 1),
        values: new Float64Array(given ? 0 : keyCount * SIZES[kind]),
      };
    });
    coded.push(header);
  }
  return { period, indices, coded };
}

function finishTracks(indices: readonly number[], nodes: readonly CodedNode[]): CompactTracks[] {
  return nodes.map(({ translation, rotation, numbers }, n) => ({
    node: indices[n],
    ...(translation ? { translation: Float32Array.from(translation.values) } : {}),
    ...(rotation ? { rotation: Float32Array.from(rotation.values) } : {}),
    ...(numbers ? { numbers: Float32Array.from(numbers.values) } : {}),
    steps: {
      translation: translation?.stepPower ?? 0,
      rotation: rotation?.stepPower ?? 0,
      numbers: numbers?.stepPower ?? 0,
    },
  }));
}
