// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeAsset } from '../../make-asset.ts';
import { makeMesh } from '../../mesh/mesh.ts';
import type { Animation } from '../animation.ts';
import { makeTimes } from '../clip.ts';
import { joinAnimations } from '../join-animations.ts';

const mesh = makeMesh(new Float32Array(9), Uint32Array.of(0, 1, 2));
const still = makeAsset({ kind: 'clip', name: 'scene', mesh, positions: mesh.positions, times: makeTimes(1, 24) });

/** An animation that moves some nodes. */
function move(name: string, nodes: number[], duration = 2, start = 0): Animation {
  const tracks = nodes.map((node) => ({
    node,
    path: 'translation' as const,
    interpolation: 'LINEAR' as const,
    times: Float32Array.of(start, duration),
    values: Float32Array.of(0, 0, 0, node, 0, 0),
  }));
  return { name, duration, tracks };
}

function join(animations: Animation[], together?: 'auto' | 'yes' | 'no') {
  const notes: string[] = [];
  const joined = joinAnimations({ ...still, clips: [], animations }, together, (note) => notes.push(note));
  return { names: joined.animations.map(({ name, tracks }) => `${name}: ${tracks.map(({ node }) => node)}`), notes };
}

describe('joinAnimations', () => {
  it('joins an animation per object over the same time, with a note', () => {
    const { names, notes } = join([move('CubeAction', [0]), move('CubeAction.001', [1]), move('KeyAction', [2])]);
    expect(names).toEqual(['scene: 0,1,2']);
    expect(notes).toEqual([expect.stringMatching(/its 3 animations are played as one.*--together no/)]);
  });

  it('joins animations of one name that move different nodes', () => {
    const { names } = join([move('walk', [0, 1]), move('run', [0, 1], 1), move('walk', [2]), move('run', [2], 1)]);
    expect(names).toEqual(['walk: 0,1,2', 'run: 0,1,2']);
  });

  it('keeps animations of the same nodes, or of other ranges, apart', () => {
    expect(join([move('walk', [0, 1]), move('run', [1, 2])])).toEqual({ names: ['walk: 0,1', 'run: 1,2'], notes: [] });
    expect(join([move('door', [0]), move('window', [1], 3)]).names).toHaveLength(2);
    expect(join([move('door', [0]), move('window', [1], 2, 1)]).names).toHaveLength(2);
    expect(join([move('', [0]), move('', [1], 1)]).names).toHaveLength(2);
  });

  it('joins all or none on request', () => {
    expect(join([move('a', [0]), move('b', [0, 1], 3)], 'yes').names).toEqual(['scene: 0,1']);
    expect(join([move('a', [0]), move('b', [1])], 'no')).toEqual({ names: ['a: 0', 'b: 1'], notes: [] });
  });
});
