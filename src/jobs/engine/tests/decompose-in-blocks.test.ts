// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { type DecomposeChoice, isDecomposedInBlocks } from '../decompose-in-blocks.ts';

it.each<[DecomposeChoice, boolean]>([
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
  expect(isDecomposedInBlocks(options)).toBe(isInBlocks);
});
