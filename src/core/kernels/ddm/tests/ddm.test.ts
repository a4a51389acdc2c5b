// SPDX-License-Identifier: MIT
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { makeCompute } from '../../../compute/make-compute.ts';
import { makeRandom } from '../../../math/random.ts';
import { nearestRotationInto } from '../../../math/rotation.ts';
import type { Compute } from '../../compute.ts';
import { groupVertices, LANES } from '../../skinning/group-vertices.ts';
import { callDdm, type DdmSource, packDdm, putPose } from '../pack-ddm.ts';

const wasm = await makeCompute({ kind: 'wasm', threads: 1 });
const wide = await makeCompute({ kind: 'wasm', threads: 2 });
const reference = await makeCompute({ kind: 'typescript' });
afterAll(() => {
  for (const compute of [wasm, wide, reference]) compute.dispose();
});

type Variant = DdmSource['variant'];
const VARIANTS: Variant[] = [0, 1, 2, 3, 4, 5];

/** Patches of a few points around each vertex, shared out among bones: multi-weights as smoothing makes them. */
function makeModel(vertexCount: number, boneCount: number, shift = 0, seed = 1): Omit<DdmSource, 'variant'> {
  const random = makeRandom(seed);
  const rest = Float64Array.from({ length: 3 * vertexCount }, () => random.normal() + shift);
  const normals = Float64Array.from({ length: 3 * vertexCount }, () => random.normal());
  const rowStart = new Uint32Array(vertexCount + 1);
  const boneIndices: number[] = [];
  const omegas: number[] = [];
  for (let i = 0; i < vertexCount; i++) {
    const length = Math.hypot(normals[3 * i], normals[3 * i + 1], normals[3 * i + 2]);
    for (let c = 0; c < 3; c++) normals[3 * i + c] /= length;
    const count = 1 + random.below(Math.min(boneCount, 7));
    const rows = Array.from({ length: count }, () => {
      const omega = new Float64Array(10);
      for (let n = 0; n < 6; n++) {
        const w = (0.1 + random.next()) / 6;
        const u = [0, 1, 2].map((c) => rest[3 * i + c] + 0.3 * random.normal());
        u.push(1);
        for (let r = 0, o = 0; r < 4; r++) for (let c = r; c < 4; c++, o++) omega[o] += w * u[r] * u[c];
      }
      return omega;
    });
    const sum = rows.reduce((total, row) => total + row[9], 0);
    rows.sort((a, b) => b[9] - a[9]);
    rows.forEach((row, n) => {
      boneIndices.push((i + n) % boneCount);
      for (const value of row) omegas.push(value / sum);
    });
    rowStart[i + 1] = boneIndices.length;
  }
  return { boneCount, rest, normals, rowStart, boneIndices: Uint32Array.from(boneIndices), omegas };
}

/** Rigid bones: turns of up to strength, about where the model is, and shifts. boneCount x 16 */
function makePose(boneCount: number, strength: number, seed: number, shift = 0): Float64Array {
  const random = makeRandom(seed);
  const bones = new Float64Array(16 * boneCount);
  for (let j = 0; j < boneCount; j++) {
    const turn = Float64Array.from({ length: 9 }, (_, e) => (e % 4 === 0 ? 1 : 0) + strength * random.normal());
    nearestRotationInto(turn, turn);
    for (let c = 0; c < 3; c++) bones.set(turn.subarray(3 * c, 3 * c + 3), 16 * j + 4 * c);
    for (let r = 0; r < 3; r++) {
      const turned = shift * (turn[r] + turn[3 + r] + turn[6 + r]);
      bones[16 * j + 12 + r] = shift - turned + 0.3 * random.normal();
    }
    bones[16 * j + 15] = 1;
  }
  return bones;
}

async function deform(compute: Compute, source: DdmSource, poses: ArrayLike<number>[]) {
  const pack = packDdm(compute, source);
  const count = poses.length;
  const bones = compute.float32(count * source.boneCount * 16);
  const origins = compute.float32(4 * count);
  const positions = compute.float32(count * source.rest.length);
  const normals = compute.float32(count * source.rest.length);
  for (let k = 0; k < count; k++) putPose(pack, poses[k], bones.view(), origins.view(), k);
  await compute.runAll([callDdm(pack, { bones, origins, positions, normals }, count)]);
  const result = { positions: positions.view().slice(), normals: normals.view().slice() };
  return result;
}

function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  for (let c = 0; c < a.length; c++) worst = Math.max(worst, Math.abs(a[c] - b[c]) || Number(Number.isNaN(a[c])));
  return worst;
}

/** v0 from the definition, in double: [Q q; pᵀ 1] = Σ M Ω, R the rotation nearest to Q − q pᵀ, x = R u + q − R p. */
function deformByDefinition(source: Omit<DdmSource, 'variant'>, pose: Float64Array): Float64Array {
  const { rest, rowStart, boneIndices, omegas } = source;
  const out = new Float64Array(rest.length);
  const full = [0, 1, 2, 3, 1, 4, 5, 6, 2, 5, 7, 8, 3, 6, 8, 9];
  for (let i = 0; i + 1 < rowStart.length; i++) {
    const s = new Float64Array(16);
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      for (let r = 0; r < 4; r++)
        for (let c = 0; c < 4; c++)
          for (let k = 0; k < 4; k++)
            s[4 * c + r] += pose[16 * boneIndices[e] + 4 * k + r] * omegas[10 * e + full[4 * k + c]];
    }
    const m = new Float64Array(9);
    for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) m[3 * c + r] = s[4 * c + r] - s[12 + r] * s[4 * c + 3];
    nearestRotationInto(m, m);
    for (let r = 0; r < 3; r++) {
      out[3 * i + r] = s[12 + r];
      for (let c = 0; c < 3; c++) out[3 * i + r] += m[3 * c + r] * (rest[3 * i + c] - s[4 * c + 3]);
    }
  }
  return out;
}

describe('groups of vertices', () => {
  it('hold every vertex and every bone of their vertices', () => {
    const { rowStart, boneIndices } = makeModel(103, 9);
    const groups = groupVertices(rowStart, boneIndices);
    expect(groups.vertices.length).toBe(104);
    expect(new Set(groups.vertices).size).toBe(103);
    groups.vertices.forEach((i, n) => {
      const g = Math.floor(n / LANES);
      const bones = new Set(groups.groupBones.subarray(groups.groupStart[g], groups.groupStart[g + 1]));
      for (let e = rowStart[i]; e < rowStart[i + 1]; e++) expect(bones.has(boneIndices[e])).toBe(true);
    });
  });

  it('put vertices of the same bones together', () => {
    // Two kinds of vertices in turns: no group needs more bones than one vertex has.
    const rowStart = Uint32Array.from({ length: 17 }, (_, i) => 2 * i);
    const boneIndices = Uint32Array.from({ length: 32 }, (_, e) => (e % 4 < 2 ? e % 2 : 2 + (e % 2)));
    expect(groupVertices(rowStart, boneIndices).groupBones.length).toBe(8);
  });
});

describe.each(VARIANTS)('the ddm kernel, variant %i', (variant) => {
  it.each([1, 4, 7, 1300])('agrees with its reference on %i vertices and several poses', async (vertexCount) => {
    const source = { ...makeModel(vertexCount, 9), variant };
    const poses = Array.from({ length: vertexCount > 1000 ? 2 : 11 }, (_, k) => makePose(9, 0.3, k));
    const fast = await deform(wide, source, poses);
    const slow = await deform(reference, source, poses);
    // the box is some 12 wide; v1 divides by a determinant that may come near zero
    expect(distance(fast.positions, slow.positions)).toBeLessThan(variant === 1 ? 2e-4 : 2e-5);
    expect(distance(fast.normals, slow.normals)).toBeLessThan(variant === 1 ? 2e-3 : 2e-4);
  });

  it('returns the rest shape for bones at rest, also far from the origin', async () => {
    const identity = Float64Array.from({ length: 80 }, (_, e) => ((e % 16) % 5 === 0 ? 1 : 0));
    for (const shift of [0, 100]) {
      const source = { ...makeModel(200, 5, shift), variant };
      const { positions, normals } = await deform(wasm, source, [identity]);
      // the last bit of a single-precision number of 100 is 8e-6
      expect(distance(positions, source.rest)).toBeLessThan(shift === 0 ? 5e-6 : 2e-5);
      expect(distance(normals, source.normals ?? [])).toBeLessThan(1e-4);
    }
  });

  it('gives the same bytes on any number of threads, and for a pose alone or among others', async () => {
    const source = { ...makeModel(2500, 6), variant };
    const poses = Array.from({ length: 9 }, (_, k) => makePose(6, 0.4, k));
    const one = await deform(wasm, source, poses);
    expect(await deform(wide, source, poses)).toEqual(one);
    const alone = await deform(wasm, source, [poses[8]]);
    expect(alone.positions).toEqual(one.positions.slice(8 * 7500));
  });

  it('follows all bones when they move as one', async () => {
    const source = { ...makeModel(50, 4), variant };
    const motion = makePose(1, 2, 5);
    const { positions, normals } = await deform(wasm, source, [
      Float64Array.from({ length: 64 }, (_, e) => motion[e % 16]),
    ]);
    for (let c = 0; c < positions.length; c++) {
      const r = c % 3;
      const turn = (v: ArrayLike<number>): number =>
        motion[r] * v[c - r] + motion[4 + r] * v[c - r + 1] + motion[8 + r] * v[c - r + 2];
      expect(Math.abs(positions[c] - turn(source.rest) - motion[12 + r])).toBeLessThan(1e-5);
      expect(Math.abs(normals[c] - turn(source.normals ?? []))).toBeLessThan(1e-4);
    }
  });
});

describe('variant 0', () => {
  it('agrees with the definition in double precision to 1e-5 of the size, also a hundred sizes from the origin', async () => {
    for (const shift of [0, 500]) {
      const source = makeModel(300, 6, shift, 3);
      const pose = makePose(6, 0.2, 4, shift);
      const { positions } = await deform(wasm, { ...source, variant: 0 }, [pose]);
      const expected = deformByDefinition(source, pose);
      // single-precision numbers of 500 are 6e-5 apart; the box is 10 wide
      expect(distance(positions, expected)).toBeLessThan(shift === 0 ? 1e-5 : 1e-4);
    }
  });

  it('finds the nearest rotation of any bone matrix, or some rotation if it is not unique', async () => {
    // One round patch per bone: Q* is the bone's matrix, and the normals of three vertices show R.
    const cases = fc.record({
      entries: fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 9, maxLength: 9 }),
      kind: fc.constantFrom('full', 'flat', 'line', 'zero', 'mirror', 'thin'),
      power: fc.integer({ min: -3, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(cases, { minLength: 4, maxLength: 4 }), async (list) => {
        const pose = new Float64Array(64);
        list.forEach(({ entries, kind, power }, j) => {
          const m = entries.map((x) => x * 10 ** power);
          for (let r = 0; r < 3; r++) {
            if (kind === 'flat' || kind === 'line') m[6 + r] = m[r];
            if (kind === 'line') m[3 + r] = -2 * m[r];
            if (kind === 'thin') m[6 + r] = m[r] + 1e-3 * m[6 + r];
            if (kind === 'zero') for (let c = 0; c < 3; c++) m[3 * c + r] = 0;
            if (kind === 'mirror') for (let c = 0; c < 3; c++) m[3 * c + r] = c === r ? (r === 2 ? -1 : 1) : 0;
          }
          for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) pose[16 * j + 4 * c + r] = m[3 * c + r];
          pose[16 * j + 15] = 1;
        });
        const rest = Float64Array.from({ length: 36 }, (_, c) => (c % 5) / 5);
        const omegas: number[] = [];
        for (let i = 0; i < 12; i++) {
          const u = [rest[3 * i], rest[3 * i + 1], rest[3 * i + 2], 1];
          for (let r = 0; r < 4; r++) for (let c = r; c < 4; c++) omegas.push(u[r] * u[c] + Number(r === c && r < 3));
        }
        const source: DdmSource = {
          variant: 0,
          boneCount: 4,
          rest,
          normals: Float64Array.from({ length: 36 }, (_, c) => Number(c % 3 === Math.floor(c / 3) % 3)),
          rowStart: Uint32Array.from({ length: 13 }, (_, i) => i),
          boneIndices: Uint32Array.from({ length: 12 }, (_, i) => Math.floor(i / 3)),
          omegas,
        };
        const { normals } = await deform(wasm, source, [pose]);
        for (let j = 0; j < 4; j++) {
          const r = normals.subarray(9 * j, 9 * j + 9);
          for (let a = 0; a < 3; a++) {
            for (let b = 0; b < 3; b++) {
              const dot = r[3 * a] * r[3 * b] + r[3 * a + 1] * r[3 * b + 1] + r[3 * a + 2] * r[3 * b + 2];
              expect(Math.abs(dot - Number(a === b))).toBeLessThan(1e-5);
            }
          }
          const det =
            r[0] * (r[4] * r[8] - r[5] * r[7]) -
            r[3] * (r[1] * r[8] - r[2] * r[7]) +
            r[6] * (r[1] * r[5] - r[2] * r[4]);
          expect(Math.abs(det - 1)).toBeLessThan(1e-5);
          // tr(RᵀM) is as large as it can be
          const m = [0, 1, 2, 4, 5, 6, 8, 9, 10].map((e) => Math.fround(pose[16 * j + e]));
          const best = nearest(m);
          const size = Math.hypot(...m);
          const trace = (q: ArrayLike<number>): number => m.reduce((sum, x, e) => sum + x * q[e], 0);
          expect(trace(best) - trace(r)).toBeLessThan(2e-6 * size + 1e-12);
        }
      }),
      { numRuns: 300 },
    );
  });
});

function nearest(m: number[]): Float64Array {
  const out = new Float64Array(9);
  nearestRotationInto(m, out);
  return out;
}
