// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { VirtualLayer } from '../bone-layer.ts';

describe('virtual bones', () => {
  it('are not drawn before the first frame has arrived', () => {
    const skin = { kind: 'skin' } as never;
    const layer = new VirtualLayer({ centers: new Float64Array(6), skin }, 1);
    expect(layer.mesh.count).toBe(0);
    layer.update(new Float64Array(24));
    expect(layer.mesh.count).toBe(2);
  });
});
