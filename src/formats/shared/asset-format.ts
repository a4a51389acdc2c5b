// SPDX-License-Identifier: MIT
// What a format that is read states about itself; formats/assets/asset-formats.ts has a row for each.

import type { Asset } from '../../core/model/asset.ts';
import type { Clip } from '../../core/model/clip/clip.ts';
import type { Remark } from '../../core/model/remark.ts';
import type { PointCache } from '../caches/index.ts';
import type { Scene } from '../gltf/index.ts';
import type { Polygons } from '../polygons/index.ts';

/** What a reader of scenes gets besides the bytes; each format uses what applies to it. */
export interface ReadSceneOptions {
  /** Name of the asset if the file has none. */
  name?: string;
  /** Frames per second of formats that count in frames. Default 24. */
  fps?: number;
  /** Frames to read, from 0: those after `last` are not needed. */
  frames?: { last?: number };
  /**
   * Where the file is in the folder whose files may be read, as 'shots/one.usda'. Default: in that folder itself. With it, `resolve` is asked for files above
   * the file too, as '../look/skin.png', and must refuse those outside of that folder. USD only: other formats refer to files beside or below.
   */
  path?: string;
  /** Reads a file beside this one, by its relative URI. */
  resolve?: (uri: string) => Promise<Uint8Array>;
  /** Most bytes of memory that reading may take. */
  maxMemory?: number;
  /** Receives sentences about what was repaired, left out or understood in a way worth knowing. */
  log?: Remark;
}

interface FormatFacts {
  /** Short name, as in FormatError. */
  name: string;
  /** Name in messages. */
  label: string;
  /** Matches the first 64 bytes, as Latin-1 text. Formats without a magic number have none. */
  start?: RegExp;
  /** Lower case. They count if no format matches by its first bytes. */
  extensions: readonly string[];
  /** How frames of positions are written. Absent: the format is only read, or holds characters. */
  frames?: FramesFormat;
}

/** A file that is written. */
export interface FramesFile {
  path: string;
  bytes: Uint8Array;
}

/** A format that frames of positions are written to. */
export interface FramesFormat {
  /** What the file says of times: when each frame is shown; the same, but programs play the frames at one rate; nothing. */
  timing: 'exact' | 'loose' | 'none';
  /** Paths of all files that are written. */
  listPaths(path: string, frameCount: number): string[];
  load(): Promise<(clip: Clip, path: string) => FramesFile[]>;
}

/** The points of a file, as point caches count them. */
export interface ScenePoints {
  /** vertexCount: the point of each vertex of the asset */
  pointOfVertex: Uint32Array;
  pointCount: number;
  /** 16, column-major: from the space of the points to that of the asset */
  matrix: Float64Array;
}

/** A whole scene: mesh, nodes, perhaps a rig, animations or clips. */
export interface SceneFormat extends FormatFacts {
  kind: 'scene';
  /** The format defines its unit and up axis. If not, --unit, --up and --scale apply. */
  hasUnits: boolean;
  load(): Promise<(bytes: Uint8Array, options: ReadSceneOptions) => Asset | Promise<Asset>>;
  /** Reads a file and its points, for point caches that count those instead of vertices; no points if caches do not fit the file. */
  loadPoints?(): Promise<
    (bytes: Uint8Array, options: ReadSceneOptions) => Promise<{ asset: Asset; points?: ScenePoints }>
  >;
  /** Reads what a file holds whether it draws anything or not, for files with animations alone. Without it, the format has no animations of nodes. */
  loadScene?(): Promise<(bytes: Uint8Array, options: ReadSceneOptions) => Promise<Scene>>;
  /** Reads a frame of a sequence: polygons in model space. Without it, the mesh of the scene is the frame. */
  loadFrame?(): Promise<(bytes: Uint8Array, options?: { log?: (message: string) => void }) => Polygons>;
}

/** One mesh of polygons. */
export interface MeshFormat extends FormatFacts {
  kind: 'mesh';
  /** Faces do not share points: those of equal position are welded. */
  isSoup?: boolean;
  load(): Promise<(bytes: Uint8Array, options?: { log?: (message: string) => void }) => Polygons>;
}

/** Frames of positions without a mesh. */
export interface CacheFormat extends FormatFacts {
  kind: 'cache';
  load(): Promise<(bytes: Uint8Array, options: { fps?: number }) => PointCache>;
}

export type AssetFormat = SceneFormat | MeshFormat | CacheFormat;
