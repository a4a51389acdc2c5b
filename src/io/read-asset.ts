// SPDX-License-Identifier: MIT

import { readGltf } from '../gltf/read-gltf.ts';
import type { Asset, UpAxis } from '../model/asset.ts';
import type { Clip } from '../model/clip.ts';
import { makeTimes } from '../model/clip.ts';
import { MAX_COORDINATE } from '../model/coordinate-limit.ts';
import { FormatError, InputError } from '../model/errors.ts';
import { makeNodeTree } from '../model/make-asset.ts';
import type { Mesh } from '../model/mesh.ts';
import { DEFAULT_FPS, type PointCache } from './point-cache.ts';
import { readMdd } from './read-mdd.ts';
import { readObj } from './read-obj.ts';
import { type InputFile, readObjSequence, withName } from './read-obj-sequence.ts';
import { readPc2 } from './read-pc2.ts';
import { type AssetFormat, sniffFormat } from './sniff-format.ts';

export type { InputFile } from './read-obj-sequence.ts';

/** Properties that a format does not define. glTF defines its unit and up axis, so these do not apply to it. */
export interface ReadAssetOptions {
  /** Frames per second of OBJ sequences and PC2 caches. Default 24. */
  fps?: number;
  /** Metres per file unit. */
  unit?: number;
  /** The axis that points up; positions are not changed. Default 'y'. */
  up?: UpAxis;
  /** Factor on all positions. Default 1. */
  scale?: number;
  /** The rest pose of an OBJ sequence, or the mesh of point caches, if it is not among the files. */
  rest?: InputFile;
  /** Reads a buffer or image beside a glTF file, by its relative URI. */
  resolve?: (uri: string) => Promise<Uint8Array>;
  /** Receives non-fatal warnings. */
  log?: (message: string) => void;
}

/**
 * Reads a file, or several that belong together: a mesh (glTF, OBJ); a mesh and point caches (PC2, MDD), each of which
 * becomes a clip; OBJ files as the frames of a clip, in the given order. The first of those is also the rest pose unless options.rest
 * is given. Formats are recognized by content, then by extension. Invalid files throw a FormatError whose subject is the
 * name of the file. Clips may share memory with the given bytes: do not change those afterwards.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { readAsset } from 'ossify';
 *
 * const load = async (path: string) => ({ name: path, bytes: await readFile(path) });
 * const cloth = await readAsset([await load('cloth.obj'), await load('cloth.pc2')], { fps: 30, unit: 0.01 });
 * const character = await readAsset([await load('character.glb')]);
 * ```
 * @example Load files beside a glTF with the option resolve.
 * ```ts
 * import { readAsset } from 'ossify';
 *
 * const fetchBytes = async (uri: string) => new Uint8Array(await (await fetch(`/models/${uri}`)).arrayBuffer());
 * const scene = await readAsset([{ name: 'scene.gltf', bytes: await fetchBytes('scene.gltf') }], { resolve: fetchBytes });
 * ```
 */
export async function readAsset(files: readonly InputFile[], options: ReadAssetOptions = {}): Promise<Asset> {
  checkOptions(options);
  if (files.length === 0) throw new InputError('readAsset', 'at least one file is needed');
  const { rest } = options;
  const formats = new Map<InputFile, AssetFormat>();
  for (const file of rest ? [rest, ...files] : files) {
    formats.set(file, await named(file, () => sniffFormat(file.name, file.bytes)));
  }
  const isCache = (file: InputFile) => formats.get(file) === 'pc2' || formats.get(file) === 'mdd';
  const caches = files.filter(isCache);
  const meshes = files.filter((file) => !isCache(file));
  if (rest && isCache(rest)) refuse('pc2', rest.name, 'a point cache has no faces, so it cannot be the rest pose');
  if (rest && (caches.length === 0 || meshes.length > 0)) return readSequence(meshes, caches, rest, formats, options);
  if (meshes.length > 1) return readSequence(meshes, caches, meshes[0], formats, options);
  const mesh = rest ?? meshes[0];
  if (!mesh) {
    const [{ name }] = caches;
    return refuse('pc2', name, `a point cache needs its mesh; give both, as rest.obj+${baseName(name)}`);
  }
  return formats.get(mesh) === 'gltf'
    ? readGltfWithCaches(mesh, caches, formats, options)
    : readObjWithCaches(mesh, caches, formats, options);
}

/** The last part of a path, without its extension. */
function plainName(path: string): string {
  return baseName(path).replace(/(.)\.[^.]*$/, '$1');
}

function baseName(path: string): string {
  return path.replace(/^.*[/\\](?=.)/, '');
}

async function readGltfWithCaches(
  file: InputFile,
  caches: InputFile[],
  formats: Map<InputFile, AssetFormat>,
  options: ReadAssetOptions,
): Promise<Asset> {
  const { log } = options;
  if (options.unit !== undefined || options.up !== undefined || (options.scale ?? 1) !== 1)
    log?.(`${file.name} is glTF, which defines its unit and up axis: the given unit, up axis and scale are not used`);
  const asset = await named(file, () =>
    readGltf(file.bytes, { name: plainName(file.name), resolve: options.resolve, log }),
  );
  for (const cache of caches) {
    const read = readCache(cache, asset.mesh.positions.length / 3, file, formats, options);
    asset.clips.push({
      kind: 'clip',
      name: plainName(cache.name),
      mesh: asset.mesh,
      positions: read.positions,
      times: read.times,
    });
    asset.byteLength += cache.bytes.length;
  }
  return asset;
}

async function readObjWithCaches(
  file: InputFile,
  caches: InputFile[],
  formats: Map<InputFile, AssetFormat>,
  options: ReadAssetOptions,
): Promise<Asset> {
  const obj = await named(file, () => readObj(file.bytes, { name: plainName(file.name) }));
  const mesh = scaleMesh(obj.mesh, options.scale);
  const clips = caches.map((cache): Clip => {
    const { positions, times } = readCache(cache, obj.positionCount, file, formats, options);
    return {
      kind: 'clip',
      name: plainName(cache.name),
      mesh,
      positions: expand(positions, obj.positionCount, obj.positionOfVertex, options.scale ?? 1),
      times,
    };
  });
  return makeAsset(plainName(file.name), mesh, clips, [file, ...caches], options);
}

function readSequence(
  files: InputFile[],
  caches: InputFile[],
  rest: InputFile,
  formats: Map<InputFile, AssetFormat>,
  options: ReadAssetOptions,
): Asset {
  const all = files.includes(rest) ? files : [rest, ...files];
  const other = all.find((file) => formats.get(file) !== 'obj');
  if (other) refuse('gltf', other.name, 'a sequence is made of OBJ files; give this file alone');
  if (caches.length > 0) refuse('obj', caches[0].name, `point caches go with one OBJ file, not with ${all.length}`);
  const sequence = readObjSequence(files, rest, plainName(rest.name));
  const mesh = scaleMesh(sequence.rest.mesh, options.scale);
  const clip: Clip = {
    kind: 'clip',
    name: plainName(files[0].name),
    mesh,
    positions: scaled(sequence.positions, options.scale),
    times: makeTimes(files.length, options.fps ?? DEFAULT_FPS),
  };
  return makeAsset(plainName(rest.name), mesh, [clip], all, options);
}

function readCache(
  cache: InputFile,
  expected: number,
  mesh: InputFile,
  formats: Map<InputFile, AssetFormat>,
  options: ReadAssetOptions,
): PointCache {
  let read: PointCache;
  try {
    read = (formats.get(cache) === 'pc2' ? readPc2 : readMdd)(cache.bytes, { fps: options.fps });
  } catch (error) {
    throw withName(cache.name, error);
  }
  if (read.vertexCount !== expected)
    refuse(formats.get(cache)!, cache.name, `it moves ${read.vertexCount} vertices, but ${mesh.name} has ${expected}`);
  return read;
}

/** Throws the error of files that do not match. */
function refuse(format: AssetFormat, name: string, fault: string): never {
  throw new FormatError(format, 'mismatch', fault, undefined, name);
}

/** Expands frames per v line to frames per vertex, scaled. Returns the given array if nothing changes. */
function expand(positions: Float32Array, count: number, positionOfVertex: Uint32Array, scale: number): Float32Array {
  const vertexCount = positionOfVertex.length;
  if (vertexCount === count && positionOfVertex.every((v, i) => v === i)) return scaled(positions, scale);
  const frameCount = positions.length / (3 * count);
  const out = new Float32Array(frameCount * vertexCount * 3);
  for (let k = 0; k < frameCount; k++) {
    for (let i = 0; i < vertexCount; i++) {
      const from = 3 * (k * count + positionOfVertex[i]);
      const to = 3 * (k * vertexCount + i);
      out[to] = positions[from] * scale;
      out[to + 1] = positions[from + 1] * scale;
      out[to + 2] = positions[from + 2] * scale;
    }
  }
  return out;
}

function makeAsset(name: string, mesh: Mesh, clips: Clip[], files: InputFile[], options: ReadAssetOptions): Asset {
  for (const positions of [mesh.positions, ...clips.map((clip) => clip.positions)]) checkScaled(positions, options);
  return {
    name,
    mesh,
    nodes: makeNodeTree(0),
    animations: [],
    clips,
    metresPerUnit: options.unit,
    up: options.up ?? 'y',
    byteLength: files.reduce((sum, file) => sum + file.bytes.length, 0),
  };
}

function scaleMesh(mesh: Mesh, scale = 1): Mesh {
  return scale === 1 ? mesh : { ...mesh, positions: scaled(mesh.positions, scale) };
}

/** Scales a copy of the positions, because they may be the caller's bytes. */
function scaled(positions: Float32Array, scale = 1): Float32Array {
  return scale === 1 ? positions : positions.map((x) => x * scale);
}

/** Readers check their numbers, but a large factor can move them out of range. */
function checkScaled(positions: Float32Array, { scale = 1 }: ReadAssetOptions): void {
  if (scale === 1 || positions.every((x) => Math.abs(x) <= MAX_COORDINATE)) return;
  throw new InputError('readAsset', `scale ${scale} makes positions larger than 1e18`);
}

function checkOptions(options: ReadAssetOptions): void {
  for (const key of ['fps', 'unit', 'scale'] as const) {
    const value = options[key];
    if (value !== undefined && !(value > 0 && Number.isFinite(value)))
      throw new InputError('readAsset', `${key} must be positive, got ${value}`);
  }
}

async function named<T>(file: InputFile, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw withName(file.name, error);
  }
}
