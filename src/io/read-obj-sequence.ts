// SPDX-License-Identifier: MIT

import { makePolygonMesh, type PolygonMesh } from '../mesh/make-polygon-mesh.ts';
import type { Polygons } from '../mesh/polygons.ts';
import { FormatError } from '../model/errors.ts';
import { scanObj } from './scan-obj.ts';

/** A file in memory; readers do not access the disk. */
export interface InputFile {
  /** Name or path, used for its extension and in messages. */
  name: string;
  /** Content of the file. */
  bytes: Uint8Array;
}

/** Frames of a sequence of OBJ files. */
export interface ObjSequence {
  /** The rest pose. */
  rest: PolygonMesh;
  /** frameCount x vertexCount x 3, in the vertices of the rest pose */
  positions: Float32Array;
}

/**
 * Reads OBJ files as frames of one mesh. Faces are compared before seams are split and polygons are triangulated, because both depend on the
 * frame; vertices, UVs and parts are those of the rest pose.
 * @param files frames in order
 * @param rest the rest pose; by default the first frame
 */
export function readObjSequence(files: readonly InputFile[], rest: InputFile = files[0], name?: string): ObjSequence {
  const restScan = scanNamed(rest);
  const obj = makePolygonMesh(restScan, name);
  const { positionOfVertex } = obj;
  const stride = 3 * positionOfVertex.length;
  const positions = new Float32Array(files.length * stride);
  for (let k = 0; k < files.length; k++) {
    const scan = files[k] === rest ? restScan : scanNamed(files[k]);
    checkSame(restScan, scan, rest.name, files[k].name);
    for (let i = 0; i < positionOfVertex.length; i++) {
      const from = 3 * positionOfVertex[i];
      const to = k * stride + 3 * i;
      positions[to] = scan.positions[from];
      positions[to + 1] = scan.positions[from + 1];
      positions[to + 2] = scan.positions[from + 2];
    }
  }
  return { rest: obj, positions };
}

function scanNamed(file: InputFile): Polygons {
  try {
    return scanObj(file.bytes);
  } catch (error) {
    throw withName(file.name, error);
  }
}

/** The same error with a file as its subject. */
export function withName(name: string, error: unknown): unknown {
  return error instanceof FormatError ? error.withSubject(name) : error;
}

function checkSame(rest: Polygons, frame: Polygons, restName: string, frameName: string): void {
  const refuse = (fault: string): never => {
    const sentence = `${fault}; the frames of a sequence must have the same`;
    throw new FormatError('obj', 'mismatch', sentence, undefined, frameName);
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
