// SPDX-License-Identifier: MIT
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import validator from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import type { Asset } from '../../../../core/model/asset.ts';
import { checkVrm } from '../../../vrm/index.ts';
import { COLLIDER, HAIR, MESH_NODE, makeVrm0, makeVrm1, nodeOf, TIP } from '../../../vrm/tests/make-avatar.ts';
import { splitGlb } from '../../document/split-glb.ts';
import { readGltf } from '../../read-gltf.ts';
import { type GlbContent, writeGlb } from '../../write-glb.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into any JSON
type Loose = any;

/** Reads a file and writes it with some content. */
async function rewrite(
  bytes: Uint8Array,
  contentOf: (asset: Asset) => GlbContent = () => ({ kind: 'clip' }),
  options = {},
) {
  const notes: string[] = [];
  const asset = await readGltf(bytes);
  const written = await writeGlb(asset, contentOf(asset), { ...options, log: (note) => notes.push(note) });
  const { issues } = await validator.validateBytes(written);
  // VRM 0 chose a name that glTF warns of
  const faults = issues.messages.filter(
    ({ severity, code }) => severity < 2 && code !== 'INVALID_EXTENSION_NAME_FORMAT',
  );
  const { json } = splitGlb(written) as { json: Loose };
  return { json, notes, faults, name: (index: number): string => json.nodes[index]?.name };
}

/** Removes a bone that no human bone is below, the first morph target, and all that only they need. */
function lessOf(asset: Asset): GlbContent {
  const node = (name: string): number => asset.nodes.names.indexOf(name);
  const joints = ['hair', 'hair tip', 'unused'].map(node);
  return { kind: 'eliminated', parts: { nodes: joints, shapes: [{ node: node('body'), weight: 0 }], triangles: [] } };
}

/** One level in place of the mesh: the first half of its triangles. */
function levelOf({ mesh }: Asset): GlbContent {
  const triangles = mesh.triangles.slice(0, 3 * Math.floor(mesh.triangles.length / 6));
  const count = triangles.reduce((most, i) => Math.max(most, i + 1), 0);
  const vertices = Uint32Array.from({ length: count }, (_, i) => i);
  return {
    kind: 'levels',
    levels: [{ vertices, positions: mesh.positions.slice(0, 3 * count), triangles }],
  } as GlbContent;
}

describe('writeGlb on an avatar of VRM 0', () => {
  it('keeps all of it where nothing has moved', async () => {
    const before = splitGlb(makeVrm0()).json as Loose;
    const { json, notes, faults } = await rewrite(makeVrm0());
    expect(json.extensionsUsed).toContain('VRM');
    const { materialProperties, meta, ...rest } = json.extensions.VRM;
    const { materialProperties: oldProperties, meta: oldMeta, ...old } = before.extensions.VRM;
    expect(rest).toEqual(old);
    // textures are numbered anew; the image and the sampler are the same
    const sourceOf = (from: Loose, t: number) => [
      from.textures[t].source,
      from.samplers?.[from.textures[t].sampler]?.wrapS ?? 10497,
    ];
    expect(sourceOf(json, meta.texture)).toEqual(sourceOf(before, oldMeta.texture));
    for (const key of ['_MainTex', '_ShadeTexture'])
      expect(sourceOf(json, materialProperties[1].textureProperties[key])).toEqual(
        sourceOf(before, oldProperties[1].textureProperties[key]),
      );
    expect(checkVrm(json)).toEqual([]);
    expect(notes).toEqual(['the avatar data (VRM) is kept']);
    expect(faults).toEqual([]);
  });

  it('follows nodes, meshes and morph targets that move', async () => {
    const { json, notes, name } = await rewrite(makeVrm0(), lessOf);
    const { VRM } = json.extensions;
    expect(checkVrm(json)).toEqual([]);
    expect(name(VRM.firstPerson.firstPersonBone)).toBe('J_head');
    for (const { bone, node } of VRM.humanoid.humanBones) expect(name(node)).toBe(`J_${bone}`);
    const [joy, blink] = VRM.blendShapeMaster.blendShapeGroups;
    expect(joy.binds).toEqual([]);
    expect(blink.binds).toEqual([{ mesh: 0, index: 0, weight: 100 }]);
    expect(VRM.secondaryAnimation.boneGroups[0].bones).toEqual([]);
    expect(name(VRM.secondaryAnimation.colliderGroups[0].node)).toBe('skull');
    expect(notes).toEqual(['the avatar data (VRM) is kept']);
  });

  it.each<[string, (asset: Asset) => GlbContent]>([
    ['other weights', ({ rig }) => ({ kind: 'weights', skin: rig!.skin, pruneJoints: true })],
    ['another shape', () => ({ kind: 'shape' })],
    ['a level of detail in place of the mesh', levelOf],
    ['a level of detail beside the mesh', (asset) => ({ ...levelOf(asset), coverage: [0.5, 0.1] }) as GlbContent],
    [
      'bones that are written anew',
      ({ mesh, rig }) => ({
        kind: 'skin',
        model: { kind: 'skin', mesh, skeleton: rig!.skeleton, skin: rig!.skin, motions: [] },
      }),
    ],
  ])('stays valid with %s', async (_, contentOf) => {
    const { json, name, notes } = await rewrite(makeVrm0(), contentOf);
    expect(checkVrm(json)).toEqual([]);
    expect(notes).toContain('the avatar data (VRM) is kept');
    const { humanoid, firstPerson, blendShapeMaster } = json.extensions.VRM;
    for (const { bone, node } of humanoid.humanBones) expect(name(node)).toBe(`J_${bone}`);
    expect(firstPerson.meshAnnotations).toHaveLength(1);
    const hasTargets = json.meshes[0].primitives[0].targets !== undefined;
    expect(blendShapeMaster.blendShapeGroups.map(({ binds }: Loose) => binds.length)).toEqual(
      hasTargets ? [1, 1] : [0, 0],
    );
  });

  it('is left out if a bone of the humanoid is gone, and says which', async () => {
    const { json, notes } = await rewrite(makeVrm0(), ({ nodes }) => ({
      kind: 'eliminated',
      parts: { nodes: ['J_leftHand'].map((one) => nodes.names.indexOf(one)), shapes: [], triangles: [] },
    }));
    expect(json.extensions).toBeUndefined();
    expect(json.extensionsUsed ?? []).not.toContain('VRM');
    expect(notes).toEqual(['the avatar data (VRM) was left out: the result has no bone for leftHand']);
  });
});

const AVATARS = join(process.env.OSSIFY_DATA ?? '../shared', 'characters/avatars');

describe.skipIf(!existsSync(AVATARS))(
  'writeGlb on published avatars (skipped where OSSIFY_DATA has no characters)',
  () => {
    it.each(['100Avatars_013_Mint.vrm', '100Avatars_031_Devil.vrm'])('keeps %s whole', async (name) => {
      const bytes = readFileSync(join(AVATARS, name));
      const before = splitGlb(bytes).json as Loose;
      for (const contentOf of [
        () => ({ kind: 'clip' }),
        ({ rig }: Asset) => ({ kind: 'weights', skin: rig!.skin, pruneJoints: true }),
      ]) {
        const { json, faults, notes } = await rewrite(bytes, contentOf as (asset: Asset) => GlbContent);
        expect(checkVrm(json)).toEqual([]);
        expect(json.extensions.VRM).toEqual(before.extensions.VRM);
        expect(json.meshes[0].extras.targetNames).toHaveLength(json.meshes[0].primitives[0].targets.length);
        expect(notes).toEqual(['the avatar data (VRM) is kept']);
        // the size of the image is in the file too
        expect(
          faults.filter(({ code }) => code !== 'IMAGE_FEATURES_UNSUPPORTED' && code !== 'IMAGE_NPOT_DIMENSIONS'),
        ).toEqual([]);
      }
    });
  },
);

describe('writeGlb on an avatar of VRM 1', () => {
  it('keeps all of it where nothing has moved', async () => {
    const before = splitGlb(makeVrm1()).json as Loose;
    const { json, notes, faults } = await rewrite(makeVrm1());
    expect(json.extensions).toEqual(before.extensions);
    expect(json.nodes[nodeOf('leftToes')].extensions).toEqual(before.nodes[nodeOf('leftToes')].extensions);
    const mtoon = json.materials[1].extensions.VRMC_materials_mtoon;
    expect(json.textures[mtoon.shadeMultiplyTexture.index].source).toBe(0);
    expect(checkVrm(json)).toEqual([]);
    expect(notes).toEqual(['the avatar data (VRM) is kept']);
    expect(faults).toEqual([]);
  });

  it('follows nodes, meshes and morph targets that move', async () => {
    const { json, name } = await rewrite(makeVrm1(), lessOf);
    expect(checkVrm(json)).toEqual([]);
    const { VRMC_vrm, VRMC_springBone } = json.extensions;
    for (const [bone, { node }] of Object.entries<Loose>(VRMC_vrm.humanoid.humanBones))
      expect(name(node)).toBe(`J_${bone}`);
    const { happy, blink } = VRMC_vrm.expressions.preset;
    expect(happy).toEqual({});
    expect(blink.morphTargetBinds).toEqual([{ node: MESH_NODE - 1, index: 0, weight: 1 }]);
    // both joints of the spring are gone
    expect(VRMC_springBone.springs).toBeUndefined();
    expect(name(VRMC_springBone.colliders[0].node)).toBe('skull');
    const toes = json.nodes.find((node: Loose) => node.name === 'J_leftToes');
    expect(name(toes.extensions.VRMC_node_constraint.constraint.rotation.source)).toBe('J_rightToes');
    expect([HAIR, TIP, COLLIDER].every((n) => n > 0)).toBe(true);
  });
});

describe('writeGlb on extensions that it does not know', () => {
  const withUnknown = (extension: unknown, place: (json: Loose) => Loose = (json) => json): Uint8Array =>
    makeVrm1((json) => {
      json.extensions = {};
      json.extensionsUsed = ['EXT_unknown'];
      delete json.materials[1].extensions;
      delete json.nodes[nodeOf('leftToes')].extensions;
      // a texture that nothing uses is not written again
      json.textures = [{ source: 1 }];
      json.materials[1].pbrMetallicRoughness.baseColorTexture.index = 0;
      place(json).extensions = { EXT_unknown: extension };
    });

  it('keeps them where nothing has moved', async () => {
    const extension = { nodes: [3, 4], text: 'a' };
    for (const place of [(json: Loose) => json, (json: Loose) => json.nodes[5], (json: Loose) => json.materials[1]]) {
      const { json, notes } = await rewrite(withUnknown(extension, place));
      expect(place(json).extensions).toEqual({ EXT_unknown: extension });
      expect(json.extensionsUsed).toContain('EXT_unknown');
      expect(notes).toEqual([]);
    }
  });

  it('keeps those without indices where nodes have moved', async () => {
    const { json, notes } = await rewrite(withUnknown({ amount: 0.5, text: 'a' }), lessOf);
    expect(json.extensions.EXT_unknown).toEqual({ amount: 0.5, text: 'a' });
    expect(notes).toEqual([]);
  });

  it.each<[string, unknown, ((asset: Asset) => GlbContent)?]>([
    ['that may name a node, where nodes have moved', { node: 3 }, lessOf],
    ['that name bytes', { bufferView: 1 }],
    ['that name an accessor', { data: [{ accessor: 1 }] }],
  ])('leaves out those %s, and says so', async (_, extension, contentOf) => {
    const { json, notes } = await rewrite(withUnknown(extension), contentOf);
    expect(json.extensions).toBeUndefined();
    expect(json.extensionsUsed ?? []).not.toContain('EXT_unknown');
    expect(notes).toEqual(['the extension EXT_unknown was left out: what it may point to was written anew']);
  });

  it('names those of cameras, samplers and animations', async () => {
    const { notes } = await rewrite(withUnknown({}, (json) => json.skins[0]));
    expect(notes).toEqual([
      'the extension EXT_unknown was left out: it is kept of nodes, meshes, materials and images only',
    ]);
  });
});
