// SPDX-License-Identifier: MIT
// The same surface with the same weights at three resolutions: every triangle is split into four, twice, with interpolated weights. Differences between their shapes are errors of the smoothing alone.

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { measureHeight } from '../../src/core/mesh/geometry/bounds.ts';
import { pointTriangles, pointValues, weldVertices } from '../../src/core/mesh/topology/weld.ts';
import { makeMesh } from '../../src/core/model/mesh/mesh.ts';
import { makeSkin, type Skin } from '../../src/core/model/skin/skin.ts';
import { sampleAnimation } from '../../src/entry/deform.ts';
import { readAsset } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { splitEdges, spreadValues } from '../../src/methods/mush/index.ts';
import type { PosedMesh } from './deform-poses.ts';

const FRAMES = 6;

/** A name and how to make it; undefined if its data is not available. */
export type SubdivisionCase = readonly [string, (quick: boolean) => Promise<PosedMesh | undefined>];

/** The meshes that are subdivided, with poses of their animation. */
export const SUBDIVISION_CASES: readonly SubdivisionCase[] = [
  ['creature of 3000 vertices, subdivided', async (quick) => makeCreature(quick ? 100 : 3000)],
  ['CesiumMan (2338 points), subdivided', () => readRig('CesiumMan.glb')],
  ['RobotExpressive (1820 points), subdivided', () => readRig('RobotExpressive.glb')],
];

/** A mesh whose triangles are split into four. The given vertices come first. */
export function subdivideMesh(given: PosedMesh): PosedMesh {
  const { ends, triangles } = splitEdges(given.mesh.positions, given.mesh.triangles);
  const positions = Float32Array.from(spreadValues(Float64Array.from(given.mesh.positions), ends, 3));
  return { ...given, mesh: makeMesh(positions, triangles), skin: spreadSkin(given.skin, ends) };
}

function makeCreature(resolution: number): PosedMesh {
  const { clip, skeleton, skin, motion } = makeSample('creature', { resolution, frames: FRAMES });
  return {
    mesh: clip.mesh,
    skeleton: skeleton!,
    skin: skin!,
    motion: motion!,
    height: measureHeight(clip.mesh.positions, 'y'),
  };
}

async function readRig(name: string): Promise<PosedMesh | undefined> {
  const file = join(process.env.OSSIFY_DATA ?? '../shared', 'rigs', name);
  if (!existsSync(file)) return undefined;
  const asset = await readAsset([{ name, bytes: new Uint8Array(await readFile(file)) }]);
  const [animation] = asset.animations;
  const times = Array.from({ length: FRAMES }, (_, k) => (k * animation.duration) / FRAMES);
  const { motion } = sampleAnimation(asset, animation, times);
  // vertices of seams are one point, so that an edge has one midpoint
  const weld = weldVertices(asset.mesh.positions);
  const mesh = makeMesh(pointValues(asset.mesh.positions, 3, weld), pointTriangles(asset.mesh.triangles, weld));
  const height = measureHeight(asset.mesh.positions, asset.up);
  return { mesh, skeleton: asset.rig!.skeleton, skin: pickRows(asset.rig!.skin, weld.vertexOfPoint), motion, height };
}

function pickRows({ rowStart, boneIndices, weights }: Skin, vertices: Uint32Array): Skin {
  return skinOfRows(
    Array.from(
      vertices,
      (i) =>
        new Map(
          Array.from(boneIndices.subarray(rowStart[i], rowStart[i + 1]), (j, e) => [j, weights[rowStart[i] + e]]),
        ),
    ),
  );
}

function spreadSkin({ rowStart, boneIndices, weights }: Skin, ends: Uint32Array): Skin {
  const rows: Map<number, number>[] = [];
  for (let i = 0; i + 1 < rowStart.length; i++) {
    const row = new Map<number, number>();
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) row.set(boneIndices[e], weights[e]);
    rows.push(row);
  }
  for (let n = 0; n < ends.length; n += 2) {
    const row = new Map<number, number>();
    for (const i of [ends[n], ends[n + 1]])
      for (const [bone, weight] of rows[i]) row.set(bone, (row.get(bone) ?? 0) + weight / 2);
    rows.push(row);
  }
  return skinOfRows(rows);
}

function skinOfRows(rows: readonly Map<number, number>[]): Skin {
  const width = rows.reduce((most, row) => Math.max(most, row.size), 1);
  const bones = new Uint32Array(rows.length * width);
  const weights = new Float64Array(rows.length * width);
  rows.forEach((row, i) => {
    [...row].forEach(([bone, weight], n) => {
      bones[i * width + n] = bone;
      weights[i * width + n] = weight;
    });
  });
  return makeSkin(bones, weights, width);
}
