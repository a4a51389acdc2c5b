// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import type { DecomposeValues } from '../decompose-options.ts';
import { planSolve } from '../plan-solve.ts';

const DEFAULTS = { method: 'ssdr', noise: 'auto' };
const plan = (options: object, frameCount: number) =>
  planSolve({ ...DEFAULTS, ...options } as DecomposeValues, { vertexCount: 3000, frameCount });

it.each<[object, boolean]>([
  [{}, true],
  [{ method: 'ssdr', bones: 20, maxError: '1mm', noise: 'auto' }, true],
  [{ noise: '0' }, true],
  [{ noise: '0.5%' }, false],
  [{ noise: '0.5%', keepRest: true }, true],
  [{ method: 'auto' }, false],
  [{ maxError: '1mm' }, false],
  [{ maxError: '1mm', corrections: 'auto' }, true],
  [{ rms: '1mm' }, false],
  [{ kg: 1 }, false],
  [{ kg: 1, bones: 20 }, true],
  [{ norm: 'max' }, false],
  [{ support: 'effect' }, false],
  [{ skeleton: 'rig.glb' }, false],
  [{ weights: 'rig.glb' }, false],
])('a large clip with %o is decomposed in blocks: %s', (options, isInBlocks) => {
  const { strategy, reads } = plan(options, 1000);
  expect([strategy, reads]).toEqual(isInBlocks ? ['blocks', 'stream'] : ['whole', 'clip']);
});

it('a small clip is solved as a whole, and may still be read in blocks', () => {
  expect(plan({}, 100)).toMatchObject({ strategy: 'whole', reads: 'stream' });
});

it('memory grows with frames and bones, and is lower in blocks', () => {
  const bytesOf = (options: object, frames: number) => plan(options, frames).bytes;
  expect(bytesOf({}, 200)).toBe(2 * bytesOf({}, 100));
  expect(bytesOf({ bones: 100 }, 100)).toBeGreaterThan(bytesOf({ bones: 10 }, 100));
  expect(bytesOf({}, 1000)).toBeLessThan(bytesOf({ norm: 'max' }, 1000));
});
