// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { resolveNodePointersInto } from '../resolve-node-pointers.ts';

const channel = (pointer: unknown, extensions: object = {}) => ({
  sampler: 0,
  target: { path: 'pointer', extensions: { KHR_animation_pointer: { pointer }, ...extensions } },
});

describe('resolveNodePointersInto', () => {
  it('makes plain channels of pointers to the motion of nodes', () => {
    const json = {
      animations: [
        { channels: ['translation', 'rotation', 'scale', 'weights'].map((path) => channel(`/nodes/7/${path}`)) },
      ],
    };
    expect(resolveNodePointersInto(json)).toBe(4);
    expect(json.animations[0].channels.map(({ target }) => target)).toEqual(
      ['translation', 'rotation', 'scale', 'weights'].map((path) => ({ node: 7, path })),
    );
  });

  it('leaves other pointers, other extensions and damaged files as they are', () => {
    const others = ['/nodes/7/weights/0', '/materials/0/alphaCutoff', '/nodes/07/scale', 3, undefined].map((pointer) =>
      channel(pointer),
    );
    const json = { animations: [{ channels: others }] };
    const before = structuredClone(json);
    expect(resolveNodePointersInto(json)).toBe(0);
    expect(json).toEqual(before);
    const kept = { animations: [{ channels: [channel('/nodes/0/scale', { EXT_other: {} })] }] };
    resolveNodePointersInto(kept);
    expect(kept.animations[0].channels[0].target).toEqual({ node: 0, path: 'scale', extensions: { EXT_other: {} } });
    for (const broken of [null, 3, { animations: 3 }, { animations: [null, { channels: [null, { target: 3 }] }] }])
      expect(resolveNodePointersInto(broken)).toBe(0);
  });
});
