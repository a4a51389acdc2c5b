// SPDX-License-Identifier: MIT
// Sequences for the misfits suite: those of the track suite made worse (fewer frames per second, fewer vertices, holes, noise), and frames or templates of another object.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { makeRandom } from '../../src/core/math/random.ts';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import type { Clip } from '../../src/core/model/clip/clip.ts';
import { bakeAt } from '../../src/entry/deform.ts';
import type { ScanFrame } from '../../src/entry/index.ts';
import { makeRigSample, makeSample } from '../../src/entry/sample.ts';
import { openFiles } from '../../src/hosts/disk/index.ts';
import { makeScannedCase } from './scanned-cases.ts';
import { makeTouchClip } from './touch-poses.ts';
import { listTrackCases, makeTrackCase, type TrackCase } from './track-cases.ts';

/** A case of a group. Cases without truth are of other objects. */
export interface MisfitCase {
  group: string;
  name: string;
  make(): Promise<{
    one: Pick<TrackCase, 'frames'> & Partial<TrackCase>;
    template?: ScanFrame;
    /** Frames that must be refused; default: none. */
    others?: readonly number[];
  }>;
}

type Motion = readonly [creature: string, animation: string];
const MOTIONS: readonly Motion[] = [
  ['fox', 'Walk'],
  ['spider', 'Attack'],
  ['bird', 'Flap'],
  ['snake', 'Dance'],
  ['fox', 'Run'],
  ['spider', 'Walk'],
  ['snake', 'Side winding'],
  ['spider', 'Death'],
];
const FAST: readonly Motion[] = [...MOTIONS, ['spider', 'Jump'], ['spider', 'Hit'], ['fox', 'Jump'], ['bird', 'Walk']];
const PAIRS: readonly (readonly [Motion, Motion])[] = [
  [MOTIONS[0], MOTIONS[5]],
  [MOTIONS[5], MOTIONS[0]],
  [MOTIONS[2], MOTIONS[0]],
  [MOTIONS[0], MOTIONS[2]],
  [MOTIONS[3], MOTIONS[0]],
  [MOTIONS[0], MOTIONS[3]],
];
const RATE = 30;
const SPOILED: readonly [group: string, holes: number, noise: number][] = [
  ['holes', 6, 0],
  ['noise', 0, 0.002],
  ['noise', 0, 0.005],
  ['holes and noise', 4, 0.002],
];
/** Radius of a hole, relative to the box diagonal. */
const HOLE = 0.06;
const FIGURES = ['body', 'Xbot', 'CesiumMan'];

/** The cases whose files are there, group by group. */
export async function listMisfitCases(folder: string | undefined): Promise<MisfitCase[]> {
  const creaturePath = ([creature]: Motion): string => join(String(folder), 'creatures', `${creature}-animations.glb`);
  const figurePath = (figure: string): string => join(String(folder), 'rigs', `${figure}.glb`);
  const play = (motion: Motion, fps: number, frames: number): Promise<Clip> =>
    playClip(creaturePath(motion), motion[1], fps, frames);
  const remesh = async (motion: Motion, fps: number, frames: number, vertices?: number): Promise<TrackCase> =>
    makeTrackCase(motion.join(' '), await play(motion, fps, frames), vertices);
  const cases: MisfitCase[] = (await listTrackCases(folder)).map(({ name, make }) => ({
    ...{ group: 'track suite', name },
    make: async () => ({ one: await make() }),
  }));
  const add = (group: string, name: string, needed: readonly string[], make: MisfitCase['make']) => {
    if (needed.every((path) => folder !== undefined && existsSync(path))) cases.push({ group, name, make });
  };
  for (const fps of [6, 4, 3])
    for (const motion of FAST)
      add('3 to 6 fps', `${motion.join(' ')}, ${fps} fps`, [creaturePath(motion)], async () => ({
        one: await remesh(motion, fps, 7),
      }));
  for (const vertices of [200, 400])
    for (const motion of MOTIONS)
      add('200 and 400 vertices', `${motion.join(' ')}, ${vertices} vertices`, [creaturePath(motion)], async () => ({
        one: await remesh(motion, RATE, 5, vertices),
      }));
  for (const motion of MOTIONS.slice(0, 6))
    for (const [group, holes, noise] of SPOILED)
      add(group, `${motion.join(' ')}, ${holes} holes, noise ${noise}`, [creaturePath(motion)], async () => {
        const one = await remesh(motion, RATE, 5);
        return { one: { ...one, frames: one.frames.map((frame, k) => spoil(frame, k + 7, holes, noise)) } };
      });
  const body = makeRigSample('corrective-body');
  add('holes', 'body, 2 cameras', [], async () => ({
    one: makeScannedCase(makeTouchClip(body, 'hands on hips'), { cameras: 2 }),
  }));
  add('holes', 'body, 3 cameras with noise', [], async () => ({
    one: makeScannedCase(makeTouchClip(body, 'crouch'), { cameras: 3, noise: 0.003 }),
  }));
  for (const [own, other] of PAIRS) {
    add('other objects', `${other[0]} as template of ${own[0]}`, [own, other].map(creaturePath), async () => {
      const { frames } = await remesh(own, RATE, 3);
      const [stranger] = (await remesh(other, RATE, 1)).frames;
      return { one: { frames }, template: fitBox(stranger, frames[0]), others: [0, 1, 2] };
    });
    add('other objects', `${other[0]} as frame of ${own[0]}`, [own, other].map(creaturePath), async () => {
      const { frames } = await remesh(own, RATE, 4);
      const [stranger] = (await remesh(other, RATE, 1)).frames;
      return { one: { frames: frames.with(2, fitBox(stranger, frames[2])) }, others: [2] };
    });
  }
  for (const [own, other] of [
    ['creature', 'quadruped'],
    ['quadruped', 'creature'],
  ])
    add('other objects', `${other} as template of ${own}`, [], async () => {
      const { frames } = makeTrackCase(own, makeSample(own, { resolution: 600, frames: 4 }).clip);
      const [stranger] = makeTrackCase(other, makeSample(other, { resolution: 600, frames: 4 }).clip).frames;
      return { one: { frames }, template: fitBox(stranger, frames[0]), others: [0, 1, 2, 3] };
    });
  const scans = async (figure: string): Promise<ScanFrame[]> => {
    if (figure === 'body') return makeScannedCase(makeTouchClip(body, 'hands on hips')).frames.slice(0, 3);
    return makeScannedCase(await playClip(figurePath(figure), figure === 'Xbot' ? 'walk' : undefined, 24, 3)).frames;
  };
  for (const own of FIGURES)
    for (const other of FIGURES)
      if (own !== other)
        add(
          'other figures',
          `${other} as template of ${own}`,
          [own, other].filter((one) => one !== 'body').map(figurePath),
          async () => {
            const frames = await scans(own);
            return { one: { frames }, template: fitBox((await scans(other))[0], frames[0]) };
          },
        );
  return cases;
}

async function playClip(path: string, name: string | undefined, fps: number, most: number): Promise<Clip> {
  const { asset } = await openFiles(path, {});
  const animation = asset.animations.find((one) => name === undefined || one.name === name)!;
  const duration = Math.max(...animation.tracks.map(({ times }) => times[times.length - 1]));
  const count = Math.min(most, Math.floor(duration * fps + 1e-6) + 1);
  return bakeAt(
    asset,
    animation,
    Float64Array.from({ length: count }, (_, k) => k / fps),
  );
}

/** A mesh at the place and with the box diagonal of another. */
function fitBox(frame: ScanFrame, to: ScanFrame): ScanFrame {
  const [own, other] = [measureBounds(frame.positions), measureBounds(to.positions)];
  const scale = other.diagonal / own.diagonal;
  const middle = ({ min, max }: typeof own, a: number): number => (min[a] + max[a]) / 2;
  return {
    ...frame,
    positions: frame.positions.map((x, c) => (x - middle(own, c % 3)) * scale + middle(other, c % 3)),
  };
}

/** A frame with noise in all coordinates, and without the triangles around some of its vertices. */
function spoil({ positions, triangles }: ScanFrame, seed: number, holes: number, noise: number): ScanFrame {
  const random = makeRandom(seed);
  const { diagonal } = measureBounds(positions);
  // as in the run that docs/benchmarks/track.md has the figures of
  const normal = (): number => Math.sqrt(-2 * Math.log(random.next() + 1e-12)) * Math.cos(2 * Math.PI * random.next());
  const moved = positions.map((x) => x + noise * diagonal * normal());
  let left = triangles;
  for (let n = 0; n < holes; n++) {
    const center = 3 * Math.floor(random.next() * (moved.length / 3));
    const before = left;
    left = before.filter((_, c) => {
      const i = 3 * before[c - (c % 3)];
      return Math.hypot(...[0, 1, 2].map((a) => moved[i + a] - moved[center + a])) > HOLE * diagonal;
    });
  }
  return { positions: moved, triangles: left };
}
