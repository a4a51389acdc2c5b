// SPDX-License-Identifier: MIT

import { type MeshFrame, makeMeshFrame } from '../../core/model/clip/mesh-frame.ts';
import { normalizeAxes } from '../../core/model/mesh/normalize-axes.ts';
import { weldPolygons } from '../polygons/index.ts';
import {
  type InputFile,
  type MeshFormat,
  plainName,
  type ReadSceneOptions,
  readNamed,
  type SceneFormat,
} from '../shared/index.ts';
import { makePointFrame } from './make-point-frame.ts';

/** How to read a frame. */
export interface ReadMeshFrameOptions extends ReadSceneOptions {
  /** Factor on positions of formats without units. Default 1. */
  scale?: number;
}

/**
 * Reads a file as one frame of a sequence. Points that a file shares between faces stay shared: seams of UVs and normals do not split them, except
 * in glTF, which stores them split.
 */
export async function readMeshFrame(
  file: InputFile,
  format: MeshFormat | SceneFormat,
  { scale = 1, ...options }: ReadMeshFrameOptions,
): Promise<MeshFrame> {
  const name = plainName(file.name);
  const scan = format.kind === 'mesh' ? await format.load() : await format.loadFrame?.();
  if (scan) {
    const log = (note: string): void => options.log?.(`${file.name}: ${note}`);
    const polygons = await readNamed(file, () => scan(file.bytes, { log }));
    const isSoup = format.kind === 'mesh' && format.isSoup;
    const frame = makePointFrame(isSoup ? weldPolygons(polygons) : polygons, name);
    return scale === 1 ? frame : { ...frame, positions: frame.positions.map((x) => x * scale) };
  }
  const read = await (format as SceneFormat).load();
  const scene = await readNamed(file, () => read(file.bytes, { ...options, name }));
  return makeMeshFrame(normalizeAxes(scene).mesh, name);
}
