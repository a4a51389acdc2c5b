// SPDX-License-Identifier: MIT
// The noise suite: skeletons and decompositions of noisy frames without a rest pose, against the clean frames and the true joints. docs/benchmarks/noise.md has the table. With DEM_BONES, the path of bench/noise/dem-bones.cpp as a
// program, Dem Bones decomposes the same frames into the same number of bones.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCompute } from '../../src/core/compute/make-compute.ts';
import { measureBounds } from '../../src/core/mesh/geometry/bounds.ts';
import { pointTriangles, pointValues, weldClip, weldVertices } from '../../src/core/mesh/topology/weld.ts';
import type { SkinnedModel } from '../../src/core/model/asset.ts';
import { frameCountOf, frameOf } from '../../src/core/model/clip/clip.ts';
import { joinClips } from '../../src/core/model/clip/join-clips.ts';
import { poseOf } from '../../src/core/model/clip/motion.ts';
import { makeDeformer } from '../../src/entry/deform.ts';
import { decompose, measureJoints, skeleton, writeGlb } from '../../src/entry/index.ts';
import { readWritten } from '../../src/jobs/report/index.ts';
import { measureAsymmetry } from '../../src/methods/skeleton/index.ts';
import type { BenchContext, BenchRow, BenchSuite } from '../shared/bench-suite.ts';
import { findDataFolder } from '../shared/decompose-cases.ts';
import { listNoiseCases, type NoiseCase } from './noise-cases.ts';

export const noiseSuite: BenchSuite = {
  name: 'noise',
  description:
    '16 frames with 0.5 % noise and without a rest pose: joints within 3 % of the size, and errors against the clean frames as a part of the noise',
  async run(context) {
    const rows: BenchRow[] = [];
    for await (const one of listNoiseCases(findDataFolder(process.env), context.quick, context.seed)) {
      context.signal.throwIfAborted();
      if (context.only.length > 0 && !context.only.includes(one.name)) continue;
      context.onProgress({ phase: one.name, fraction: rows.length / 9 });
      rows.push(await measureCase(one, context));
    }
    return rows;
  },
};

async function measureCase(one: NoiseCase, { threads, seed, signal }: BenchContext): Promise<BenchRow> {
  const cpu = process.cpuUsage();
  const found = await skeleton(one.noisy, { threads, seed, signal });
  const { user } = process.cpuUsage(cpu);
  const bones = found.model.skeleton.names.length;
  const solved = await decompose(one.noisy, { bones, threads, seed, signal });
  const peer = runDemBones(one, bones);
  const left = measureLeft(one, found.model);
  const ms = 1000 * found.seconds;
  return {
    case: one.name,
    timings: { skeleton: { least: ms, mean: ms, deviation: 0, runs: 1 } },
    figures: {
      ...(await countJoints(one, found.model)),
      ...{ bones, left, leftDecomposed: measureLeft(one, solved.model) },
      ...(peer === undefined ? {} : { leftDemBones: peer, toDemBones: left / peer }),
      ...(await measureSymmetry(one, found.model)),
      ...{ noisePercent: (0.5 * found.noise) / one.sigma, cpuSeconds: user / 1e6 },
    },
  };
}

/** Root mean square error of a model against the clean frames, relative to the noise. */
function measureLeft({ clean, sigma }: NoiseCase, model: SkinnedModel): number {
  const deformer = makeDeformer(model);
  const out = new Float32Array(model.mesh.positions.length);
  let [sum, count] = [0, 0];
  for (const [n, clip] of clean.entries()) {
    for (let k = 0; k < frameCountOf(clip); k++) {
      deformer.deformInto({ bones: poseOf(model.motions[n], k) }, out);
      const truth = frameOf(clip, k);
      for (let c = 0; c < out.length; c++) sum += (out[c] - truth[c]) ** 2;
      count += out.length;
    }
  }
  return Math.sqrt(sum / count) / sigma;
}

/** Mean distances between a shape and its mirror image in the best plane, percent of its size: of the rest shape of a model, and of the true rest pose. */
async function measureSymmetry({ rig, clean }: NoiseCase, { mesh }: SkinnedModel): Promise<Record<string, number>> {
  const compute = await makeCompute();
  const measure = async (positions: Float32Array): Promise<number> => {
    const weld = weldVertices(positions);
    const points = Float64Array.from(pointValues(positions, 3, weld));
    const triangles = pointTriangles(mesh.triangles, weld);
    let least = Number.POSITIVE_INFINITY;
    for (let axis = 0; axis < 3; axis++) {
      const normal: [number, number, number] = [0, 0, 0];
      normal[axis] = 1;
      let offset = 0;
      for (let c = axis; c < points.length; c += 3) offset += (3 * points[c]) / points.length;
      const { distance } = await measureAsymmetry(compute, points, triangles, { normal, offset });
      least = Math.min(least, distance);
    }
    return (100 * least) / measureBounds(positions).diagonal;
  };
  try {
    return {
      unevenPercent: await measure(mesh.positions),
      unevenTruePercent: await measure(rig?.asset.mesh.positions ?? clean[0].mesh.positions),
    };
  } finally {
    compute.dispose();
  }
}

async function countJoints({ rig }: NoiseCase, model: SkinnedModel): Promise<Record<string, number>> {
  if (!rig) return {};
  const { asset } = rig;
  const bare = { ...asset, source: undefined, rig: undefined, animations: [], mesh: model.mesh };
  const result = await readWritten(await writeGlb(bare, { kind: 'skin', model }));
  const animations = rig.animations.map((one, n) => ({ ...one, result: result.animations[n] }));
  const report = measureJoints(asset, result, animations);
  return report ? { joints: report.moving, within3: report.within3, within5: report.within5 } : {};
}

/** The same error of Dem Bones; undefined if it is not installed or fails. */
function runDemBones({ clean, noisy, sigma }: NoiseCase, bones: number): number | undefined {
  const program = process.env.DEM_BONES;
  if (!program) return undefined;
  const [given, truth] = [joinClips(noisy), joinClips(clean)];
  const weld = weldClip(given);
  const points = (from: Float32Array) => {
    const out = new Float32Array(3 * weld.pointCount);
    weld.vertexOfPoint.forEach((v, i) => {
      out.set(from.subarray(3 * v, 3 * v + 3), 3 * i);
    });
    return Buffer.from(out.buffer);
  };
  const frames = Array.from({ length: frameCountOf(given) }, (_, k) => points(frameOf(given, k)));
  const triangles = pointTriangles(given.mesh.triangles, weld);
  const head = Int32Array.of(weld.pointCount, frames.length, triangles.length / 3);
  const folder = mkdtempSync(join(tmpdir(), 'ossify-dem-bones-'));
  const [input, output] = [join(folder, 'in'), join(folder, 'out')];
  try {
    const parts = [Buffer.from(head.buffer), points(given.mesh.positions), ...frames, Buffer.from(triangles.buffer)];
    writeFileSync(input, Buffer.concat(parts));
    execFileSync(program, [input, output, String(bones)], { stdio: 'ignore' });
    const bytes = readFileSync(output);
    const skinned = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    let sum = 0;
    for (let k = 0; k < frames.length; k++) {
      const frame = frameOf(truth, k);
      weld.pointOfVertex.forEach((i, v) => {
        for (let r = 0; r < 3; r++) sum += (skinned[3 * (k * weld.pointCount + i) + r] - frame[3 * v + r]) ** 2;
      });
    }
    return Math.sqrt(sum / truth.positions.length) / sigma;
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
