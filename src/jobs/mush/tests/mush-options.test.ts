// SPDX-License-Identifier: MIT
import { expect, it } from 'vitest';
import { makeMesh } from '../../../core/model/mesh/mesh.ts';
import { DDM_OPTIONS, ddmOptionsOf } from '../mush-options.ts';

it('refuses strengths of vertex attributes that the solver cannot use', () => {
  const mesh = {
    ...makeMesh(new Float32Array(6), new Uint32Array(0)),
    attributes: [{ name: '_SOFT', size: 1, values: Float32Array.of(0.5, 2) }],
  };
  const optionsOf = (lambda: string) =>
    ddmOptionsOf(
      { lambda: DDM_OPTIONS.lambda.type.parse(lambda), map: 'none' } as Parameters<typeof ddmOptionsOf>[0],
      mesh,
    );
  expect(optionsOf('10*_SOFT').lambda).toEqual(Float32Array.of(5, 20));
  expect(() => optionsOf('1e6*_SOFT')).toThrow('--lambda: "_SOFT" gives 2000000 at vertex 1; the maximum is 1000000');
});
