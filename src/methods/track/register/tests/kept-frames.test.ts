// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { KeptFrames } from '../kept-frames.ts';
import type { TargetFrame } from '../register-frame.ts';

/** Frames of ten triangles that record what is made and freed. */
function makeFrames(maxTriangles: number) {
  const log: string[] = [];
  const frames = new KeptFrames((k) => {
    log.push(`make ${k}`);
    const search = { dispose: () => log.push(`free ${k}`) };
    return { placed: { surface: { triangles: new Uint32Array(30) }, search } } as unknown as TargetFrame;
  }, maxTriangles);
  return { frames, log };
}

describe('KeptFrames', () => {
  it('makes a frame once while it fits', async () => {
    const { frames, log } = makeFrames(20);
    for (const k of [0, 1, 0, 1]) expect(await frames.use(k, async () => k)).toBe(k);
    expect(log).toEqual(['make 0', 'make 1']);
    frames.dispose();
    expect(log.slice(2)).toEqual(['free 0', 'free 1']);
  });

  it('frees a frame after use when memory is full, also after an error', async () => {
    const { frames, log } = makeFrames(10);
    await frames.use(0, async () => {});
    const failing = frames.use(1, async () => {
      throw new Error('stopped');
    });
    await expect(failing).rejects.toThrow('stopped');
    expect(log).toEqual(['make 0', 'make 1', 'free 1']);
  });
});
