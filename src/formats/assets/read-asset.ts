// SPDX-License-Identifier: MIT

import { transformPoints } from '../../core/math/mat4.ts';
import type { Asset, UpAxis } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import { DEFAULT_FPS, makeTimes } from '../../core/model/clip/clip.ts';
import type { MeshFrame, MeshSequence } from '../../core/model/clip/mesh-frame.ts';
import { FormatError, InputError } from '../../core/model/errors.ts';
import { makeNodeTree } from '../../core/model/make-asset.ts';
import { MAX_COORDINATE } from '../../core/model/mesh/coordinate-limit.ts';
import { normalizeAxes } from '../../core/model/mesh/normalize-axes.ts';
import type { Remark } from '../../core/model/remark.ts';
import { matchCacheAxes, type PointCache, turnCache } from '../caches/index.ts';
import { readMeshFrame } from '../meshes/index.ts';
import { makePolygonMesh, type PolygonMesh, weldPolygons } from '../polygons/index.ts';
import {
  type AssetFormat,
  baseName,
  type CacheFormat,
  type InputFile,
  type MeshFormat,
  plainName,
  type ReadSceneOptions,
  readNamed,
  type SceneFormat,
} from '../shared/index.ts';
import { expandFrames, readSequence } from './read-sequence.ts';
import { readTakes } from './read-takes.ts';
import { refuseLfsPointer, sniffFormat } from './sniff-format.ts';

export type { InputFile } from '../shared/index.ts';

type Formats = Map<InputFile, AssetFormat>;

/** How to read; unit, up and scale do not apply to formats that define them, such as glTF. */
export interface ReadAssetOptions extends Omit<ReadSceneOptions, 'name' | 'resolve'> {
  /** Reads a file beside another, by its relative URI. `file` is the name of that other one if it is not the first of those given. */
  resolve?: (uri: string, file?: string) => Promise<Uint8Array>;
  /** Frames per second of sequences and of caches without times. Default 24. */
  fps?: number;
  /** Metres per file unit. */
  unit?: number;
  /** The axis that points up; positions are not changed. Default 'y'. */
  up?: UpAxis;
  /** Factor on all positions. Default 1. */
  scale?: number;
  /** Whether the files of a sequence may differ in topology: 'any' returns such frames as the asset's sequence. By default they are refused. */
  topology?: 'same' | 'any';
  /** The rest pose of a sequence, the mesh of point caches, or the character that the animations of the other files are for, given apart. */
  rest?: InputFile;
}

/**
 * Reads a file, or several that belong together: a mesh or scene; a mesh and point caches (PC2, MDD), each of which
 * becomes a clip; files of one format as the frames of a clip, in the order given, the first also being the rest pose unless
 * another is given; a character (the option rest) and files with animations, which may have no mesh. Formats that define their unit and up axis are converted to metres with y up. Formats (asset-formats.ts) are recognized by content, then by extension. Bad files throw FormatError, whose
 * subject is the file's name. Clips may share memory with the bytes given: do not change those after.
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
export async function readAsset(files: readonly InputFile[], given: ReadAssetOptions = {}): Promise<Asset> {
  checkOptions(given);
  const options = refusePointers(given);
  if (files.length === 0) throw new InputError('readAsset', 'at least one file is needed');
  const { rest } = options;
  const formats: Formats = new Map();
  for (const file of rest ? [rest, ...files] : files) {
    formats.set(file, await readNamed(file, () => sniffFormat(file.name, file.bytes)));
  }
  const isCache = (file: InputFile) => formatOf(formats, file).kind === 'cache';
  const caches = files.filter(isCache);
  const meshes = files.filter((file) => !isCache(file));
  if (rest && isCache(rest))
    refuse(formatOf(formats, rest), rest.name, 'a point cache has no faces, so it cannot be the rest pose');
  const joined = rest && caches.length === 0 ? await readJoined(rest, meshes, formats, options) : undefined;
  if (joined) return joined;
  if (meshes.length > 1 || (rest && meshes.length > 0) || (rest && caches.length === 0))
    return readSequenceAsset(meshes, caches, rest ?? meshes[0], formats, options);
  const mesh = rest ?? meshes[0];
  if (!mesh) {
    const [{ name }] = caches;
    return refuse(
      formatOf(formats, caches[0]),
      name,
      `a point cache needs its mesh; give both, as rest.obj+${baseName(name)}`,
    );
  }
  return readWithCaches(mesh, caches, formats, options);
}

/** A character with the animations of other files; undefined if they are frames of a sequence. */
async function readJoined(
  rest: InputFile,
  files: readonly InputFile[],
  formats: Formats,
  options: ReadAssetOptions,
): Promise<Asset | undefined> {
  const format = formatOf(formats, rest);
  if (format.kind !== 'scene' || !format.loadScene || files.length === 0) return undefined;
  const { resolve } = options;
  const remarks: Parameters<Remark>[] = [];
  const character = await readWithCaches(rest, [], formats, {
    ...options,
    ...(resolve ? { resolve: (uri: string) => resolve(uri, rest.name) } : {}),
    log: (...remark) => remarks.push(remark),
  });
  const takes = await readTakes(files, (file) => formatOf(formats, file), character, options);
  if (!takes) return undefined;
  for (const remark of remarks) options.log?.(...remark);
  const { joinTakes } = await import('../takes/index.ts');
  return joinTakes(character, takes, options.log);
}

/** A mesh before --scale, and how its point caches count. */
interface RestMesh extends PolygonMesh {
  /** All that the file holds, if its format holds whole scenes. */
  scene?: Asset;
  /** Column-major: from the points of a cache to the asset, if they are in another space. */
  matrix?: Float64Array;
}

async function readWithCaches(
  file: InputFile,
  caches: InputFile[],
  formats: Formats,
  options: ReadAssetOptions,
): Promise<Asset> {
  const format = formats.get(file) as MeshFormat | SceneFormat;
  const rest = await readRest(file, format, options, caches.length > 0);
  const clips = [...(rest.scene?.clips ?? [])];
  for (const cache of caches) {
    const { positions, times } = await readCache(cache, rest, file, formats, options);
    const spread = expandFrames(positions, rest.positionCount, rest.positionOfVertex);
    clips.push({ kind: 'clip', name: plainName(cache.name), mesh: rest.mesh, positions: spread, times });
  }
  return makeAsset(file, rest, clips, caches, format, options);
}

async function readRest(
  file: InputFile,
  format: MeshFormat | SceneFormat,
  options: ReadAssetOptions,
  hasCaches: boolean,
): Promise<RestMesh> {
  const name = plainName(file.name);
  if (format.kind === 'mesh') {
    const scan = await format.load();
    const polygons = await readNamed(file, () => scan(file.bytes, { log: options.log }));
    return makePolygonMesh(format.isSoup ? weldPolygons(polygons) : polygons, name);
  }
  if (hasCaches && format.loadPoints) {
    const readPoints = await format.loadPoints();
    // without notes: the file names its own cache, which is given here
    const { asset, points } = await readNamed(file, () => readPoints(file.bytes, { ...options, name, log: undefined }));
    if (!points) return refuse(format, file.name, 'point caches fit files with one mesh that no bones move');
    const { pointOfVertex, pointCount, matrix } = points;
    return { mesh: asset.mesh, positionCount: pointCount, positionOfVertex: pointOfVertex, matrix, scene: asset };
  }
  const read = await format.load();
  const scene = await readNamed(file, () => read(file.bytes, { ...options, name }));
  const positionCount = scene.mesh.positions.length / 3;
  const positionOfVertex = Uint32Array.from({ length: positionCount }, (_, i) => i);
  return { mesh: scene.mesh, positionCount, positionOfVertex, scene };
}

async function readSequenceAsset(
  files: InputFile[],
  caches: InputFile[],
  rest: InputFile,
  formats: Formats,
  options: ReadAssetOptions,
): Promise<Asset> {
  const all = files.includes(rest) ? files : [rest, ...files];
  const format = formats.get(rest) as MeshFormat | SceneFormat;
  const other = all.find((file) => formats.get(file) !== format);
  if (other)
    refuse(
      formatOf(formats, other),
      other.name,
      `the files of a sequence have one format, but ${rest.name} is ${format.label}`,
    );
  if (caches.length > 0)
    refuse(formatOf(formats, caches[0]), caches[0].name, `point caches go with one mesh, not with ${all.length}`);
  const sequence = await readSequence(files, rest, format, options);
  if (!sequence) return readDiffering(files, rest, formats, options);
  const { rest: read, positions, scene, hasMotion } = sequence;
  if (hasMotion) options.log?.('the animations in the files of a sequence are not used: each file is one frame');
  const clip: Clip = {
    kind: 'clip',
    name: plainName(files[0].name),
    mesh: read.mesh,
    positions,
    times: makeTimes(files.length, options.fps ?? DEFAULT_FPS),
  };
  const bare = scene && { ...scene, animations: [], clips: [] };
  const others = all.filter((file) => file !== rest);
  return makeAsset(rest, { ...read, scene: bare }, [clip], others, format, options);
}

/** The rest pose, and all frames as they are. */
async function readDiffering(
  files: InputFile[],
  rest: InputFile,
  formats: Formats,
  options: ReadAssetOptions,
): Promise<Asset> {
  const asset = await readWithCaches(rest, [], formats, options);
  const frames: MeshFrame[] = [];
  for (const file of files)
    frames.push(await readMeshFrame(file, formats.get(file) as MeshFormat | SceneFormat, options));
  return { ...asset, sequence: { frames, times: makeTimes(frames.length, options.fps ?? DEFAULT_FPS) } };
}

async function readCache(
  cache: InputFile,
  rest: RestMesh,
  mesh: InputFile,
  formats: Formats,
  options: ReadAssetOptions,
): Promise<PointCache> {
  const format = formats.get(cache) as CacheFormat;
  const load = await format.load();
  const read = await readNamed(cache, () => load(cache.bytes, { fps: options.fps }));
  if (read.vertexCount !== rest.positionCount)
    refuse(format, cache.name, `it moves ${read.vertexCount} vertices, but ${mesh.name} has ${rest.positionCount}`);
  if (rest.matrix) {
    const positions = new Float32Array(read.positions.length);
    transformPoints(rest.matrix, read.positions, positions);
    return { ...read, positions };
  }
  const points = new Float32Array(3 * rest.positionCount);
  for (const [i, point] of rest.positionOfVertex.entries())
    points.set(rest.mesh.positions.subarray(3 * i, 3 * i + 3), 3 * point);
  const axes = matchCacheAxes(points, read.positions.subarray(0, points.length));
  if (!axes) return read;
  options.log?.(`the axes of ${cache.name} are not those of ${mesh.name}: its points are read as ${axes.name}`);
  return { ...read, positions: turnCache(read.positions, axes) };
}

/** Throws the error of files that do not match. */
function formatOf(formats: Formats, file: InputFile): AssetFormat {
  const format = formats.get(file);
  if (!format) throw new InputError('readAsset', `the format of ${file.name} is not known`);
  return format;
}

function refuse(format: AssetFormat, name: string, fault: string): never {
  throw new FormatError(format.name, 'mismatch', fault, undefined, name);
}

function makeAsset(
  file: InputFile,
  rest: RestMesh,
  clips: Clip[],
  others: InputFile[],
  format: AssetFormat,
  options: ReadAssetOptions,
): Asset {
  const otherBytes = others.reduce((sum, other) => sum + other.bytes.length, 0);
  if (rest.scene && format.kind === 'scene' && format.hasUnits) {
    if (options.unit !== undefined || options.up !== undefined || (options.scale ?? 1) !== 1)
      options.log?.(
        `${file.name} is ${format.label}, which defines its unit and up axis: the given unit, up axis and scale are not used`,
      );
    return normalizeAxes({ ...rest.scene, clips, byteLength: rest.scene.byteLength + otherBytes });
  }
  const mesh = { ...rest.mesh, positions: scaled(rest.mesh.positions, options.scale) };
  const sequence = rest.scene?.sequence && scaleSequence(rest.scene.sequence, options.scale);
  const scaledClips = clips.map((clip) => ({ ...clip, mesh, positions: scaled(clip.positions, options.scale) }));
  for (const { positions } of [mesh, ...scaledClips, ...(sequence?.frames ?? [])]) checkScaled(positions, options);
  return {
    name: plainName(file.name),
    nodes: makeNodeTree(0),
    animations: [],
    ...rest.scene,
    mesh,
    clips: scaledClips,
    ...(sequence ? { sequence } : {}),
    metresPerUnit: options.unit,
    up: options.up ?? 'y',
    byteLength: file.bytes.length + otherBytes,
  };
}

/** The numbers times a factor; never in place, since they may be the caller's bytes. */
function scaled(positions: Float32Array, scale = 1): Float32Array {
  return scale === 1 ? positions : positions.map((x) => x * scale);
}

function scaleSequence(sequence: MeshSequence, scale: number | undefined): MeshSequence {
  return {
    ...sequence,
    frames: sequence.frames.map((frame) => ({ ...frame, positions: scaled(frame.positions, scale) })),
  };
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

/** Options whose files beside the input are refused where they are Git LFS pointers. */
function refusePointers(options: ReadAssetOptions): ReadAssetOptions {
  const { resolve } = options;
  if (!resolve) return options;
  return {
    ...options,
    async resolve(uri, file) {
      const bytes = await resolve(uri, file);
      refuseLfsPointer('unknown', bytes);
      return bytes;
    },
  };
}
