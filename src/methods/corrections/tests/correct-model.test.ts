// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { vertexNormalsInto } from '../../../core/mesh/geometry/vertex-normals.ts';
import type { SkinnedModel } from '../../../core/model/asset.ts';
import { type Clip, frameOf, makeTimes } from '../../../core/model/clip/clip.ts';
import { poseOf } from '../../../core/model/clip/motion.ts';
import { type SkinCorrection, truncateSkinCorrection } from '../../../core/model/deformed/skin-correction.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeCorrected } from '../../../deformers/corrections/corrected.ts';
import { measureError } from '../../../measure/error/measure-error.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { correctModel } from '../correct-model.ts';

interface Soft {
  clip: Clip;
  model: SkinnedModel;
}

/** A skinned creature whose surface also ripples, in no low-rank way. */
function makeSoft(frames = 8, size = 0.03): Soft {
  const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 120, frames });
  const { mesh } = clip;
  const stride = mesh.positions.length;
  const positions = clip.positions.map((x, c) => {
    const [k, v] = [Math.floor(c / stride), c % stride];
    return x + size * Math.sin(7 * mesh.positions[v - (v % 3)] + 5 * mesh.positions[v] * Math.cos(k) + 2 * k + v);
  });
  const model = { kind: 'skin' as const, mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
  return { clip: { ...clip, positions }, model };
}

/** What a corrected model plays. */
function play({ mesh, skeleton, skin, motions }: SkinnedModel, correction: SkinCorrection, n = 0): Clip {
  const deformer = makeCorrected(mesh, skin, skeleton.names.length, correction);
  const { times, values, normalValues } = correction.tracks[n];
  const stride = mesh.positions.length;
  const positions = new Float32Array(times.length * stride);
  for (let k = 0; k < times.length; k++) {
    const { rank, normalRank } = correction;
    const corrections = new Float32Array(rank + normalRank);
    corrections.set(values.subarray(k * rank, (k + 1) * rank));
    corrections.set(normalValues.subarray(k * normalRank, (k + 1) * normalRank), rank);
    deformer.deformInto(
      { bones: poseOf(motions[n], k), corrections },
      positions.subarray(k * stride, (k + 1) * stride),
    );
  }
  return { kind: 'clip' as const, name: motions[n].name, mesh, positions, times };
}

/** Two bones, the second turned about x by an angle per frame, and points that follow both alike. */
function makeHinge(angles: number[]): Soft {
  const mesh = makeMesh(Float32Array.of(0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1), Uint32Array.of(0, 1, 2, 2, 1, 3));
  const matrices = new Float64Array(32 * angles.length);
  angles.forEach((angle, k) => {
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    matrices.set([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], 32 * k);
    matrices.set([1, 0, 0, 0, 0, c, s, 0, 0, -s, c, 0, 0, 0, 0, 1], 32 * k + 16);
  });
  const times = makeTimes(angles.length, 24);
  const positions = new Float32Array(angles.length * 12);
  angles.forEach((angle, k) => {
    for (let i = 0; i < 4; i++) {
      // where one rotation by half the angle would put it
      const [y, z] = [mesh.positions[3 * i + 1], mesh.positions[3 * i + 2]];
      const [c, s] = [Math.cos(angle / 2), Math.sin(angle / 2)];
      positions.set([mesh.positions[3 * i], c * y - s * z, s * y + c * z], 12 * k + 3 * i);
    }
  });
  const skeleton = {
    names: ['a', 'b'],
    parents: Int32Array.of(-1, -1),
    bindMatrices: Float64Array.of(
      ...[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
      ...[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
    ),
  };
  const skin = makeSkin([0, 1, 0, 1, 0, 1, 0, 1], [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], 2);
  const model = { kind: 'skin' as const, mesh, skeleton, skin, motions: [{ name: 'hinge', times, matrices }] };
  return { clip: { kind: 'clip' as const, name: 'hinge', mesh, positions, times }, model };
}

const sizeOf = (mesh: Mesh): number => measureBounds(mesh.positions).diagonal;

describe('correctModel', () => {
  it('reproduces the clip at full rank, within 1e-5 of the size', async () => {
    const { clip, model } = makeSoft();
    for (const rank of [8, 1000]) {
      const { correction, max } = await correctModel(clip, model, { rank });
      expect(correction.rank).toBe(8);
      expect(measureError(clip, play(model, correction)).max).toBeLessThan(1e-5 * sizeOf(clip.mesh));
      expect(max[8]).toBeLessThan(1e-5 * sizeOf(clip.mesh));
    }
  });

  it('lowers the error with each rank, in the rest frame', async () => {
    const { clip, model } = makeSoft();
    const full = await correctModel(clip, model, { rank: 8, fit: 'rest' });
    let before = Number.POSITIVE_INFINITY;
    for (let rank = 0; rank <= 8; rank++) {
      const { correction } = await correctModel(clip, model, { rank, fit: 'rest' });
      // of what full rank displaces, what is missing at this one
      const error = missing(full.correction, correction);
      expect(error).toBeLessThan(before);
      before = error;
    }
    expect(before).toBeLessThan(1e-6);
  });

  it.each(['rest', 'posed'] as const)(
    'measures the played shapes for each number of leading components, %s',
    async (fit) => {
      const { clip, model } = makeSoft();
      const { correction, eRms, max } = await correctModel(clip, model, { rank: 4, fit });
      for (let rank = 0; rank <= 4; rank++) {
        const error = measureError(clip, play(model, truncateSkinCorrection(correction, rank)));
        expect(eRms[rank] / error.eRms).toBeCloseTo(1, 5);
        expect(max[rank] / error.max).toBeCloseTo(1, 5);
      }
    },
  );

  it('has a smaller error with the posed fit', async () => {
    const { clip: smooth, model } = makeHinge([0.5, 1, 1.5, 2, 2.5, 2.9]);
    const clip = { ...smooth, positions: smooth.positions.map((x, c) => x + 0.1 * Math.sin(5 * c)) };
    const rest = await correctModel(clip, model, { rank: 1, fit: 'rest' });
    const posed = await correctModel(clip, model, { rank: 1, fit: 'posed' });
    expect(posed.eRms[1]).toBeLessThan(0.995 * rest.eRms[1]);
  });

  it('finds the fewest corrections that meet a maximum error', async () => {
    const { clip, model } = makeSoft();
    const known = await correctModel(clip, model, { rank: 8, fit: 'rest' });
    const maxError = known.max[5] * 1.0001;
    const found = await correctModel(clip, model, { maxError });
    expect(found.correction.rank).toBeLessThanOrEqual(5);
    expect(found.correction.rank).toBeGreaterThan(0);
    expect(measureError(clip, play(model, found.correction)).max).toBeLessThanOrEqual(maxError * 1.0001);
    expect(found.status).toBe('converged');
  });

  it('uses no correction if the skin meets the maximum error', async () => {
    const { clip, model } = makeSoft();
    const { correction } = await correctModel(clip, model, { maxError: 10 });
    expect(correction.rank).toBe(0);
    expect(play(model, correction).positions.every(Number.isFinite)).toBe(true);
  });

  it('handles collapsed blends, reports them, and creates no spikes', async () => {
    const { clip, model } = makeHinge([0, 1, Math.PI - 1e-9, Math.PI, Math.PI + 0.05, 4]);
    for (const fit of ['rest', 'posed'] as const) {
      for (const rank of [2, 6]) {
        const { correction, singularCount, sampleCount, max } = await correctModel(clip, model, { rank, fit });
        expect(singularCount).toBe(12);
        expect(sampleCount).toBe(24);
        // bounded: no spike beyond what a damped inverse asks for
        expect(correction.basis.every((x) => Math.abs(x) < 60)).toBe(true);
        expect(max.at(-1)).toBeLessThanOrEqual(max[0] * 1.000001);
      }
    }
    const { max } = await correctModel(clip, model, { maxError: 1e-3 }).then((result) => {
      expect(result.status).toBe('stalled');
      return result;
    });
    expect(max.at(-1)).toBeGreaterThan(1e-3);
  });

  it('corrects hinges exactly up to a bend of 174 degrees', async () => {
    const { clip, model } = makeHinge([0.5, 2, 3, (174 * Math.PI) / 180]);
    const { correction, singularCount } = await correctModel(clip, model, { rank: 4 });
    expect(singularCount).toBe(0);
    expect(measureError(clip, play(model, correction)).max).toBeLessThan(1e-5);
  });

  it('is equivariant to rotation, translation and scale of the clip', async () => {
    const { clip, model } = makeSoft();
    const turn = (p: Float32Array) =>
      p.map((_, c) => 3 * (c % 3 === 0 ? -p[c + 1] : c % 3 === 1 ? p[c - 1] : p[c]) + (c % 3) + 1);
    const mesh = { ...clip.mesh, positions: turn(clip.mesh.positions) };
    const moved = { ...clip, mesh, positions: turn(clip.positions) };
    // M' = T M T⁻¹ with T x = 3 Z x + t
    const [z, t] = [
      [0, 1, 0, -1, 0, 0, 0, 0, 1],
      [1, 2, 3],
    ];
    const matrices = model.motions[0].matrices.slice();
    for (let o = 0; o < matrices.length; o += 16) {
      const at = (r: number, c: number) => model.motions[0].matrices[o + 4 * c + r];
      const turnOf = (r: number, c: number) => z[3 * c + r];
      for (let r = 0; r < 3; r++) {
        for (let c = 0; c < 3; c++) {
          let sum = 0;
          for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) sum += turnOf(r, a) * at(a, b) * turnOf(c, b);
          matrices[o + 4 * c + r] = sum;
        }
      }
      for (let r = 0; r < 3; r++) {
        let sum = t[r];
        for (let a = 0; a < 3; a++) sum += 3 * turnOf(r, a) * at(a, 3) - matrices[o + 4 * a + r] * t[a];
        matrices[o + 12 + r] = sum;
      }
    }
    const other = { ...model, mesh, motions: [{ ...model.motions[0], matrices }] };
    const [a, b] = [await correctModel(clip, model, { rank: 3 }), await correctModel(moved, other, { rank: 3 })];
    for (let rank = 0; rank <= 3; rank++) expect(b.eRms[rank] / a.eRms[rank]).toBeCloseTo(1, 4);
  });

  it('uses one basis for several clips, with a track for each', async () => {
    const { clip, model } = makeSoft();
    const second: Clip = { ...clip, name: 'second', positions: clip.positions.map((x, c) => x + 0.01 * Math.sin(c)) };
    const motions = [model.motions[0], { ...model.motions[0], name: 'second' }];
    const both = { ...model, motions };
    const { correction } = await correctModel([clip, second], both, { rank: 16 });
    expect(correction.tracks.map(({ name }) => name)).toEqual([motions[0].name, 'second']);
    for (const [n, one] of [clip, second].entries())
      expect(measureError(one, play(both, correction, n)).max).toBeLessThan(1e-5 * sizeOf(clip.mesh));
  });

  it('gives equal bytes for equal input', async () => {
    const { clip, model } = makeSoft();
    const [a, b] = [await correctModel(clip, model, { rank: 3 }), await correctModel(clip, model, { rank: 3 })];
    expect(a.correction).toEqual(b.correction);
  });

  it('keeps coefficients at most one in size', async () => {
    const { clip, model } = makeSoft();
    const { correction } = await correctModel(clip, model, { rank: 4 });
    for (let r = 0; r < 4; r++) {
      const own = correction.tracks[0].values.filter((_, c) => c % 4 === r);
      expect(Math.max(...own.map(Math.abs))).toBeCloseTo(1, 6);
    }
  });

  it('supports one frame, one vertex, and an exact skin', async () => {
    const { clip, model } = makeSoft(1);
    const one = await correctModel(clip, model);
    expect(one.correction.rank).toBe(1);
    expect(measureError(clip, play(model, one.correction)).max).toBeLessThan(1e-5 * sizeOf(clip.mesh));
    const { clip: hinge, model: own } = makeHinge([0, 0]);
    const still = await correctModel(hinge, own);
    expect(still.correction.rank).toBe(0);
    expect([...still.eRms]).toEqual([0]);
  });

  it('returns the present result when it is stopped', async () => {
    const { clip, model } = makeSoft();
    const stop = new AbortController();
    stop.abort();
    const { correction, status, eRms } = await correctModel(clip, model, { rank: 3, signal: stop.signal });
    expect(status).toBe('stopped');
    expect(correction.basis.every(Number.isFinite)).toBe(true);
    expect(eRms[correction.rank]).toBeLessThanOrEqual(eRms[0] * 1.001);
  });

  it.each<[string, (soft: Soft) => Promise<unknown>, RegExp]>([
    [
      'a rank that is none',
      ({ clip, model }) => correctModel(clip, model, { rank: 1.5 }),
      /rank must be a whole number/,
    ],
    [
      'an error of nothing',
      ({ clip, model }) => correctModel(clip, model, { maxError: 0 }),
      /maxError must be a length above zero/,
    ],
    ['no clip', ({ model }) => correctModel([], model), /no clip/],
    ['a clip too many', ({ clip, model }) => correctModel([clip, clip], model), /1 motions for 2 clips/],
    ['a clip of another mesh', ({ model }) => correctModel(makeHinge([0]).clip, model), /4 vertices, the model has/],
    [
      'a clip of other frames',
      ({ clip, model }) =>
        correctModel(
          { ...clip, times: clip.times.slice(1), positions: clip.positions.slice(clip.mesh.positions.length) },
          model,
        ),
      /not of the 7 frames/,
    ],
    [
      'a position that is not finite',
      ({ clip, model }) =>
        correctModel({ ...clip, positions: clip.positions.map((x, c) => (c === 9 ? Number.NaN : x)) }, model),
      /not finite/,
    ],
  ])('rejects %s', async (_, call, message) => {
    await expect(call(makeSoft())).rejects.toThrow(message);
  });
});

describe('corrected normals', () => {
  const normalsOf = (model: SkinnedModel, correction: SkinCorrection, k: number): Float32Array => {
    const { mesh, skin, skeleton, motions } = model;
    const deformer = makeCorrected(mesh, skin, skeleton.names.length, correction);
    const { rank, normalRank, tracks } = correction;
    const { values, normalValues } = tracks[0];
    const corrections = Float32Array.of(
      ...values.subarray(k * rank, (k + 1) * rank),
      ...normalValues.subarray(k * normalRank, (k + 1) * normalRank),
    );
    const normals = new Float32Array(mesh.positions.length);
    deformer.deformInto({ bones: poseOf(motions[0], k), corrections }, new Float32Array(normals.length), normals);
    return normals;
  };
  const degreesOff = (clip: Clip, model: SkinnedModel, correction: SkinCorrection): number => {
    const wanted = new Float32Array(clip.mesh.positions.length);
    let sum = 0;
    for (let k = 0; k < clip.times.length; k++) {
      vertexNormalsInto(frameOf(clip, k), clip.mesh.triangles, wanted);
      const got = normalsOf(model, correction, k);
      for (let c = 0; c < got.length; c += 3) {
        const chord = Math.hypot(got[c] - wanted[c], got[c + 1] - wanted[c + 1], got[c + 2] - wanted[c + 2]);
        sum += ((360 / Math.PI) * Math.asin(Math.min(1, chord / 2))) ** 2;
      }
    }
    return Math.sqrt(sum / (clip.times.length * (wanted.length / 3)));
  };

  it.each(['inverse-transpose', 'blend'] as const)('are reproduced at full rank by the rule %s', async (normals) => {
    const { clip, model } = makeSoft(5);
    const { correction, normalDegrees } = await correctModel(clip, model, { rank: 5, normals });
    expect(correction.normals!.rule).toBe(normals);
    expect(degreesOff(clip, model, correction)).toBeLessThan(0.01);
    expect(normalDegrees!.at(-1)).toBeLessThan(0.01);
    expect(normalDegrees![0]).toBeGreaterThan(1);
  });

  it.each(['own', 'shared'] as const)('are measured as drawn, with coefficients %s', async (normalCoefficients) => {
    const { clip, model } = makeSoft();
    const { correction, normalDegrees } = await correctModel(clip, model, {
      rank: 3,
      normals: 'blend',
      normalCoefficients,
    });
    expect(correction.normalRank).toBe(normalCoefficients === 'own' ? 3 : 0);
    expect(degreesOff(clip, model, correction) / normalDegrees![3]).toBeCloseTo(1, 2);
    expect(normalDegrees![3]).toBeLessThan(normalDegrees![0]);
  });

  it('keep hard edges hard', async () => {
    // a roof: two triangles that share positions along the ridge, not vertices
    const positions = Float32Array.of(0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, -1);
    const mesh: Mesh = { ...makeMesh(positions, Uint32Array.of(0, 2, 1, 3, 5, 4)), normals: new Float32Array(18) };
    vertexNormalsInto(positions, mesh.triangles, mesh.normals!);
    const times = makeTimes(2, 24);
    const bent = positions.map((x, c) => (c % 3 === 1 ? x * 0.5 : x));
    const clip: Clip = {
      kind: 'clip' as const,
      name: 'roof',
      mesh,
      times,
      positions: Float32Array.of(...positions, ...bent),
    };
    const identity = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    const model: SkinnedModel = {
      kind: 'skin' as const,
      mesh,
      skeleton: { names: ['a'], parents: Int32Array.of(-1), bindMatrices: identity },
      skin: makeSkin([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], 1),
      motions: [{ name: 'roof', times, matrices: Float64Array.of(...identity, ...identity) }],
    };
    const { correction } = await correctModel(clip, model, { rank: 2, normals: 'inverse-transpose' });
    expect(degreesOff(clip, model, correction)).toBeLessThan(0.01);
  });
});

/** √Σ|difference|² of the displacements that two corrections make in all frames. */
function missing(a: SkinCorrection, b: SkinCorrection): number {
  const stride = a.basis.length / a.rank;
  const at = (one: SkinCorrection, k: number, c: number): number => {
    let sum = 0;
    for (let r = 0; r < one.rank; r++) sum += one.tracks[0].values[k * one.rank + r] * one.basis[r * stride + c];
    return sum;
  };
  let squares = 0;
  for (let k = 0; k < a.tracks[0].times.length; k++)
    for (let c = 0; c < stride; c++) squares += (at(a, k, c) - at(b, k, c)) ** 2;
  return Math.sqrt(squares);
}
