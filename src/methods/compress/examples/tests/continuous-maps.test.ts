// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeIdentities, multiply } from '../../../../core/math/mat4.ts';
import { makeRandom } from '../../../../core/math/random.ts';
import type { DirectDeltaMush } from '../../../../core/model/deformed/direct-delta-mush.ts';
import { makeDdm } from '../../../../deformers/direct-delta-mush/make-ddm.ts';
import { type JointRange, readRanges } from '../../../../fit/poses/ranges-of-motion.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { precomputeDdm } from '../../../mush/precompute-ddm.ts';
import { type CompressPoints, listCompressPoints } from '../../compress-points.ts';
import { patchOfBone, Responses } from '../../compress-responses.ts';
import { FarthestPoints, startVirtualBones } from '../../objectives/compress-start.ts';
import { makePointWeights, measureWeights, updateWeights } from '../../objectives/update-weights.ts';
import { makeBoneMaker, type VirtualBone } from '../../virtual-bones/virtual-bones.ts';
import { type Joints, listJoints, PARTIAL, sumUnderInto } from '../continuous-joints.ts';
import { linearizationMap, type PatchShape, samplingRoot, samplingSquare } from '../continuous-maps.ts';
import { makeQuadratureSpace, motionInto } from '../continuous-quadrature.ts';
import { makeLinearSpace } from '../continuous-space.ts';

async function makeBar(): Promise<DirectDeltaMush> {
  const { clip, skeleton, skin } = makeSample('bar-bend', { resolution: 300, frames: 1 });
  if (!skeleton || !skin) throw new Error('the bar has bones');
  return precomputeDdm(clip.mesh, skeleton, skin, { lambda: 20 });
}

const ddm = await makeBar();
const points = listCompressPoints(ddm);
const TABLE = {
  '*': [[-20, 50], 30, [-10, 60]],
  [ddm.skeleton.names[2]]: { rotation: 70, translation: [[-0.1, 0.2], 0, 0.05] },
};
const ranges = readRanges(TABLE, ddm.skeleton, points.height);
const joints = listJoints(ddm.skeleton, points, ranges);

/** Linearized transforms of a row's entries, entryCount x 16. */
function linearized(deltas: Float64Array, patch: PatchShape): Float64Array {
  const maps = new Float64Array((deltas.length / 10) * 16);
  for (let e = 0; e < deltas.length / 10; e++) linearizationMap(deltas.slice(10 * e, 10 * e + 10), patch, maps, 16 * e);
  return maps;
}

function pointMaps(p: CompressPoints, i: number): Float64Array {
  const deltas = p.centered.slice(10 * p.rowStart[i], 10 * p.rowStart[i + 1]);
  return linearized(deltas, { spread: p.spreads, spreadOffset: 6 * i, center: p.centers, centerOffset: 3 * i });
}

/** A random motion of joint g, rest to posed about the origin of the points, column-major. */
function drawMotion(j: Joints, g: number, range: JointRange, next: () => number): Float64Array {
  const twelve = new Float64Array(12);
  motionInto(j, g, { range, values: [next(), next(), next(), next(), next(), next()] }, twelve, 0);
  const m = makeIdentities(1);
  for (let c = 0; c < 4; c++) for (let r = 0; r < 3; r++) m[4 * c + r] += twelve[3 * c + r];
  return m;
}

/** Eq. 6: the sum of maps of the bones that go with a joint. maps: entryCount x 16 */
function sumMaps(maps: Float64Array, isUnder: (entry: number) => boolean, out: Float64Array): void {
  out.fill(0, 0, 16);
  for (let e = 0; e < maps.length / 16; e++) {
    if (isUnder(e)) for (let c = 0; c < 16; c++) out[c] += maps[16 * e + c];
  }
}

describe('the linearization map', () => {
  it('maps the bones of a row to transforms that sum to the identity', () => {
    for (const i of [0, 50, 111]) {
      const sum = new Float64Array(16);
      sumMaps(pointMaps(points, i), () => true, sum);
      makeIdentities(1).forEach((v, c) => {
        expect(sum[c]).toBeCloseTo(v, 6);
      });
    }
  });

  it('is finite on a patch that is flat, and gives each bone its weight across it', () => {
    const y = Float64Array.of(0.01, 0, 0, 0.002, 0.02, 0, 0.001, 0, 0, 0.3);
    const map = new Float64Array(16);
    const spread = Float64Array.of(0.03, 0, 0, 0.05, 0, 0);
    linearizationMap(y, { spread, spreadOffset: 0, center: new Float64Array(3), centerOffset: 0 }, map);
    expect(map.every(Number.isFinite)).toBe(true);
    expect(map[10]).toBeCloseTo(0.3, 9);
  });
});

describe('the sampling map', () => {
  it('is the closed form of the paper for equal ranges, and zero for none', () => {
    const even = (half: number, t: number): JointRange => ({
      rotation: [
        [-half, half],
        [-half, half],
        [-half, half],
      ],
      translation: [
        [-t, t],
        [-t, t],
        [-t, t],
      ],
    });
    const square = samplingSquare(even((2 * Math.PI) / 3, 0.4));
    const sinc = Math.sin((2 * Math.PI) / 3) / ((2 * Math.PI) / 3);
    for (const c of [0, 5, 10]) expect(square[c]).toBeCloseTo(2 - 2 * sinc * sinc, 12);
    expect(square[15]).toBeCloseTo(0.16, 12); // t̄², not the printed 4 t̄²
    expect(square[1]).toBeCloseTo(0, 12);
    expect(samplingRoot(even(0, 0)).every((v) => Math.abs(v) < 1e-9)).toBe(true);
  });

  it('is the mean of sampled motions for uneven ranges', () => {
    const g = 1;
    const random = makeRandom(3);
    const identityJoints: Joints = { ...joints, binds: makeIdentities(joints.bones.length) };
    const range: JointRange = {
      rotation: [
        [-0.3, 1.4],
        [0, 0.9],
        [-1, 0.2],
      ],
      translation: [
        [-0.1, 0.3],
        [0.2, 0.4],
        [0, 0],
      ],
    };
    const mean = new Float64Array(16);
    const count = 40000;
    for (let n = 0; n < count; n++) {
      const m = drawMotion(identityJoints, g, range, random.next);
      for (const c of [0, 5, 10, 15]) m[c] -= 1;
      for (let a = 0; a < 4; a++)
        for (let b = 0; b < 4; b++)
          for (let r = 0; r < 4; r++) mean[4 * a + b] += (m[4 * a + r] * m[4 * b + r]) / count;
    }
    const square = samplingSquare(range);
    for (let c = 0; c < 16; c++) expect(Math.abs(square[c] - mean[c])).toBeLessThan(0.015);
    const root = samplingRoot(range);
    const product = new Float64Array(16);
    multiply(root, root, product);
    for (let c = 0; c < 16; c++) expect(product[c]).toBeCloseTo(square[c], 9);
  });
});

describe('the four maps together', () => {
  it('equal the responses of the linear space', () => {
    const space = makeLinearSpace(joints);
    const patch = {
      y: new Float64Array(10),
      spread: points.spreads,
      spreadOffset: 0,
      center: points.centers,
      centerOffset: 0,
      ...{ bones: points.boneIndices, deltas: points.centered, start: 0, end: 0 },
    };
    let compared = 0;
    for (let i = 0; i < points.pointCount; i += 17) {
      const bones = points.boneIndices.slice(points.rowStart[i], points.rowStart[i + 1]);
      const maps = pointMaps(points, i);
      for (let g = 0; g < joints.bones.length; g++) {
        const row = { ...patch, start: points.rowStart[i], end: points.rowStart[i + 1] };
        if (sumUnderInto(joints, g, row, patch.y) !== PARTIAL) continue;
        const [sum, changed, sampled] = [new Float64Array(16), new Float64Array(16), new Float64Array(16)];
        sumMaps(maps, (e) => joints.under[g * joints.boneCount + bones[e]] === 1, sum);
        multiply(joints.inverses.slice(16 * g, 16 * g + 16), sum, changed);
        multiply(samplingRoot(joints.ranges[g]), changed, sampled);
        patch.spreadOffset = 6 * i;
        patch.centerOffset = 3 * i;
        const block = new Float64Array(16);
        space.blockInto(g, patch, block, 0);
        const u = points.positions.slice(3 * i, 3 * i + 3);
        const values = new Float64Array(4);
        const place = u.map((x, c) => x - points.centers[3 * i + c]);
        space.valuesInto(g, patch, place, values, 0);
        for (let r = 0; r < 4; r++) {
          for (let k = 0; k < 4; k++) expect(block[4 * r + k]).toBeCloseTo(sampled[4 * k + r], 8);
          const value = sampled[r] * u[0] + sampled[4 + r] * u[1] + sampled[8 + r] * u[2] + sampled[12 + r];
          expect(values[r]).toBeCloseTo(value, 8);
        }
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(20);
  });

  it('make Eq. 11a the error of the linearized model over sampled poses, to 1 %', async () => {
    const linear = new Responses(makeLinearSpace(joints), joints, points);
    const maker = makeBoneMaker(points, ddm.skeleton, 1e-3);
    const farthest = new FarthestPoints(points, linear, maker, 8);
    const { bones, responses, nearest } = await startVirtualBones(farthest, 8, 5);
    const fit = makePointWeights(points.pointCount, 4);
    const total = await updateWeights(linear, responses, nearest, fit, { candidates: 8 });
    expect(measureWeights(linear, responses, fit)).toBeCloseTo(total, 9);

    const rowMaps = Array.from({ length: points.pointCount }, (_, i) => pointMaps(points, i));
    const boneMaps = bones.map((b) => linearized(b.deltas, { ...b, spreadOffset: 0, centerOffset: 0 }));
    const random = makeRandom(11);
    const count = 1500;
    let sampled = 0;
    for (let g = 0; g < joints.bones.length; g++) {
      const isUnder = (j: number): boolean => joints.under[g * joints.boneCount + j] === 1;
      // errors are linear in M − I: its rows meet one vector per point
      const gaps: Float64Array[] = rowMaps.map((maps, i) => {
        const sum = new Float64Array(16);
        const part = new Float64Array(16);
        const row = points.boneIndices.slice(points.rowStart[i], points.rowStart[i + 1]);
        sumMaps(maps, (e) => isUnder(row[e]), sum);
        for (let a = 4 * i; a < 4 * i + 4; a++) {
          const k = fit.bones[a];
          sumMaps(boneMaps[k], (e) => isUnder(bones[k].bones[e]), part);
          for (let c = 0; c < 16; c++) sum[c] -= fit.weights[a] * part[c];
        }
        const [x, y, z] = points.positions.slice(3 * i, 3 * i + 3);
        return Float64Array.from({ length: 4 }, (_, r) => sum[r] * x + sum[4 + r] * y + sum[8 + r] * z + sum[12 + r]);
      });
      for (let n = 0; n < count; n++) {
        const m = drawMotion(joints, g, joints.ranges[g], random.next);
        for (const c of [0, 5, 10, 15]) m[c] -= 1;
        for (const gap of gaps)
          for (let r = 0; r < 3; r++)
            sampled += (m[r] * gap[0] + m[4 + r] * gap[1] + m[8 + r] * gap[2] + m[12 + r] * gap[3]) ** 2 / count;
      }
    }
    expect(Math.sqrt(sampled / total)).toBeGreaterThan(0.99);
    expect(Math.sqrt(sampled / total)).toBeLessThan(1.01);
  });
});

describe('the quadrature', () => {
  const space = makeQuadratureSpace(joints, joints.ranges, 3, 5);

  it('equals the shapes of the deformer in its poses', () => {
    const responses = new Responses(space, joints, points);
    const deformer = makeDdm(ddm);
    const out = new Float64Array(ddm.mesh.positions.length);
    const { start, joints: listed, offsets, values } = responses.points;
    for (const g of [0, 2, 4]) {
      for (let s = 0; s < 3; s++) {
        const o = 12 * (3 * g + s);
        const bones = makeIdentities(ddm.skeleton.names.length);
        for (let j = 0; j < joints.boneCount; j++) {
          if (joints.under[g * joints.boneCount + j] === 0) continue;
          for (let r = 0; r < 3; r++) {
            let about = space.motions[o + 9 + r];
            for (let c = 0; c < 3; c++) {
              bones[16 * j + 4 * c + r] += space.motions[o + 3 * c + r];
              about -= space.motions[o + 3 * c + r] * points.origin[c];
            }
            bones[16 * j + 12 + r] = about;
          }
        }
        deformer.deformInto({ bones }, out);
        for (let i = 0; i < points.pointCount; i++) {
          const v = 3 * points.vertexOfPoint[i];
          for (let e = start[i]; e < start[i + 1]; e++) {
            if (listed[e] !== g || offsets[e] < 0) continue;
            for (let r = 0; r < 3; r++)
              expect(values[offsets[e] + 3 * s + r]).toBeCloseTo(out[v + r] - ddm.mesh.positions[v + r], 6);
          }
        }
      }
    }
  });

  it('has a block that moves the bone’s own point by its values', () => {
    const bone: VirtualBone = makeBoneMaker(points, ddm.skeleton, 0).make([40]);
    const patch = patchOfBone(bone, new Float64Array(10));
    const block = new Float64Array(36);
    const values = new Float64Array(9);
    for (let g = 0; g < joints.bones.length; g++) {
      if (sumUnderInto(joints, g, patch, patch.y) !== PARTIAL) continue;
      const [x, y, z] = points.positions.slice(120, 123);
      space.blockInto(g, patch, block, 0);
      space.valuesInto(
        g,
        patch,
        Float64Array.of(x, y, z).map((v, c) => v - bone.center[c]),
        values,
        0,
      );
      for (let r = 0; r < 9; r++)
        expect(block[4 * r] * x + block[4 * r + 1] * y + block[4 * r + 2] * z + block[4 * r + 3]).toBeCloseTo(
          values[r],
          10,
        );
    }
  });
});
