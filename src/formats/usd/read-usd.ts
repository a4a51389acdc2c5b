// SPDX-License-Identifier: MIT
// A USD stage (text, binary or package) as an asset. docs/formats/README.md lists what is read.
import type { Asset } from '../../core/model/asset.ts';
import { FormatError } from '../../core/model/errors.ts';
import { quoteName } from '../../core/model/plain-text.ts';
import { readScene, type Scene } from '../gltf/index.ts';
import type { ReadSceneOptions } from '../shared/index.ts';
import { composeUsd } from './read/compose-usd.ts';
import { type ReadUsdFile, UsdImages } from './read/look/usd-images.ts';
import { readUsdClip } from './read/read-usd-clip.ts';
import { readUsdScene } from './read/read-usd-scene.ts';
import { UsdBudget } from './read/usd-budget.ts';
import { listUsdScene } from './read/usd-scene.ts';
import { readUsda } from './syntax/read-usda.ts';
import { readUsdc } from './syntax/read-usdc.ts';
import { readUsdz } from './syntax/read-usdz.ts';
import type { UsdLayer } from './syntax/usd-layer.ts';
import { isSampled } from './syntax/usd-values-at.ts';

/**
 * Reads a USD file (.usda, .usdc, .usdz) as a glTF of the same content would be read: metres, y up. Files beside it are read by `options.resolve`.
 * Throws FormatError, and nothing else, on a bad file.
 */
export async function readUsd(bytes: Uint8Array, options: ReadSceneOptions = {}): Promise<Asset> {
  try {
    return await readStage(bytes, options);
  } catch (error) {
    throw asFormatError(error);
  }
}

/** Reads what a USD file holds as a scene, whether it draws anything or not: files with animations alone have no mesh. */
export async function readUsdStage(bytes: Uint8Array, options: ReadSceneOptions = {}): Promise<Scene> {
  try {
    const budget = new UsdBudget(options.maxMemory);
    return (await openStage(bytes, options, budget)).made.scene;
  } catch (error) {
    throw asFormatError(error);
  }
}

function asFormatError(error: unknown): FormatError {
  if (error instanceof FormatError)
    return error.format === 'usd' ? error : new FormatError('usd', error.code, error.fault, error.byteOffset);
  const why = error instanceof Error ? error.message : String(error);
  return new FormatError('usd', 'syntax', `the stage could not be read: ${why.split('\n')[0].replace(/\.$/, '')}`);
}

async function openStage(bytes: Uint8Array, options: ReadSceneOptions, budget: UsdBudget) {
  const { log } = options;
  const { first, read, open } = openFiles(bytes, options, budget);
  const { layer, root, leftOut } = await composeUsd(first, open, budget, log);
  const stage = listUsdScene(root, log);
  const made = await readUsdScene({ stage, layer, images: new UsdImages({ read, first, log }), budget, log });
  return { stage, made, leftOut };
}

async function readStage(bytes: Uint8Array, options: ReadSceneOptions): Promise<Asset> {
  const { name = 'stage', log } = options;
  const budget = new UsdBudget(options.maxMemory);
  const { stage, made, leftOut } = await openStage(bytes, options, budget);
  const meshes = stage.contents.filter(({ kind }) => kind === 'mesh');
  if (meshes.length === 0) throw new FormatError('usd', 'empty', `the stage draws no mesh${reasonOf(leftOut)}`);
  const asset = await readScene(made.scene, budget.fileBytes, { name, log });
  if (!meshes.some(({ prim }) => isSampled(prim.properties.get('points')))) return asset;
  if (meshes.some(({ skeleton }) => skeleton))
    log?.('the stage has cached and skinned meshes; the skinned ones do not move');
  return { ...asset, clips: [readUsdClip(asset.mesh, stage, made, budget)] };
}

/** Why a stage may draw nothing. */
function reasonOf(leftOut: readonly string[]): string {
  if (leftOut.length === 0) return '';
  const what = leftOut.length === 1 ? 'a file that it refers to was' : `${leftOut.length} files that it refers to were`;
  return `: ${what} left out, since they are missing, outside of its folder or of another format (${quoteName(leftOut[0])})`;
}

/** How files of the stage are opened: from the package, or beside the file. */
function openFiles(bytes: Uint8Array, { path: own = '.', resolve, log }: ReadSceneOptions, budget: UsdBudget) {
  const files = isPackage(bytes) ? readUsdz(bytes) : undefined;
  const first = files ? [...files.keys()][0] : own;
  const read: ReadUsdFile = async (path) => {
    if (files) return files.get(path);
    if (path === first) return bytes;
    const file = await resolve?.(pathFrom(own, path)).catch(() => undefined);
    if (file) budget.addFile(file.length);
    return file;
  };
  budget.addFile(bytes.length);
  const open = async (path: string): Promise<UsdLayer | undefined> => {
    const file = await read(path);
    try {
      return file && parseLayer(file);
    } catch (error) {
      if (path === first || !(error instanceof FormatError) || error.code === 'limit') throw error;
      log?.(`${quoteName(path)} cannot be read: ${error.fault}`);
      return undefined;
    }
  };
  return { first, read, open };
}

/** A path in the folder of files that may be read, as one relative to a file in it. */
function pathFrom(own: string, path: string): string {
  const [folder, target] = [own.split('/').slice(0, -1), path.split('/')];
  const differs = folder.findIndex((part, n) => target[n] !== part);
  const common = differs < 0 ? folder.length : differs;
  return [...folder.slice(common).map(() => '..'), ...target.slice(common)].join('/');
}

function isPackage(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

function parseLayer(bytes: Uint8Array): UsdLayer {
  if (isPackage(bytes)) {
    const [first] = readUsdz(bytes).values();
    if (!isPackage(first)) return parseLayer(first);
  }
  if (bytes[0] === 0x50) return readUsdc(bytes);
  if (/^(\xef\xbb\xbf)?#usda /.test(new TextDecoder('latin1').decode(bytes.subarray(0, 16)))) return readUsda(bytes);
  throw new FormatError('usd', 'magic', 'neither text, binary nor packaged USD');
}
