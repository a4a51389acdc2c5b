// SPDX-License-Identifier: MIT
import { makePolygonMesh } from '../mesh/make-polygon-mesh.ts';
import type { Polygons } from '../mesh/polygons.ts';
import { weldPolygons } from '../mesh/weld-polygons.ts';
import { makeTimes } from '../model/clip.ts';
import { FormatError, InputError } from '../model/errors.ts';
import type { Mesh } from '../model/mesh.ts';
import type { MeshFrame } from '../model/mesh-frame.ts';
import { normalizeAxes } from '../model/normalize-axes.ts';
import type { AssetFormat, MeshFormat, SceneFormat } from './asset-formats.ts';
import { type InputFile, plainName, readNamed } from './input-file.ts';
import { DEFAULT_FPS } from './point-cache.ts';
import { type ReadAssetOptions, readAsset } from './read-asset.ts';
import { sniffFormat } from './sniff-format.ts';

/** Frames of meshes that may differ in vertices and triangles. */
export interface MeshSequence {
  /** At least two, in order. */
  frames: MeshFrame[];
  /** frameCount, seconds, ascending */
  times: Float64Array;
}

/**
 * Reads the frames of a sequence, whether their topology is the same or not: several files, one frame each, in the order given; or one file
 * with frames (a flip-book in a glTF, an Alembic archive). Points that a file shares between faces stay shared: seams of UVs and normals do
 * not split them, except in glTF, which stores them split. Faults are a FormatError or InputError with the file as subject.
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { readMeshSequence } from 'ossify';
 *
 * const load = async (path: string) => ({ name: path, bytes: await readFile(path) });
 * const scan = await readMeshSequence([await load('scan1.ply'), await load('scan2.ply')], { fps: 30 });
 * console.log(scan.frames.map(({ name, positions }) => [name, positions.length / 3]));
 * ```
 */
export async function readMeshSequence(
  files: readonly InputFile[],
  options: Pick<ReadAssetOptions, 'fps' | 'scale' | 'resolve' | 'log'> = {},
): Promise<MeshSequence> {
  if (files.length === 0) throw new InputError('readMeshSequence', 'at least one file is needed');
  if (files.length === 1) return readFramesOfFile(files[0], options);
  const formats: AssetFormat[] = [];
  for (const file of files) formats.push(await readNamed(file, () => sniffFormat(file.name, file.bytes)));
  const [format] = formats;
  const frames: MeshFrame[] = [];
  for (const [n, file] of files.entries()) {
    if (formats[n] !== format)
      refuse(formats[n], file.name, `the files of a sequence have one format, but ${files[0].name} is ${format.label}`);
    if (format.kind === 'cache')
      return refuse(format, file.name, 'a point cache has no faces, so it cannot be a frame');
    frames.push(await readFrame(file, format, options));
  }
  return { frames, times: makeTimes(frames.length, options.fps ?? DEFAULT_FPS) };
}

/** The mesh of a scene as a frame. */
export function makeMeshFrame({ positions, triangles, attributes }: Mesh, name: string): MeshFrame {
  const colors = attributes.find((attribute) => attribute.name === 'COLOR_0');
  if (!colors) return { name, positions, triangles };
  const { size, values } = colors;
  const rgb = size === 3 ? values : Float32Array.from(positions, (_, c) => values[size * Math.floor(c / 3) + (c % 3)]);
  return { name, positions, triangles, colors: rgb };
}

/** Triangles over the points of a file, which have one colour each. */
export function makePointFrame(polygons: Polygons, name: string): MeshFrame {
  const none = new Int32Array(polygons.cornerPositions.length).fill(-1);
  const { cornerColors, ...bare } = {
    ...polygons,
    colors: colorsOfPoints(polygons),
    cornerUvs: none,
    cornerNormals: none,
  };
  return makeMeshFrame(makePolygonMesh(bare, name).mesh, name);
}

async function readFramesOfFile(file: InputFile, options: ReadAssetOptions): Promise<MeshSequence> {
  const asset = await readAsset([file], options);
  const [clip] = asset.clips;
  if (!clip || clip.times.length < 2)
    throw new InputError(file.name, 'it has one frame; a sequence needs at least two: name several files or a folder');
  const { mesh, times } = clip;
  const frame = makeMeshFrame(mesh, plainName(file.name));
  const stride = mesh.positions.length;
  const frames = Array.from(times, (_, k) => ({
    ...frame,
    name: `${frame.name} ${k + 1}`,
    positions: clip.positions.subarray(k * stride, (k + 1) * stride),
  }));
  return { frames, times };
}

async function readFrame(
  file: InputFile,
  format: MeshFormat | SceneFormat,
  options: ReadAssetOptions,
): Promise<MeshFrame> {
  const name = plainName(file.name);
  const scan = format.kind === 'mesh' ? await format.load() : await format.loadFrame?.();
  if (scan) {
    const polygons = await readNamed(file, () => scan(file.bytes));
    const isSoup = format.kind === 'mesh' && format.isSoup;
    const frame = makePointFrame(isSoup ? weldPolygons(polygons) : polygons, name);
    return { ...frame, positions: scaled(frame.positions, options.scale) };
  }
  const read = await (format as SceneFormat).load();
  const scene = await readNamed(file, () => read(file.bytes, { ...options, name }));
  return makeMeshFrame(normalizeAxes(scene).mesh, name);
}

/** Colours by point; of points whose corners have several, the last. */
function colorsOfPoints({ positions, colors, cornerColors, cornerPositions }: Polygons): Float32Array | undefined {
  if (!colors || !cornerColors) return colors;
  const out = new Float32Array(positions.length).fill(1);
  for (const [c, color] of cornerColors.entries())
    out.set(colors.subarray(3 * color, 3 * color + 3), 3 * cornerPositions[c]);
  return out;
}

function scaled(positions: Float32Array, scale = 1): Float32Array {
  return scale === 1 ? positions : positions.map((x) => x * scale);
}

function refuse(format: AssetFormat, name: string, fault: string): never {
  throw new FormatError(format.name, 'mismatch', fault, undefined, name);
}
