// SPDX-License-Identifier: MIT
// Why helpers lower α and may raise the largest error of a rig with Direct Delta Mush: the training poses of the document rotate one joint at a time, and random poses rotate
// all of them. The errors by the number of joints that are rotated together.

import type { Deformer } from '../../src/core/model/deformed/deformer.ts';
import type { RigSource } from '../../src/core/model/skin/rig-source.ts';
import { makeDdm, makeDeformer } from '../../src/entry/deform.ts';
import { convert, precomputeDdm } from '../../src/entry/index.ts';
import { makeSample } from '../../src/entry/sample.ts';
import { listRotations, makeRandomPoses, type SamplingRule, SourceProbe } from '../../src/methods/convert/index.ts';
import type { BenchContext, BenchRow } from '../shared/bench-suite.ts';
import { isRowWanted } from '../shared/is-row-wanted.ts';
import { ResultStore } from '../shared/result-store.ts';

const TURNED = [1, 2, 3, 5];
const POSES = 400;
const SEED = 77;
const CASES: readonly { name: string; helpers: number; sampling: SamplingRule }[] = [
  { name: 'no helpers', helpers: 0, sampling: 'importance' },
  { name: '3 helpers, one joint at a time', helpers: 3, sampling: 'importance' },
  { name: '3 helpers, random poses of one joint', helpers: 3, sampling: 'random' },
];

/** The table, on a small bar with Direct Delta Mush. */
export async function runJointCounts(context: BenchContext): Promise<BenchRow[]> {
  const { quick, threads, seed, signal } = context;
  const { clip, skeleton, skin } = makeSample('bar-bend', { resolution: 250, frames: 2 });
  const ddm = await precomputeDdm(clip.mesh, skeleton!, skin!);
  const rig: RigSource = { name: 'bar', mesh: clip.mesh, skeleton: skeleton!, deformer: makeDdm(ddm), skin: skin! };
  const rows: BenchRow[] = [];
  const store = await ResultStore.open(context);
  for (const [n, { name, helpers, sampling }] of CASES.slice(0, quick ? 1 : undefined).entries()) {
    signal.throwIfAborted();
    if (!isRowWanted(context, name)) continue;
    context.onProgress({ phase: name, fraction: n / CASES.length });
    const found = await store.take(`by joints turned, ${name}`, async (limit) => {
      // small, since only the comparison matters
      const { model } = await convert(
        { kind: 'rig', rig },
        { helpers, sampling, order: 2, iterations: 6, samples: 12, threads, seed, signal: limit },
      );
      limit.throwIfAborted();
      return TURNED.flatMap((turned) => {
        const { rms, max } = measureTurned(rig, makeDeformer(model), turned, quick ? 20 : POSES);
        return [
          { column: `${turned} turned, RMS`, ours: rms },
          { column: `${turned} turned, maximum`, ours: max },
        ];
      });
    });
    if (!found) continue;
    const { value: cells, milliseconds } = found;
    rows.push({
      measured: [found.measured],
      case: `by joints turned, ${name}`,
      timings: { solve: { least: milliseconds, mean: milliseconds, deviation: 0, runs: 1 } },
      figures: Object.fromEntries(cells.map(({ column, ours }) => [column, ours])),
      paper: {
        table: 'Helper, §4.2: training poses of one joint',
        caption: `RMS and largest error (m, bar of 4 m, ${POSES} poses) of a bar with Direct Delta Mush on six bones, by the number of joints that are rotated together.`,
        row: name,
        cells,
        commands: [],
      },
    });
  }
  return rows;
}

function measureTurned(rig: RigSource, deformer: Deformer, turned: number, poses: number) {
  const probe = new SourceProbe(rig);
  const next = makeRandomPoses(listRotations(rig), SEED);
  const rotations = probe.makeRest();
  const bones = new Float64Array(16 * deformer.boneCount);
  for (let o = 0; o < bones.length; o += 16) bones[o] = bones[o + 5] = bones[o + 10] = bones[o + 15] = 1;
  const wanted = new Float32Array(rig.mesh.positions.length);
  const found = new Float32Array(wanted.length);
  const free = probe.jointCount - 1;
  let [sum, max] = [0, 0];
  for (let k = 0; k < poses; k++) {
    next(rotations);
    // others return to rest, in turn
    for (let j = 1; j <= free; j++) if ((j - 1 + k) % free >= turned) rotations.set([0, 0, 0, 1], 4 * j);
    probe.evaluateInto(rotations, wanted);
    probe.poser.poseInto(rotations, bones);
    deformer.deformInto({ bones }, found);
    for (let c = 0; c < wanted.length; c += 3) {
      const square =
        (wanted[c] - found[c]) ** 2 + (wanted[c + 1] - found[c + 1]) ** 2 + (wanted[c + 2] - found[c + 2]) ** 2;
      sum += square;
      max = Math.max(max, square);
    }
  }
  return { rms: Math.sqrt((3 * sum) / (wanted.length * poses)), max: Math.sqrt(max) };
}
