// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { AnimationMixer, Mesh, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { describe, expect, it } from 'vitest';
import type { Asset } from '../../../core/model/asset.ts';
import { bakeAt } from '../../../deformers/playback/index.ts';
import { readAsset } from '../../assets/index.ts';
import { writeFbxScene } from '../../fbx/write/write-fbx-scene.ts';
import type { Scene } from '../../gltf/index.ts';
import { writeGlb } from '../../gltf/write-glb.ts';
import { writeUsdScene } from '../../usd/write/write-usd-scene.ts';
import { BONES, glbOf, hangBelow, makeBiped, turnAxes, withoutMesh } from './make-rig.ts';

const CHARACTER: Scene = { ...makeBiped(), animations: [] };
/** A quarter turn about x: z up. */
const Z_UP = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];
const TIMES = Float64Array.of(0, 0.25, 0.5, 1, 1.4, 2);

async function join(
  character: Scene,
  ...takes: [name: string, bytes: Uint8Array][]
): Promise<{ asset: Asset; notes: string[] }> {
  const notes: string[] = [];
  const asset = await readAsset(
    takes.map(([name, bytes]) => ({ name, bytes })),
    { rest: { name: 'hero.glb', bytes: glbOf(character) }, log: (text) => notes.push(text) },
  );
  return { asset, notes };
}

const joinScenes = (character: Scene, ...takes: Scene[]) =>
  join(character, ...takes.map((take, n): [string, Uint8Array] => [`take${n}.glb`, glbOf(take)]));

/** An FBX whose geometry has a name that is not known, so that no reader finds any. */
function withoutGeometry(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  return new Uint8Array(Buffer.from(text.replaceAll('Geometry', 'Geometrx'), 'latin1'));
}

/** Largest distance of vertices of an animation from those of the biped. */
async function distanceFrom(asset: Asset, n: number, expected: Scene, times = TIMES): Promise<number> {
  const own = await readAsset([{ name: 'own.glb', bytes: glbOf(expected) }]);
  const a = bakeAt(asset, asset.animations[n], times).positions;
  const b = bakeAt(own, own.animations[0], times).positions;
  return a.reduce((most, x, c) => Math.max(most, Math.abs(x - b[c])), 0);
}

describe('a character and files with animations', () => {
  it('moves as the file does that has both, for glTF, FBX and USD without a mesh', async () => {
    const take = withoutMesh(makeBiped());
    const files: [string, Uint8Array][] = [
      ['a.glb', glbOf(take)],
      ['b.fbx', withoutGeometry(writeFbxScene(makeBiped(), { name: 'b', up: 'y' }))],
      ['c.usdc', writeUsdScene(take, { name: 'c', up: 'y', form: 'usdc' }).bytes],
      ['d.usda', writeUsdScene(take, { name: 'd', up: 'y', form: 'usda' }).bytes],
      ['e.fbx', writeFbxScene(makeBiped(), { name: 'e', up: 'y', unit: 'cm' })],
    ];
    const { asset, notes } = await join(CHARACTER, ...files);
    expect(asset.animations.map(({ name }) => name)).toEqual(['walk', 'walk 2', 'walk 3', 'walk 4', 'walk 5']);
    // keys of FBX are at its frames: a tenth of a millimetre between them
    for (const n of [0, 2, 3]) expect(await distanceFrom(asset, n, makeBiped())).toBeLessThan(2e-6);
    for (const n of [1, 4]) expect(await distanceFrom(asset, n, makeBiped())).toBeLessThan(1e-4);
    expect(notes).toEqual([]);
    expect(asset.mesh.positions).toEqual(CHARACTER.shapes[0].mesh.positions);
  });

  it('finds joints by their names without namespaces, and in another case as a last resort', async () => {
    for (const names of [
      (name: string) => `mixamorig:${name}`,
      (name: string) => `mixamorig12_${name}`,
      (name: string) => `Armature|${name}`,
      (name: string) => name.toLowerCase(),
      (name: string) => name.replace(/([a-z])([A-Z])/g, '$1_$2'),
    ]) {
      const { asset } = await joinScenes(CHARACTER, withoutMesh(makeBiped({ names })));
      expect(await distanceFrom(asset, 0, makeBiped())).toBeLessThan(2e-6);
    }
  });

  it('converts units, up axes and axes of joints', async () => {
    const plain = withoutMesh(makeBiped());
    const small = hangBelow(plain, 'Armature', [0, 0, 0, 1], 0.01);
    const turned = hangBelow(plain, 'Armature', Z_UP, 0.01);
    const { asset } = await joinScenes(CHARACTER, small, turned, turnAxes(plain));
    for (const n of [0, 1, 2]) expect(await distanceFrom(asset, n, makeBiped()), `take ${n}`).toBeLessThan(1e-5);
    const inCentimetres = { ...hangBelow(makeBiped(), 'Rig', Z_UP, 0.01), animations: [] };
    const other = await joinScenes(inCentimetres, plain, turned);
    for (const n of [0, 1]) expect(await distanceFrom(other.asset, n, makeBiped()), `take ${n}`).toBeLessThan(1e-5);
  });

  it('turns the motion for a character that faces the other way, as avatars of VRM 0 do', async () => {
    const flip = <T extends Float32Array | Float64Array>(list: T): T => list.map((x, c) => (c % 3 === 1 ? x : -x)) as T;
    const { nodes, shapes, ...others } = CHARACTER;
    const [{ skin, mesh, ...shape }] = shapes;
    const inverseBinds = Float64Array.from(skin?.inverseBinds ?? [], (x, c) =>
      c % 16 === 12 || c % 16 === 14 ? -x : x,
    );
    const turned: Scene = {
      ...others,
      nodes: { ...nodes, translations: flip(nodes.translations) },
      shapes: [
        {
          ...shape,
          mesh: { ...mesh, positions: flip(mesh.positions) },
          ...(skin ? { skin: { ...skin, inverseBinds } } : {}),
        },
      ],
    };
    const { asset, notes } = await joinScenes(turned, withoutMesh(makeBiped()));
    expect(notes).toContain('in take0.glb, the skeleton faces another way and is turned by 180°');
    const own = await readAsset([{ name: 'own.glb', bytes: glbOf(makeBiped()) }]);
    const expected = flip(bakeAt(own, own.animations[0], TIMES).positions);
    bakeAt(asset, asset.animations[0], TIMES).positions.forEach((x, c) => {
      expect(Math.abs(x - expected[c])).toBeLessThan(1e-5);
    });
  });

  it('adds the motion of nodes that the character does not have to the joints below them', async () => {
    const below = hangBelow(withoutMesh(makeBiped()), 'Mover', Z_UP, 0.01);
    const times = Float32Array.of(0, 1, 2);
    const values = Float32Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0);
    below.animations[0].tracks.push({ node: 0, path: 'translation', interpolation: 'LINEAR', times, values });
    const expected = makeBiped();
    const way = expected.animations[0].tracks.find(({ path }) => path === 'translation');
    way?.values.forEach((x, v, list) => {
      if (v % 3 === 0) list[v] = x + way.times[v / 3];
    });
    const { asset, notes } = await joinScenes(CHARACTER, below);
    expect(await distanceFrom(asset, 0, expected)).toBeLessThan(1e-5);
    expect(notes).toEqual([]);
  });

  it('keeps the lengths of bones, and scales the way by the length of a leg', async () => {
    const lengths = [1, 1, 1, 1, 0.5, 1, 0.5];
    const { asset, notes } = await joinScenes(CHARACTER, withoutMesh(makeBiped({ lengths })));
    expect(notes).toEqual([expect.stringMatching(/^in take0\.glb, bones have other lengths: .* scaled by 1\.74$/)]);
    const bone = (name: string): number => asset.nodes.names.indexOf(name);
    const moved = asset.animations[0].tracks.filter(({ path }) => path === 'translation').map(({ node }) => node);
    expect(moved).toEqual([bone('Hips')]);
  });

  it('names and counts joints that the character does not have', async () => {
    const names = (name: string): string => (/Foot/.test(name) ? `${name}Toe` : name);
    const { asset, notes } = await joinScenes(CHARACTER, withoutMesh(makeBiped({ names })));
    expect(notes).toEqual([
      'in take0.glb, 2 joints that it moves are not in the character ("LeftFootToe", "RightFootToe"); their tracks are left out',
    ]);
    expect(asset.animations[0].tracks).toHaveLength(BONES.length + 1 - 2);
  });

  it('names animations by their files if programs have named them, each once', async () => {
    const clip = (name: string): Uint8Array => glbOf(withoutMesh(makeBiped({ clip: name })));
    const { asset } = await join(
      CHARACTER,
      ['in/run.glb', clip('mixamo.com')],
      ['in/jump.glb', clip('Take 001')],
      ['in/idle.glb', clip('Armature|mixamo.com|Layer0')],
      ['in/other.glb', clip('Armature|Wave')],
      ['in/run.glb', clip('')],
    );
    expect(asset.animations.map(({ name }) => name)).toEqual(['run', 'jump', 'idle', 'Wave', 'run 2']);
  });

  it('keeps the animations of the character', async () => {
    const { asset } = await joinScenes(makeBiped(), withoutMesh(makeBiped({ clip: 'run' })));
    expect(asset.animations.map(({ name }) => name)).toEqual(['walk', 'run']);
  });

  it('refuses a file for another rig, and one without animations, with one sentence', async () => {
    const other = withoutMesh(makeBiped({ names: (name) => `${name} of a spider` }));
    await expect(joinScenes(CHARACTER, other)).rejects.toThrow(
      /^take0\.glb: none of the 7 joints and morph targets that it moves is in "hero": it was made for another rig$/,
    );
    await expect(joinScenes(CHARACTER, { ...withoutMesh(makeBiped()), animations: [] })).rejects.toThrow(
      'take0.glb: it has no animation to add to the character',
    );
  });

  it('moves morph targets of the same names, in whatever order', async () => {
    const face = (names: readonly string[], values: readonly number[]): Scene => {
      const scene = makeBiped();
      const [shape] = scene.shapes;
      const targets = names.map((name) => {
        const positions = new Float32Array(shape.mesh.positions.length);
        positions[name.length] = 1;
        return { name, positions, weight: 0 };
      });
      const times = Float32Array.of(0, 1);
      const track = { node: shape.node, path: 'weights', interpolation: 'LINEAR', times } as const;
      const weights = Float32Array.of(...values.map(() => 0), ...values);
      const animations = [{ name: 'talk', duration: 1, tracks: [{ ...track, values: weights }] }];
      return { ...scene, shapes: [{ ...shape, targets }], animations };
    };
    const { asset, notes } = await joinScenes(
      face(['jawOpen', 'smile'], [0, 0]),
      face(['Smile', 'frown', 'jaw_open'], [0.25, 0.5, 1]),
    );
    const [track] = asset.animations[1].tracks;
    expect([...track.values]).toEqual([0, 0, 1, 0.25]);
    expect(notes).toEqual([
      expect.stringMatching(/one morph target that it moves is not in the character \("frown"\)/),
    ]);
  });

  it('writes a file that three.js plays alike and the validator accepts', async () => {
    const { asset } = await joinScenes(CHARACTER, hangBelow(withoutMesh(makeBiped()), 'Armature', Z_UP, 0.01));
    const bytes = await writeGlb(asset);
    const { issues } = await validateBytes(bytes);
    expect(issues.messages.filter(({ severity }) => severity < 2)).toEqual([]);
    const gltf = await new GLTFLoader().parseAsync(bytes.buffer, '');
    const mixer = new AnimationMixer(gltf.scene);
    mixer.clipAction(gltf.animations[0]).play();
    for (const time of [0.3, 1, 1.7]) {
      mixer.setTime(time);
      gltf.scene.updateMatrixWorld(true);
      const { positions } = bakeAt(asset, asset.animations[0], Float64Array.of(time));
      gltf.scene.traverse((object) => {
        if (!(object instanceof Mesh)) return;
        for (let i = 0; i < positions.length / 3; i++)
          object
            .getVertexPosition(i, new Vector3())
            .applyMatrix4(object.matrixWorld)
            .toArray()
            .forEach((x, c) => {
              expect(Math.abs(x - positions[3 * i + c])).toBeLessThan(2e-5);
            });
      });
    }
  });

  it('are still frames of a sequence if the files have no animation', async () => {
    const frame = glbOf(CHARACTER);
    const { asset } = await join(CHARACTER, ['f1.glb', frame], ['f2.glb', frame]);
    expect(asset.clips[0].times).toHaveLength(2);
  });
});
