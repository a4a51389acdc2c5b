// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { makeAsset } from '../../../../core/model/make-asset.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { listPoseTimes } from '../../index.ts';

describe('times of poses', () => {
  it('are those of keys beside them: what is shown at a jump does not hang on the rounding of its time', () => {
    const mesh = makeMesh(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), Uint32Array.of(0, 1, 2));
    const still = { kind: 'clip', name: 'jump', mesh, positions: mesh.positions, times: Float64Array.of(0) } as const;
    const times = Float32Array.of(0, 0.3, 1);
    const jump = {
      name: 'jump',
      duration: 1,
      tracks: [
        { node: 0, path: 'translation', interpolation: 'STEP', times, values: new Float32Array(9) } as const,
        // keys at every twentieth of a second, which make the rate
        {
          ...({ node: 1, path: 'translation', interpolation: 'LINEAR', values: new Float32Array(63) } as const),
          times: Float32Array.from({ length: 21 }, (_, k) => k / 20),
        },
      ],
    };
    const asset = { ...makeAsset(still, { name: 'jump' }), clips: [], animations: [jump] };
    const [pose] = listPoseTimes(asset, 300);
    expect(pose.times).toHaveLength(21);
    expect(Math.fround(0.3)).not.toBe(0.3);
    expect(pose.times[6]).toBe(times[1]);
  });
});
