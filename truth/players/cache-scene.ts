// SPDX-License-Identifier: MIT
// Stored positions: a mesh as OBJ with a PC2 or MDD file, or with further OBJ files. Positions are linear between frames.
import { Vector3 } from 'three';
import type { Inventory, PlayedClip, PlayedCounts, PlayedPart, PlayedScene } from './played-scene.ts';

/** Frames per second of files that do not state it. */
export const CACHE_FPS = 24;

interface Frames {
  times: readonly number[];
  positions: readonly Float64Array[];
}

export class CacheScene implements PlayedScene {
  readonly parts: readonly PlayedPart[];
  readonly clips: readonly PlayedClip[];
  readonly inventory: Inventory;
  readonly counts: PlayedCounts;
  readonly jointNames: readonly string[] = [];
  readonly scale = 1;
  readonly #rest: Float64Array;
  readonly #frames: Frames;

  constructor({ positions: rest, corners, materials, hasUvs, hasColours }: ObjMesh, frames: Frames) {
    this.#rest = rest;
    this.#frames = frames;
    this.parts = [{ name: '', vertexCount: rest.length / 3, corners }];
    const { times } = frames;
    this.clips = times.length > 0 ? [{ name: '', start: times[0], end: times.at(-1) ?? 0, keys: times }] : [];
    this.counts = {
      ...{ vertices: rest.length / 3, triangles: corners.length / 3 },
      animations: this.clips.length,
    };
    this.inventory = {
      ...{ parts: Math.max(1, materials.length), triangles: corners.length / 3, materials: materials.length },
      ...{ textures: 0, uvSets: hasUvs ? 1 : 0, colourSets: hasColours ? 1 : 0, tangents: 0 },
      ...{ morphTargets: 0, joints: 0, animations: this.clips.length, cameras: 0, lights: 0 },
      ...{ names: materials, nodeNames: [], morphNames: [], extras: [] },
    };
  }

  play(clip: number | undefined, time: number): Float64Array {
    if (clip === undefined) return this.#rest;
    const { times, positions } = this.#frames;
    let k = 0;
    while (k + 2 < times.length && times[k + 1] <= time) k++;
    if (times.length < 2) return positions[0];
    const ratio = Math.min(Math.max((time - times[k]) / (times[k + 1] - times[k]), 0), 1);
    const [a, b] = [positions[k], positions[k + 1]];
    return a.map((value, c) => value + ratio * (b[c] - value));
  }

  turn(): Float64Array {
    return this.#rest;
  }
}

/** Loads `rest.obj` with caches by the names of their files; several OBJ files are frames. */
export function loadCaches(files: ReadonlyMap<string, Uint8Array>, fps = CACHE_FPS): PlayedScene {
  const meshes = [...files].filter(([name]) => name.endsWith('.obj')).map(([, bytes]) => readObj(bytes));
  const [rest, ...others] = meshes;
  const [name, bytes] = [...files].find(([one]) => /\.(pc2|mdd)$/.test(one)) ?? [];
  if (name && bytes) {
    const frames = name.endsWith('.pc2') ? readPc2(bytes, fps) : readMdd(bytes);
    return new CacheScene(rest, frames);
  }
  const positions = others.length > 0 ? meshes.map((mesh) => mesh.positions) : [];
  return new CacheScene(rest, { times: positions.map((_, f) => f / fps), positions });
}

interface ObjMesh {
  positions: Float64Array;
  corners: Uint32Array;
  /** Names. */
  materials: readonly string[];
  hasUvs: boolean;
  /** Red, green and blue after the coordinates of a vertex. */
  hasColours: boolean;
}

/** Positions of `v` lines, and corners of faces as fans. */
function readObj(bytes: Uint8Array): ObjMesh {
  const materials = new Set<string>();
  let [hasUvs, hasColours] = [false, false];
  const positions: number[] = [];
  const corners: number[] = [];
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === 'v') positions.push(...rest.slice(0, 3).map(Number));
    if (word === 'v' && rest.length >= 6) hasColours = true;
    if (word === 'vt') hasUvs = true;
    if (word === 'usemtl') materials.add(rest.join(' '));
    if (word !== 'f') continue;
    const face = rest.map((corner) => Number.parseInt(corner, 10) - 1);
    // a quad that folds over is cut along its other diagonal
    const turned = isFolded(positions, face) ? [...face.slice(1), face[0]] : face;
    for (let c = 2; c < turned.length; c++) corners.push(turned[0], turned[c - 1], turned[c]);
  }
  return {
    ...{ positions: Float64Array.from(positions), corners: Uint32Array.from(corners) },
    ...{ materials: [...materials], hasUvs, hasColours },
  };
}

/** Whether the two triangles of a quad, cut from its first corner, turn differently in the coordinate plane that it faces most. */
function isFolded(positions: readonly number[], face: readonly number[]): boolean {
  if (face.length !== 4) return false;
  const [o, a, b, c] = face.map((vertex) => new Vector3().fromArray(positions, 3 * vertex));
  const first = a.sub(o).cross(b.clone().sub(o));
  const second = b.sub(o).cross(c.sub(o));
  const [x, y, z] = first.clone().add(second).toArray().map(Math.abs);
  const axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  return first.getComponent(axis) * second.getComponent(axis) < 0;
}

function readPc2(bytes: Uint8Array, fps: number): Frames {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const points = view.getInt32(16, true);
  const [start, step] = [view.getFloat32(20, true), view.getFloat32(24, true)];
  const count = view.getInt32(28, true);
  const at = (f: number) => 32 + 12 * points * f;
  return {
    times: Array.from({ length: count }, (_, f) => (start + f * step) / fps),
    positions: Array.from({ length: count }, (_, f) =>
      Float64Array.from({ length: 3 * points }, (__, c) => view.getFloat32(at(f) + 4 * c, true)),
    ),
  };
}

function readMdd(bytes: Uint8Array): Frames {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [count, points] = [view.getInt32(0), view.getInt32(4)];
  const at = (f: number) => 8 + 4 * count + 12 * points * f;
  return {
    times: Array.from({ length: count }, (_, f) => view.getFloat32(8 + 4 * f)),
    positions: Array.from({ length: count }, (_, f) =>
      Float64Array.from({ length: 3 * points }, (__, c) => view.getFloat32(at(f) + 4 * c)),
    ),
  };
}
