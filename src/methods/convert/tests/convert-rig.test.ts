// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import type { Deformer } from '../../../core/model/deformed/deformer.ts';
import type { HelperBones } from '../../../core/model/deformed/helper-bones.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { RigSource } from '../../../core/model/skin/rig-source.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { checkSkin, makeSkin, maxInfluencesOf, type Skin } from '../../../core/model/skin/skin.ts';
import { fillDefaults } from '../../../core/options/fill-defaults.ts';
import { type ProgressInfo, SolveMonitor, type SolveMonitorOptions } from '../../../core/progress/solve-monitor.ts';
import { makeHelperBones } from '../../../deformers/helper-bones/make-helper-bones.ts';
import { makeLinearBlend } from '../../../deformers/linear-blend/make-linear-blend.ts';
import { makeRestNormals } from '../../../deformers/linear-blend/rest-normals.ts';
import { convertClip as convertClipSettled } from '../convert-clip.ts';
import { convertRig as convertRigSettled } from '../convert-rig.ts';
import type { HelperGoal } from '../fit-goal.ts';
import type { ClipInput, ConvertRigResult, RigInput } from '../helper-input.ts';
import { measureConversion } from '../measure/measure-conversion.ts';
import { checkHelperOptions, HELPER_OPTIONS, type HelperOptions } from '../options.ts';
import { makeRandomPoses } from '../sample/random-poses.ts';
import { SourceProbe } from '../sample/source-probe.ts';
import { takeApart } from '../solve.ts';

type Options = Partial<HelperOptions> & SolveMonitorOptions;

function settle(options: Options) {
  const filled = fillDefaults(HELPER_OPTIONS, options);
  checkHelperOptions(filled);
  return takeApart(filled);
}

async function convertRig(
  compute: Compute,
  source: RigSource,
  { ranges, ...options }: Options & Pick<RigInput, 'ranges'>,
  goal?: HelperGoal,
): Promise<ConvertRigResult> {
  const run = { compute, monitor: new SolveMonitor(options) };
  return convertRigSettled(run, { source, ranges }, settle(options), goal);
}

const convertClip = (compute: Compute, input: ClipInput, options: Options = {}) =>
  convertClipSettled({ compute, monitor: new SolveMonitor(options) }, input, settle(options));

const RINGS = 13;
const AROUND = 6;

/** A tube along x, from 0 to 3, of radius 0.3. */
function makeTube(): Mesh {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let n = 0; n < RINGS; n++) {
    for (let m = 0; m < AROUND; m++) {
      const angle = (2 * Math.PI * m) / AROUND;
      positions.push((3 * n) / (RINGS - 1), 0.3 * Math.cos(angle), 0.3 * Math.sin(angle));
      if (n === 0) continue;
      const [a, b] = [n * AROUND + m, n * AROUND + ((m + 1) % AROUND)];
      triangles.push(a, a - AROUND, b, b, a - AROUND, b - AROUND);
    }
  }
  return makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), 'tube');
}

/** Joints at x = 0, 1 and 2; the last bone, idle, moves nothing. */
function makeSkeleton(): Skeleton {
  const bindMatrices = makeIdentities(4);
  for (let j = 0; j < 4; j++) bindMatrices[16 * j + 12] = j;
  return { names: ['root', 'middle', 'end', 'idle'], parents: Int32Array.of(-1, 0, 1, 2), bindMatrices };
}

function makeWeights({ positions }: Mesh): Skin {
  const bones: number[] = [];
  const weights: number[] = [];
  for (let c = 0; c < positions.length; c += 3) {
    const past = [1, 2].map((x) => Math.min(1, Math.max(0, (positions[c] - x) / 0.8 + 0.5)));
    bones.push(0, 1, 2);
    weights.push(1 - past[0], past[0] - past[1], past[1]);
  }
  return makeSkin(bones, weights, 3);
}

function makeSource(deformer?: Deformer): RigSource & { skin: Skin } {
  const mesh = makeTube();
  const skin = makeWeights(mesh);
  return { name: 'tube', mesh, skeleton: makeSkeleton(), skin, deformer: deformer ?? makeLinearBlend(mesh, skin, 4) };
}

/** The tube with a helper at the middle joint that moves up and swells as it bends. */
function makeHelped(): RigSource {
  const source = makeSource();
  const bindMatrices = new Float64Array(16 * 5);
  bindMatrices.set(source.skeleton.bindMatrices);
  bindMatrices.set(makeIdentities(1), 64);
  bindMatrices[64 + 12] = 1;
  const coefficients = new Float64Array(81);
  coefficients[9 + 2] = 0.15;
  coefficients[8 * 9 + 8] = 0.1;
  const bones: number[] = [];
  const weights: number[] = [];
  const { positions } = source.mesh;
  for (let i = 0; i < positions.length / 3; i++) {
    const share = Math.max(0, 1 - Math.abs(positions[3 * i] - 1) / 0.6) * (positions[3 * i + 1] > 0 ? 0.8 : 0.2);
    const row = [0, 0, 0];
    for (let e = source.skin.rowStart[i]; e < source.skin.rowStart[i + 1]; e++)
      row[source.skin.boneIndices[e]] = source.skin.weights[e] * (1 - share);
    bones.push(0, 1, 2, 4);
    weights.push(...row, share);
  }
  const model: HelperBones = {
    kind: 'helper-bones',
    mesh: source.mesh,
    skeleton: {
      names: [...source.skeleton.names, 'helper'],
      parents: Int32Array.of(-1, 0, 1, 2, 0),
      bindMatrices,
    },
    skin: makeSkin(bones, weights, 4),
    controllers: [{ bone: 4, joints: Int32Array.of(1), reaches: Float64Array.of(3), order: 2, coefficients }],
  };
  const whole = makeHelperBones(model);
  const all = { bones: makeIdentities(5) };
  return {
    ...source,
    deformer: {
      vertexCount: whole.vertexCount,
      boneCount: 4,
      deformInto(pose, out, normals) {
        all.bones.set(pose.bones);
        whole.deformInto(all, out, normals);
      },
    },
  };
}

const QUICK = { samples: 12, iterations: 8, order: 2 };

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => compute.dispose());

async function alphaOf(source: RigSource, { model, rotations }: ConvertRigResult): Promise<number> {
  const [{ alpha }] = await measureConversion(new SourceProbe(source), [makeHelperBones(model)], rotations, {
    poses: 60,
    seed: 0,
  });
  return alpha;
}

describe('convertRig', () => {
  it('recovers linear blend skinning, and lists the joints without effect', async () => {
    const source = makeSource();
    const result = await convertRig(compute, source, { ...QUICK, helpers: 0 });
    expect(await alphaOf(source, result)).toBeLessThan(1e-3);
    expect(result.idle).toEqual(['idle']);
    expect(result.model.controllers).toEqual([]);
    checkSkin(result.model.skin, 4);
    // every rotation of three joints, and the rest pose
    expect(result.evaluations).toBe(1 + result.rotations.reduce((sum, list) => sum + list.length / 4, 0));
    expect(result.poses).toBe(24);
  });

  it('finds a helper bone, its parent and the joint that drives it', async () => {
    const source = makeHelped();
    const plain = await alphaOf(source, await convertRig(compute, source, { ...QUICK, helpers: 0 }));
    const result = await convertRig(compute, source, { ...QUICK, helpers: 1 });
    expect(plain).toBeGreaterThan(1);
    expect(await alphaOf(source, result)).toBeLessThan(0.25 * plain);
    expect(result.helpers[0].joints).toEqual(['middle']);
    expect(['root', 'middle']).toContain(result.helpers[0].parent);
    expect(maxInfluencesOf(result.model.skin)).toBeLessThanOrEqual(4);
  });

  it('gives the rest shape at rest', async () => {
    const source = makeHelped();
    const { model } = await convertRig(compute, source, { ...QUICK, helpers: 2 });
    const positions = new Float32Array(source.mesh.positions.length);
    makeHelperBones(model).deformInto({ bones: makeIdentities(model.skeleton.names.length) }, positions);
    positions.forEach((x, c) => {
      expect(Math.abs(x - source.mesh.positions[c])).toBeLessThan(1e-6 * 3);
    });
  });

  it('moves its progress with every iteration of a helper', async () => {
    const fractions = new Set<number>();
    const onProgress = ({ phase, fraction }: ProgressInfo) => {
      if (phase === 'helpers') fractions.add(fraction);
    };
    await convertRig(compute, makeHelped(), { ...QUICK, iterations: 6, helpers: 2, onProgress });
    expect(fractions.size).toBeGreaterThan(3 * 6);
  });

  it('moves rigid helpers without scale', async () => {
    const { model } = await convertRig(compute, makeHelped(), { ...QUICK, helpers: 1, transforms: 'rigid' });
    const { coefficients } = model.controllers[0];
    const third = coefficients.length / 3;
    expect(coefficients.subarray(2 * third).every((x) => Math.abs(x) < 1e-6)).toBe(true);
    expect(coefficients.some((x) => Math.abs(x) > 1e-3)).toBe(true);
  });

  it('gives the same bytes for any number of threads', async () => {
    const two = await makeCompute({ threads: 2 });
    const results = [];
    for (const one of [compute, two]) results.push(await convertRig(one, makeHelped(), { ...QUICK, helpers: 1 }));
    two.dispose();
    expect(results[1].model.skin).toEqual(results[0].model.skin);
    expect(results[1].model.controllers).toEqual(results[0].model.controllers);
  });

  it('starts helpers near the given joints', async () => {
    const { model } = await convertRig(compute, makeHelped(), { ...QUICK, helpers: 1, around: ['end'] });
    const { positions } = model.mesh;
    let [sum, weight] = [0, 0];
    for (let i = 0; i + 1 < model.skin.rowStart.length; i++)
      for (let e = model.skin.rowStart[i]; e < model.skin.rowStart[i + 1]; e++)
        if (model.skin.boneIndices[e] === 4) {
          sum += model.skin.weights[e] * positions[3 * i];
          weight += model.skin.weights[e];
        }
    expect(weight === 0 || sum / weight > 0.9).toBe(true);
  });

  it('evaluates the source no more often than random sampling needs', async () => {
    const { evaluations, poses } = await convertRig(compute, makeSource(), {
      ...QUICK,
      helpers: 0,
      sampling: 'random',
    });
    expect(evaluations).toBe(1 + 3 * 12);
    expect(poses).toBe(24);
  });

  it('adds helpers until a maximum error is met, and reports if it cannot be met', async () => {
    const source = makeHelped();
    const counts: number[] = [];
    const goal = (maxError: number) => ({
      maxError,
      measure: async ({ controllers }: HelperBones) => {
        counts.push(controllers.length);
        return 10 - controllers.length;
      },
    });
    const phases = new Set<string>();
    let last = 0;
    const onProgress = ({ phase, fraction }: ProgressInfo) => {
      phases.add(phase);
      expect(fraction).toBeGreaterThanOrEqual(last);
      last = fraction;
    };
    const options = { samples: 4, iterations: 1, order: 1, onProgress };
    const held = await convertRig(compute, source, options, goal(8));
    expect([...phases].at(-1)).toBe('1 helper: too few, trying 2');
    expect(held.model.controllers.length).toBe(2);
    expect(held.tried.map(({ helpers }) => helpers)).toEqual([0, 1, 2]);
    expect(held.status).toBe('converged');
  });

  it('adds no helper if the joints reproduce the shape', async () => {
    const { model, helpers, rmse } = await convertRig(compute, makeSource(), { ...QUICK, helpers: 2 });
    expect([model.controllers, helpers, model.skeleton.names.length]).toEqual([[], [], 4]);
    expect(rmse.helpers).toBe(rmse.joints);
  });

  it('stops at once with the best result so far', async () => {
    const stop = new AbortController();
    let after = 0;
    const result = await convertRig(compute, makeHelped(), {
      ...QUICK,
      helpers: 8,
      signal: stop.signal,
      onProgress: ({ phase }) => {
        if (stop.signal.aborted) after++;
        if (phase === 'helpers') stop.abort();
      },
    });
    expect(result.status).toBe('stopped');
    // one helper, as far as it came: neither the other alternations nor the fit of controllers to helpers follow
    expect(result.model.controllers.length).toBe(1);
    expect(after).toBeLessThan(6);
    expect(result.rmse.helpers).toBeLessThan(result.rmse.joints);
    checkSkin(result.model.skin, result.model.skeleton.names.length);
  });

  it('keeps the first controllers when it is stopped while these are refined', async () => {
    const stop = new AbortController();
    const iterations: number[] = [];
    const result = await convertRig(compute, makeHelped(), {
      ...{ ...QUICK, helpers: 2, signal: stop.signal },
      onProgress: ({ phase, eRms }) => {
        if (phase !== 'controllers') return;
        if (eRms !== undefined) iterations.push(eRms);
        stop.abort();
      },
    });
    expect([result.status, iterations.length, result.model.controllers.length]).toEqual(['stopped', 0, 2]);
    expect(result.rmse.helpers).toBeLessThan(0.5 * result.rmse.joints);
  });

  it('keeps the skin of the source when it is stopped before all joints were sampled', async () => {
    const stop = new AbortController();
    const source = makeSource();
    const result = await convertRig(compute, source, {
      ...{ ...QUICK, helpers: 2, influences: 2, signal: stop.signal },
      onProgress: ({ fraction }) => {
        if (fraction > 0) stop.abort();
      },
    });
    expect([result.status, result.model.controllers.length]).toEqual(['stopped', 0]);
    checkSkin(result.model.skin, 4);
    expect(result.model.skin.boneIndices).toEqual(source.skin.boneIndices);
  });

  it('reports the pose in which a source returns a position that is not finite', async () => {
    const plain = makeSource().deformer;
    const broken: Deformer = {
      ...plain,
      deformInto(pose, positions, normals) {
        plain.deformInto(pose, positions, normals);
        if (Math.abs(pose.bones[32] - 1) > 0.5) positions[7] = Number.NaN;
      },
    };
    await expect(convertRig(compute, makeSource(broken), QUICK)).rejects.toThrow(
      /"tube" returned a position that is not finite: vertex 2 with "(middle|end)" turned by \(-?\d+°, -?\d+°, -?\d+°\)/,
    );
  });

  it('rejects invalid options', async () => {
    const source = makeSource();
    const run = (options: object) => convertRig(compute, source, options);
    await expect(run({ helpers: -1 })).rejects.toThrow('helpers must be a whole number, at least 0, got -1');
    await expect(run({ order: 9 })).rejects.toThrow('order must be at most 6, got 9');
    await expect(run({ beta: 1 })).rejects.toThrow('beta');
    await expect(run({ epsilon: 2 })).rejects.toThrow('epsilon');
    await expect(run({ normals: -1 })).rejects.toThrow('normals');
    await expect(run({ around: ['tail'] })).rejects.toThrow(
      'there is no joint named "tail"; the first joint is "root"',
    );
    await expect(run({ ranges: [] })).rejects.toThrow('0 ranges for 4 joints');
    const none = [0, 0] as const;
    const stiff = { rotation: [none, none, none], translation: [none, none, none] };
    await expect(run({ ranges: [stiff, stiff, stiff, stiff] })).rejects.toThrow(
      'no joint of "tube" that can rotate moves a vertex',
    );
    const off = { ...source, mesh: { ...source.mesh, positions: source.mesh.positions.map((x) => x + 1) } };
    await expect(convertRig(compute, { ...off, deformer: source.deformer }, QUICK)).rejects.toThrow(
      'does not return its rest shape',
    );
  });

  it('has smaller errors of normals with the option normals', async () => {
    const source = makeHelped();
    const probe = new SourceProbe(source);
    const degrees: number[] = [];
    for (const weight of [0, 3]) {
      const { model, rotations } = await convertRig(compute, source, { ...QUICK, helpers: 0, normals: weight });
      const next = makeRandomPoses(rotations, 5);
      const pose = probe.makeRest();
      const bones = new Float64Array(64);
      let sum = 0;
      for (let n = 0; n < 40; n++) {
        next(pose);
        probe.poser.poseInto(pose, bones);
        sum += meanAngle(model, bones, probe.listNormals(pose));
      }
      degrees.push(sum / 40);
    }
    expect(degrees[1]).toBeLessThan(degrees[0]);
  });
});

/** Degrees between given normals and those that viewers draw: turned by the blended matrix. */
function meanAngle({ mesh, skin }: HelperBones, bones: Float64Array, expected: Float32Array): number {
  const rest = makeRestNormals(mesh);
  let sum = 0;
  for (let i = 0; i + 1 < skin.rowStart.length; i++) {
    const drawn = [0, 0, 0];
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++)
      for (let r = 0; r < 3; r++)
        for (let c = 0; c < 3; c++)
          drawn[r] += skin.weights[e] * bones[16 * skin.boneIndices[e] + 4 * c + r] * rest[3 * i + c];
    const dot = drawn.reduce((total, x, r) => total + x * expected[3 * i + r], 0) / Math.hypot(...drawn);
    sum += (Math.acos(Math.max(-1, Math.min(1, dot))) * 180) / Math.PI;
  }
  return sum / (skin.rowStart.length - 1);
}

describe('convertClip', () => {
  it('fits controllers to the frames of a clip', async () => {
    const source = makeHelped();
    const frameCount = 24;
    const probe = new SourceProbe(source);
    const matrices = new Float64Array(frameCount * 64);
    const positions = new Float32Array(frameCount * source.mesh.positions.length);
    const rotations = probe.makeRest();
    for (let k = 0; k < frameCount; k++) {
      const angle = 1.4 * Math.sin((2 * Math.PI * k) / frameCount);
      rotations.set([0, 0, Math.sin(angle / 2), Math.cos(angle / 2)], 4);
      probe.poser.poseInto(rotations, matrices, 64 * k);
      probe.evaluateInto(
        rotations,
        positions.subarray(k * source.mesh.positions.length).subarray(0, source.mesh.positions.length),
      );
    }
    const times = Float64Array.from({ length: frameCount }, (_, k) => k / 30);
    const clip = { kind: 'clip' as const, name: 'bend', mesh: source.mesh, positions, times };
    const motion = { name: 'bend', times, matrices };
    const far = async (helpers: number): Promise<number> => {
      const { model } = await convertClip(compute, { clip, skeleton: source.skeleton, motion }, { ...QUICK, helpers });
      const deformer = makeHelperBones(model);
      const found = new Float32Array(source.mesh.positions.length);
      const bones = makeIdentities(deformer.boneCount);
      bones.set(poseOf(motion, 6));
      deformer.deformInto({ bones }, found);
      return Math.max(...found.map((x, c) => Math.abs(x - positions[6 * found.length + c])));
    };
    expect(await far(1)).toBeLessThan(0.3 * (await far(0)));
    const short = { ...motion, times: times.subarray(1) };
    await expect(convertClip(compute, { clip, skeleton: source.skeleton, motion: short })).rejects.toThrow(
      'the motion has 23 poses',
    );
  });
});
