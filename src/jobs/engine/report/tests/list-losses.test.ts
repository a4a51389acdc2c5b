// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Contents } from '../../../../formats/gltf/index.ts';
import { describeLosses, listLosses } from '../list-losses.ts';

const FULL: Contents = {
  ...{ meshes: ['body', 'hat'], parts: 3, vertices: 300, triangles: 500, uvSets: 2, colorSets: 1, tangents: 1 },
  ...{ materials: ['skin', 'felt'], images: ['a-1', 'b-2'], morphTargets: ['smile', 'blink', 'jaw', 'frown'] },
  ...{ skins: 1, joints: ['hip', 'knee'], influences: 4, nodes: ['hip', 'knee', 'socket'], extras: ['team'] },
  animations: [{ name: 'walk', channels: 3, interpolations: ['LINEAR'] }],
  ...{ cameras: ['main'], lights: [''], extensions: ['KHR_draco_mesh_compression', 'OSSIFY_skin_correction', 'VRM'] },
};

const find = (after: Partial<Contents>, rule: Partial<Parameters<typeof listLosses>[2]> = {}) =>
  listLosses(FULL, { ...FULL, ...after }, { command: 'reduce', replaces: [], format: '.glb', ...rule });

describe('listLosses', () => {
  it('finds nothing where everything is kept, and more is no loss', () => {
    expect(find({})).toEqual([]);
    expect(find({ parts: 9, joints: ['hip', 'knee', 'helper'], images: ['b-2', 'a-1', 'c-3'] })).toEqual([]);
  });

  it('names what is missing', () => {
    expect(find({ morphTargets: ['smile'], parts: 1, images: ['a-1'] })).toEqual([
      { kind: 'parts', what: '2 parts', reason: 'reduce to GLB does not keep this' },
      { kind: 'images', what: '1 texture', names: ['b-2'], reason: 'reduce to GLB does not keep this' },
      {
        kind: 'morphTargets',
        what: '3 morph targets',
        names: ['blink', 'jaw', 'frown'],
        reason: 'reduce to GLB does not keep this',
      },
    ]);
  });

  it('tells names that are lost from things that are lost, and forgives characters that formats change', () => {
    expect(find({ joints: ['hip', 'leg'] })).toMatchObject([
      { kind: 'joints', what: '1 name of joints', names: ['knee'] },
    ]);
    expect(find({ joints: ['Hip_001', 'KNEE'] })).toEqual([]);
  });

  it('leaves out what the command is there to replace', () => {
    expect(find({ joints: [], morphTargets: [] }, { replaces: ['joints', 'morphTargets'] })).toEqual([]);
  });

  it('gives the reason of a format that cannot hold something', () => {
    const [loss] = find({ extensions: ['VRM', 'KHR_draco_mesh_compression'] }, { format: '.fbx' });
    expect(loss).toMatchObject({
      kind: 'deformers',
      names: ['corrective shapes'],
      reason: 'FBX deforms by skins and blend shapes only',
    });
  });

  it('takes frames for joints, shapes and animations', () => {
    const frames = { joints: [], morphTargets: [], nodes: [], animations: [], extensions: ['VRM'], materials: [] };
    expect(find(frames, { format: '.pc2' }).map(({ kind }) => kind)).toEqual(['materials']);
  });

  it('ignores how numbers are stored', () => {
    expect(find({ extensions: ['OSSIFY_skin_correction', 'VRM'] })).toEqual([]);
  });

  it('names what the result had before it was written in a format that cannot hold it', () => {
    const made = ['OSSIFY_two_layer_skin', 'OSSIFY_skin_correction', 'KHR_mesh_quantization'];
    expect(find({}, { format: '.fbx', made })).toMatchObject([
      { kind: 'deformers', names: ['second layer of the skin'] },
    ]);
    expect(find({ extensions: [...FULL.extensions, ...made] }, { format: '.gltf', made })).toEqual([]);
  });

  it('says one sentence per reason', () => {
    const losses = find({ morphTargets: [], cameras: [], extensions: [] }, { format: '.usda' });
    expect(describeLosses(losses)).toEqual([
      '4 morph targets ("smile", "blink", "jaw", and 1 more) and 1 camera ("main") dropped: reduce to USDA does not keep this',
      'corrective shapes dropped: UsdSkel deforms by linear skins and blend shapes only',
      'avatar data (VRM) dropped: USD has no place for data of glTF extensions',
    ]);
  });
});
