// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { groupFiles, joinClips } from '../group-files.ts';

const group = (...names: string[]) =>
  groupFiles(names.map((name) => ({ name }))).map((one) => one.map(({ name }) => name));

describe('files dropped together', () => {
  it.each([
    [
      ['a.glb', 'b.GLB'],
      [['a.glb'], ['b.GLB']],
    ],
    [['walk.pc2', 'walk.obj'], [['walk.obj', 'walk.pc2']]],
    [['f10.obj', 'f9.obj', 'f1.obj'], [['f1.obj', 'f9.obj', 'f10.obj']]],
    [['rig.gltf', 'rig.bin', 'skin.png'], [['rig.gltf', 'rig.bin', 'skin.png']]],
    [
      ['a.obj', 'a.pc2', 'b.obj', 'b.mdd'],
      [
        ['a.obj', 'a.pc2'],
        ['b.obj', 'b.mdd'],
      ],
    ],
    [['hero.glb', 'hero.mdd'], [['hero.glb', 'hero.mdd']]],
    [['lonely.pc2'], [['lonely.pc2']]],
    [['notes.txt'], [['notes.txt']]],
    [[], []],
  ])('%j are %j', (names, groups) => {
    expect(group(...names)).toEqual(groups);
  });
});

describe('clips dropped beside a character', () => {
  it('are animations of the first input that draws something, in any order', () => {
    expect(joinClips([['walk'], ['rig'], ['run'], ['prop']], [true, false, true, false])).toEqual([
      { files: ['rig', 'walk', 'run'], hasRest: true },
      { files: ['prop'], hasRest: false },
    ]);
  });

  it('are one input if nothing draws anything, and none if all do', () => {
    expect(joinClips([['walk'], ['run']], [true, true])).toEqual([{ files: ['walk', 'run'], hasRest: false }]);
    expect(joinClips([['a'], ['b']], [false, false]).map(({ files }) => files)).toEqual([['a'], ['b']]);
  });
});
