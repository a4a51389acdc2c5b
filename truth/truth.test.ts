// SPDX-License-Identifier: MIT
// A small part of `npm run truth`: players that share no code with src/ play what commands read and write.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Bone,
  BoxGeometry,
  Float32BufferAttribute,
  Matrix4,
  Skeleton,
  SkinnedMesh,
  Uint16BufferAttribute,
  Vector3,
} from 'three';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileLibrary } from '../scripts/build/compile-library.ts';
import type { CellResult } from './cells/cell.ts';
import { findLosses } from './cells/find-losses.ts';
import { listCells } from './cells/list-cells.ts';
import { measureScenes } from './cells/measure-scenes.ts';
import { countCells, printTable } from './cells/print-table.ts';
import { type Bench, runCell } from './cells/run-cell.ts';
import { CHAINS } from './characters/chains.ts';
import { SCENES } from './characters/scenes.ts';
import { SHAPES } from './characters/shapes.ts';
import { loadCaches } from './players/cache-scene.ts';
import { loadScene } from './players/load-scene.ts';
import { MeshPlayer } from './players/mesh-player.ts';

const CHARACTERS = [...CHAINS, ...SCENES, ...SHAPES];

/** Cells that print the truth, one of every pair of players. */
const CELLS = [
  'bake turning glb',
  'bake turning usda',
  'bake sparse fbx',
  'bake bending usda',
  'decompose bending glb',
  'edit shear glb',
];

async function filesOf(name: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = await CHARACTERS.find((character) => character.name === name)?.make?.();
  if (!files) throw new Error(`there is no character "${name}"`);
  return files;
}

async function openCharacter(name: string) {
  const [[file, bytes]] = await filesOf(name);
  return loadScene(file, bytes, 'source');
}

describe('the matrix', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ossify-truth-'));
  let bench: Bench;
  beforeAll(async () => {
    bench = { program: join(compileLibrary(), 'hosts/cli/main.js'), folder, build: 'test' };
    mkdirSync(join(folder, 'characters'));
    for (const { make } of CHARACTERS)
      for (const [name, bytes] of (await make?.()) ?? []) writeFileSync(join(folder, 'characters', name), bytes);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(CELLS)('finds the printed error of "%s" true', async (name) => {
    const cell = listCells(CHARACTERS).find((one) => one.name === name);
    const character = CHARACTERS.find((one) => one.name === cell?.character);
    if (!cell || !character) throw new Error(`there is no cell "${name}"`);
    const result = await runCell(cell, character, bench);
    expect(result).toMatchObject({ verdict: 'true', status: 0, faults: [] });
    expect(result.samples).toBeGreaterThanOrEqual(20);
  });
});

describe('players', () => {
  it('agree with themselves, and tell two characters apart', async () => {
    const [step, uneven] = await Promise.all(['step', 'uneven'].map(openCharacter));
    expect(measureScenes(step, step).percent).toBe(0);
    expect(measureScenes(step, uneven).percent).toBeGreaterThan(5);
  });

  it('use all influences of a source, and four of a result', async () => {
    const [[file, bytes]] = await filesOf('eight');
    const [all, four] = await Promise.all([loadScene(file, bytes, 'source'), loadScene(file, bytes, 'result')]);
    expect(measureScenes(all, four).percent).toBeGreaterThan(1);
  });

  it('place vertices where three.js does', () => {
    const geometry = new BoxGeometry(1, 2, 1);
    const count = geometry.attributes.position.count;
    const joints = Array.from({ length: 4 * count }, (_, k) => k % 2);
    const weights = Array.from({ length: 4 * count }, (_, k) => [0.5, 0.25, 0, 0.25][(k + (k >> 2)) % 4]);
    geometry.setAttribute('skinIndex', new Uint16BufferAttribute(joints, 4));
    geometry.setAttribute('skinWeight', new Float32BufferAttribute(weights, 4));
    geometry.morphAttributes.position = [
      geometry.attributes.position.clone().applyMatrix4(new Matrix4().makeScale(1, 3, 2)),
    ];
    const bones = [new Bone(), new Bone()];
    const mesh = new SkinnedMesh(geometry);
    mesh.position.set(0.3, 0.1, -2);
    mesh.scale.set(1, 2, 0.5);
    mesh.add(bones[0]);
    bones[0].add(bones[1]);
    mesh.bind(new Skeleton(bones));
    mesh.morphTargetInfluences = [0.4];
    bones[0].rotation.set(0.5, -1, 2);
    bones[1].position.set(0, 1, 0.5);
    bones[1].scale.set(1, 3, 1);
    mesh.updateMatrixWorld(true);
    const found = new Float64Array(3 * count);
    new MeshPlayer(mesh, false).playInto(found, 0);
    const point = new Vector3();
    for (let i = 0; i < count; i++) {
      mesh.getVertexPosition(i, point).applyMatrix4(mesh.matrixWorld);
      for (const [c, x] of point.toArray().entries()) expect(found[3 * i + c]).toBeCloseTo(x, 10);
    }
  });

  it('read the same frames from PC2 and MDD', async () => {
    const scenes = await Promise.all(['bending', 'bending-mdd'].map(async (name) => loadCaches(await filesOf(name))));
    expect(measureScenes(scenes[0], scenes[1]).percent).toBeLessThan(1e-4);
  });
});

describe('losses', () => {
  it('are what the result has fewer of, unless the command is there to replace it', async () => {
    const { inventory } = await openCharacter('textured');
    expect(inventory).toMatchObject({ parts: 3, textures: 4, uvSets: 7, materials: 3, joints: 3 });
    const less = { ...inventory, textures: 0, joints: 1, names: inventory.names.filter((name) => name !== 'hat') };
    const found = findLosses(
      { command: 'reduce', output: 'out.fbx', notes: 'note: 4 textures dropped' },
      inventory,
      less,
    );
    expect(found.map(({ isNamed }) => isNamed)).toEqual([true, false, false]);
    expect(
      findLosses({ command: 'decompose', output: 'out.fbx', notes: '' }, inventory, less).map(({ what }) => what),
    ).not.toContain('joints 3 to 1');
  });
});

describe('the table', () => {
  it('counts cells, and lists those that are not true', () => {
    const base = { build: '', losses: [] };
    const results: CellResult[] = [
      { ...base, cell: 'bake a glb', verdict: 'true' },
      { ...base, cell: 'bake b glb', verdict: 'under', printed: 1, played: 2, worst: 'move at 1 s' },
      { ...base, cell: 'lod b glb', verdict: 'failed', losses: [{ what: 'joints 2 to 1', isNamed: false }] },
    ];
    expect(countCells(results)).toEqual({
      ...{ cells: 3, within: 1, off: 1, refused: 0, failed: 1, lossesNamed: 0, lossesUnnamed: 1 },
      countsOff: 0,
      faults: 0,
    });
    const table = printTable(results);
    expect(table).toContain('| bake | 2 | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |');
    expect(table).toContain('| bake b glb | under | 1.00 % | 2.00 % | move at 1 s |');
    expect(table).toContain('| lod b glb | joints 2 to 1 |');
  });
});
