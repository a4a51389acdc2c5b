// SPDX-License-Identifier: MIT
import { UsageError } from '../../core/model/errors.ts';
import { choice, count, group, option, type Values } from '../../core/options/option.ts';
import { findOutputFormat } from '../shared/index.ts';

/** Layouts of animation textures. */
export const LAYOUTS = ['bone-texture', 'vertex-texture'] as const;
export type TextureLayout = (typeof LAYOUTS)[number];

/** Options of bake that write a texture instead of a format. */
export const TEXTURE_OPTIONS = group('Texture options:', {
  as: option(
    choice(LAYOUTS, '<layout>'),
    'write a static mesh, a texture and a JSON file for shaders: bone matrices of all clips, or positions and normals of all vertices',
  ),
  texture: option(choice(['png', 'exr'], '<format>'), 'texture file: 16-bit PNG with ranges, or 32-bit OpenEXR', {
    default: 'png',
    isFor: ({ as }: Values) => as !== undefined,
  }),
  bones: option(
    count(1, 2730),
    'number of bones if the input has none (default: as many as give a twentieth of the bytes of a vertex texture)',
    { isFor: ({ as }: Values) => as === 'bone-texture' },
  ),
});

/** Throws a UsageError unless the output fits the layout. */
export function checkTextureOutput({ as, restPose }: { as?: TextureLayout; restPose?: boolean }, output: string): void {
  if (as === undefined) findOutputFormat(output);
  else if (restPose) throw new UsageError('--as', 'cannot be used with --rest-pose');
  else if (!/(^|[\\/])[^.\\/]+(\.(json|glb|png|exr))?$/i.test(output))
    throw new UsageError('output', `--as ${as} writes several files; give a name such as out or out.json`);
}

/** The paths of the files beside one another: out.json, out.glb, out.png and out.normals.png. */
export function listTexturePaths(output: string, texture: string) {
  const stem = output.replace(/\.(json|glb|png|exr)$/i, '');
  return {
    facts: `${stem}.json`,
    mesh: `${stem}.glb`,
    texture: `${stem}.${texture}`,
    normals: `${stem}.normals.${texture}`,
  };
}
