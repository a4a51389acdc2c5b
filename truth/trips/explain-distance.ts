// SPDX-License-Identifier: MIT
// Why three.js shows a file elsewhere than its copy, where that is known: a fault of the player, or a limit of the format. Each was confirmed by another player, or by the format.

const MAYA_SCALE =
  'three.js scales the children of a bone that FBX keeps from doing so; ufbx plays the source as three.js plays the result, within 1e-5 %';
const FOUR_WEIGHTS =
  'three.js leaves out the fifth and further weights of vertices in FBX; ufbx, which uses them, plays the source as three.js plays the result, within 1e-5 % at its frames';

/** By file and format of the trip; 'source': in every format, because of how the source is played. */
const EXPLAINED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'maya_game_sausage_7500_binary_combined.fbx': { source: MAYA_SCALE },
  'blender_293_barbarian_7400_binary.fbx': { source: FOUR_WEIGHTS },
  '100Avatars_031_Devil.fbx': { source: FOUR_WEIGHTS },
  'MorphPrimitivesTest.glb': {
    fbx: 'three.js shows no weights of morph targets at rest in FBX; the GLB that is made of it has them',
  },
  'InterpolationTest.glb': { usdz: 'USD has scales of joints as 16-bit numbers' },
  'MVPCloth.abc': { source: 'three.js has no loader of Alembic' },
};

/** A sentence without capital and full stop; undefined if nothing is known. */
export function explainDistance(file: string, format: string): string | undefined {
  const known = EXPLAINED[file];
  return known?.[format] ?? known?.source;
}
