// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeRandom } from '../../../../core/math/random.ts';
import { IntegerModel } from '../integer-model.ts';
import { BitCounter, BitModels, RangeDecoder, RangeEncoder } from '../range-coder.ts';

describe('the range coder', () => {
  it('decodes the bits it encoded, whatever their probability', () => {
    const { next } = makeRandom(1);
    for (const probability of [0.5, 0.1, 0.999, 0, 1]) {
      const bits = Array.from({ length: 5000 }, () => (next() < probability ? 1 : 0));
      const encoder = new RangeEncoder();
      const models = new BitModels(1);
      for (const bit of bits) encoder.code(bit, models, 0);
      const decoder = new RangeDecoder(encoder.finish());
      const own = new BitModels(1);
      expect(bits.map(() => decoder.code(0, own, 0))).toEqual(bits);
    }
  });

  it('carries through long runs of 0xff', () => {
    const encoder = new RangeEncoder();
    const values = Array.from({ length: 400 }, (_, n) => (n % 50 === 49 ? 0 : 0xffff));
    for (const value of values) encoder.codeRaw(value, 16);
    const decoder = new RangeDecoder(encoder.finish());
    expect(values.map(() => decoder.codeRaw(0, 16))).toEqual(values);
  });

  it('comes within two percent of the entropy of a known source', () => {
    const { next } = makeRandom(2);
    for (const probability of [0.5, 0.2, 0.05, 0.01]) {
      const encoder = new RangeEncoder();
      const counter = new BitCounter();
      const [models, counted] = [new BitModels(1), new BitModels(1)];
      const count = 200_000;
      for (let n = 0; n < count; n++) {
        const bit = next() < probability ? 1 : 0;
        encoder.code(bit, models, 0);
        counter.code(bit, counted, 0);
      }
      const entropy = -(probability * Math.log2(probability) + (1 - probability) * Math.log2(1 - probability));
      const bits = 8 * encoder.finish().length;
      expect(bits / count).toBeLessThan(1.02 * entropy + 0.002);
      expect(bits / count).toBeGreaterThan(0.96 * entropy);
      expect(Math.abs(bits / counter.bits - 1)).toBeLessThan(0.005);
    }
  });

  it('codes integers of any size, and counts, by context', () => {
    const { next } = makeRandom(3);
    const values = Array.from({ length: 3000 }, (_, n) =>
      n % 100 === 0 ? Math.round((next() - 0.5) * 2 ** 25) : Math.round((next() - 0.5) * 40),
    );
    const code = (coder: RangeEncoder | RangeDecoder, given: readonly number[]) => {
      const [model, counts] = [new IntegerModel(2), new IntegerModel()];
      return given.map((value, n) => [
        model.code(coder, value, n % 2),
        counts.codeCount(coder, Math.abs(value)),
        coder.codeRaw(Math.abs(value) & 7, 3),
      ]);
    };
    const encoder = new RangeEncoder();
    const given = code(encoder, values);
    const decoder = new RangeDecoder(encoder.finish());
    expect(code(decoder, new Array<number>(values.length).fill(0))).toEqual(given);
  });

  it('codes a geometric distribution of integers close to its entropy', () => {
    const { next } = makeRandom(4);
    const ratio = 0.7;
    const count = 100_000;
    const encoder = new RangeEncoder();
    const model = new IntegerModel();
    for (let n = 0; n < count; n++) {
      const magnitude = Math.floor(Math.log(1 - next()) / Math.log(ratio));
      model.code(encoder, next() < 0.5 ? -magnitude : magnitude);
    }
    const magnitudeBits = -Math.log2(1 - ratio) - (ratio / (1 - ratio)) * Math.log2(ratio);
    expect((8 * encoder.finish().length) / count).toBeLessThan(1.02 * (magnitudeBits + ratio));
  });
});
