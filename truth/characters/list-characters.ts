// SPDX-License-Identifier: MIT
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { CHAINS } from './chains.ts';
import type { Character, CharacterKind } from './character.ts';
import { SCENES } from './scenes.ts';
import { SHAPES } from './shapes.ts';

/** Real files by what moves them, in the folder of data. */
const REAL: readonly (readonly [CharacterKind, string])[] = [
  ['skinned', 'rigs/CesiumMan.glb'],
  ['skinned', 'rigs/Fox.glb'],
  ['skinned', 'rigs/Michelle.glb'],
  ['skinned', 'rigs/RecursiveSkeletons.glb'],
  ['skinned', 'rigs/RiggedSimple.glb'],
  ['skinned', 'rigs/RobotExpressive.glb'],
  ['skinned', 'rigs/Xbot.glb'],
  ['skinned', 'rigs/ninja.glb'],
  ['skinned', 'creatures/bird-animations.glb'],
  ['skinned', 'creatures/fox-animations.glb'],
  ['skinned', 'creatures/snake-animations.glb'],
  ['skinned', 'creatures/spider-animations.glb'],
  ['skinned', 'animals/Alpaca.glb'],
  ['skinned', 'animals/Frog.glb'],
  ['skinned', 'animals/Manta_ray.glb'],
  ['skinned', 'animals/Velociraptor.glb'],
  ['skinned', 'animals/Wasp.glb'],
  ['skinned', 'animals/Wolf.glb'],
  ['posed', 'characters/avatars/100Avatars_013_Mint.vrm'],
  ['posed', 'characters/avatars/100Avatars_031_Devil.vrm'],
  ['skinned', 'characters/avatars/KayKit_Knight.glb'],
  ['posed', 'characters/fbx/100Avatars_013_Mint.fbx'],
  ['posed', 'characters/fbx/100Avatars_031_Devil.fbx'],
  ['posed', 'characters/fbx/ufbx_embedded_textures.fbx'],
  ['rigid', 'characters/usd/AnimatedCube.usdz'],
  ['skinned', 'characters/usd/CesiumMan.usdz'],
  ['skinned', 'characters/usd/RiggedFigure.usdz'],
  ['posed', 'faces/Male_Child_01_facial.fbx'],
  ['morphing', 'faces/ict-face.glb'],
  ['morphing', 'formats/AnimatedMorphCube.glb'],
  ['morphing', 'formats/Horse.glb'],
  ['morphing', 'formats/Stork.glb'],
  ['morphing', 'formats/MorphStressTest.glb'],
  ['posed', 'formats/Bone_Skin.fbx'],
  ['morphing', 'formats/morph_test.fbx'],
  ['cache', 'datasets/cat-poses/rest.obj+datasets/cat-poses/motion.pc2'],
  ['cache', 'datasets/horse-collapse/rest.obj+datasets/horse-collapse/motion.pc2'],
  ['cache', 'datasets/jelly_cube/rest.obj+datasets/jelly_cube/motion.pc2'],
  ['cache', 'datasets/biped/rest.obj+datasets/biped/motion.pc2'],
];

/** Generated characters, then real ones that are in the folder of data. */
export function listCharacters(data: string): Character[] {
  const real = REAL.flatMap(([kind, input]): Character[] => {
    const paths = input.split('+').map((path) => resolve(join(data, path)));
    if (!paths.every((path) => existsSync(path))) return [];
    const name = paths.length > 1 ? basename(join(paths[0], '..')) : basename(paths[0]);
    return [{ name, kind, about: 'a real file', input: paths.join('+') }];
  });
  return [...CHAINS, ...SCENES, ...SHAPES, ...real];
}
