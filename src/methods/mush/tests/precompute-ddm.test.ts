// SPDX-License-Identifier: MIT
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeCompute } from '../../../core/compute/make-compute.ts';
import { makeIdentities } from '../../../core/math/mat4.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import {
  checkMultiWeights,
  type DdmVariant,
  type DirectDeltaMush,
} from '../../../core/model/deformed/direct-delta-mush.ts';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import type { Skeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin, type Skin } from '../../../core/model/skin/skin.ts';
import { makeDdmCentered } from '../../../deformers/direct-delta-mush/ddm-centered.ts';
import { makeDdm } from '../../../deformers/direct-delta-mush/make-ddm.ts';
import { readAsset } from '../../../formats/assets/read-asset.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import type { DdmOptions } from '../ddm-options.ts';
import { makeDdmPrecompute } from '../make-ddm-precompute.ts';
import { precomputeDdm } from '../precompute-ddm.ts';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '../../../..');
const DATA = resolve(ROOT, process.env.OSSIFY_DATA ?? '../shared');
const VECTOR = join(DATA, 'vectors/ddm-v0-bar.json');

interface Vector {
  nV: number;
  nBones: number;
  nPoses: number;
  params: { p: number; lambda: number; kappa: number; alpha: number };
  rest: number[];
  faces: number[];
  weights: number[];
  transforms: number[];
  omega: number[];
  deformed: number[];
}

describe('the conformance case of variant 0', () => {
  it.skipIf(!existsSync(VECTOR))('has the same multi-weights and shapes to 1e-9 (needs the data folder)', async () => {
    const v: Vector = JSON.parse(readFileSync(VECTOR, 'utf8'));
    // the case is in double, which meshes are not; nothing here asks for their array's type
    const rest = Float64Array.from(v.rest) as unknown as Float32Array;
    const mesh = makeMesh(rest, Uint32Array.from(v.faces));
    const skeleton = {
      names: ['a', 'b'],
      parents: Int32Array.of(-1, 0),
      bindMatrices: makeIdentities(2),
    };
    const bones = v.weights.map((_, c) => c % v.nBones);
    const skin = makeSkin(bones, v.weights, v.nBones);
    const { p: iterations, ...strengths } = v.params;
    const model = await precomputeDdm(mesh, skeleton, skin, { iterations, ...strengths, map: 'none', threshold: 0 });
    const { rowStart, boneIndices, omegas } = model.multiWeights;
    let worst = 0;
    for (let i = 0; i < v.nV; i++) {
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
        const o = 10 * (i * v.nBones + boneIndices[e]);
        for (let c = 0; c < 10; c++) worst = Math.max(worst, Math.abs(omegas[10 * e + c] - v.omega[o + c]));
      }
      expect(rowStart[i + 1] - rowStart[i]).toBe(v.nBones);
    }
    expect(worst).toBeLessThan(1e-9);

    const deformer = makeDdm(model);
    const positions = new Float64Array(3 * v.nV);
    for (let k = 0; k < v.nPoses; k++) {
      deformer.deformInto({ bones: transposed(v.transforms, k * v.nBones, v.nBones) }, positions);
      const expected = v.deformed.slice(k * 3 * v.nV, (k + 1) * 3 * v.nV);
      expect(farthest(positions, expected)).toBeLessThan(1e-9);
      const single = new Float32Array(3 * v.nV);
      makeDdmCentered(model).deformInto({ bones: transposed(v.transforms, k * v.nBones, v.nBones) }, single);
      expect(farthest(single, expected)).toBeLessThan(2e-5 * measureBounds(v.rest).diagonal);
    }
  });
});

/** How far any variant moves the rest shape in the identity pose, as a part of its size; NaN counts as far. */
function worstAtRest(model: DirectDeltaMush, variants: DdmVariant[] = [0, 1, 2, 3, 4, 5]): number {
  const rest = model.mesh.positions;
  const bones = makeIdentities(model.skeleton.names.length);
  const positions = new Float64Array(rest.length);
  let worst = 0;
  for (const variant of variants) {
    makeDdm(model, variant).deformInto({ bones }, positions);
    for (let c = 0; c < rest.length; c++) {
      const apart = Math.abs(positions[c] - rest[c]);
      worst = Math.max(worst, Number.isFinite(apart) ? apart : Number.POSITIVE_INFINITY);
    }
  }
  return worst / measureBounds(rest).diagonal;
}

/** A skeleton of joints on a line along x, one after another. */
function makeChain(boneCount: number): Skeleton {
  const bindMatrices = makeIdentities(boneCount);
  for (let j = 0; j < boneCount; j++) bindMatrices[16 * j + 12] = j;
  return {
    names: Array.from({ length: boneCount }, (_, j) => `bone${j}`),
    parents: Int32Array.from({ length: boneCount }, (_, j) => j - 1),
    bindMatrices,
  };
}

function bindRigidly(bones: number[]): Skin {
  return makeSkin(
    bones,
    bones.map(() => 1),
    1,
  );
}

describe('the identity pose returns the rest shape', () => {
  it.each(['creature', 'parts', 'quadruped', 'bar-bend'])('of the sample %s', async (name) => {
    const { clip, skeleton, skin } = makeSample(name, { resolution: 400, frames: 1 });
    if (!skeleton || !skin) throw new Error(`${name} has bones`);
    for (const options of [{}, { bind: 'smooth' }, { map: 'none', drop: 'renormalize' }] satisfies DdmOptions[]) {
      const model = await precomputeDdm(clip.mesh, skeleton, skin, options);
      checkMultiWeights(model.multiWeights, clip.mesh.positions.length / 3, skeleton.names.length);
      expect(worstAtRest(model)).toBeLessThan(1e-9);
    }
  });

  it('of a sheet with a boundary, bound to three bones', async () => {
    const { mesh } = makeSample('sheet', { resolution: 400, frames: 1 }).clip;
    const { min, max } = measureBounds(mesh.positions);
    const bones = Array.from({ length: mesh.positions.length / 3 }, (_, i) =>
      Math.min(2, Math.floor((3 * (mesh.positions[3 * i] - min[0])) / (max[0] - min[0]))),
    );
    const model = await precomputeDdm(mesh, makeChain(3), bindRigidly(bones), { map: 'none' });
    expect(worstAtRest(model)).toBeLessThan(1e-9);
  });

  it('of slivers, faces without area, isolated vertices and one vertex alone', async () => {
    // a fan of triangles as thin as float32 goes, one of no area, one that names a vertex twice, two vertices in no face
    const rest: number[] = [0, 0, 0];
    for (let n = 0; n < 12; n++) rest.push(1, n * 1e-6, n % 2 === 0 ? 0 : 1e-7);
    rest.push(2, 0, 0, 3, 0, 0, 4, 0, 0, 7, 7, 7, 8, 8, 8);
    const triangles: number[] = [];
    for (let n = 1; n < 12; n++) triangles.push(0, n, n + 1);
    triangles.push(13, 14, 15, 13, 14, 13);
    const bones = rest.filter((_, c) => c % 3 === 0).map((x) => (x < 2 ? 0 : 1));
    const mesh = makeMesh(Float32Array.from(rest), Uint32Array.from(triangles));
    const model = await precomputeDdm(mesh, makeChain(2), bindRigidly(bones));
    expect(worstAtRest(model)).toBeLessThan(1e-6);
    const one = await precomputeDdm(
      makeMesh(Float32Array.of(1, 2, 3), new Uint32Array(0)),
      makeChain(1),
      bindRigidly([0]),
    );
    const positions = new Float64Array(3);
    makeDdm(one).deformInto({ bones: makeIdentities(1) }, positions);
    expect([...positions]).toEqual([1, 2, 3]);
  });

  const rigs = existsSync(join(DATA, 'rigs')) ? readdirSync(join(DATA, 'rigs')).filter((n) => n.endsWith('.glb')) : [];
  it.skipIf(rigs.length === 0)('of every rig in the data folder (needs the data folder)', async () => {
    const compute = await makeCompute();
    let checked = 0;
    for (const name of rigs) {
      const bytes = new Uint8Array(readFileSync(join(DATA, 'rigs', name)));
      const { mesh, rig } = await readAsset([{ name, bytes }]);
      if (!rig) continue;
      // one step, one factor: the surface and its guards are those of twenty; the variants left out do not see the patches
      const model = await precomputeDdm(mesh, rig.skeleton, rig.skin, { compute, iterations: 1, kappa: 20 });
      expect(worstAtRest(model, [0, 1]), name).toBeLessThan(1e-6);
      checked++;
    }
    compute.dispose();
    expect(checked).toBeGreaterThan(0);
  });
});

describe('a precomputation', () => {
  const { clip, skeleton, skin } = makeSample('creature', { resolution: 300, frames: 1 });
  const mesh = clip.mesh;
  const bones = skeleton as Skeleton;
  const weights = skin as Skin;

  it('gives the same for a new kappa, alpha and threshold as a new precomputation', async () => {
    const kept = await makeDdmPrecompute(mesh, bones, weights, { iterations: 5, lambda: 20 });
    for (const options of [{ alpha: 0.3 }, { kappa: 5 }, { threshold: 1e-2 }, { kappa: 20, alpha: 0 }]) {
      const anew = await precomputeDdm(mesh, bones, weights, { iterations: 5, lambda: 20, ...options });
      expect(await kept.multiWeights(options)).toEqual(anew.multiWeights);
    }
    expect((await kept.model({ variant: 3 })).variant).toBe(3);
  });

  it('has patches with a total weight of one and a non-negative covariance', async () => {
    const { multiWeights } = await precomputeDdm(mesh, bones, weights, { threshold: 0 });
    const { rowStart, omegas } = multiWeights;
    for (let i = 0; i + 1 < rowStart.length; i++) {
      const s = new Float64Array(10);
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) for (let c = 0; c < 10; c++) s[c] += omegas[10 * e + c];
      expect(Math.abs(s[9] - 1)).toBeLessThan(1e-12);
      expect(s[0] - s[3] * s[3]).toBeGreaterThan(-1e-12);
      expect(s[4] - s[6] * s[6]).toBeGreaterThan(-1e-12);
      expect(s[7] - s[8] * s[8]).toBeGreaterThan(-1e-12);
    }
  });

  it('folds without moving the center of a vertex, and both ways of dropping keep weights summing to one', async () => {
    const kept = await makeDdmPrecompute(mesh, bones, weights, { threshold: 0 });
    const full = await kept.multiWeights();
    const folded = await kept.multiWeights({ threshold: 0.02, drop: 'fold' });
    const scaled = await kept.multiWeights({ threshold: 0.02, drop: 'renormalize' });
    expect(folded.boneIndices.length).toBeLessThan(0.5 * full.boneIndices.length);
    expect(scaled.boneIndices).toHaveLength(folded.boneIndices.length);
    for (let i = 0; i + 1 < full.rowStart.length; i++) {
      for (const c of [3, 6, 8, 9]) expect(sumOf(folded, i, c)).toBeCloseTo(sumOf(full, i, c), 10);
      expect(sumOf(scaled, i, 9)).toBeCloseTo(1, 10);
    }
  });

  it('gives the same with kernels and with plain loops, except for rounding', async () => {
    const compute = await makeCompute({ threads: 2 });
    const a = await precomputeDdm(mesh, bones, weights, { compute });
    const b = await precomputeDdm(mesh, bones, weights);
    compute.dispose();
    expect(a.multiWeights.boneIndices).toEqual(b.multiWeights.boneIndices);
    expect(farthest(a.multiWeights.omegas, b.multiWeights.omegas)).toBeLessThan(1e-12);
  });

  it('supports maps per vertex: a vertex with lambda 0 keeps its bone, and weights depend on alpha', async () => {
    const n = mesh.positions.length / 3;
    const lambda = new Float32Array(n).fill(20);
    lambda.fill(0, 0, 5);
    const alpha = new Float32Array(n).fill(0.9);
    const model = await precomputeDdm(mesh, bones, weights, { lambda, alpha, kappa: 1, map: 'none' });
    const { rowStart, boneIndices, omegas } = model.multiWeights;
    for (let i = 0; i < 5; i++) {
      const e = rowStart[i];
      expect(rowStart[i + 1] - e).toBe(1);
      expect(boneIndices[e]).toBe(weights.boneIndices[weights.rowStart[i]]);
      expect(omegas[10 * e + 9]).toBeCloseTo(1, 12);
      expect(omegas[10 * e + 3]).toBeCloseTo(mesh.positions[3 * i], 12);
    }
    const same = await precomputeDdm(mesh, bones, weights, { lambda, alpha: 0.9, kappa: 1, map: 'none' });
    expect(farthest(same.multiWeights.omegas, model.multiWeights.omegas)).toBeLessThan(1e-6);
  });

  it('supports a lambda below the default kappa, as a number and as a map', async () => {
    const n = mesh.positions.length / 3;
    const a = await precomputeDdm(mesh, bones, weights, { lambda: 0.5 });
    const b = await precomputeDdm(mesh, bones, weights, { lambda: new Float32Array(n).fill(0.5) });
    expect(a.settings.kappa).toBe(0.5);
    expect(farthest(a.multiWeights.omegas, b.multiWeights.omegas)).toBeLessThan(1e-12);
  });

  it('reports progress that rises, and stops on a signal', async () => {
    const seen: number[] = [];
    await precomputeDdm(mesh, bones, weights, { iterations: 2, onProgress: ({ fraction }) => seen.push(fraction) });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((f, n) => f >= 0 && f <= 1 && (n === 0 || f >= seen[n - 1]))).toBe(true);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(precomputeDdm(mesh, bones, weights, { signal })).rejects.toThrow('enough');
  });

  it('is equivariant to scale and to the order of vertices', async () => {
    const small = await precomputeDdm(mesh, bones, weights, { threshold: 1e-3 });
    const scaled = { ...mesh, positions: mesh.positions.map((x) => 4 * x) };
    const bindMatrices = bones.bindMatrices.map((x, c) => (c % 16 >= 12 && c % 16 < 15 ? 4 * x : x));
    const large = await precomputeDdm(scaled, { ...bones, bindMatrices }, weights, { threshold: 1e-3 });
    const powers = [16, 16, 16, 4, 16, 16, 4, 16, 4, 1];
    const expected = small.multiWeights.omegas.map((w, c) => w * powers[c % 10]);
    expect(farthest(large.multiWeights.omegas, expected)).toBeLessThan(1e-9);

    const n = mesh.positions.length / 3;
    const turned = makeMesh(
      Float32Array.from({ length: 3 * n }, (_, c) => mesh.positions[3 * (n - 1 - Math.floor(c / 3)) + (c % 3)]),
      mesh.triangles.map((i) => n - 1 - i),
    );
    const width = 16;
    const boneTable = new Uint32Array(n * width);
    const weightTable = new Float32Array(n * width);
    for (let i = 0; i < n; i++) {
      for (let e = weights.rowStart[i]; e < weights.rowStart[i + 1]; e++) {
        const at = (n - 1 - i) * width + e - weights.rowStart[i];
        boneTable[at] = weights.boneIndices[e];
        weightTable[at] = weights.weights[e];
      }
    }
    const other = await precomputeDdm(turned, bones, makeSkin(boneTable, weightTable, width), { threshold: 1e-3 });
    for (let i = 0; i < n; i++) {
      for (const c of [0, 3, 4, 6, 7, 8]) {
        const apart = sumOf(other.multiWeights, n - 1 - i, c) - sumOf(small.multiWeights, i, c);
        expect(Math.abs(apart)).toBeLessThan(1e-9);
      }
    }
  });

  it('rejects invalid options', async () => {
    const refuse = async (options: DdmOptions, message: string | RegExp): Promise<void> => {
      await expect(precomputeDdm(mesh, bones, weights, options)).rejects.toThrow(message);
    };
    await refuse({ lambda: 0 }, 'direct delta mush: lambda must be above 0, got 0');
    await refuse({ lambda: -3 }, 'lambda must be above 0, got -3');
    await refuse({ lambda: Number.NaN }, 'lambda must be above 0, got NaN');
    await refuse({ alpha: 1 }, 'alpha must be at least 0 and below 1, got 1');
    await refuse({ alpha: -0.1 }, 'alpha must be at least 0 and below 1, got -0.1');
    await refuse({ kappa: 21 }, /kappa .* must not be above lambda, got 21 against 20/);
    await refuse({ iterations: 0 }, 'iterations must be a whole number of at least 1, got 0');
    await refuse({ method: 'explicit' }, 'lambda must be at most 1 for explicit smoothing');
    await refuse({ bridge: -1 }, 'bridge must be a ratio');
    await refuse({ threshold: 2 }, 'the threshold must be at least 0 and below 1, got 2');
    await refuse({ alpha: new Float32Array(3) }, 'the map of alpha has 3 numbers for');
    const n = mesh.positions.length / 3;
    const empty: Skin = {
      rowStart: new Uint32Array(n + 1),
      boneIndices: new Uint32Array(0),
      weights: new Float32Array(0),
    };
    await expect(precomputeDdm(mesh, bones, empty)).rejects.toThrow('vertex 0 has no weight; bind the mesh');
    const broken = { ...mesh, positions: mesh.positions.map((x, c) => (c === 7 ? Number.NaN : x)) };
    await expect(precomputeDdm(broken, bones, weights)).rejects.toThrow('vertex 2 has a position that is not finite');
    const wrong: Skin = { ...weights, boneIndices: weights.boneIndices.map(() => 99) };
    await expect(precomputeDdm(mesh, bones, wrong)).rejects.toThrow(/bound to bone 99, and the skeleton has \d+/);
  });
});

function sumOf(rows: { rowStart: Uint32Array; omegas: Float64Array }, i: number, c: number): number {
  let sum = 0;
  for (let e = rows.rowStart[i]; e < rows.rowStart[i + 1]; e++) sum += rows.omegas[10 * e + c];
  return sum;
}

/** Row-major matrices to column-major ones. */
function transposed(rows: number[], first: number, count: number): Float64Array {
  return Float64Array.from({ length: 16 * count }, (_, n) => {
    const c = n % 16;
    return rows[16 * (first + Math.floor(n / 16)) + 4 * (c % 4) + Math.floor(c / 4)];
  });
}

function farthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  for (let c = 0; c < a.length; c++) worst = Math.max(worst, Math.abs(a[c] - b[c]));
  return worst;
}
