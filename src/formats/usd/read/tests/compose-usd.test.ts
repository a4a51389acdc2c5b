// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { readUsd } from '../../read-usd.ts';

describe('a USD stage of very many prims', () => {
  it('is read, also where more are below one prim than a function has arguments', async () => {
    const mesh = `def Mesh "M" {
      int[] faceVertexCounts = [3]
      int[] faceVertexIndices = [0, 1, 2]
      point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)] }`;
    const prims = Array.from({ length: 130_000 }, (_, n) => `def "p${n}" {}`);
    const text = `#usda 1.0\n${mesh}\n${prims.join('\n')}\n`;
    expect((await readUsd(new TextEncoder().encode(text))).mesh.triangles.length).toBe(3);
  });
});
