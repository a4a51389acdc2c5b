// SPDX-License-Identifier: MIT
// Writes the models of the GPU benchmark: the ninja where the data folder has it, otherwise a generated creature of its size, and an animal for crowds.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mesh } from '../../src/core/model/mesh/mesh.ts';
import type { Skeleton } from '../../src/core/model/skin/skeleton.ts';
import type { Skin } from '../../src/core/model/skin/skin.ts';
import { dropMultiWeights } from '../../src/deformers/direct-delta-mush/index.ts';
import { sampleAnimation } from '../../src/entry/deform.ts';
import { makeRestNormals } from '../../src/entry/gpu.ts';
import { compressDdm, precomputeDdm, readAsset } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { type BenchModel, writeModels } from './gpu-models.ts';

const POSES = 32;
const VIRTUAL_BONES = [200];

async function main(out: string): Promise<void> {
  const file = join(process.env.OSSIFY_DATA ?? '../shared', 'rigs/ninja.glb');
  const figure = existsSync(file) ? await readFigure(file) : makeFigure('creature', 12_500);
  const { mesh, skeleton, skin } = figure;
  // the settings of the slides, which the recorded times and the published ones are for
  const ddm = await precomputeDdm(mesh, skeleton, skin, { lambda: 20, kappa: 1, threshold: 0 });
  const full = ddm.multiWeights;
  const multiWeights: BenchModel['multiWeights'] = {};
  for (const threshold of [1e-4, 1e-3])
    multiWeights[String(threshold)] = dropMultiWeights(full, skeleton, { threshold });
  const twoLayers: BenchModel['twoLayers'] = {};
  for (const virtualBones of VIRTUAL_BONES) {
    const { model } = await compressDdm({ ...ddm, multiWeights: multiWeights['0.0001'] }, { virtualBones });
    twoLayers[String(virtualBones)] = { virtualBones: model.virtualBones, centers: model.centers, skin: model.skin };
  }
  const animal = makeFigure('quadruped', 8000);
  const models = [figure, animal].map((from, n) => ({
    name: from.name,
    mesh: { ...from.mesh, normals: from.mesh.normals ?? makeRestNormals(from.mesh) },
    boneCount: from.skeleton.names.length,
    skin: from.skin,
    poses: from.poses,
    multiWeights: n === 0 ? multiWeights : {},
    twoLayers: n === 0 ? twoLayers : {},
  }));
  const bytes = writeModels(models);
  writeFileSync(out, bytes);
  for (const model of models) {
    console.log(`${model.name}: ${model.mesh.positions.length / 3} vertices, ${model.boneCount} bones`);
  }
  for (const [key, { boneIndices }] of Object.entries(multiWeights))
    console.log(
      `multi-weights over ${key}: ${(boneIndices.length / (mesh.positions.length / 3)).toFixed(2)} per vertex`,
    );
  console.log(`${out}: ${(bytes.length / 1e6).toFixed(1)} MB`);
}

interface Figure {
  name: string;
  mesh: Mesh;
  skeleton: Skeleton;
  skin: Skin;
  poses: Float64Array;
}

async function readFigure(file: string): Promise<Figure> {
  const asset = await readAsset([{ name: file, bytes: new Uint8Array(readFileSync(file)) }]);
  if (!asset.rig) throw new Error(`${file} has no skin`);
  const animation = asset.animations[0];
  const times = Array.from({ length: POSES }, (_, k) => ((animation?.duration ?? 0) * k) / POSES);
  const { motion } = sampleAnimation(asset, animation, times);
  const { skeleton, skin } = asset.rig;
  return { name: 'ninja', mesh: asset.mesh, skeleton, skin, poses: motion.matrices };
}

function makeFigure(name: string, resolution: number): Figure {
  const { clip, skeleton, skin, motion } = makeSample(name, { resolution, frames: POSES });
  if (!skeleton || !skin || !motion) throw new Error(`the sample ${name} has no bones`);
  return { name, mesh: clip.mesh, skeleton, skin, poses: motion.matrices };
}

await main(process.argv[2]);
