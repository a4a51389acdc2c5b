// SPDX-License-Identifier: MIT
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

const PATHS = ['translation', 'rotation', 'scale', 'weights', 'pointer'];
const INTERPOLATIONS = [undefined, 'LINEAR', 'STEP', 'CUBICSPLINE'];
const PATH_SIZE: Record<string, number> = { translation: 3, rotation: 4, scale: 3 };

/**
 * Checks an animation: types, indices and matching counts.
 * @param targetCounts by mesh
 */
export function checkGltfAnimation(
  animation: JsonObject,
  nodes: JsonObject[],
  targetCounts: number[],
  accessors: JsonObject[],
  where: string,
): void {
  optionalString(animation.name, `${where}.name`);
  const samplers = listField(animation, 'samplers');
  samplers.forEach((sampler, n) => {
    const place = `${where}.samplers[${n}]`;
    const input = accessors[indexField(sampler.input, accessors.length, `${place}.input`, 'accessor')];
    indexField(sampler.output, accessors.length, `${place}.output`, 'accessor');
    choiceField(sampler.interpolation, INTERPOLATIONS, `${place}.interpolation`);
    if (input.type !== 'SCALAR' || input.componentType !== 5126)
      fail('syntax', `${place}.input must be times, single floats`);
  });
  listField(animation, 'channels').forEach((channel, n) => {
    const place = `${where}.channels[${n}]`;
    const sampler = samplers[indexField(channel.sampler, samplers.length, `${place}.sampler`, 'sampler')];
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
  });
}
