// SPDX-License-Identifier: MIT
// The formats that are written: characters, a row each here, and frames, a row each in formats/assets. Jobs take their extensions, their help and their
// writers from here. Writers are loaded when they are needed.

import { type Shading, shadeMesh } from '../../../core/mesh/geometry/shade-mesh.ts';
import type { Asset } from '../../../core/model/asset.ts';
import { InputError, UsageError } from '../../../core/model/errors.ts';
import { normalizeAxes } from '../../../core/model/mesh/normalize-axes.ts';
import { FRAMES_FORMATS } from '../../../formats/assets/index.ts';
import type { GlbContent, Scene, WriteGlbOptions } from '../../../formats/gltf/index.ts';
import { type FramesFormat, plainName } from '../../../formats/shared/index.ts';
import type { OutputFile } from '../../engine/index.ts';
import { readWritten } from '../../report/index.ts';
import type { OutputSettings } from './list-output-scenes.ts';
import { makePlainContent } from './make-plain-content.ts';
import { turnScene } from './make-scene.ts';

/** A format that holds a character: mesh, bones, weights, morph targets and animations; or frames, as far as it can. */
export interface CharacterFormat {
  holds: 'character';
  extension: string;
  /** Converts a GLB that was read back, with the unit and the up axis of its numbers. Absent for GLB itself and for avatars, which are GLB. */
  encode?(model: Asset, encoding: Encoding): Promise<OutputFile[]>;
  /** Writes frames of positions as they are. Absent: they become morph targets. */
  encodeFrames?(asset: Asset, encoding: Encoding): Promise<OutputFile[]>;
}

/** Where a character is written to, and for what. */
export interface Encoding extends OutputSettings {
  /** Where images are, for formats that can have them in the file and beside it. Default: as the target wants it, else in the file. */
  textures?: 'embed' | 'beside';
}

/** A format that holds frames of positions: a row of formats/assets/asset-formats.ts. */
export interface FramesOutput extends FramesFormat {
  holds: 'frames';
  extension: string;
}

const CHARACTERS: readonly CharacterFormat[] = [
  { holds: 'character', extension: '.glb' },
  // an avatar: a GLB with the data of one (formats/vrm)
  { holds: 'character', extension: '.vrm' },
  {
    holds: 'character',
    extension: '.gltf',
    async encode(model, encoding) {
      const { path } = encoding;
      const { fitSource } = await import('../size/fit-glb.ts');
      const source = await fitSource(model, encoding);
      if (!source) throw new InputError(path, 'has no glTF to write');
      const { writeGltfFiles } = await import('../../../formats/gltf/write/write-gltf-files.ts');
      const { bytes, beside } = writeGltfFiles(source, plainName(path));
      return [{ path, bytes }, ...beside.map((file) => ({ path: besidePath(path, file.path), bytes: file.bytes }))];
    },
  },
  {
    holds: 'character',
    extension: '.fbx',
    async encode(model, encoding) {
      const { writeFbxFiles } = await import('../../../formats/fbx/write/write-fbx-scene.ts');
      const { name } = model;
      const { target, log } = encoding;
      const textures = encoding.textures ?? target?.textures?.value;
      const { listOutputScenes } = await import('./list-output-scenes.ts');
      const scenes = await listOutputScenes(model, encoding);
      return scenes.flatMap(({ path, isTake, scene, up, metresPerUnit }): OutputFile[] => {
        // the character has the images
        const own = isTake ? { ...scene, look: withoutImages(scene.look) } : scene;
        const note = isTake ? undefined : log;
        const written = writeFbxFiles(own, { name, up, metresPerUnit, textures, log: note });
        return [{ path, bytes: written.bytes, isTake }, ...besideFiles(path, written.textures)];
      });
    },
  },
  usdFormat('usda'),
  usdFormat('usdc'),
  usdFormat('usdz'),
];

/** Extensions of formats that hold a character. */
export const CHARACTER_EXTENSIONS: readonly string[] = CHARACTERS.map(({ extension }) => extension);
/** Extensions of formats that hold frames of positions. */
export const FRAMES_EXTENSIONS: readonly string[] = [...FRAMES_FORMATS.keys()];
/** Extensions of all formats that are written. */
export const ALL_EXTENSIONS: readonly string[] = [...CHARACTER_EXTENSIONS, ...FRAMES_EXTENSIONS];

/** The output of jobs that make a character. They return a GLB, which runJob converts. */
export const CHARACTER_OUTPUT = {
  description: `the result: a ${listExtensions(CHARACTER_EXTENSIONS)} file`,
  extensions: CHARACTER_EXTENSIONS,
  isCharacter: true,
} as const;

/** Extensions for people: '.glb, .fbx or .usdz'. */
export function listExtensions(extensions: readonly string[]): string {
  return extensions.length === 1 ? extensions[0] : `${extensions.slice(0, -1).join(', ')} or ${extensions.at(-1)}`;
}

/** The format of an output by its extension. Throws a UsageError if it is not written. */
export function findOutputFormat(path: string): CharacterFormat | FramesOutput {
  const isOwn = (extension: string): boolean => path.toLowerCase().endsWith(extension);
  const character = CHARACTERS.find(({ extension }) => isOwn(extension));
  if (character) return character;
  const frames = findFramesFormat(path);
  if (!frames) throw new UsageError('output', `must end in ${listExtensions(ALL_EXTENSIONS)}, not "${path}"`);
  return frames;
}

/** The format of frames of a path by its extension, if it is one. */
export function findFramesFormat(path: string): FramesOutput | undefined {
  const found = [...FRAMES_FORMATS].find(([extension]) => path.toLowerCase().endsWith(extension));
  return found && { holds: 'frames', extension: found[0], ...found[1] };
}

/** Writes a character: as GLB, or by way of a GLB that holds all of it. */
export async function writeCharacter(
  asset: Asset,
  content: GlbContent,
  { storing = {}, ...encoding }: Encoding & { storing?: WriteGlbOptions },
): Promise<OutputFile[]> {
  const { path } = encoding;
  const { encode, encodeFrames } = findCharacterFormat(path);
  if (encodeFrames && content.kind === 'clip' && asset.clips.length > 0)
    return encodeFrames(shadeAsset(asset, storing.shading), encoding);
  const { name, up, metresPerUnit } = asset;
  const place = { name, up, metresPerUnit };
  if (!encode) {
    const bytes = await writeAssetGlb(asset, content, { log: encoding.log, ...storing });
    const { fitGlb } = await import('../size/fit-glb.ts');
    return [{ path, bytes: (await fitGlb({ ...(await readWritten(bytes)), ...place }, encoding, storing)) ?? bytes }];
  }
  const { writeGlb } = await import('../../../formats/gltf/write-glb.ts');
  const bytes = await writeGlb(asset, contentOf(asset, content), { shading: storing.shading });
  return encode({ ...(await readWritten(bytes)), ...place }, encoding);
}

/**
 * Converts a GLB to the format of a path. Extensions of this project are in glTF only: other formats get the plain skin, with corrective shapes as morph targets.
 * @param model the GLB that was written, read back, with the unit and up axis of the input: its numbers have them
 */
export async function encodeCharacter(model: Asset, encoding: Encoding): Promise<OutputFile[]> {
  const { encode } = findCharacterFormat(encoding.path);
  if (!encode) throw new UsageError('output', `"${encoding.path}" is a GLB already`);
  return encode(model, encoding);
}

function findCharacterFormat(path: string): CharacterFormat {
  const format = findOutputFormat(path);
  if (format.holds === 'character') return format;
  throw new UsageError('output', `must end in ${listExtensions(CHARACTER_EXTENSIONS)}, not "${path}"`);
}

/** Writes a GLB. An asset of another format has no glTF to keep: its bones and keys are written anew. */
export async function writeAssetGlb(asset: Asset, content: GlbContent, options: WriteGlbOptions): Promise<Uint8Array> {
  const isKept = asset.source !== undefined || (content.kind !== 'clip' && content.kind !== 'shape');
  const upright = isKept ? asset : normalizeAxes(asset);
  const { writeGlb } = await import('../../../formats/gltf/write-glb.ts');
  return writeGlb(upright, contentOf(upright, content), options);
}

/** What a GLB holds of an asset: its own glTF, or bones, keys and morph targets that are written anew. */
function contentOf(asset: Asset, content: GlbContent): GlbContent {
  const isKept = asset.source !== undefined || (content.kind !== 'clip' && content.kind !== 'shape');
  return isKept ? content : makePlainContent(asset, content);
}

/** USD as text, as binary or as a package. Images of the first two are beside them. */
function usdFormat(form: 'usda' | 'usdc' | 'usdz'): CharacterFormat {
  return {
    holds: 'character',
    extension: `.${form}`,
    async encode(model, encoding) {
      const { writeUsdScene } = await import('../../../formats/usd/write/write-usd-scene.ts');
      const { log } = encoding;
      const { listOutputScenes } = await import('./list-output-scenes.ts');
      const scenes = await listOutputScenes(model, encoding);
      return scenes.flatMap(({ path, isTake, scene, up, metresPerUnit }): OutputFile[] => {
        const { bytes, beside } = writeUsdScene(up === 'x' ? turnScene(scene) : scene, {
          ...{ name: plainName(path), up: up === 'z' ? up : 'y', metresPerUnit, form, log: isTake ? undefined : log },
        });
        const files = beside.map((file) => ({ name: file.path, bytes: file.bytes }));
        return [{ path, bytes, isTake }, ...besideFiles(path, files)];
      });
    },
    async encodeFrames(asset, { path, log }) {
      const { writeUsdAsset } = await import('../../../formats/usd/write-usda.ts');
      return [{ path, bytes: writeUsdAsset(uprightOf(asset), form, { log }) }];
    },
  };
}

function withoutImages({ materials }: Scene['look']): Scene['look'] {
  const plain = materials.map((material) => ({
    ...material,
    ...{ colorMap: undefined, metallicRoughnessMap: undefined, normalMap: undefined },
    ...{ occlusionMap: undefined, emissiveMap: undefined },
  }));
  return { materials: plain, images: [] };
}

const besideFiles = (path: string, files: readonly { name: string; bytes: Uint8Array }[]): OutputFile[] =>
  files.map(({ name, bytes }) => ({ path: besidePath(path, name), bytes }));

/** A path relative to the folder of another. */
export const besidePath = (path: string, file: string): string => `${/^.*[/\\]/.exec(path)?.[0] ?? ''}${file}`;

/** USD has no x axis that points up. */
const uprightOf = (asset: Asset): Asset => (asset.up === 'x' ? normalizeAxes(asset) : asset);

/** An asset with the normals to write. */
function shadeAsset(asset: Asset, shading: Shading = 'keep'): Asset {
  const mesh = shadeMesh(asset.mesh, shading);
  return { ...asset, mesh, clips: asset.clips.map((clip) => ({ ...clip, mesh })) };
}

/** Whether a path is that of a GLB: an avatar is one. */
export const isGlb = (path: string): boolean => /\.(glb|vrm)$/i.test(path);
