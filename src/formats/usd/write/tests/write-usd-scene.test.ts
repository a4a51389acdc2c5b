// SPDX-License-Identifier: MIT
import { AnimationMixer, type Group, type SkinnedMesh, Vector3 } from 'three';
import { USDLoader } from 'three/addons/loaders/USDLoader.js';
import { describe, expect, it } from 'vitest';
import type { Asset } from '../../../../core/model/asset.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { listScene, readScene, type Scene } from '../../../gltf/index.ts';
import { checkUsdz } from '../../check/check-usdz.ts';
import { readUsd } from '../../read-usd.ts';
import { writeUsdScene } from '../write-usd-scene.ts';
import { makeTestScene, PNG } from './make-test-scene.ts';

const FORMS = ['usda', 'usdc', 'usdz'] as const;

async function roundTrip(
  scene: Scene,
  form: (typeof FORMS)[number],
  notes: string[] = [],
): Promise<{ asset: Asset; scene: Scene }> {
  const { bytes, beside } = writeUsdScene(scene, { name: 'hero', up: 'y', form, log: (note) => notes.push(note) });
  const resolve = async (path: string): Promise<Uint8Array> => {
    const found = beside.find((file) => file.path === path);
    if (!found) throw new Error(path);
    return found.bytes;
  };
  const asset = await readUsd(bytes, { resolve, log: (note) => notes.push(note) });
  if (!asset.source) throw new Error('no source');
  return { asset, scene: await listScene(asset.source) };
}

const worst = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, x, c) => Math.max(most, Math.abs(x - b[c])), a.length === b.length ? 0 : 1e9);

/** Vertices of each named mesh, time by time. */
function play(asset: Asset, animation: number, times: number[]): Map<string, number[]> {
  const { positions, mesh } = bakeAt(asset, asset.animations[animation], Float64Array.from(times));
  const out = new Map<string, number[]>();
  times.forEach((_, k) => {
    for (const { vertexStart, vertexCount, name } of mesh.parts) {
      const key = name.replace(/ \d+$/, '');
      const start = k * mesh.positions.length + 3 * vertexStart;
      out.set(key, [...(out.get(key) ?? []), ...positions.subarray(start, start + 3 * vertexCount)]);
    }
  });
  return out;
}

describe.each(FORMS)('a scene as %s', (form) => {
  it('plays as it did, at keys, at jumps and between', async () => {
    const scene = makeTestScene();
    const source = await readScene(scene, 0, {});
    const { asset: back } = await roundTrip(scene, form);
    expect(back.animations.map(({ name, duration }) => [name, duration])).toEqual([
      ['walk cycle', 2],
      ['bend', 1],
    ]);
    // jumps are at 1 and 2: just before them, too
    const times = [0, 0.3, 0.5, 0.9, 1 - 2 ** -24, 1, 1.5, 2 - 2 ** -23, 2];
    for (const animation of [0, 1]) {
      const [before, after] = [source, back].map((asset) => play(asset, animation, times));
      expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
      for (const [name, points] of before) expect(worst(points, after.get(name) ?? [])).toBeLessThan(1e-4);
    }
  });

  it('keeps nodes with their names, parents and properties', async () => {
    const { scene } = await roundTrip(makeTestScene(), form);
    const { names, parents } = scene.nodes;
    const before = makeTestScene();
    expect([...names].sort()).toEqual([...before.nodes.names].sort());
    // a node that only draws a skinned mesh is a root
    expect(names.map((name, n) => `${names[parents[n]] ?? ''} > ${name}`).sort()).toEqual(
      [
        ' > body',
        ' > rig',
        'rig > eye',
        'rig > hip.L',
        'hip.L > knee',
        'knee > foot',
        'foot > eye',
        'rig > lamp',
      ].sort(),
    );
    const extras = [...(scene.extras ?? [])].map(([n, own]) => [names[n], own]);
    expect(extras).toEqual([
      ['rig', { 'made by': 'hand', level: 3 }],
      ['knee', { socket: true }],
    ]);
  });

  it('keeps meshes with parts, UVs, colours, normals, skins, targets and properties', async () => {
    const { scene } = await roundTrip(makeTestScene(), form);
    const before = makeTestScene();
    for (const shape of before.shapes) {
      const own = scene.shapes.find(({ mesh }) => mesh.name === shape.mesh.name);
      expect(own?.mesh.positions).toEqual(shape.mesh.positions);
      expect(own?.mesh.normals).toEqual(shape.mesh.normals);
      expect(own?.mesh.parts.length).toBe(2);
      for (const { name, values } of shape.mesh.attributes)
        expect([
          name,
          worst(own?.mesh.attributes.find((one) => one.name === name)?.values ?? [], values) < 1e-6,
        ]).toEqual([name, true]);
      expect(own?.skin?.joints.map((joint) => scene.nodes.names[joint])).toEqual(
        shape.skin?.joints.map((joint) => before.nodes.names[joint]),
      );
      expect(own?.skin?.weights).toEqual(shape.skin?.weights);
      expect(own?.targets.map(({ name, weight }) => [name, weight])).toEqual(
        shape.targets
          .map(({ name, weight }) => [name || 'target_1', weight])
          .map(([name, weight]) => [name === 'target_1' ? 'shape_1' : name, weight]),
      );
      own?.targets.forEach((target, t) => {
        expect(target.positions).toEqual(shape.targets[t].positions);
      });
      expect(own?.extras).toEqual(shape.extras);
    }
  });

  it('keeps materials with their maps, and images', async () => {
    const notes: string[] = [];
    const { scene } = await roundTrip(makeTestScene(), form, notes);
    const before = makeTestScene().look;
    expect(scene.look.images.map(({ bytes, type }) => [type, bytes])).toEqual([['image/png', PNG]]);
    const [fur, plain] = before.materials;
    const [ownFur, ownPlain] = scene.look.materials;
    const { metallicRoughnessMap, ...others } = ownFur;
    expect(others).toEqual({ ...fur, metallicRoughnessMap: undefined });
    expect(metallicRoughnessMap).toMatchObject({ image: 0, uv: 0, wrap: ['clamp', 'mirror'], scale: [2, 3] });
    expect(worst(metallicRoughnessMap?.offset ?? [], [0.25, 0.125])).toBeLessThan(1e-6);
    expect(metallicRoughnessMap?.rotation).toBeCloseTo(0.5, 6);
    expect(ownPlain).toMatchObject({ color: plain.color, isUnlit: true, alpha: 'opaque' });
    expect(notes).toEqual(['a USD stage plays one animation; "walk cycle" is bound, the other 1 are stored beside it']);
  });

  it('keeps cameras and lights, also those that follow joints', async () => {
    const { scene } = await roundTrip(makeTestScene(), form);
    const before = makeTestScene();
    const places = ({ nodes, cameras = [], lights = [] }: Scene) =>
      [...cameras, ...lights].map(({ node, ...one }) => ({
        ...one,
        at: nodes.names[node],
        below: nodes.names[nodes.parents[node]],
      }));
    const round = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (_, x) => (typeof x === 'number' ? Math.round(x * 1e5) / 1e5 : x)));
    const byName = (list: { name: string }[]) => [...list].sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(round(byName(places(scene)))).toEqual(round(byName(places(before))));
  });

  it('is the same after a second time', async () => {
    const { scene } = await roundTrip(makeTestScene(), form);
    const again = await roundTrip(scene, form);
    expect([...again.scene.nodes.names].sort()).toEqual([...scene.nodes.names].sort());
    expect(again.scene.look.materials.length).toBe(scene.look.materials.length);
    expect(again.scene.shapes.length).toBe(scene.shapes.length);
  });
});

describe('a package', () => {
  it('keeps the rules of USDZ', () => {
    const { bytes, beside } = writeUsdScene(makeTestScene(), { name: 'hero 1', up: 'y', form: 'usdz' });
    expect(checkUsdz(bytes)).toEqual([]);
    expect(beside).toEqual([]);
  });

  it('has unit and axis of the numbers of the scene', async () => {
    const { bytes } = writeUsdScene(makeTestScene(), { name: 'hero', up: 'z', metresPerUnit: 0.01, form: 'usdz' });
    const asset = await readUsd(bytes);
    const top = asset.mesh.positions.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    expect(top).toBeLessThan(0.1);
    expect(checkUsdz(bytes).map(({ rule, severity }) => [rule, severity])).toEqual([['up-axis', 'warning']]);
  });
});

describe('images', () => {
  it('are beside text and binary files, with the name of the stage first', () => {
    const { beside } = writeUsdScene(makeTestScene(), { name: 'hero 1', up: 'y', form: 'usdc' });
    expect(beside).toEqual([{ path: 'hero_1_fur_a.png', bytes: PNG }]);
  });

  it('of other types are left out with a note', () => {
    const scene = makeTestScene();
    const notes: string[] = [];
    const look = { ...scene.look, images: [{ type: 'image/webp', bytes: Uint8Array.of(1, 2, 3) }] };
    const { beside } = writeUsdScene(
      { ...scene, look },
      { name: 'a', up: 'y', form: 'usda', log: (note) => notes.push(note) },
    );
    expect(beside).toEqual([]);
    expect(notes).toContain('USD has PNG and JPEG images; 1 of another type are left out, convert them first');
  });
});

describe("three's USDLoader", () => {
  it('shows the pose of a file without animation, and plays the skin', async () => {
    // images need a browser
    const scene = { ...makeTestScene(), look: { materials: [], images: [] } };
    const still = { ...scene, shapes: scene.shapes.slice(0, 1), animations: [] };
    const walk = { ...scene, shapes: scene.shapes.slice(0, 1), animations: scene.animations.slice(0, 1) };
    for (const [one, time] of [
      [still, undefined],
      [walk, 0.75],
    ] as const) {
      const { bytes } = writeUsdScene(one, { name: 'hero', up: 'y', form: 'usdc' });
      const group: Group = new USDLoader().parse(bytes.slice().buffer);
      if (time !== undefined) {
        const mixer = new AnimationMixer(group);
        mixer.clipAction(group.animations[0]).play();
        mixer.setTime(time);
      }
      group.updateMatrixWorld(true);
      const meshes: SkinnedMesh[] = [];
      group.traverse((object) => {
        if ('isSkinnedMesh' in object) meshes.push(object as SkinnedMesh);
      });
      const asset = await readScene(one, 0, {});
      const { positions } =
        time === undefined ? { positions: poseOf(asset) } : bakeAt(asset, asset.animations[0], Float64Array.of(time));
      const [mesh] = meshes;
      const point = new Vector3();
      const shown = Array.from({ length: 6 }, (_, i) =>
        mesh.getVertexPosition(i, point).applyMatrix4(mesh.matrixWorld).toArray(),
      );
      expect(worst(shown.flat(), positions)).toBeLessThan(1e-6);
    }
  });
});

/** Positions in the pose of the file. */
function poseOf(asset: Asset): Float32Array {
  const still = { name: '', duration: 0, tracks: [] };
  return bakeAt(asset, still, Float64Array.of(0)).positions;
}
