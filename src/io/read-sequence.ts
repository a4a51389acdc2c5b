// SPDX-License-Identifier: MIT

import { makePolygonMesh, type PolygonMesh } from '../mesh/make-polygon-mesh.ts';
import type { Polygons } from '../mesh/polygons.ts';
import type { Asset } from '../model/asset.ts';
import { FormatError } from '../model/errors.ts';
import type { MeshFormat, ReadSceneOptions, SceneFormat } from './asset-formats.ts';
import { type InputFile, plainName, readNamed } from './input-file.ts';

export interface FrameSequence {
  /** The rest pose. */
  rest: PolygonMesh;
  /** frameCount x vertexCount x 3, in the vertices of the rest pose */
  positions: Float32Array;
  /** The file of the rest pose, if its format holds whole scenes. */
  scene?: Asset;
}

/** What is compared between frames: points and faces as stored, before seams and triangulation. */
type FrameShape = Pick<Polygons, 'positions' | 'faceStart' | 'cornerPositions'>;

interface SequenceFrame {
  shape: FrameShape;
  layOut(): PolygonMesh;
  scene?: Asset;
}

/**
 * Reads files of one format as frames of one mesh. Faces are compared as stored, before seams and triangulation, since normals
 * may differ and polygons bend from frame to frame; vertices, UVs and parts are those of the rest pose.
 * @param files frames in order
 * @param rest the rest pose; may be one of the frames
 */
export async function readSequence(
  files: readonly InputFile[],
  rest: InputFile,
  format: MeshFormat | SceneFormat,
  options: ReadSceneOptions = {},
): Promise<FrameSequence> {
  const restFrame = await readFrame(rest, format, options);
  const mesh = restFrame.layOut();
  const { positionOfVertex } = mesh;
  const stride = 3 * positionOfVertex.length;
  const positions = new Float32Array(files.length * stride);
  for (let k = 0; k < files.length; k++) {
    const { shape } = files[k] === rest ? restFrame : await readFrame(files[k], format, options);
    checkSame(restFrame.shape, shape, rest.name, files[k].name, format.name);
    for (let i = 0; i < positionOfVertex.length; i++) {
      const from = 3 * positionOfVertex[i];
      const to = k * stride + 3 * i;
      positions[to] = shape.positions[from];
      positions[to + 1] = shape.positions[from + 1];
      positions[to + 2] = shape.positions[from + 2];
    }
  }
  return { rest: mesh, positions, scene: restFrame.scene };
}

async function readFrame(
  file: InputFile,
  format: MeshFormat | SceneFormat,
  options: ReadSceneOptions,
): Promise<SequenceFrame> {
  const name = plainName(file.name);
  const scan = format.kind === 'mesh' ? await format.load() : await format.loadFrame?.();
  if (scan) {
    const polygons = await readNamed(file, () => scan(file.bytes));
    return { shape: polygons, layOut: () => makePolygonMesh(polygons, name) };
  }
  const read = await (format as SceneFormat).load();
  const scene = await readNamed(file, () => read(file.bytes, { ...options, name }));
  const { mesh } = scene;
  const count = mesh.positions.length / 3;
  return {
    shape: {
      positions: mesh.positions,
      faceStart: Uint32Array.from({ length: mesh.triangles.length / 3 + 1 }, (_, f) => 3 * f),
      cornerPositions: Int32Array.from(mesh.triangles),
    },
    layOut: () => ({ mesh, positionCount: count, positionOfVertex: Uint32Array.from({ length: count }, (_, i) => i) }),
    scene,
  };
}

function checkSame(rest: FrameShape, frame: FrameShape, restName: string, frameName: string, format: string): void {
  const refuse = (fault: string): never => {
    const sentence = `${fault}; the frames of a sequence must have the same`;
    throw new FormatError(format, 'mismatch', sentence, undefined, frameName);
  };
  if (frame.positions.length !== rest.positions.length)
    refuse(`it has ${frame.positions.length / 3} vertices, but ${restName} has ${rest.positions.length / 3}`);
  if (!isEqual(frame.faceStart, rest.faceStart) || !isEqual(frame.cornerPositions, rest.cornerPositions))
    refuse(`its faces are not those of ${restName}`);
}

function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false;
  return true;
}
