// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import type { Compute } from '../../../core/kernels/compute.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { pointTriangles } from '../../../core/mesh/topology/weld.ts';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import { type Clip, frameCountOf, makeTimes } from '../../../core/model/clip/clip.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { checkSkeleton } from '../../../core/model/skin/skeleton.ts';
import { checkSkin, maxInfluencesOf } from '../../../core/model/skin/skin.ts';
import { fillDefaults } from '../../../core/options/fill-defaults.ts';
import { makeLinearBlend } from '../../../deformers/linear-blend/make-linear-blend.ts';
import { edgeCollapseClusters } from '../../../fit/clusters/edge-collapse-clusters.ts';
import { denormalizeBones, normalizeClip } from '../../../fit/skin/normalize-clip.ts';
import { SkinFit } from '../../../fit/skin/skin-fit.ts';
import { measureError } from '../../../measure/error/measure-error.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { ssdr } from '../../decompose/ssdr/ssdr.ts';
import { type SkeletonInput, type SkeletonValues, skeletonMethod } from '../index.ts';
import { listUnreadOptions, SKELETON_OPTIONS } from '../options.ts';
import type { Decomposer } from '../skeleton-input.ts';
import { solve } from '../solve.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => {
  compute.dispose();
});

const decomposer: Decomposer = async (clip, bones, n) => {
  const { model } = await ssdr(compute, clip, { bones, keepRest: true, iterations: 0, seed: n });
  return { boneCount: model.skeleton.names.length, matrices: model.motions[0].matrices };
};

type Given = Partial<SkeletonValues> & Pick<SkeletonInput, 'hierarchy'> & { signal?: AbortSignal };
const extractOn = (on: Compute, clip: Clip, bonesOf: Decomposer, { hierarchy, signal, ...options }: Given = {}) => {
  const settled = fillDefaults(SKELETON_OPTIONS, options);
  const size = { vertexCount: clip.mesh.positions.length / 3, frameCount: clip.times.length };
  const input = { clip, decomposer: bonesOf, hierarchy, noise: 0, seed: 0 };
  return solve({ compute: on, signal }, input, settled, skeletonMethod.plan(settled, undefined, size));
};
const extract = (clip: Clip, options?: Given) => extractOn(compute, clip, decomposer, options);

/** Bones of clusters, for what needs no good ones: a tenth of the time. */
const clusterOn =
  (on: Compute): Decomposer =>
  async (clip, bones) => {
    const normalized = normalizeClip(on, clip);
    const { trajectories, weld } = normalized;
    const labels = edgeCollapseClusters(trajectories, pointTriangles(clip.mesh.triangles, weld), bones);
    const fit = new SkinFit(on, trajectories, bones, {
      ...{ influences: 1, transforms: 'rigid', ridge: 1e-9, sweeps: 1, support: 'exchange' },
    });
    fit.weights.bones.view().set(labels);
    fit.weights.weights.view().fill(1);
    await fit.solveBones();
    return { boneCount: bones, matrices: denormalizeBones(normalized, fit.bones.view(), bones) };
  };
const extractQuickly = (clip: Clip, options: Given) => extractOn(compute, clip, clusterOn(compute), options);

function play(clip: Clip, model: SkinnedModel): Clip {
  const deformer = makeLinearBlend(model.mesh, model.skin, model.skeleton.names.length);
  const positions = new Float32Array(clip.positions.length);
  const stride = clip.mesh.positions.length;
  for (let k = 0; k < frameCountOf(clip); k++)
    deformer.deformInto({ bones: poseOf(model.motions[0], k) }, positions.subarray(k * stride, (k + 1) * stride));
  return { ...clip, positions };
}

/** Bones with joints that hold: what a bone and its parent make of the joint is one point, in every frame. */
function checkJoints({ skeleton, motions }: SkinnedModel, size: number): void {
  const { parents, bindMatrices } = skeleton;
  const boneCount = parents.length;
  const { matrices } = motions[0];
  for (let k = 0; k < motions[0].times.length; k++) {
    for (let j = 0; j < boneCount; j++) {
      if (parents[j] < 0) continue;
      const [a, b] = [(k * boneCount + j) * 16, (k * boneCount + parents[j]) * 16];
      for (let r = 0; r < 3; r++) {
        let apart = matrices[a + 12 + r] - matrices[b + 12 + r];
        for (let c = 0; c < 3; c++)
          apart += (matrices[a + 4 * c + r] - matrices[b + 4 * c + r]) * bindMatrices[16 * j + 12 + c];
        expect(Math.abs(apart)).toBeLessThan(1e-9 * size);
      }
    }
  }
}

/** A bar along x that bends at its middle about z. */
function makeBar(frames: number, bend: (k: number) => number, shift: (k: number) => number[] = () => [0, 0, 0]): Clip {
  const rings = 13;
  const points: number[] = [];
  const triangles: number[] = [];
  for (let n = 0; n < rings; n++) {
    for (const [y, z] of [
      [-0.1, -0.1],
      [0.1, -0.1],
      [0.1, 0.1],
      [-0.1, 0.1],
    ])
      points.push(n / (rings - 1), y, z);
    for (let c = 0; c < 4 && n + 1 < rings; c++) {
      const [p, q] = [4 * n + c, 4 * n + ((c + 1) % 4)];
      triangles.push(p, q, q + 4, p, q + 4, p + 4);
    }
  }
  triangles.push(0, 2, 1, 0, 3, 2);
  const last = 4 * (rings - 1);
  triangles.push(last, last + 1, last + 2, last, last + 2, last + 3);
  const rest = Float32Array.from(points);
  const positions = new Float32Array(rest.length * frames);
  for (let k = 0; k < frames; k++) {
    const [cos, sin] = [Math.cos(bend(k)), Math.sin(bend(k))];
    for (let i = 0; i < rest.length; i += 3) {
      const [x, y, z] = rest.subarray(i, i + 3);
      const w = Math.max(0, Math.min(1, (x - 0.4) / 0.2));
      const turned = [0.5 + cos * (x - 0.5) - sin * y, sin * (x - 0.5) + cos * y, z];
      const place = [x, y, z].map((value, r) => (1 - w) * value + w * turned[r] + shift(k)[r]);
      positions.set(place, k * rest.length + i);
    }
  }
  return {
    kind: 'clip',
    name: 'bend',
    mesh: makeMesh(rest, Uint32Array.from(triangles)),
    positions,
    times: makeTimes(frames, 24),
  };
}

/** Several clips with as many frames as one. */
function joinMeshes(clips: Clip[]): Clip {
  const frames = frameCountOf(clips[0]);
  const rest = Float32Array.from(clips.flatMap(({ mesh }) => [...mesh.positions]));
  const positions = new Float32Array(rest.length * frames);
  const triangles: number[] = [];
  let start = 0;
  for (const { mesh, positions: own } of clips) {
    for (const c of mesh.triangles) triangles.push(start / 3 + c);
    for (let k = 0; k < frames; k++)
      positions.set(own.subarray(k * mesh.positions.length, (k + 1) * mesh.positions.length), k * rest.length + start);
    start += mesh.positions.length;
  }
  return { ...clips[0], mesh: makeMesh(rest, Uint32Array.from(triangles)), positions };
}

/** Four boxes in a row along x, with gaps, each hinged to the one before at x = 1, 2, 3 about changing axes. */
function makeRobot(frames: number): Clip {
  const boxes = [0, 1, 2, 3].map((n) => makeBox([n + 0.05, -0.2, -0.2], [n + 0.95, 0.2, 0.2]));
  const rest = Float32Array.from(boxes.flatMap(({ points }) => points));
  const triangles = boxes.flatMap((box, n) => box.triangles.map((i) => i + (n * box.points.length) / 3));
  const positions = new Float32Array(rest.length * frames);
  const stride = rest.length / boxes.length;
  for (let k = 0; k < frames; k++) {
    for (let i = 0; i < rest.length; i += 3) {
      let place = [...rest.subarray(i, i + 3)];
      for (let n = Math.floor(i / stride); n > 0; n--) {
        const angle = 0.7 * Math.sin(0.4 * k + 2 * n);
        const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
        const [x, y, z] = [place[0] - n, place[1], place[2]];
        const swing = 0.5 * Math.sin(0.9 * k + n);
        const [c, s] = [Math.cos(swing), Math.sin(swing)];
        const [u, v] = [cos * x - sin * y, sin * x + cos * y];
        place = [n + c * u - s * z, v, s * u + c * z];
      }
      positions.set(place, k * rest.length + i);
    }
  }
  return {
    ...{ kind: 'clip', name: 'robot', positions, times: makeTimes(frames, 24) },
    mesh: makeMesh(rest, Uint32Array.from(triangles)),
  };
}

/** A box whose faces are grids of 25 points, so that it has enough of them for a bone. */
function makeBox(low: number[], high: number[]): { points: number[]; triangles: number[] } {
  const steps = 4;
  const points: number[] = [];
  const triangles: number[] = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const side of [low, high]) {
      const first = points.length / 3;
      for (let n = 0; n < (steps + 1) ** 2; n++) {
        const place = [0, 0, 0];
        place[axis] = side[axis];
        const [p, q] = [(axis + 1) % 3, (axis + 2) % 3];
        place[p] = low[p] + ((high[p] - low[p]) * (n % (steps + 1))) / steps;
        place[q] = low[q] + ((high[q] - low[q]) * Math.floor(n / (steps + 1))) / steps;
        points.push(...place);
      }
      for (let a = 0; a < steps; a++)
        for (let b = 0; b < steps; b++) {
          const i = first + b * (steps + 1) + a;
          const [d, e, f] = [i + 1, i + steps + 1, i + steps + 2];
          triangles.push(...(side === high ? [i, d, f, i, f, e] : [i, f, d, i, e, f]));
        }
    }
  }
  return { points, triangles };
}

describe('skeletons', () => {
  it('finds two bones and the joint of a bending bar, with the error that it reports', async () => {
    const clip = makeBar(10, (k) => 0.12 * k);
    const { model, rmsePercent } = await extract(clip);
    expect(model.skeleton.names).toHaveLength(2);
    const [x, y, z] = model.skeleton.bindMatrices.subarray(16 + 12, 16 + 15);
    expect(x).toBeCloseTo(0.5, 2);
    expect(y).toBeCloseTo(0, 2);
    expect(z).toBeCloseTo(0, 2);
    const measured = measureError(clip, play(clip, model));
    expect(measured.rmsePercent).toBeCloseTo(rmsePercent, 4);
    // the joint turns about its own x, the bend of 62 degrees to one side only
    const [turn, twist] = model.jointLimits![1].rotation;
    expect(Math.max(...turn.map(Math.abs))).toBeCloseTo((0.12 * 9 * 180) / Math.PI, 0);
    expect(Math.max(...twist.map(Math.abs))).toBeLessThan(6);
  });

  it('respects influences, the chosen root and the option for end joints', async () => {
    const { clip } = makeSample('creature', { seed: 1, frames: 8, resolution: 400 });
    const plain = await extractQuickly(clip, { bones: 12, influences: 2, passes: 3, iterations: 3 });
    expect(maxInfluencesOf(plain.model.skin)).toBeLessThanOrEqual(2);
    const leaf = plain.model.skeleton.names.length - 1;
    const other = await extractQuickly(clip, {
      ...{ bones: 12, influences: 2, passes: 3, iterations: 3, endJoints: true },
      root: plain.model.skeleton.names[leaf],
    });
    const { names, parents } = other.model.skeleton;
    const leaves = names.slice(0, 12).filter((_, j) => !parents.slice(0, 12).includes(j));
    expect(names).toEqual([...names.slice(0, 12), ...leaves.map((name) => `${name}_end`)]);
    expect(other.rmsePercent).toBe(plain.rmsePercent);
    checkSkeleton(other.model.skeleton);
    checkJoints(other.model, measureBounds(clip.mesh.positions).diagonal);
    // no weights on end joints
    expect(Math.max(...other.model.skin.boneIndices)).toBeLessThan(12);
    await expect(extractQuickly(clip, { bones: 3, passes: 0, iterations: 0, root: 'tail' })).rejects.toThrow(
      /no bone "tail"/,
    );
  });

  it('gives the same bytes again, also with two threads', async () => {
    const { clip } = makeSample('creature', { seed: 1, frames: 6, resolution: 300 });
    const options = { bones: 8, passes: 3, iterations: 4 };
    const once = await extractQuickly(clip, options);
    const again = await extractQuickly(clip, options);
    expect(again).toEqual(once);
    const two = await makeCompute({ threads: 2 });
    expect(await extractOn(two, clip, clusterOn(two), options)).toEqual(once);
    two.dispose();
  });

  it('keeps a given topology and its names', async () => {
    const sample = makeSample('creature', { seed: 1, frames: 12, resolution: 500 });
    const { names, parents, bindMatrices } = sample.skeleton!;
    const positions = Float64Array.from(
      { length: 3 * names.length },
      (_, e) => bindMatrices[16 * Math.floor(e / 3) + 12 + (e % 3)],
    );
    const { model, rmsePercent } = await extract(sample.clip, { hierarchy: { names, parents, positions } });
    expect([...model.skeleton.names].sort()).toEqual([...names].sort());
    for (const [j, name] of model.skeleton.names.entries()) {
      const above = model.skeleton.parents[j] < 0 ? undefined : model.skeleton.names[model.skeleton.parents[j]];
      expect(above).toBe(names[parents[names.indexOf(name)]]);
    }
    expect(rmsePercent).toBeLessThan(0.1);
    const broken = { names: ['a', 'b'], parents: Int32Array.of(-1, -1), positions: new Float64Array(6) };
    await expect(extract(sample.clip, { hierarchy: broken })).rejects.toThrow(/2 roots \(a, b\)/);
  });

  it.each(['schaefer', 'deaguiar', 'hasler'] as const)('supports the single-pass method %s', async (method) => {
    const clip = makeBar(10, (k) => 0.12 * k);
    const { model, rmsePercent } = await extract(clip, { method, bones: 2 });
    expect(model.skeleton.names).toHaveLength(2);
    expect(rmsePercent).toBeLessThan(0.5);
    expect(model.skeleton.bindMatrices[16 + 12]).toBeCloseTo(0.5, 1);
    checkJoints(model, 1);
  });

  it.each(['schaefer', 'deaguiar', 'hasler'] as const)(
    'hangs the bones of %s on their joints as published, with a larger error than after a fit',
    async (method) => {
      const { clip } = makeSample('creature', { seed: 1, frames: 6, resolution: 300 });
      const published = await extract(clip, { method, bones: 6, asPublished: true });
      const fitted = await extract(clip, { method, bones: 6 });
      checkJoints(published.model, measureBounds(clip.mesh.positions).diagonal);
      expect(published.rmsePercent).toBeGreaterThan(fitted.rmsePercent);
    },
  );

  it('returns the present result when it is stopped', async () => {
    const { clip } = makeSample('creature', { seed: 1, frames: 6, resolution: 300 });
    const { model, status } = await extractQuickly(clip, { bones: 6, signal: AbortSignal.abort() });
    expect(status).toBe('stopped');
    checkSkin(model.skin, 6);
    checkJoints(model, measureBounds(clip.mesh.positions).diagonal);
  });
});

describe('skeletons of unusual input', () => {
  it('gives a skeleton for a single frame', async () => {
    const { model, rmsePercent } = await extract(
      makeBar(1, () => 1),
      { bones: 2 },
    );
    expect(model.skeleton.names).toHaveLength(2);
    expect(rmsePercent).toBeLessThan(1);
  });

  it('gives one bone to a rigid or static body', async () => {
    const whole = makeBar(
      5,
      () => 0,
      (k) => [0.3 * k, 0, 0.1 * k],
    );
    for (const bones of [0, 7]) {
      const { model, rigidBodies, stillBodies } = await extract(whole, { bones });
      expect(model.skeleton.names).toEqual(['root']);
      expect([rigidBodies, stillBodies]).toEqual([1, 0]);
      expect(model.motions[0].matrices[4 * 16 + 12]).toBeCloseTo(1.2, 6);
    }
    const still = await extract(makeBar(5, () => 0));
    expect([still.rigidBodies, still.stillBodies, still.model.skeleton.names.length]).toEqual([1, 1, 1]);
  });

  it('gives a root to each of two bodies', async () => {
    const bends = makeBar(8, (k) => 0.1 * k);
    const flies = makeBar(
      8,
      (k) => -0.1 * k,
      (k) => [0, 0, 0.5 * k],
    );
    for (let i = 2; i < flies.mesh.positions.length; i += 3) flies.mesh.positions[i] += 1;
    for (let i = 2; i < flies.positions.length; i += 3) flies.positions[i] += 1;
    const { model, bodies } = await extract(joinMeshes([bends, flies]), { bones: 4 });
    expect(bodies).toBe(2);
    expect(model.skeleton.names.filter((_, j) => model.skeleton.parents[j] < 0)).toEqual(['root1', 'root2']);
    // no vertex follows bones of the other body
    const half = bends.mesh.positions.length / 3;
    const { skin } = model;
    for (let v = 0; v < 2 * half; v++)
      for (let e = skin.rowStart[v]; e < skin.rowStart[v + 1]; e++) expect(skin.boneIndices[e] < 2).toBe(v < half);
  });

  it('treats parts that stay together as one body', async () => {
    const bar = makeBar(8, (k) => 0.1 * k);
    const eye = makeBar(8, () => 0);
    const shrink = (values: Float32Array) => {
      for (let i = 0; i < values.length; i += 3) {
        values[i] = 0.1 + 0.05 * values[i];
        values[i + 1] = 0.12 + 0.05 * values[i + 1];
        values[i + 2] *= 0.05;
      }
    };
    shrink(eye.mesh.positions);
    shrink(eye.positions);
    const { bodies, model } = await extract(joinMeshes([bar, eye]), { bones: 2 });
    expect(bodies).toBe(1);
    expect(model.skeleton.names).toHaveLength(2);
  });

  it('finds the joints of a robot, whose limbs share no vertices', async () => {
    const clip = makeRobot(24);
    const { model, rmsePercent, bodies } = await extract(clip);
    expect(bodies).toBe(1);
    expect(model.skeleton.names).toHaveLength(4);
    expect(rmsePercent).toBeLessThan(1e-3);
    const { bindMatrices, parents } = model.skeleton;
    const joints = Array.from(parents.keys()).filter((j) => parents[j] >= 0);
    const places = joints.map((j) => bindMatrices[16 * j + 12]).sort((a, b) => a - b);
    places.forEach((x, n) => {
      expect(x).toBeCloseTo(n + 1, 2);
    });
  });

  it('rejects a clip without frames, and invalid options', async () => {
    const clip = makeBar(3, (k) => 0.1 * k);
    await expect(extract({ ...clip, times: new Float64Array(0) })).rejects.toThrow('no frames');
    const check = (options: Partial<SkeletonValues>) => () =>
      skeletonMethod.check(fillDefaults(SKELETON_OPTIONS, options));
    expect(check({})).not.toThrow();
    expect(check({ bones: 1.5 })).toThrow('bones must be a whole number');
    expect(check({ method: 'guess' as 'hasler' })).toThrow('method must be multipass');
    expect(check({ asPublished: true })).toThrow('--as-published: requires --method');
  });

  it('plans more memory for more frames, vertices and bones', () => {
    const bytesOf = (bones: number | undefined, vertexCount: number, frameCount: number) =>
      skeletonMethod.plan({ bones }, undefined, { vertexCount, frameCount }).bytes;
    expect(bytesOf(10, 1000, 100)).toBe(100 * (60 * 1000 + 400 * 10));
    expect(bytesOf(undefined, 1000, 100)).toBeGreaterThan(bytesOf(10, 1000, 100));
    // a mesh has no more bones than vertices
    expect(bytesOf(undefined, 8, 2)).toBe(bytesOf(8, 8, 2));
  });

  it('lists the options that a given number of bones, given joints and a single pass do not read', () => {
    expect(listUnreadOptions({ method: 'multipass', bones: undefined })).toEqual({});
    const counted = listUnreadOptions({ method: 'multipass', bones: 3 });
    expect(Object.keys(counted).sort()).toEqual(['asymmetric', 'joints', 'overestimate', 'prune']);
    const once = listUnreadOptions({ method: 'hasler', bones: undefined });
    expect(once.tolerance).toBe('has no effect with --method hasler, which solves once; remove it');
    const given = listUnreadOptions({ method: 'multipass', bones: undefined, hierarchy: 'rig.glb' });
    expect(given.jointSolver).toMatch(/--hierarchy/);
    expect(given.iterations).toBeUndefined();
  });
});
