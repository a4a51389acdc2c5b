// SPDX-License-Identifier: MIT
import { brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { writeSmallGlb } from '../src/gltf/write-small-glb.ts';
import { makeRandom } from '../src/math/random.ts';
import { assetOfSample, skinnedOfSample } from '../src/recipe/sample-asset.ts';
import { makeSample } from '../src/sample/make-sample.ts';
import { codeTracks } from './code-tracks.ts';
import { estimateSkinCodec } from './estimate-skin-codec.ts';
import { RangeDecoder, RangeEncoder } from './range-coder.ts';
import { readSmallGlb, type SmallTrack } from './read-small-glb.ts';
import { ScaledIntegerModel } from './scaled-integer-model.ts';

async function writeCreature() {
  const sample = makeSample('creature', { resolution: 600, frames: 12 });
  const model = skinnedOfSample(sample)!;
  const precision = {
    positionStep: 0.002,
    motionStep: 0.002,
    weightSteps: 51,
    normalBits: 7,
    texcoordBits: 12,
    colorBits: 8,
  };
  const small = await writeSmallGlb(assetOfSample(sample), { kind: 'skin', model }, precision, { shading: 'flat' });
  return { sample, model, precision, small };
}

describe('the estimate of a codec for skinned meshes', () => {
  it('reads the integers of a small GLB', async () => {
    const { model, precision, small } = await writeCreature();
    const { meshes, tracks } = await readSmallGlb(small.bytes);
    expect(meshes).toHaveLength(1);
    const [{ positions, weights, laneCount, vertexCount }] = meshes;
    expect(vertexCount).toBe(small.order.length);
    for (let i = 0; i < vertexCount; i++) {
      const own = weights.subarray(i * laneCount, (i + 1) * laneCount);
      expect(own.reduce((sum, weight) => sum + weight, 0)).toBe(255);
      for (let r = 0; r < 3; r++) {
        const steps = positions[3 * i + r] / precision.positionStep;
        expect(Math.abs(steps - Math.round(steps))).toBeLessThan(0.01);
      }
    }
    expect(tracks.filter(({ kind }) => kind === 'rotation').length).toBeGreaterThan(model.skeleton.names.length / 2);
  });

  it('is of the order of the Brotli size, and its parts add up', async () => {
    const { small, precision } = await writeCreature();
    const { total, ...parts } = await estimateSkinCodec(small.bytes, precision.positionStep);
    expect(Object.values(parts).reduce((sum, bytes) => sum + bytes, 0)).toBe(total);
    for (const bytes of Object.values(parts)) expect(bytes).toBeGreaterThan(0);
    const brotli = brotliCompressSync(small.bytes).length;
    expect(total).toBeLessThan(1.1 * brotli);
    expect(total).toBeGreaterThan(0.4 * brotli);
  });

  it('stores a cycle that repeats once', () => {
    const { below } = makeRandom(5);
    const cycle = Array.from({ length: 3 * 40 }, () => below(4000) - 2000);
    const trackOf = (values: number[]): SmallTrack => ({
      kind: 'numbers',
      size: 3,
      values: Int32Array.from(values, (x) => x & 0xffffff),
    });
    const once = codeTracks([trackOf(cycle)]);
    const thrice = codeTracks([trackOf([...cycle, ...cycle, ...cycle])]);
    expect(thrice).toBeLessThan(1.2 * once);
  });

  it('decodes integers of any expected size', () => {
    const { below } = makeRandom(6);
    const values = Array.from({ length: 2000 }, (_, n) => below(2 ** (1 + (n % 12))) - 2 ** (n % 12));
    const code = (coder: RangeEncoder | RangeDecoder, given: readonly number[]) => {
      const model = new ScaledIntegerModel();
      return given.map((value, n) => model.code(coder, value, 2 ** (n % 12) / 3));
    };
    const encoder = new RangeEncoder();
    expect(code(encoder, values)).toEqual(values);
    const decoder = new RangeDecoder(encoder.finish());
    expect(code(decoder, new Array<number>(values.length).fill(0))).toEqual(values);
  });
});
