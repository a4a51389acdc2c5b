// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GLTF } from '@gltf-transform/core';
import validator from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import { packGlb } from '../../document/pack-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import { writeGlb } from '../../write-glb.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests break the JSON in ways types would forbid
type Loose = any;

const IDENTITY = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

/** The numbers of a skinned square that two joints and a morph target move. Vertex 4 belongs to no triangle. */
function makeNumbers() {
  return {
    POSITION: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 5, 5, 5],
    NORMAL: [0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1],
    TANGENT: [1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1],
    TEXCOORD_0: [0, 0, 1, 0, 1, 1, 0, 1, 0, 0],
    JOINTS_0: Array.from({ length: 5 }, () => [0, 1, 0, 0]).flat(),
    WEIGHTS_0: Array.from({ length: 5 }, () => [0.5, 0.5, 0, 0]).flat(),
    indices: [0, 1, 2, 0, 2, 3],
    target: new Array<number>(15).fill(0.5),
    binds: [...IDENTITY, ...IDENTITY],
    times: [0, 1, 2],
    turns: [0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1],
    moves: [0, 0, 0, 1, 0, 0, 2, 0, 0],
  };
}

type Numbers = ReturnType<typeof makeNumbers>;

const SIZES: Record<keyof Numbers, number> = {
  ...{ POSITION: 3, NORMAL: 3, TANGENT: 4, TEXCOORD_0: 2, JOINTS_0: 4, WEIGHTS_0: 4 },
  ...{ indices: 1, target: 3, binds: 16, times: 1, turns: 4, moves: 3 },
};
const TYPES: Record<number, string> = { 1: 'SCALAR', 2: 'VEC2', 3: 'VEC3', 4: 'VEC4', 16: 'MAT4' };

/** The square as a GLB, with some of its numbers and its JSON changed. */
function makeFile(change: (numbers: Numbers, json: Loose) => void): Uint8Array {
  const numbers = makeNumbers();
  const json: Loose = {};
  const early = makeNumbers();
  change(numbers, { ...makeJson(early).json });
  const made = makeJson(numbers);
  Object.assign(json, made.json);
  change(makeNumbers(), json);
  return packGlb(json, made.binary);
}

function makeJson(numbers: Numbers): { json: GLTF.IGLTF; binary: Uint8Array } {
  const accessors: Loose[] = [];
  const bufferViews: Loose[] = [];
  const bytes: number[] = [];
  const indexOf = {} as Record<keyof Numbers, number>;
  for (const [name, values] of Object.entries(numbers) as [keyof Numbers, number[]][]) {
    const isShort = name === 'indices' || name === 'JOINTS_0';
    const data = isShort ? Uint16Array.from(values) : Float32Array.from(values);
    while (bytes.length % 4 !== 0) bytes.push(0);
    bufferViews.push({ buffer: 0, byteOffset: bytes.length, byteLength: data.byteLength });
    bytes.push(...new Uint8Array(data.buffer));
    const size = SIZES[name];
    const bounds = name === 'POSITION' ? { min: [0, 0, 0], max: [5, 5, 5] } : {};
    indexOf[name] =
      accessors.push({
        ...{ bufferView: bufferViews.length - 1, componentType: isShort ? 5123 : 5126 },
        ...{ type: TYPES[size], count: values.length / size, ...bounds },
      }) - 1;
  }
  const { POSITION, NORMAL, TANGENT, TEXCOORD_0, JOINTS_0, WEIGHTS_0, indices, target, binds } = indexOf;
  const attributes = { POSITION, NORMAL, TANGENT, TEXCOORD_0, JOINTS_0, WEIGHTS_0 };
  const channel = (sampler: number, path: string) => ({ sampler, target: { node: 2, path } });
  const json: Loose = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0, 1] }],
    nodes: [{ name: 'body', mesh: 0, skin: 0 }, { name: 'root', children: [2] }, { name: 'arm' }],
    meshes: [{ name: 'square', primitives: [{ attributes, indices, targets: [{ POSITION: target }], material: 0 }] }],
    skins: [{ name: 'skin', joints: [1, 2], inverseBindMatrices: binds }],
    materials: [{ name: 'skin', pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
    textures: [{ source: 0 }],
    images: [{ uri: `data:image/png;base64,${PIXEL}` }],
    animations: [
      {
        name: 'wave',
        samplers: [
          { input: indexOf.times, output: indexOf.turns },
          { input: indexOf.times, output: indexOf.moves },
        ],
        channels: [channel(0, 'rotation'), channel(1, 'translation')],
      },
    ],
    ...{ accessors, bufferViews, buffers: [{ byteLength: bytes.length }] },
  };
  return { json, binary: Uint8Array.from(bytes) };
}

/** A PNG of one white pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4////fwAJ+wP9KobjigAAAABJRU5ErkJggg==';

/** Reads a file and writes it again. */
async function repair(bytes: Uint8Array) {
  const repairs: string[] = [];
  const others: string[] = [];
  const asset = await readGltf(bytes, { log: (note, kind) => (kind === 'repair' ? repairs : others).push(note) });
  const written = await writeGlb(asset);
  const { issues } = await validator.validateBytes(written);
  const faults = issues.messages
    .filter(({ severity }) => severity < 2)
    .map(({ code, message }) => `${code} ${message}`);
  return { asset, repairs, others, faults, again: await readGltf(written) };
}

describe('readGltf on files with faults that viewers show', () => {
  it('changes nothing of a sound file, and says nothing', async () => {
    const { repairs, others, faults, asset } = await repair(makeFile(() => {}));
    expect([...repairs, ...others, ...faults]).toEqual([]);
    expect(Object.keys(asset.source?.resources ?? {})).not.toContain('__changed.bin');
  });

  it.each<[string, RegExp, (numbers: Numbers, json: Loose) => void]>([
    [
      'a weight that is not a number',
      /^1 weight .* set to zero: vertex 1 of mesh "square"$/,
      (n) => (n.WEIGHTS_0 = n.WEIGHTS_0.with(4, 1).with(5, NaN)),
    ],
    [
      'infinite and negative weights',
      /^2 weights .*; the first: vertex 0 /,
      (n) => n.WEIGHTS_0.splice(2, 2, Infinity, -1),
    ],
    ['weights that do not sum to one', /^the weights of 1 vertex did not sum to one/, (n) => (n.WEIGHTS_0[0] = 3)],
    ['a normal of zeros', /^1 normal .* computed anew: vertex 2 of/, (n) => n.NORMAL.fill(0, 6, 9)],
    ['normals that are not numbers', /^5 normals .* computed anew/, (n) => n.NORMAL.fill(NaN)],
    ['long normals', /^5 normals were scaled to unit length/, (n) => (n.NORMAL = n.NORMAL.map((x) => 3 * x))],
    ['a tangent of zeros', /^1 tangent .* computed anew/, (n) => n.TANGENT.fill(0, 0, 4)],
    [
      'long tangents',
      /^5 tangents were scaled to unit length/,
      (n) => (n.TANGENT = n.TANGENT.map((x, c) => (c % 4 < 3 ? 3 * x : x))),
    ],
    ['a tangent without a side', /^1 tangent .* computed anew/, (n) => (n.TANGENT[3] = 0)],
    [
      'an unused position',
      /^1 position that is not finite, of a vertex without triangles,.*vertex 4/,
      (n) => (n.POSITION[13] = NaN),
    ],
    [
      'UVs that are not numbers',
      /^2 numbers .* set to zero; the first: "TEXCOORD_0" of vertex 1/,
      (n) => n.TEXCOORD_0.fill(NaN, 2, 4),
    ],
    ['a displacement that is not a number', /^1 displacement .* set to zero: vertex 2 /, (n) => (n.target[7] = NaN)],
    [
      'an inverse bind matrix that is not a number',
      /^1 inverse bind matrix .* rest pose: joint 1 of skin "skin"$/,
      (n) => (n.binds[20] = NaN),
    ],
    ['too few inverse bind matrices', /^1 inverse bind matrix .* rest pose/, (n) => n.binds.splice(16)],
    [
      'a key that is not a number',
      /^1 animation key was left out: key 1 of animation "wave"$/,
      (n) => (n.moves[4] = NaN),
    ],
    ['a rotation key of zeros', /^1 animation key was left out: key 2 of/, (n) => n.turns.fill(0, 8)],
    ['times that fall', /^2 animation keys were left out/, (n) => (n.times[2] = 0.5)],
    ['times that stand still', /^2 animation keys at the times of others were moved/, (n) => (n.times[2] = 1)],
    [
      'times that are not numbers',
      /^2 animation channels were left out; the first: animation "wave" has a channel without keys$/,
      (n) => n.times.fill(NaN),
    ],
    [
      'a channel with the wrong type of keys',
      /^1 animation channel was left out: .*keys of scale must be VEC3/,
      (_, j) => (j.animations[0].channels[0].target.path = 'scale'),
    ],
    [
      'a channel of a node that is not there',
      /^1 animation channel was left out: .*names node 9/,
      (_, j) => (j.animations[0].channels[0].target.node = 9),
    ],
    [
      'a sampler without times',
      /^1 animation channel was left out/,
      (_, j) => delete j.animations[0].samplers[0].input,
    ],
    [
      'a material that is not there',
      /^1 reference was left out: .*names material 7/,
      (_, j) => (j.meshes[0].primitives[0].material = 7),
    ],
    [
      'a texture that is not there',
      /^1 reference was left out: .*names texture 7/,
      (_, j) => (j.materials[0].pbrMetallicRoughness.baseColorTexture.index = 7),
    ],
    [
      'a sampler that is not there',
      /^1 reference was left out: .*names sampler 2/,
      (_, j) => (j.textures[0].sampler = 2),
    ],
    ['an image that is not there', /^1 reference was left out: .*names image 5/, (_, j) => (j.textures[0].source = 5)],
    [
      'an image beside it that is missing',
      /^1 image was left out: the file needs "skin\.png" beside it/,
      (_, j) => (j.images[0] = { uri: 'skin.png' }),
    ],
    [
      'an image from the network',
      /^1 image was left out: the URI .* names a scheme/,
      (_, j) => (j.images[0] = { uri: 'http://example.com/a.png' }),
    ],
    ['an image without data', /^1 image was left out: images\[0\]\.bufferView/, (_, j) => (j.images[0] = {})],
    [
      'a factor of the wrong length',
      /^1 field .* left out: .*baseColorFactor must hold 4 numbers, got 3/,
      (_, j) => (j.materials[0].pbrMetallicRoughness.baseColorFactor = [1, 1, 1]),
    ],
    ['a rotation of zeros', /^1 rotation of length zero/, (_, j) => (j.nodes[2].rotation = [0, 0, 0, 0])],
    ['too many morph weights', /^1 list of morph weights was fitted/, (_, j) => (j.meshes[0].weights = [0, 1, 1])],
    ['a scene that lists a child', /^1 node was taken from the list/, (_, j) => (j.scenes[0].nodes = [0, 1, 2])],
    ['a scene that is not there', /^1 reference was left out: scene names scene 3/, (_, j) => (j.scene = 3)],
    [
      'UVs of another length',
      /^1 attribute was left out: .*TEXCOORD_0 has 2 vertices, others have 5/,
      (_, j) => {
        j.accessors[j.meshes[0].primitives[0].attributes.TEXCOORD_0].count = 2;
        delete j.materials[0].pbrMetallicRoughness;
      },
    ],
  ])('reads %s, says so in one sentence, and writes a valid file', async (_, sentence, change) => {
    const { asset, repairs, others, faults, again } = await repair(makeFile(change));
    expect(repairs).toEqual([expect.stringMatching(sentence)]);
    expect(others).toEqual([]);
    expect(faults).toEqual([]);
    expect(asset.mesh.positions).toHaveLength(15);
    expect(asset.mesh.positions.every(Number.isFinite)).toBe(true);
    for (const { tracks } of [...asset.animations, ...again.animations])
      for (const { times, values } of tracks) {
        expect(values.every(Number.isFinite)).toBe(true);
        expect(times.every((time, k) => k === 0 || time > times[k - 1])).toBe(true);
      }
    // what was not at fault is unchanged
    expect([...again.mesh.positions.subarray(0, 12)]).toEqual(makeNumbers().POSITION.slice(0, 12));
  });

  it('computes normals from the triangles around a vertex', async () => {
    const { asset } = await repair(makeFile((n) => n.NORMAL.fill(0)));
    for (let i = 0; i < 4; i++) expect([...asset.mesh.normals!.subarray(3 * i, 3 * i + 3)]).toEqual([0, 0, 1]);
  });

  it('agrees with the other joints where it computes an inverse bind matrix', async () => {
    // the mesh is bound at a place of its own: joint 0 places it two metres to the right
    const bound = (n: Numbers, j: Loose): void => {
      n.binds[12] = 2;
      n.binds[28] = -1;
      j.nodes[2].translation = [3, 0, 0];
    };
    const whole = await readGltf(makeFile(bound));
    const { asset } = await repair(
      makeFile((n, j) => {
        bound(n, j);
        n.binds[28] = Number.NaN;
      }),
    );
    expect([...asset.rig!.skeleton.bindMatrices]).toEqual([...whole.rig!.skeleton.bindMatrices]);
    expect([...asset.mesh.positions]).toEqual([...whole.mesh.positions]);
  });

  it('plays keys at one time as a jump', async () => {
    const { asset } = await repair(
      makeFile((n) => {
        n.times = [0, 1, 1, 1, 2];
        n.moves = [0, 0, 0, 1, 0, 0, 9, 9, 9, 2, 0, 0, 3, 0, 0];
        n.turns = Array.from({ length: 5 }, () => [0, 0, 0, 1]).flat();
      }),
    );
    const { times, values } = asset.animations[0].tracks[1];
    expect([...times].map((t) => Math.round(t * 1e4) / 1e4)).toEqual([0, 1, 1, 2]);
    expect([...values].filter((_, c) => c % 3 === 0)).toEqual([0, 1, 2, 3]);
  });

  it('keeps the other animations of a file with a fault in one', async () => {
    const { asset } = await repair(
      makeFile((_, json) => {
        const [good] = json.animations;
        json.animations = [
          { ...good, name: 'bad', samplers: [{ input: 99, output: 99 }], channels: [good.channels[0]] },
          good,
        ];
      }),
    );
    expect(asset.animations.map(({ name }) => name)).toEqual(['wave']);
  });

  it('renumbers the images that are left', async () => {
    const { asset, faults } = await repair(
      makeFile((_, json) => {
        json.images.unshift({ uri: 'gone.png' });
        json.textures = [{ source: 0 }, { source: 1 }];
        json.materials[0].pbrMetallicRoughness.baseColorTexture.index = 1;
        json.materials[0].emissiveTexture = { index: 0 };
      }),
    );
    expect(faults).toEqual([]);
    const [{ emissiveTexture, pbrMetallicRoughness }] = (asset.source!.json as unknown as GLTF.IGLTF).materials!;
    expect(emissiveTexture).toBeUndefined();
    expect(pbrMetallicRoughness?.baseColorTexture?.index).toBe(1);
  });

  it('does not change the bytes that it was given', async () => {
    const bytes = makeFile((n) => (n.WEIGHTS_0[5] = Number.NaN));
    const before = bytes.slice();
    await repair(bytes);
    expect(bytes).toEqual(before);
  });

  const wasp = join(process.env.OSSIFY_DATA ?? '../shared', 'animals/Wasp.glb');
  it.skipIf(!existsSync(wasp))(
    'reads a model of which some weights are not numbers (skipped where OSSIFY_DATA has no animals)',
    async () => {
      const { repairs, faults, asset } = await repair(readFileSync(wasp));
      expect(repairs).toEqual([
        expect.stringMatching(/^24 weights that are not .* vertex 2240 of primitive 0 of mesh "Wasp"$/),
        expect.stringMatching(
          /^6 vertices all of whose weights were not numbers got those of the nearest vertices; the first/,
        ),
      ]);
      // the file has these too
      expect(faults.filter((fault) => !fault.startsWith('NODE_SKINNED_MESH'))).toEqual([]);
      expect(asset.animations.length).toBeGreaterThan(0);
    },
  );
});
