// SPDX-License-Identifier: MIT
// Sequences for the track suite as a scanner gives them: only the outer surface, where parts that touch are fused, and the true motion of every vertex that is a point of the body.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import type { Asset } from '../../src/core/model/asset.ts';
import { type Clip, frameCountOf, frameOf } from '../../src/core/model/clip/clip.ts';
import { bakeAt, makeAssetDeformer } from '../../src/entry/deform.ts';
import { makeRigSample } from '../../src/entry/sample.ts';
import { openFiles } from '../../src/hosts/disk/index.ts';
import { type ScanOptions, scanSurface } from '../../src/samples/index.ts';
import { listTouching } from './list-touching.ts';
import { type Figure, makeTouchClip } from './touch-poses.ts';
import type { ListedCase, TrackCase } from './track-cases.ts';

/** Spacing of the scanner, relative to the box diagonal of the first frame. */
const SPACING = 0.0125;
/** Noise of the noisy case, relative to the box diagonal, and the cameras of the one with holes. */
const NOISE = 0.001;
const CAMERAS = 3;
/** Motions with contacts (touch-poses.ts) by figure. 'body' is generated, the others are files of the folder rigs. */
const POSED: readonly [figure: string, motions: readonly string[]][] = [
  ['body', ['hands on hips', 'hands leave hips', 'hands on thighs', 'arms folded', 'crouch']],
  ['Xbot', ['hands on hips', 'arms folded']],
  ['Michelle', ['hands leave hips', 'hands on thighs']],
];
/** Animations of files: folder and file, animation, first frame, frames per second. */
const PLAYED: readonly [file: string, animation: string, start: number, fps: number][] = [
  ['rigs/CesiumMan', 'animation 0', 0, 24],
  ['rigs/Xbot', 'walk', 0, 24],
  ['creatures/fox-animations', 'Death', 0, 30],
  ['creatures/spider-animations', 'Walk', 0, 30],
  ['creatures/spider-animations', 'Attack', 0, 30],
];
const FRAMES = 10;

/** The names of all scanned cases, and how to make each. */
export function listScannedCases(folder: string | undefined): ListedCase[] {
  const cases: ListedCase[] = [];
  const pathOf = (file: string): string => join(String(folder), `${file}.glb`);
  const isThere = (file: string): boolean => folder !== undefined && existsSync(pathOf(file));
  for (const [file, animation, start, fps] of PLAYED) {
    if (!isThere(file)) continue;
    const short = file.replace(/^.*\//, '').replace(/-animations$/, '');
    cases.push({
      name: `${short} ${animation}, scanned`,
      make: async () => {
        const { asset } = await openFiles(pathOf(file), {});
        return makeScannedCase(playFrames(asset, animation, start, fps));
      },
    });
  }
  for (const [figure, motions] of POSED) {
    if (figure !== 'body' && !isThere(`rigs/${figure}`)) continue;
    const open = async (): Promise<Figure> =>
      figure === 'body'
        ? makeRigSample('corrective-body')
        : figureOf((await openFiles(pathOf(`rigs/${figure}`), {})).asset);
    for (const motion of motions)
      cases.push({
        name: `${figure} ${motion}, scanned`,
        make: async () => makeScannedCase(makeTouchClip(await open(), motion)),
      });
    if (figure !== 'body') continue;
    const kinds: [string, Partial<ScanOptions>][] = [
      ['with noise', { noise: NOISE }],
      ['with holes', { cameras: CAMERAS }],
    ];
    for (const [kind, options] of kinds)
      cases.push({
        name: `${figure} ${motions[0]}, scanned ${kind}`,
        make: async () => makeScannedCase(makeTouchClip(await open(), motions[0]), options),
      });
  }
  return cases;
}

/** Scans each frame of a clip, with another lattice. Noise is relative to the box diagonal. */
export function makeScannedCase(clip: Clip, { noise = 0, cameras }: Partial<ScanOptions> = {}): TrackCase {
  const shapes = Array.from({ length: frameCountOf(clip) }, (_, k) => frameOf(clip, k));
  const { diagonal } = measureBounds(shapes[0]);
  const scans = shapes.map((shape, k) =>
    scanSurface(shape, clip.mesh.triangles, {
      ...{ spacing: SPACING * diagonal, noise: noise * diagonal, cameras, seed: k + 1 },
    }),
  );
  const truth = (mesh: number, k: number): Float32Array => {
    const { corners, blends } = scans[mesh];
    return Float32Array.from({ length: corners.length }, (_, c) => {
      const row = c - (c % 3);
      let sum = 0;
      for (let n = row; n < row + 3; n++) sum += blends[n] * shapes[k][3 * corners[n] + (c % 3)];
      return sum;
    });
  };
  return {
    name: clip.name,
    frames: scans.map(({ positions, triangles }) => ({ positions, triangles })),
    truth,
    isKnown: (mesh) => scans[mesh].isKnown,
    isTouching: (mesh) =>
      listTouching(
        shapes.map((_, k) => truth(mesh, k)),
        diagonal,
      ),
  };
}

function playFrames(asset: Asset, name: string, start: number, fps: number): Clip {
  const animation = asset.animations.find((one) => one.name === name);
  if (!animation) throw new Error(`${asset.name}: there is no animation "${name}"`);
  return bakeAt(
    asset,
    animation,
    Float64Array.from({ length: FRAMES }, (_, k) => start + k / fps),
  );
}

function figureOf(asset: Asset): Figure {
  if (!asset.rig) throw new Error(`${asset.name}: there is no skin`);
  return { mesh: asset.mesh, skeleton: asset.rig.skeleton, skin: asset.rig.skin, deformer: makeAssetDeformer(asset) };
}
