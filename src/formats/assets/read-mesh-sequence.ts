// SPDX-License-Identifier: MIT
import { DEFAULT_FPS, makeTimes } from '../../core/model/clip/clip.ts';
import { type MeshFrame, type MeshSequence, makeMeshFrame } from '../../core/model/clip/mesh-frame.ts';
import { FormatError, InputError } from '../../core/model/errors.ts';
import { readMeshFrame } from '../meshes/index.ts';
import { type AssetFormat, type InputFile, plainName, readNamed } from '../shared/index.ts';
import { type ReadAssetOptions, readAsset } from './read-asset.ts';
import { sniffFormat } from './sniff-format.ts';

/**
 * Reads the frames of a sequence, whether their topology is the same or not: several files, one frame each, in the order given; or one file
 * with frames (a flip-book in a glTF, an Alembic archive). Faults are a FormatError or InputError with the file as subject.
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
  let first: AssetFormat | undefined;
  const frames: MeshFrame[] = [];
  for (const file of files) {
    const format = await readNamed(file, () => sniffFormat(file.name, file.bytes));
    first ??= format;
    const refuse = (fault: string): never => {
      throw new FormatError(format.name, 'mismatch', fault, undefined, file.name);
    };
    if (format !== first) refuse(`the files of a sequence have one format, but ${files[0].name} is ${first.label}`);
    if (format.kind === 'cache') refuse('a point cache has no faces, so it cannot be a frame');
    else frames.push(await readMeshFrame(file, format, options));
  }
  return { frames, times: makeTimes(frames.length, options.fps ?? DEFAULT_FPS) };
}

async function readFramesOfFile(file: InputFile, options: ReadAssetOptions): Promise<MeshSequence> {
  const { sequence, clips } = await readAsset([file], options);
  if (sequence) return sequence;
  const [clip] = clips;
  if (!clip || clip.times.length < 2)
    throw new InputError(file.name, 'it has one frame; a sequence needs at least two: name several files or a folder');
  const { mesh, times, positions } = clip;
  const frame = makeMeshFrame(mesh, plainName(file.name));
  const stride = mesh.positions.length;
  const frames = Array.from(times, (_, k) => ({
    ...frame,
    name: `${frame.name} ${k + 1}`,
    positions: positions.subarray(k * stride, (k + 1) * stride),
  }));
  return { frames, times };
}
