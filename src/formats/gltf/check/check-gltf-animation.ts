// SPDX-License-Identifier: MIT
import { FormatError } from '../../../core/model/errors.ts';
import {
  choiceField,
  fail,
  indexField,
  type JsonObject,
  listField,
  objectField,
  optionalIndex,
  optionalString,
} from '../../../deformers/layout/index.ts';
import type { GltfRepairs } from '../repair/gltf-repairs.ts';

const PATHS = ['translation', 'rotation', 'scale', 'weights', 'pointer'];
const INTERPOLATIONS = [undefined, 'LINEAR', 'STEP', 'CUBICSPLINE'];
const PATH_SIZE: Record<string, number> = { translation: 3, rotation: 4, scale: 3 };

/** Lists of the file that an animation refers to. */
interface AnimationContext {
  nodes: JsonObject[];
  /** By mesh: its number of morph targets. */
  targetCounts: number[];
  accessors: JsonObject[];
  repairs: GltfRepairs;
}

/** Checks an animation: types, indices and matching counts. Channels that cannot be played are removed with their samplers. Changed in place. */
export function checkGltfAnimation(animation: JsonObject, context: AnimationContext, where: string): void {
  const { accessors, repairs } = context;
  if (!repairs.passes('field', () => optionalString(animation.name, `${where}.name`))) delete animation.name;
  const samplers = listField(animation, 'samplers');
  const kept = listField(animation, 'channels').filter((channel, n) =>
    repairs.passes('channel', () => checkChannel(channel, samplers, context, `${where}.channels[${n}]`)),
  );
  const isUsable = samplers.map((sampler, n) =>
    canPass(() => checkSampler(sampler, accessors, `${where}.samplers[${n}]`)),
  );
  animation.channels = kept;
  if (isUsable.every(Boolean)) return;
  const placeOf = new Map<number, number>();
  animation.samplers = samplers.filter((_, n) => isUsable[n] && placeOf.set(n, placeOf.size));
  for (const channel of kept) channel.sampler = placeOf.get(channel.sampler as number);
}

/** Whether a sampler is sound. Channels of the others were reported. */
function canPass(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof FormatError) return false;
    throw error;
  }
}

/** Throws unless a sampler has times and values. */
function checkSampler(sampler: JsonObject, accessors: JsonObject[], place: string): void {
  const input = accessors[indexField(sampler.input, accessors.length, `${place}.input`, 'accessor')];
  indexField(sampler.output, accessors.length, `${place}.output`, 'accessor');
  choiceField(sampler.interpolation, INTERPOLATIONS, `${place}.interpolation`);
  if (input.type !== 'SCALAR' || input.componentType !== 5126)
    fail('syntax', `${place}.input must be times, single floats`);
}

/** Throws unless a channel has keys for a property of a node. */
function checkChannel(
  channel: JsonObject,
  samplers: JsonObject[],
  { nodes, targetCounts, accessors }: AnimationContext,
  place: string,
): void {
  const index = indexField(channel.sampler, samplers.length, `${place}.sampler`, 'sampler');
  const sampler = samplers[index];
  checkSampler(sampler, accessors, place.replace(/channels\[\d+\]$/, `samplers[${index}]`));
  const target = objectField(channel.target, `${place}.target`);
  optionalIndex(target.node, nodes.length, `${place}.target.node`, 'node');
  choiceField(target.path, PATHS, `${place}.target.path`);
  if (target.node === undefined || target.path === 'pointer') return;
  const mesh = nodes[target.node as number].mesh as number | undefined;
  const size = PATH_SIZE[target.path as string] ?? (mesh === undefined ? 0 : targetCounts[mesh]);
  if (size === 0) fail('mismatch', `${place} moves the morph weights of node ${target.node}, which has none`);
  const input = accessors[sampler.input as number];
  const output = accessors[sampler.output as number];
  const type = target.path === 'weights' ? 'SCALAR' : `VEC${size}`;
  if (output.type !== type) fail('syntax', `${place}: keys of ${target.path} must be ${type}, got ${output.type}`);
  const perKey = (target.path === 'weights' ? size : 1) * (sampler.interpolation === 'CUBICSPLINE' ? 3 : 1);
  if (output.count !== (input.count as number) * perKey)
    fail(
      'mismatch',
      `${place} has ${input.count} times, but ${output.count} values where ${(input.count as number) * perKey} are needed`,
    );
}
