// SPDX-License-Identifier: MIT
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../core/math/mat4.ts';
import type { Asset } from '../../../core/model/asset.ts';
import type { MorphDriver } from '../../../core/model/deformed/morph-drivers.ts';
import type { Morphs } from '../../../core/model/deformed/morphs.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { writeGlb } from '../../../formats/gltf/write-glb.ts';
import { writeMorphDrivers } from '../../../formats/shared/morph-driver-file.ts';
import { captureCli } from '../../../hosts/cli/capture-cli.ts';

const COLUMNS = 9;
const DRIVERS: MorphDriver[] = [
  {
    joints: ['elbow'],
    radius: 1.5,
    poses: [{ rotations: [[0, 0, Math.SQRT1_2, Math.SQRT1_2]], targets: { bulge: 1 } }],
  },
];

/** A strip along x over two joints at 0 and 2; its target lifts the middle. */
async function writeStrip(withTarget: boolean): Promise<Uint8Array> {
  const positions: number[] = [];
  const triangles: number[] = [];
  const past: number[] = [];
  for (let n = 0; n < COLUMNS; n++) {
    for (const y of [0, 1]) {
      positions.push(0.5 * n, y, 0);
      past.push(Math.min(1, Math.max(0, 0.5 * n - 1.5)));
    }
    if (n > 0) triangles.push(2 * n - 2, 2 * n, 2 * n + 1, 2 * n - 2, 2 * n + 1, 2 * n - 1);
  }
  const mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), 'strip');
  const bindMatrices = makeIdentities(2);
  bindMatrices[16 + 12] = 2;
  const skeleton = { names: ['shoulder', 'elbow'], parents: Int32Array.of(-1, 0), bindMatrices };
  const skin = makeSkin(
    past.flatMap(() => [0, 1]),
    past.flatMap((w) => [1 - w, w]),
    2,
  );
  const lifted = Float32Array.from(positions, (_, c) =>
    c % 3 === 2 ? Math.max(0, 1 - Math.abs(positions[c - 2] - 2)) : 0,
  );
  const target = { name: 'bulge', node: 0, weight: 0, vertexStart: 0, vertexCount: past.length, positions: lifted };
  const morphs: Morphs = { restWeights: [], targets: [target] };
  const asset = { name: 'strip', mesh, animations: [], clips: [], up: 'y', byteLength: 0 } as unknown as Asset;
  const skinned = { kind: 'skin' as const, mesh, skeleton, skin, motions: [] };
  return writeGlb(asset, {
    kind: 'skin',
    model: skinned,
    morphs: withTarget ? { morphs, weights: [] } : undefined,
  });
}

let folder = '';
const at = (name: string) => join(folder, name);
const run = async (input: string, ...words: string[]) =>
  captureCli([
    ...['convert', at(input), at('out.glb'), '--helpers', '0', '--samples', '4', '--poses', '20', '--threads', '1'],
    ...['--json', '--quiet', ...words],
  ]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ossify-convert-drivers-'));
  await writeFile(at('strip.glb'), await writeStrip(true));
  await writeFile(at('plain.glb'), await writeStrip(false));
  await writeFile(at('drivers.json'), writeMorphDrivers(DRIVERS));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('convert --morph-drivers', () => {
  it('takes the shapes that a driver file drives for part of the rig, and writes plain bones', async () => {
    const driven = await run('strip.glb', '--morph-drivers', at('drivers.json'));
    expect([driven.status, driven.err]).toEqual([0, '']);
    // bones alone cannot lift the middle of a flat strip as the target does
    expect(JSON.parse(driven.out).metrics.alpha).toBeGreaterThan(1);
    const written = await readAsset([{ name: 'out.glb', bytes: new Uint8Array(await readFile(at('out.glb'))) }]);
    expect(written.morphs).toBeUndefined();
    const still = await run('strip.glb');
    expect(JSON.parse(still.out).metrics.alpha).toBeLessThan(0.01);
  });

  it('asks for morph targets, and for the joints that are named, in one sentence', async () => {
    const plain = await run('plain.glb', '--morph-drivers', at('drivers.json'));
    expect(plain.status).toBe(1);
    expect(plain.err).toContain('has no morph targets to drive');
    await writeFile(at('other.json'), writeMorphDrivers([{ ...DRIVERS[0], joints: ['knee'] }]));
    const other = await run('strip.glb', '--morph-drivers', at('other.json'));
    expect(other.status).toBe(1);
    expect(other.err).toContain('knee');
    expect(other.err.trim().split('\n').length).toBe(1);
  });
});
