// SPDX-License-Identifier: MIT
// The faces suite: morph targets as driven bones, on a captured face where it is present, else on a generated one. Lengths are in mm of a head 250 mm high.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { measureHeight } from '../../src/core/mesh/geometry/bounds.ts';
import type { Morphs } from '../../src/core/model/deformed/morphs.ts';
import type { ShapeTrack } from '../../src/core/model/deformed/shape-drivers.ts';
import { makeMorphBlend } from '../../src/deformers/rig-sources/index.ts';
import { createShapeRuntime, makeShapeDriven } from '../../src/entry/deform.ts';
import type { FaceShapes } from '../../src/entry/index.ts';
import { makeFace } from '../../src/entry/sample.ts';
import { openFiles } from '../../src/hosts/disk/index.ts';
import { driveShapes, listShapes } from '../../src/jobs/convert/index.ts';
import { drawWeights, joinShapes, measureDriven } from '../../src/methods/faces/index.ts';
import type { BenchContext, BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { findDataFolder } from '../shared/decompose-cases.ts';
import { timeVariants } from '../shared/time-variants.ts';

const HEAD_MM = 250;
const BONES = 40;
const INFLUENCES = 8;
const NONZEROS = 6000;
/** Shapes of the timed pose. */
const ACTIVE = 10;
const POSES = 1000;

export const facesSuite: BenchSuite = {
  name: 'faces',
  description:
    'morph targets as 40 driven bones: errors in mm of a head of 250 mm at every shape and at random weights, dense and with 6,000 non-zeros; fit, memory and run-time against morph targets',
  async run(context) {
    const face = await openFace(context);
    const rows: BenchRow[] = [];
    for (const nonzeros of context.quick ? [NONZEROS / 10] : [0, NONZEROS])
      rows.push(await measureFace(face, nonzeros, context));
    return rows;
  },
};

interface Face {
  name: string;
  shapes: FaceShapes;
  tracks: ShapeTrack[];
  morphs: Morphs;
}

async function openFace({ quick }: BenchContext): Promise<Face> {
  const folder = quick ? undefined : findDataFolder(process.env);
  const file = folder && join(folder, '../faces/ict-face.glb');
  if (file && existsSync(file)) {
    const { asset } = await openFiles(file, {});
    return { name: 'ict-face', ...listShapes(asset), morphs: asset.morphs! };
  }
  const { mesh, morphs, track } = makeFace(quick ? 12 : 40);
  return { name: 'face', shapes: joinShapes(mesh, morphs), tracks: [track], morphs };
}

async function measureFace(
  face: Face,
  nonzeros: number,
  { threads, seed, quick, signal }: BenchContext,
): Promise<BenchRow> {
  const { shapes } = face;
  const { mesh } = shapes;
  const count = shapes.names.length;
  const bones = quick ? 12 : BONES;
  const cpu = process.cpuUsage();
  const { model, driven, free, seconds } = await driveShapes(face, {
    ...{ bones, influences: INFLUENCES, nonzeros, threads, seed, signal },
  });
  const { user } = process.cpuUsage(cpu);
  const mm = HEAD_MM / measureHeight(mesh.positions, 'y');
  const random = measureDriven(shapes, makeShapeDriven(model), drawWeights(count, quick ? 20 : POSES, seed + 1));
  const weights = new Float32Array(count);
  for (let n = 0; n < ACTIVE; n++) weights[(5 * n + 3) % count] = 0.3 + 0.05 * n;
  const positions = new Float32Array(mesh.positions.length);
  const morphs = makeMorphBlend(mesh, face.morphs);
  const runtime = await createShapeRuntime(model, { threads: 1, normals: false });
  const none = new Float64Array(0);
  const targetWeights = Float32Array.from(shapes.shapeOfTarget, (s) => weights[s]);
  const timings = await timeVariants({
    morphTargets: { run: () => morphs.deformInto({ bones: none, morphs: targetWeights }, positions) },
    drivenBones: {
      run: async () => {
        await runtime.deform(weights);
      },
    },
  });
  runtime.dispose();
  const modelBytes = 3 * model.skin.weights.length + 6 * model.drivers.values.length;
  const morphBytes = 12 * (mesh.positions.length / 3) * count;
  return {
    case: `${face.name}, ${bones} bones, ${model.drivers.values.length} non-zeros`,
    timings,
    figures: {
      ...{ rmsMm: driven.rmse * mm, meanMm: driven.mean * mm, maxMm: driven.max * mm },
      ...{ freeRmsMm: free.rmse * mm, drivenToFree: driven.rmse / free.rmse },
      ...{ alphaRandom: random.alpha, randomRmsMm: random.rmse * mm },
      ...{ fitSeconds: seconds, fitCpuSeconds: user / 1e6 },
      ...{
        morphToModelBytes: morphBytes / modelBytes,
        morphToDrivenTime: timings.morphTargets.least / timings.drivenBones.least,
      },
    },
  };
}
