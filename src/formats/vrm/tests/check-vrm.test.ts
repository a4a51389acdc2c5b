// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { splitGlb } from '../../gltf/index.ts';
import { checkVrm } from '../index.ts';
import { makeVrm0, makeVrm1, nodeOf } from './make-avatar.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests break the JSON in ways types would forbid
type Loose = any;

const faultsOf = (bytes: Uint8Array): string[] =>
  checkVrm(splitGlb(bytes).json as Record<string, unknown>).map(
    ({ rule, where, message }) => `${rule}: ${where} ${message}`,
  );

describe('checkVrm', () => {
  it('finds nothing in sound avatars of both versions', () => {
    expect(faultsOf(makeVrm0())).toEqual([]);
    expect(faultsOf(makeVrm1())).toEqual([]);
  });

  it.each<[string, RegExp, (vrm: Loose, json: Loose) => void]>([
    [
      'a bone that is missing',
      /^bone-required: .* has no neck/,
      (v) => (v.humanoid.humanBones = v.humanoid.humanBones.filter((b: Loose) => b.bone !== 'neck')),
    ],
    [
      'a bone of a node that is not there',
      /^index: .*hips names nodes\[999\]/,
      (v) => (v.humanoid.humanBones.find((b: Loose) => b.bone === 'hips').node = 999),
    ],
    [
      'a bone that is given twice',
      /^bone-unique: .*head is given twice/,
      (v) => v.humanoid.humanBones.push({ bone: 'head', node: 0 }),
    ],
    [
      'a node with two bones',
      /^bone-unique: .*left(Hand|Toes) has the node of/,
      (v) => (v.humanoid.humanBones.find((b: Loose) => b.bone === 'leftHand').node = nodeOf('leftToes')),
    ],
    ['an unknown bone', /^bone-name: .*tail/, (v) => v.humanoid.humanBones.push({ bone: 'tail', node: 0 })],
    ['a license that does not exist', /^value: .*licenseName/, (v) => (v.meta.licenseName = 'MIT')],
    ['a thumbnail that is not there', /^index: .*meta\.texture/, (v) => (v.meta.texture = 9)],
    [
      'a morph target that is not there',
      /names morph target 2, but the mesh has 2/,
      (v) => (v.blendShapeMaster.blendShapeGroups[0].binds[0].index = 2),
    ],
    [
      'a weight above 100',
      /^value: .*weight must hold 1 numbers from 0 to 100/,
      (v) => (v.blendShapeMaster.blendShapeGroups[0].binds[0].weight = 101),
    ],
    [
      'a spring of a node that is not there',
      /^index: .*bones\[0\]/,
      (v) => (v.secondaryAnimation.boneGroups[0].bones = [99]),
    ],
    [
      'a group of colliders that is not there',
      /^index: .*colliderGroups\[0\]/,
      (v) => (v.secondaryAnimation.boneGroups[0].colliderGroups = [3]),
    ],
    ['too few materials', /^materials: .*has 1 entries, but the file has 2/, (v) => v.materialProperties.pop()],
    ['an extension that is not listed', /^used: extensionsUsed does not list VRM/, (_, j) => (j.extensionsUsed = [])],
  ])('finds %s in VRM 0', (_, fault, change) => {
    const faults = faultsOf(makeVrm0((json) => change(json.extensions.VRM, json)));
    expect(
      faults.some((one) => fault.test(one)),
      faults.join('\n'),
    ).toBe(true);
  });

  it.each<[string, RegExp, (extensions: Loose, json: Loose) => void]>([
    [
      'a bone that is missing',
      /^bone-required: .* has no leftFoot/,
      (e) => delete e.VRMC_vrm.humanoid.humanBones.leftFoot,
    ],
    [
      'bones in another order',
      /^bone-parent: .*(spine|chest)/,
      (e) => {
        const b = e.VRMC_vrm.humanoid.humanBones;
        [b.spine, b.chest] = [b.chest, b.spine];
      },
    ],
    ['a bone of negative scale', /^bone-scale: .*head/, (_, j) => (j.nodes[nodeOf('head')].scale = [1, -1, 1])],
    ['an avatar without a name', /^meta: .*name/, (e) => delete e.VRMC_vrm.meta.name],
    ['an avatar without authors', /^meta: .*authors/, (e) => (e.VRMC_vrm.meta.authors = [])],
    ['another version', /^version: .*VRMC_vrm\.specVersion/, (e) => (e.VRMC_vrm.specVersion = '2.0')],
    ['an empty list', /^list: .*morphTargetBinds/, (e) => (e.VRMC_vrm.expressions.preset.happy.morphTargetBinds = [])],
    [
      'a material that is not there',
      /^index: .*materialColorBinds\[0\]\.material/,
      (e) => (e.VRMC_vrm.expressions.preset.blink.materialColorBinds[0].material = 5),
    ],
    ['a spring that runs upwards', /^spring-order: /, (e) => e.VRMC_springBone.springs[0].joints.reverse()],
    ['a joint of two springs', /^spring-joint: /, (e) => e.VRMC_springBone.springs.push(e.VRMC_springBone.springs[0])],
    ['a collider without a shape', /^shape: /, (e) => (e.VRMC_springBone.colliders[0].shape = {})],
    [
      'a constraint of a node that is not there',
      /^index: .*rotation\.source/,
      (_, j) => (j.nodes[nodeOf('leftToes')].extensions.VRMC_node_constraint.constraint.rotation.source = 99),
    ],
    [
      'a map of MToon that is not there',
      /^index: .*shadeMultiplyTexture\.index/,
      (_, j) => (j.materials[1].extensions.VRMC_materials_mtoon.shadeMultiplyTexture.index = 7),
    ],
  ])('finds %s in VRM 1', (_, fault, change) => {
    const faults = faultsOf(makeVrm1((json) => change(json.extensions, json)));
    expect(
      faults.some((one) => fault.test(one)),
      faults.join('\n'),
    ).toBe(true);
  });

  it('says that a file without an avatar has none', () => {
    expect(checkVrm({ asset: { version: '2.0' } }).map(({ rule }) => rule)).toEqual(['avatar']);
  });

  it('does not throw on an avatar of the wrong shape', () => {
    for (const wrong of [null, [], 'text', 7, {}, { humanoid: [], meta: 'x', expressions: { preset: [null] } }])
      for (const name of ['VRM', 'VRMC_vrm', 'VRMC_springBone'])
        expect(Array.isArray(checkVrm({ nodes: [null, 3], extensions: { [name]: wrong } }))).toBe(true);
  });
});
