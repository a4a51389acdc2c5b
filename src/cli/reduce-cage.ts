// SPDX-License-Identifier: MIT
// reduce --cage: a mesh in a cage becomes a plain skin, or one in two layers.
import { bakeClip } from '../deform/bake-clip.ts';
import { readAsset } from '../io/read-asset.ts';
import { writeGlb } from '../io/write-glb.ts';
import type { Clip } from '../model/clip.ts';
import { maxInfluencesOf } from '../model/skin.ts';
import { measureReduced } from '../recipe/measure-reduced.ts';
import { reduceCage } from '../recipe/reduce-cage.ts';
import { reportInputOf, reportMetricsOf } from '../recipe/report.ts';
import { EXIT_DONE } from './exit-status.ts';
import { formatReduced } from './format-reduced.ts';
import { type OpenedInput, openInput } from './open-input.ts';
import { guard, type ReduceContext } from './reduce.ts';
import { type CommandFacts, checkResults, makeCommandReport, saveResults } from './save-results.ts';

export async function runCage(
  context: ReduceContext,
  opened: OpenedInput,
  output: string,
  file: string,
): Promise<number> {
  const { options, signal, progress } = context;
  const { method, influences, virtualBones, printed, pursuit, threads, seed, quantize, meshopt } = options;
  const cage = await context.phase('read', () => openInput(file, context));
  const clip = clipOfCage(cage);
  await checkResults(context, [output], [...opened.paths, ...cage.paths]);
  if (clip.times.length === 0) context.note('the cage stands still; there are no poses to go by');
  const { asset } = opened;
  const solved = await context.phase('solve', () =>
    guard(opened, () =>
      reduceCage(asset.mesh, clip, {
        ...{ method, influences, virtualBones, printed, pursuit, threads, seed, signal },
        poses: options.poses === 'none' ? 'none' : undefined,
        onProgress: ({ phase, fraction }) => progress.show({ phase, ratio: fraction }),
      }),
    ),
  );
  const bare = { ...asset, clips: [], animations: [] };
  let bytes = await context.finish('write', () =>
    writeGlb(bare, { kind: 'skin', model: solved.model }, { quantize, meshopt }),
  );
  let back = await readAsset([{ name: 'written.glb', bytes }]);
  if (solved.twoLayer) {
    const { skin, twoLayer } = solved;
    const layers = { ...twoLayer, mesh: back.mesh, skeleton: back.rig!.skeleton };
    bytes = await context.finish('write', () =>
      writeGlb(back, { kind: 'weights', skin, layers }, { quantize, meshopt }),
    );
    back = await readAsset([{ name: 'written.glb', bytes }]);
  }
  const target = clip.times.length > 0 ? solved.reference : undefined;
  const measured = await context.finish('measure', () => measureReduced(back, back, target));
  const before = solved.bound.weights.length / (solved.bound.rowStart.length - 1);
  const facts: CommandFacts = {
    inputs: [reportInputOf(opened.input, asset), reportInputOf(file, cage.asset)],
    metrics: reportMetricsOf(measured.error),
    result: {
      method: solved.method,
      bones: solved.bones.after,
      bonesBefore: solved.bones.before,
      ...(solved.twoLayer ? { virtualBones: solved.twoLayer.virtualBones.rowStart.length - 1 } : {}),
      influences: maxInfluencesOf(solved.twoLayer?.skin ?? solved.skin),
      influencesBefore: maxInfluencesOf(solved.bound),
      blendsPerVertex: solved.blendsPerVertex,
      blendsPerVertexBefore: before,
      pieces: back.mesh.parts.length,
      poses: solved.poses,
      status: solved.status,
    },
    bytes: { file: bytes.length },
  };
  await saveResults(context, [{ path: output, bytes }], [...opened.paths, ...cage.paths], facts);
  const report = makeCommandReport(context, facts);
  context.tell(report);
  context.say(formatReduced(report, opened, { ...measured, asset: back }, output));
  return EXIT_DONE;
}

/** The cage in motion; at rest, a clip without frames. */
function clipOfCage({ asset }: OpenedInput): Clip {
  if (asset.clips.length > 0) return asset.clips[0];
  if (asset.animations.length > 0) return bakeClip(asset);
  return {
    kind: 'clip',
    name: asset.name,
    mesh: asset.mesh,
    positions: new Float32Array(0),
    times: new Float64Array(0),
  };
}
