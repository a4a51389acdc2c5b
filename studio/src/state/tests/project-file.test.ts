// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { type Project, packProject, unpackProject } from '../project-file.ts';

const project: Project = {
  name: 'walk',
  time: 5,
  state: { view: 'side', gain: 20 },
  camera: [1, 2, 3, 0, 0, 0],
  poses: [{ name: 'wave', bones: [1, 0], morphs: [] }],
  versions: [
    {
      ...{ id: 3, parent: -1, title: 'walk.obj', fileName: 'walk.obj', readOptions: { fps: 30 } },
      files: [
        { name: 'walk.obj', bytes: Uint8Array.of(1, 2, 3) },
        { name: 'walk.pc2', bytes: new Uint8Array(0) },
      ],
    },
    {
      ...{ id: 4, parent: 3, title: 'Zwölf', fileName: 'a.glb', readOptions: {}, job: 'decompose' },
      files: [{ name: 'a.glb', bytes: Uint8Array.of(9) }],
    },
  ],
};

describe('a project file', () => {
  it('holds versions, their files, the view and the poses', () => {
    expect(unpackProject(packProject(project))).toEqual(project);
  });

  it.each([
    [new Uint8Array(0), /first bytes/],
    [new TextEncoder().encode('OSSIFY-PROJECT-1'), /cut off/],
    [packProject(project).subarray(0, 60), /cut off/],
    [packProject(project).subarray(0, -1), /cut off/],
  ])('that is damaged is refused', (bytes, fault) => {
    expect(() => unpackProject(bytes)).toThrow(fault);
  });
});
