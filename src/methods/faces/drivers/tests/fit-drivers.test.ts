// SPDX-License-Identifier: MIT
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../../core/compute/make-compute.ts';
import type { Compute } from '../../../../core/kernels/compute.ts';
import { makeLooseSkeleton } from '../../../../core/model/skin/skeleton.ts';
import { makeShapeDriven } from '../../../../deformers/shape-drivers/make-shape-driven.ts';
import { makeFace } from '../../../../samples/make-face.ts';
import { measureDriven } from '../../measure-driven.ts';
import { joinShapes, makeShapeExamples } from '../../shape-examples.ts';
import { fitDrivers } from '../fit-drivers.ts';
import { makeLinearDrivers, outputsOfEntries } from '../make-drivers.ts';

let compute: Compute;
beforeAll(async () => {
  compute = await makeCompute({ threads: 1 });
});
afterAll(() => compute.dispose());

const { mesh, morphs, track } = makeFace(16);
const shapes = joinShapes(mesh, morphs);
const count = shapes.names.length;
const BONES = 14;

/** A crude start: bones translate by the mean displacement of every fourteenth of the vertices. */
function makeStart(): Float64Array {
  const start = new Float64Array(16 * count * BONES);
  const vertexCount = mesh.positions.length / 3;
  for (let s = 0; s < count; s++)
    for (let j = 0; j < BONES; j++) {
      const o = 16 * (s * BONES + j);
      start[o] = start[o + 5] = start[o + 10] = start[o + 15] = 1;
      for (let i = j; i < vertexCount; i += BONES)
        for (let r = 0; r < 3; r++)
          start[o + 12 + r] += j === 0 ? 0 : (2 * shapes.deltas[(s + j) % count][3 * i + r]) / (vertexCount / BONES);
    }
  return start;
}

async function solveFace(nonzeros: number, kind: 'shapes' | 'both' = 'shapes') {
  const examples = makeShapeExamples(shapes, kind, track.weights);
  const fitted = await fitDrivers(compute, examples, makeStart(), { influences: 4, nonzeros, seed: 0 });
  const skeleton = makeLooseSkeleton(BONES);
  for (let j = 0; j < BONES; j++) skeleton.bindMatrices.set(fitted.centers.subarray(3 * j, 3 * j + 3), 16 * j + 12);
  const drivers = makeLinearDrivers(shapes.names, 'matrix', outputsOfEntries(fitted.entries, BONES));
  const driven = makeShapeDriven({ kind: 'shape-driven', mesh, skeleton, skin: fitted.skin, drivers });
  const single = Float32Array.from({ length: count * count }, (_, e) => (e % (count + 1) === 0 ? 1 : 0));
  return { fitted, drivers, error: measureDriven(shapes, driven, single), driven };
}

describe('fitDrivers', () => {
  it('keeps the budget of non-zeros, and has a lower error with a larger one', async () => {
    const [few, some, all] = [await solveFace(200), await solveFace(600), await solveFace(0)];
    expect(few.drivers.values.length).toBeLessThanOrEqual(200);
    expect(some.drivers.values.length).toBeLessThanOrEqual(600);
    expect(some.error.rmse).toBeLessThan(few.error.rmse);
    expect(all.error.rmse).toBeLessThan(few.error.rmse);
  });

  it('reports the error that its drivers have', async () => {
    const { fitted, error } = await solveFace(600);
    const points = mesh.positions.length / 3;
    expect(Math.sqrt(fitted.error / (points * count))).toBeCloseTo(error.rmse, 7);
  });

  it('binds vertices that no shape moves to one bone that does not move', async () => {
    const { fitted, driven } = await solveFace(600);
    const still = Array.from({ length: mesh.positions.length / 3 }, (_, i) => i).filter((i) =>
      shapes.deltas.every((delta) => delta[3 * i] === 0 && delta[3 * i + 1] === 0 && delta[3 * i + 2] === 0),
    );
    expect(still.length).toBeGreaterThan(50);
    const posed = new Float32Array(mesh.positions.length);
    driven.deformInto({ bones: new Float64Array(0), morphs: new Float32Array(count).fill(1) }, posed);
    for (const i of still) {
      expect(fitted.skin.rowStart[i + 1] - fitted.skin.rowStart[i]).toBe(1);
      for (let r = 0; r < 3; r++) expect(posed[3 * i + r]).toBeCloseTo(mesh.positions[3 * i + r], 6);
    }
  });

  it('has a lower error in the animation when it is fitted to it', async () => {
    const [shapesOnly, both] = [await solveFace(300), await solveFace(300, 'both')];
    const inMotion = (driven: typeof both.driven) => measureDriven(shapes, driven, track.weights).rmse;
    expect(inMotion(both.driven)).toBeLessThan(inMotion(shapesOnly.driven) * 1.05);
  });

  it('drives mixtures of shapes as accurately as the shapes themselves', async () => {
    const { driven, error } = await solveFace(0);
    const halves = new Float32Array(count * count);
    for (let s = 0; s < count; s++) halves[s * (count + 1)] = 0.5;
    expect(measureDriven(shapes, driven, halves).rmse).toBeCloseTo(error.rmse / 2, 7);
  });

  it('gives the same numbers twice', async () => {
    const [a, b] = [await solveFace(300), await solveFace(300)];
    expect(a.fitted.entries).toEqual(b.fitted.entries);
    expect(a.fitted.skin).toEqual(b.fitted.skin);
  });
});
