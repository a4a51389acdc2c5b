// SPDX-License-Identifier: MIT
// A file, written in a format and read back as GLB: what it still holds, and where its vertices are.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { measureScenes } from '../cells/measure-scenes.ts';
import { loadScene } from '../players/load-scene.ts';
import type { TripFile } from './list-trip-files.ts';

/** Counts of a file, as `listContents` of the package has them. */
export interface Held {
  meshes: readonly string[];
  parts: number;
  triangles: number;
  uvSets: number;
  colorSets: number;
  materials: readonly string[];
  images: readonly string[];
  morphTargets: readonly string[];
  skins: number;
  joints: readonly string[];
  influences: number;
  nodes: readonly string[];
  extras: readonly string[];
  animations: readonly { name: string }[];
  cameras: readonly string[];
  lights: readonly string[];
}

/** What is needed of the package. */
export interface Package {
  program: string;
  folder: string;
  list(path: string): Promise<Held>;
}

/** What became of a file in one format. */
export interface Trip {
  format: string;
  /** Why it was not written. */
  fault?: string;
  /** As "lights 2 to 0". */
  lost: string[];
  /** Losses that no note names. */
  unnamed: string[];
  /** What the notes say of it. */
  reasons: string[];
  /** Largest distance between what three.js plays of the source and of the format, and of the GLB at the end; percent of the size. */
  played?: number;
  returned?: number;
  /** Why it was not played. */
  unplayed?: string;
}

interface Loss {
  kind: string;
  what: string;
  reason: string;
}

export const FORMATS = ['glb', 'fbx', 'usdz'] as const;

/** Animations that are played of a file with many. */
const CLIPS = 4;

/** Percent of the size above which positions are told. */
const MOVED = 1e-3;

export async function runTrip(file: TripFile, format: string, { program, folder, list }: Package): Promise<Trip> {
  const work = join(folder, 'trips', `${file.name}_${format}`.replaceAll(/[^\w.-]+/g, '_'));
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const bake = (input: string, name: string): { path: string; losses: Loss[]; fault?: string } => {
    const path = join(work, name);
    const report = `${path}.json`;
    const { status, stderr } = spawnSync(process.execPath, [program, 'bake', input, path, '--report', report], {
      encoding: 'utf8',
    });
    if (status !== 0) return { path, losses: [], fault: stderr.trim().split('\n').at(-1) ?? `status ${status}` };
    return { path, losses: JSON.parse(readFileSync(report, 'utf8')).losses ?? [] };
  };
  try {
    const there = bake(file.path, `there.${format}`);
    const back = there.fault === undefined ? bake(there.path, 'back.glb') : there;
    if (back.fault !== undefined) return { format, fault: back.fault, lost: [], unnamed: [], reasons: [] };
    const losses = [...there.losses, ...back.losses];
    const lost = compare(await list(file.path), await list(back.path));
    return {
      ...{ format, lost: lost.map(({ what }) => what) },
      unnamed: lost.filter(({ kind }) => !losses.some((loss) => loss.kind === kind)).map(({ what }) => what),
      reasons: losses.map(({ what, reason }) => `${what}: ${reason}`),
      ...(await play(file.path, there.path, back.path)),
    };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Every kind that there is less of. */
function compare(before: Held, after: Held): { kind: string; what: string }[] {
  return (Object.keys(before) as (keyof Held)[]).flatMap((kind) => {
    const [from, to] = [countOf(before[kind]), countOf(after[kind])];
    return from === undefined || to === undefined || to >= from ? [] : [{ kind, what: `${kind} ${from} to ${to}` }];
  });
}

/** Names are counted without repetition: a writer makes them unique. */
function countOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return Array.isArray(value) ? value.length : undefined;
}

async function play(
  source: string,
  there: string,
  back: string,
): Promise<Pick<Trip, 'played' | 'returned' | 'unplayed'>> {
  try {
    const load = (path: string, role: 'source' | 'result') =>
      loadScene(basename(path), new Uint8Array(readFileSync(path)), role);
    const first = await load(source, 'source');
    const clips = first.clips.slice(0, CLIPS).map(({ name }) => name);
    const measure = async (path: string) => measureScenes(first, await load(path, 'source'), { clips }).percent;
    const played = existsSync(there) ? await measure(there) : undefined;
    return { played: small(played), returned: small(await measure(back)) };
  } catch (error) {
    return { unplayed: error instanceof Error ? error.message.split('\n')[0] : String(error) };
  }
}

/** Numbers below a thousandth percent are none. */
const small = (percent: number | undefined): number | undefined =>
  percent !== undefined && percent < MOVED ? 0 : percent;
