// SPDX-License-Identifier: MIT
// The matrix: which commands run on which characters, and what they write.
import type { Character, CharacterKind } from '../characters/character.ts';
import type { Cell } from './cell.ts';

interface Column {
  /** Name in the table. */
  name: string;
  command: string;
  options: readonly string[];
  outputs: readonly string[];
  kinds: readonly CharacterKind[];
  surfaces?: boolean;
  isSampled?: boolean;
  isFirstOnly?: boolean;
  before?: readonly string[];
}

const SCENES = ['glb', 'fbx', 'usda', 'usdz'];
const FILES = ['glb', 'fbx', 'usda'];
const MOVING: CharacterKind[] = ['skinned', 'rigid', 'morphing', 'cache'];
const RIGS: CharacterKind[] = ['skinned', 'posed'];
const ALL: CharacterKind[] = [...MOVING, 'posed'];

/** Work that takes a second or two. */
const QUICK = ['--iterations', '4'];

const FORMATS: readonly Column[] = [
  { name: 'bake', command: 'bake', options: [], outputs: SCENES, kinds: ALL },
  {
    ...{ name: 'bake cache', command: 'bake', outputs: ['pc2', 'mdd', 'obj'], kinds: ['skinned', 'rigid', 'morphing'] },
    options: ['--rate', '24', '--animation', '0'],
    isFirstOnly: true,
  },
  {
    ...{ name: 'edit', command: 'edit', options: ['--edited', 'WORK/rest.obj'], outputs: FILES, kinds: RIGS },
    before: ['bake', 'IN', 'WORK/rest.obj', '--rest-pose'],
  },
];

const SOLVERS: readonly Column[] = [
  { name: 'decompose', command: 'decompose', options: ['--bones', '4', ...QUICK], outputs: FILES, kinds: MOVING },
  {
    ...{ name: 'decompose error', command: 'decompose', outputs: ['glb'], kinds: MOVING },
    options: ['--max-error', '1%', ...QUICK],
  },
  {
    ...{ name: 'decompose affine', command: 'decompose', outputs: FILES, kinds: MOVING },
    options: ['--bones', '3', '--transforms', 'affine', ...QUICK],
  },
  {
    ...{ name: 'decompose corrections', command: 'decompose', outputs: FILES, kinds: MOVING },
    options: ['--bones', '3', '--corrections', '2', ...QUICK],
  },
  {
    ...{ name: 'decompose eight', command: 'decompose', outputs: ['glb', 'fbx'], kinds: MOVING },
    options: ['--bones', '8', '--influences', '8', ...QUICK],
  },
  {
    // codecs store vertices in an order of their own
    ...{ name: 'decompose size', command: 'decompose', outputs: ['glb'], kinds: MOVING, surfaces: true },
    options: ['--max-error', '2%', '--for', 'size', '--codec', 'meshopt', ...QUICK],
  },
  { name: 'skeleton', command: 'skeleton', options: ['--bones', '4', ...QUICK], outputs: FILES, kinds: MOVING },
  {
    ...{ name: 'convert', command: 'convert', outputs: FILES, kinds: ['skinned'], isSampled: true },
    options: ['--helpers', '1', '--samples', '4', ...QUICK],
  },
  { name: 'convert shapes', command: 'convert', options: ['--bones', '8'], outputs: FILES, kinds: ['morphing'] },
];

const SKINS: readonly Column[] = [
  { name: 'reduce', command: 'reduce', options: ['--influences', '2'], outputs: FILES, kinds: RIGS },
  { name: 'mush', command: 'mush', options: ['--iterations', '4'], outputs: FILES, kinds: RIGS },
  { name: 'compress', command: 'compress', options: ['--virtual-bones', '8', ...QUICK], outputs: FILES, kinds: RIGS },
  {
    ...{ name: 'lod', command: 'lod', options: ['--levels', '0.5'], outputs: FILES, surfaces: true },
    kinds: ['skinned', 'posed', 'rigid', 'morphing'],
  },
  // few rays: the light is not compared
  { name: 'light', command: 'light', options: ['--rays', '8', '--rank', '2'], outputs: ['glb'], kinds: ['skinned'] },
];

const COLUMNS = [...FORMATS, ...SOLVERS, ...SKINS];

/** Every cell, character by character. */
export function listCells(characters: readonly Character[]): Cell[] {
  return characters.flatMap((character) =>
    COLUMNS.filter(({ kinds }) => kinds.includes(character.kind)).flatMap((column) =>
      column.outputs.map((extension) => makeCell(column, character, extension)),
    ),
  );
}

function makeCell(
  { name, command, options, surfaces, isSampled, isFirstOnly, before }: Column,
  character: Character,
  extension: string,
): Cell {
  return {
    ...{ name: `${name} ${character.name} ${extension}`, character: character.name, command },
    ...{
      words: [command, 'IN', 'OUT', ...options],
      output: `out.${extension}`,
      surfaces,
      before,
      isFirstOnly,
      isSampled: isSampled ?? surfaces,
    },
  };
}
