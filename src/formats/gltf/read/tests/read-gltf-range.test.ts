// SPDX-License-Identifier: MIT
// Files whose numbers or counts are extreme: they are read whole, read with a note, or refused in one sentence.
import { beforeAll, describe, expect, it } from 'vitest';
import { makeIdentities } from '../../../../core/math/mat4.ts';
import type { SkinnedModel } from '../../../../core/model/asset.ts';
import type { SkinCorrection } from '../../../../core/model/deformed/skin-correction.ts';
import { FormatError } from '../../../../core/model/errors.ts';
import { makeAsset } from '../../../../core/model/make-asset.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import { bakeAt } from '../../../../deformers/playback/bake/bake-at.ts';
import { packGlb } from '../../document/pack-glb.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import { writeGlb } from '../../write-glb.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests break the JSON in ways types would forbid
type Loose = any;

/** A tetrahedron with UVs on two bones, a correction of one shape, two frames. */
let good: Uint8Array;
beforeAll(async () => {
  const plain = makeMesh(
    Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1),
    Uint32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3),
  );
  const mesh = { ...plain, attributes: [{ name: 'TEXCOORD_0', size: 2, values: new Float32Array(8).fill(0.5) }] };
  const model: SkinnedModel = {
    kind: 'skin',
    mesh,
    skeleton: { names: ['a', 'b'], parents: Int32Array.of(-1, 0), bindMatrices: makeIdentities(2) },
    skin: makeSkin([0, 1, 0, 1, 0, 1, 0, 1], [1, 0, 0.5, 0.5, 0.25, 0.75, 0.25, 0.75], 2),
    motions: [
      { name: 'm', times: Float64Array.of(0, 1), matrices: makeIdentities(4).map((x, c) => (c === 61 ? 1 : x)) },
    ],
  };
  const correction: SkinCorrection = {
    ...{ rank: 1, basis: new Float32Array(12).fill(0.1), normalRank: 0 },
    tracks: [
      { name: 'm', times: Float64Array.of(0, 1), values: Float32Array.of(0, 1), normalValues: new Float32Array(0) },
    ],
  };
  good = await writeGlb(makeAsset(model), { kind: 'skin', model, correction: { model: correction } });
});

/** The good file with its JSON or its numbers changed; set writes a float of an accessor. */
function edit(change: (json: Loose, set: (accessor: number, place: number, value: number) => void) => void) {
  const { json, binary } = splitGlb(good) as { json: Loose; binary: Uint8Array };
  const copy = Uint8Array.from(binary);
  change(json, (accessor, place, value) => {
    const { bufferView, byteOffset = 0 } = json.accessors[accessor];
    const { byteOffset: start = 0, byteStride } = json.bufferViews[bufferView];
    expect(byteStride).toBeUndefined();
    new DataView(copy.buffer).setFloat32(start + byteOffset + 4 * place, value, true);
  });
  return packGlb(json, copy);
}

const primitiveOf = (json: Loose): Loose => json.meshes[0].primitives[0];

async function faultOf(bytes: Uint8Array): Promise<string> {
  const error: unknown = await readGltf(bytes).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(FormatError);
  expect((error as FormatError).cause).toBeUndefined();
  return (error as FormatError).message;
}

/** Moves an attribute into a view of its own, so that set finds its floats. */
function unpack(json: Loose, accessor: number): void {
  const { bufferView, byteOffset = 0 } = json.accessors[accessor];
  const { byteStride, ...view } = json.bufferViews[bufferView];
  if (byteStride === undefined) return;
  // What its elements are does not matter here: the floats that follow one another stand for them.
  const start = (view.byteOffset ?? 0) + byteOffset;
  json.bufferViews.push({ ...view, byteOffset: start, byteLength: view.byteLength - byteOffset });
  json.accessors[accessor] = { ...json.accessors[accessor], bufferView: json.bufferViews.length - 1, byteOffset: 0 };
}

describe('readGltf on numbers out of range', () => {
  it.each<[string, RegExp, (json: Loose, set: (accessor: number, place: number, value: number) => void) => void]>([
    [
      'a coordinate of 1e30',
      /vertex \d of mesh "mesh" has a position that is larger than 1e18/,
      (json, set) => {
        const { POSITION } = primitiveOf(json).attributes;
        unpack(json, POSITION);
        delete json.accessors[POSITION].min;
        delete json.accessors[POSITION].max;
        set(POSITION, 4, 1e30);
      },
    ],
    [
      'corrective shapes that move vertices to infinity',
      /the corrective shapes move vertices out of range/,
      (json, set) => set(primitiveOf(json).extensions.OSSIFY_skin_correction.values, 1, 3e38),
    ],
    [
      'morph weights at rest that move vertices to infinity, without an animation',
      /the morph weights of node .* move vertices out of range/,
      (json) => {
        delete json.animations;
        delete primitiveOf(json).extensions;
        primitiveOf(json).targets = [{ POSITION: primitiveOf(json).attributes.POSITION }];
        json.meshes[0].weights = [1e38];
      },
    ],
    [
      'a scale that takes the mesh, and not its node, to infinity',
      /moves vertices out of range|has a position that is/,
      (json, set) => {
        const joint = json.skins[0].joints[1];
        json.nodes[joint].scale = [1e17, 1e17, 1e17];
        for (const c of [0, 5, 10]) set(json.skins[0].inverseBindMatrices, 16 + c, 1e17);
      },
    ],
  ])('refuses %s', async (_, says, change) => {
    expect(await faultOf(edit(change))).toMatch(says);
  });

  it.each([
    ['a perspective', [[15, 1e-44]]],
    ['no inverse', Array.from({ length: 15 }, (_, c) => [c, 0])],
  ])('computes inverse bind matrices with %s from the rest pose, with a note', async (_, values) => {
    const notes: string[] = [];
    const log = (text: string) => void notes.push(text);
    const bytes = edit((json, set) => {
      for (const [c, x] of values) set(json.skins[0].inverseBindMatrices, c, x);
    });
    const { rig } = await readGltf(bytes, { log });
    expect(rig!.skeleton.bindMatrices.every(Number.isFinite)).toBe(true);
    expect(notes).toEqual([expect.stringMatching(/inverse bind matri/)]);
  });

  it('reads attributes that are not finite as zero, with a note', async () => {
    const notes: string[] = [];
    const bytes = edit((json, set) => {
      unpack(json, primitiveOf(json).attributes.TEXCOORD_0);
      set(primitiveOf(json).attributes.TEXCOORD_0, 1, Number.NaN);
    });
    const { mesh } = await readGltf(bytes, { log: (note) => notes.push(note) });
    expect(mesh.attributes[0].values[1]).toBe(0);
    expect(mesh.attributes[0].values.every(Number.isFinite)).toBe(true);
    expect(notes).toEqual([
      expect.stringMatching(/^1 number that is not finite was set to zero: "TEXCOORD_0" of vertex 0 of mesh "mesh"$/),
    ]);
  });
});

describe('readGltf on large counts', () => {
  it('writes weights that sum to one without changing joints of the same accessor', async () => {
    const bytes = edit((json) => {
      const { attributes } = primitiveOf(json);
      delete primitiveOf(json).extensions;
      attributes.WEIGHTS_0 = attributes.JOINTS_0;
    });
    const read = await readGltf(bytes);
    const again = await readGltf(await writeGlb(read));
    expect(again.rig!.skin).toEqual(read.rig!.skin);
  });

  it('reads and plays a mesh that very many nodes draw, without running out of stack', async () => {
    const count = 130_000;
    const bytes = edit((json) => {
      delete json.skins;
      delete json.animations;
      const { POSITION } = primitiveOf(json).attributes;
      json.meshes[0].primitives[0] = { attributes: { POSITION }, indices: primitiveOf(json).indices };
      json.nodes = Array.from({ length: count }, () => ({ mesh: 0 }));
      json.scenes = [{ nodes: json.nodes.map((_: Loose, n: number) => n) }];
      json.extensionsUsed = [];
    });
    const asset = await readGltf(bytes);
    expect(asset.mesh.parts).toHaveLength(count);
    expect(bakeAt(asset, undefined, Float64Array.of(0)).positions).toHaveLength(12 * count);
  });
});
