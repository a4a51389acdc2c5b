// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { groupFiles } from './group-files.ts';

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
