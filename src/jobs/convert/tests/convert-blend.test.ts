// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import type { HelperBones } from '../../../core/model/deformed/helper-bones.ts';
import { makeAsset } from '../../../core/model/make-asset.ts';
import type { RigSource } from '../../../core/model/skin/rig-source.ts';
import { makeDualQuaternion } from '../../../deformers/dual-quaternion/dual-quaternion.ts';
import { makeAssetDeformer } from '../../../deformers/playback/make-asset-deformer.ts';
import { makeDeformer } from '../../../deformers/playback/make-deformer.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { writeGlb } from '../../../formats/gltf/write-glb.ts';
import { measureConversion } from '../../../methods/convert/measure/measure-conversion.ts';
import { SourceProbe } from '../../../methods/convert/sample/source-probe.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { makeRigSample } from '../../../samples/rigs/make-rig-sample.ts';
import { convert } from '../convert.ts';

const QUICK = { samples: 8, iterations: 3, order: 2, threads: 1, helpers: 0 };

/** A bar that dual quaternions bend. */
function makeBar(): RigSource {
  const { clip, skeleton, skin } = makeSample('bar-joint', { resolution: 200, frames: 2 });
  const deformer = makeDualQuaternion(clip.mesh, skin!, skeleton!.names.length);
  return { name: 'bar', mesh: clip.mesh, skeleton: skeleton!, deformer };
}

async function measure(rig: RigSource, model: HelperBones, rotations: readonly Float64Array[]) {
  const options = { poses: 60, seed: 0, normals: true };
  const [{ alpha, normalDegrees }] = await measureConversion(
    new SourceProbe(rig),
    [makeDeformer(model)],
    rotations,
    options,
  );
  return { alpha, normalDegrees: normalDegrees! };
}

describe('convert to dual quaternions', () => {
  it('recovers a dual quaternion rig, which linear blending cannot', async () => {
    const rig = makeBar();
    const options = { ...QUICK, transforms: 'rigid' } as const;
    const linear = await convert({ kind: 'rig', rig }, options);
    const dual = await convert({ kind: 'rig', rig }, { ...options, target: 'dual-quaternion' });
    const [of, plain] = [
      await measure(rig, dual.model, dual.rotations),
      await measure(rig, linear.model, linear.rotations),
    ];
    expect(of.alpha).toBeLessThan(0.1 * plain.alpha);
    expect(dual.model.skin).toEqual(linear.model.skin);
    await expect(convert({ kind: 'rig', rig }, { ...QUICK, target: 'dual-quaternion' })).rejects.toThrow(
      'set transforms to rigid',
    );
  });

  it('writes and reads weights of both kinds', async () => {
    const rig = makeBar();
    const { model } = await convert(
      { kind: 'rig', rig },
      { ...QUICK, transforms: 'rigid', target: 'dual-quaternion', normalWeights: true },
    );
    const { mesh, skeleton, skin, controllers, blend } = model;
    const clip = makeSample('bar-joint', { resolution: 200, frames: 2 });
    const skinned: SkinnedModel = { kind: 'skin', mesh, skeleton, skin, motions: [clip.motion!] };
    const asset = { ...makeAsset({ ...clip.clip, mesh }, { name: 'bar', metresPerUnit: 1 }), clips: [] };
    const bytes = await writeGlb(asset, { kind: 'skin', model: skinned, controllers, blend });
    const read = await readAsset([{ name: 'bar.glb', bytes }]);
    expect(read.blend?.blend).toBe('dual-quaternion');
    const pose = { bones: clip.motion!.matrices.subarray(16 * skeleton.names.length) };
    const shapes = [makeDeformer(model), makeAssetDeformer(read)].map((deformer) => {
      const [positions, normals] = [new Float32Array(mesh.positions.length), new Float32Array(mesh.positions.length)];
      deformer.deformInto(pose, positions, normals);
      return { positions, normals };
    });
    shapes[0].positions.forEach((x, c) => {
      expect(shapes[1].positions[c]).toBeCloseTo(x, 3);
      expect(shapes[1].normals[c]).toBeCloseTo(shapes[0].normals[c], 3);
    });
    // written again, it keeps the blend
    const again = await readAsset([{ name: 'bar.glb', bytes: await writeGlb(read, { kind: 'clip' }) }]);
    expect(again.blend).toEqual(read.blend);
  });
});

describe('convert with separate weights for normals', () => {
  it('lowers the error of normals and keeps that of positions', async () => {
    const rig = makeRigSample('delta-mush-pole');
    const joint = await convert({ kind: 'rig', rig }, QUICK);
    const separate = await convert({ kind: 'rig', rig }, { ...QUICK, normalWeights: true });
    const [a, b] = [
      await measure(rig, joint.model, joint.rotations),
      await measure(rig, separate.model, joint.rotations),
    ];
    expect(b.alpha).toBe(a.alpha);
    expect(b.normalDegrees).toBeLessThan(0.95 * a.normalDegrees);
  });
});
