// SPDX-License-Identifier: MIT
import { ShaderChunk } from 'three';
import { describe, expect, it } from 'vitest';
import { makeScene } from '../scene.ts';

describe('shadows', () => {
  it('are sampled by one pattern for all pixels: noise would be seen as stipple', () => {
    const noise = 'interleavedGradientNoise( gl_FragCoord.xy )';
    expect(ShaderChunk.shadowmap_pars_fragment).toContain(noise);
    makeScene();
    expect(ShaderChunk.shadowmap_pars_fragment).not.toContain(noise);
  });
});
