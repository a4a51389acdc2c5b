// SPDX-License-Identifier: MIT
// The formats that are written, a row each: jobs take their extensions, their help and their writers from here. Writers are loaded when they are needed.

import { type Shading, shadeMesh } from '../../core/mesh/geometry/shade-mesh.ts';
import type { Asset } from '../../core/model/asset.ts';
import { type Clip, frameCountOf, frameOf, frameRateOf } from '../../core/model/clip/clip.ts';
import { UsageError } from '../../core/model/errors.ts';
import { normalizeAxes } from '../../core/model/mesh/normalize-axes.ts';
import { type GlbContent, listScene, type WriteGlbOptions, writeGlb } from '../../formats/gltf/index.ts';
import { writeObj } from '../../formats/meshes/index.ts';
import { plainName } from '../../formats/shared/index.ts';
import type { OutputFile } from '../engine/index.ts';
import { readWritten } from '../report/index.ts';
import { makePlainContent } from './make-plain-content.ts';

/** A format that holds a character: mesh, bones, weights, morph targets and animations; or frames, as far as it can. */
export interface CharacterFormat {
  holds: 'character';
  extension: string;
  write(asset: Asset, content: GlbContent, options: WriteGlbOptions): Promise<Uint8Array>;
}

/** A format that holds frames of positions. */
export interface FramesFormat {
  holds: 'frames';
  extension: string;
  /** Whether the mesh is in an .obj file beside it. */
  hasMeshBeside?: boolean;
  write(clip: Clip, options: { asset: Asset; path: string }): Promise<OutputFile[]>;
}

const CHARACTERS: readonly CharacterFormat[] = [
  {
    holds: 'character',
    extension: '.glb',
    write: writeAssetGlb,
  },
  {
    holds: 'character',
    extension: '.fbx',
    async write(asset, content, options) {
      const { writeFbx } = await import('../../formats/fbx/write/write-fbx.ts');
      const { log } = options;
      if (asset.clips.length > 0 && content.kind === 'clip') {
        const shaded = shadeAsset(asset, options.shading);
        return writeFbx(shaded, makePlainContent(shaded, content, { log }), { log });
      }
      const glb = await writeAssetGlb(asset, content, options);
      const { up, metresPerUnit } = asset.source ? asset : { up: 'y' as const, metresPerUnit: undefined };
      return writeGlbAsFbx(glb, { name: asset.name, up, metresPerUnit }, log);
    },
  },
  {
    holds: 'character',
    extension: '.usda',
    async write(asset, content, { log, shading }) {
      const { writeUsda } = await import('../../formats/usd/write-usda.ts');
      return writeUsda(await makeFileAsset(shadeAsset(asset, shading), content, log), { log });
    },
  },
  {
    holds: 'character',
    extension: '.usdz',
    async write(asset, content, { log, shading }) {
      const { writeUsdz } = await import('../../formats/usd/write-usdz.ts');
      return writeUsdz(await makeFileAsset(shadeAsset(asset, shading), content, log), { log });
    },
  },
];

const FRAMES: readonly FramesFormat[] = [
  {
    holds: 'frames',
    extension: '.abc',
    async write(clip, { path }) {
      const { writeAbc } = await import('../../formats/alembic/write-abc.ts');
      return [{ path, bytes: writeAbc(clip) }];
    },
  },
  {
    holds: 'frames',
    extension: '.pc2',
    hasMeshBeside: true,
    async write(clip, { path }) {
      const { writePc2 } = await import('../../formats/caches/write-pc2.ts');
      return [{ path, bytes: writePc2(clip, { fps: frameRateOf(clip.times) }) }, meshBeside(clip, path)];
    },
  },
  {
    holds: 'frames',
    extension: '.mdd',
    hasMeshBeside: true,
    async write(clip, { path }) {
      const { writeMdd } = await import('../../formats/caches/write-mdd.ts');
      return [{ path, bytes: writeMdd(clip) }, meshBeside(clip, path)];
    },
  },
  {
    holds: 'frames',
    extension: '.obj',
    async write(clip, { path }) {
      return listSequencePaths(path, frameCountOf(clip)).map((name, k) => ({
        path: name,
        bytes: writeObj({ ...clip.mesh, positions: frameOf(clip, k), normals: undefined }),
      }));
    },
  },
];

/** Extensions of formats that hold a character. */
export const CHARACTER_EXTENSIONS: readonly string[] = CHARACTERS.map(({ extension }) => extension);
/** Extensions of formats that hold frames of positions. */
export const FRAMES_EXTENSIONS: readonly string[] = FRAMES.map(({ extension }) => extension);
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
export function findOutputFormat(path: string): CharacterFormat | FramesFormat {
  const format = [...CHARACTERS, ...FRAMES].find(({ extension }) => path.toLowerCase().endsWith(extension));
  if (!format) throw new UsageError('output', `must end in ${listExtensions(ALL_EXTENSIONS)}, not "${path}"`);
  return format;
}

/**
 * Converts a written GLB to the format of a path. Extensions of this project are in glTF only: other formats get the plain skin, with a note.
 * @param glb the file that was measured
 * @param source the input that the job converted: the numbers of the GLB have its unit and up axis
 */
export async function encodeCharacter(
  glb: Uint8Array,
  path: string,
  source: Pick<Asset, 'up' | 'metresPerUnit'>,
  log: (message: string) => void,
): Promise<Uint8Array> {
  const format = findOutputFormat(path);
  if (format.holds !== 'character' || format.extension === '.glb') return glb;
  const { up, metresPerUnit } = source;
  if (format.extension === '.fbx') return writeGlbAsFbx(glb, { name: plainName(path), up, metresPerUnit }, log);
  return format.write({ ...(await readWritten(glb)), up, metresPerUnit }, { kind: 'clip' }, { log });
}

/** A GLB as FBX: all that the GLB holds, in the numbers of the GLB. */
async function writeGlbAsFbx(
  glb: Uint8Array,
  facts: Pick<Asset, 'name' | 'up' | 'metresPerUnit'>,
  log?: (message: string) => void,
): Promise<Uint8Array> {
  const { writeFbxScene } = await import('../../formats/fbx/write/write-fbx-scene.ts');
  const { source } = await readWritten(glb);
  if (!source) throw new UsageError('output', 'the result has no scene to write as FBX');
  return writeFbxScene(await listScene(source, log), { ...facts, log });
}

/** Writes a GLB. An asset of another format has no glTF to keep: its bones and keys are written anew. */
export function writeAssetGlb(asset: Asset, content: GlbContent, options: WriteGlbOptions): Promise<Uint8Array> {
  if (asset.source || (content.kind !== 'clip' && content.kind !== 'shape')) return writeGlb(asset, content, options);
  const upright = normalizeAxes(asset);
  return writeGlb(upright, makePlainContent(upright, content), options);
}

/** An asset with the normals to write. */
function shadeAsset(asset: Asset, shading: Shading = 'keep'): Asset {
  const mesh = shadeMesh(asset.mesh, shading);
  return { ...asset, mesh, clips: asset.clips.map((clip) => ({ ...clip, mesh })) };
}

/** An asset as a file has it: nodes and keys, without extensions. */
async function makeFileAsset(asset: Asset, content: GlbContent, log?: (message: string) => void): Promise<Asset> {
  const plain = makePlainContent(asset, content, { log });
  const bare = { ...asset, source: undefined };
  const { name, up, metresPerUnit } = asset;
  const made =
    plain.kind === 'clip'
      ? bare
      : { ...(await readWritten(await writeGlb({ ...bare, clips: [] }, plain))), name, up, metresPerUnit };
  // USD has no x axis that points up
  return up === 'x' ? normalizeAxes(made) : made;
}

function meshBeside(clip: Clip, path: string): OutputFile {
  return { path: meshPathOf(path), bytes: writeObj(clip.mesh) };
}

/** The .obj file beside a point cache. */
export function meshPathOf(path: string): string {
  return path.replace(/\.[^.]*$/, '.obj');
}

/** Names of the frames of a sequence: 'walk.obj' gives walk.0001.obj and so on; one frame keeps its name. */
export function listSequencePaths(path: string, frameCount: number): string[] {
  if (frameCount === 1) return [path];
  const digits = Math.max(4, String(frameCount).length);
  return Array.from({ length: frameCount }, (_, k) =>
    path.replace(/(\.[^.]*)$/, `.${String(k + 1).padStart(digits, '0')}$1`),
  );
}

/** Whether a path is that of a GLB. */
export const isGlb = (path: string): boolean => path.toLowerCase().endsWith('.glb');
