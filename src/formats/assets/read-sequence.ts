// SPDX-License-Identifier: MIT

import { gatherPoints, matchTopology } from '../../core/mesh/topology/match-topology.ts';
import { weldClip } from '../../core/mesh/topology/weld.ts';
import type { Asset } from '../../core/model/asset.ts';
import { FormatError } from '../../core/model/errors.ts';
import { makeMesh } from '../../core/model/mesh/mesh.ts';
import { makePolygonMesh, type PolygonMesh, type Polygons, weldPolygons } from '../polygons/index.ts';
import {
  type InputFile,
  type MeshFormat,
  plainName,
  type ReadSceneOptions,
  readNamed,
  type SceneFormat,
} from '../shared/index.ts';
import type { ReadAssetOptions } from './read-asset.ts';

export interface FrameSequence {
  /** The rest pose. */
  rest: PolygonMesh;
  /** frameCount x vertexCount x 3, in the vertices of the rest pose */
  positions: Float32Array;
  /** The file of the rest pose, if its format holds whole scenes. */
  scene?: Asset;
  /** Whether some file has animations, which are not used. */
  hasMotion: boolean;
}

/** What is compared between frames: points and faces as stored, before seams and triangulation. */
type FrameShape = Pick<Polygons, 'positions' | 'faceStart' | 'cornerPositions'>;

/** A frame of a format that stores polygons, or of one that stores scenes. */
type SequenceFrame = { shape: FrameShape } & (
  | { polygons: Polygons; scene?: undefined }
  | { polygons?: undefined; scene: Asset }
);

/**
 * Reads files of one format as frames of one mesh. Faces are compared as stored, before seams and triangulation, since normals
 * may differ and polygons bend from frame to frame; vertices, UVs and parts are those of the rest pose.
 * @param files frames in order
 * @param rest the rest pose; may be one of the frames
 * @returns undefined if the topology differs and may differ
 */
export async function readSequence(
  files: readonly InputFile[],
  rest: InputFile,
  format: MeshFormat | SceneFormat,
  options: ReadSceneOptions & Pick<ReadAssetOptions, 'topology'> = {},
): Promise<FrameSequence | undefined> {
  const restFrame = await readFrame(rest, format, options);
  const stride = restFrame.shape.positions.length;
  const points = new Float32Array(files.length * stride);
  let hasMotion = isMoving(restFrame.scene);
  for (const [k, file] of files.entries()) {
    const frame = file === rest ? restFrame : await readFrame(file, format, options);
    hasMotion ||= isMoving(frame.scene);
    const own = placePoints(restFrame, frame);
    if (own) points.set(own, k * stride);
    else if (options.topology === 'any') return undefined;
    else throw describeDifference(restFrame.shape, frame.shape, rest.name, file.name, format.name);
  }
  const isSoup = format.kind === 'mesh' && format.isSoup === true;
  const mesh = layOut(restFrame, isSoup, points, plainName(rest.name));
  const positions = expandFrames(points, stride / 3, mesh.positionOfVertex);
  return { rest: mesh, positions, scene: restFrame.scene, hasMotion };
}

function isMoving(scene: Asset | undefined): boolean {
  return scene !== undefined && scene.animations.length + scene.clips.length > 0;
}

/** Frames over points to frames over vertices; the array itself if vertices are points. */
export function expandFrames(points: Float32Array, pointCount: number, positionOfVertex: Uint32Array): Float32Array {
  const vertexCount = positionOfVertex.length;
  if (vertexCount === pointCount && positionOfVertex.every((v, i) => v === i)) return points;
  const frameCount = points.length / (3 * pointCount);
  const out = new Float32Array(frameCount * vertexCount * 3);
  for (let k = 0; k < frameCount; k++) {
    for (let i = 0; i < vertexCount; i++) {
      const from = 3 * (k * pointCount + positionOfVertex[i]);
      const to = 3 * (k * vertexCount + i);
      out[to] = points[from];
      out[to + 1] = points[from + 1];
      out[to + 2] = points[from + 2];
    }
  }
  return out;
}

function layOut(
  { polygons, scene, shape }: SequenceFrame,
  isSoup: boolean,
  points: Float32Array,
  name: string,
): PolygonMesh {
  const count = shape.positions.length / 3;
  if (scene) {
    return {
      mesh: scene.mesh,
      positionCount: count,
      positionOfVertex: Uint32Array.from({ length: count }, (_, i) => i),
    };
  }
  if (!isSoup) return makePolygonMesh(polygons, name);
  // Points are joined only if they coincide in every frame.
  const times = new Float64Array(points.length / shape.positions.length);
  const weld = weldClip({
    kind: 'clip',
    name,
    mesh: makeMesh(shape.positions, new Uint32Array()),
    positions: points,
    times,
  });
  const welded = makePolygonMesh(weldPolygons(polygons, weld), name);
  const positionOfVertex = welded.positionOfVertex.map((point) => weld.vertexOfPoint[point]);
  return { ...welded, positionCount: count, positionOfVertex };
}

async function readFrame(
  file: InputFile,
  format: MeshFormat | SceneFormat,
  options: ReadSceneOptions,
): Promise<SequenceFrame> {
  const scan = format.kind === 'mesh' ? await format.load() : await format.loadFrame?.();
  if (scan) {
    const log = (note: string): void => options.log?.(`${file.name}: ${note}`);
    const polygons = await readNamed(file, () => scan(file.bytes, { log }));
    return { shape: polygons, polygons };
  }
  const read = await (format as SceneFormat).load();
  const scene = await readNamed(file, () => read(file.bytes, { ...options, name: plainName(file.name) }));
  const { positions, triangles } = scene.mesh;
  const faceStart = Uint32Array.from({ length: triangles.length / 3 + 1 }, (_, f) => 3 * f);
  return { shape: { positions, faceStart, cornerPositions: Int32Array.from(triangles) }, scene };
}

/** The points of a frame in the order of the rest pose; undefined if the faces are not the same. */
function placePoints(rest: SequenceFrame, frame: SequenceFrame): Float32Array | undefined {
  if (rest.scene && frame.scene) {
    // Scenes store vertices, which exporters split by normals: their number and order may differ from frame to frame.
    const map = matchTopology(rest.scene.mesh, frame.scene.mesh);
    return map && gatherPoints(frame.shape.positions, map, rest.shape.positions);
  }
  const { positions, faceStart, cornerPositions } = frame.shape;
  const isSame =
    positions.length === rest.shape.positions.length &&
    isEqual(faceStart, rest.shape.faceStart) &&
    isEqual(cornerPositions, rest.shape.cornerPositions);
  return isSame ? positions : undefined;
}

function describeDifference(
  rest: FrameShape,
  frame: FrameShape,
  restName: string,
  frameName: string,
  format: string,
): FormatError {
  const fault =
    frame.positions.length === rest.positions.length
      ? `its faces are not those of ${restName}`
      : `it has ${frame.positions.length / 3} vertices, but ${restName} has ${rest.positions.length / 3}`;
  const sentence = `${fault}; the frames of a clip must have the same vertices and faces; ossify track makes a clip of frames that differ`;
  return new FormatError(format, 'mismatch', sentence, undefined, frameName);
}

function isEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false;
  return true;
}
