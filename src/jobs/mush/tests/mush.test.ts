// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Asset } from '../../../core/model/asset.ts';
import type { MultiWeights } from '../../../core/model/deformed/direct-delta-mush.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { mush } from '../mush.ts';

/** vertexCount x boneCount: the last of the ten numbers of each entry, its weight */
function denseOf({ rowStart, boneIndices, omegas }: MultiWeights, boneCount: number): Float64Array {
  const dense = new Float64Array((rowStart.length - 1) * boneCount);
  for (let i = 0; i + 1 < rowStart.length; i++)
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) dense[i * boneCount + boneIndices[e]] = omegas[10 * e + 9];
  return dense;
}

describe('mush', () => {
  it('takes a skin in two layers, not the plain one beside it', async () => {
    const { clip, skeleton, skin } = makeSample('creature', { resolution: 200, frames: 2 });
    const boneCount = skeleton!.names.length;
    const asset: Asset = {
      ...{ name: 'creature', mesh: clip.mesh, animations: [], clips: [], up: 'y', byteLength: 0 },
      nodes: {
        ...{ names: [], parents: new Int32Array(0), translations: new Float64Array(0) },
        ...{ rotations: new Float64Array(0), scales: new Float64Array(0) },
      },
      rig: {
        ...{ skeleton: skeleton!, skin: skin!, nodeOfBone: new Int32Array(boneCount) },
        isJoint: new Uint8Array(boneCount).fill(1),
      },
    };
    const vertexCount = clip.mesh.positions.length / 3;
    const ones = (count: number) => new Float32Array(count).fill(1);
    // virtual bones that are the bones, beside a plain skin that is useless
    const layered: Asset = {
      ...asset,
      rig: { ...asset.rig!, skin: makeSkin(new Uint32Array(vertexCount), ones(vertexCount), 1) },
      linearTwoLayer: {
        kind: 'linear-two-layer',
        ...{ mesh: clip.mesh, skeleton: skeleton!, skin: skin! },
        virtualBones: makeSkin([...skeleton!.names.keys()], ones(boneCount), 1),
      },
    };
    const options = { bind: 'smooth', map: 'none', iterations: 3, threads: 1 } as const;
    const [expected, found] = [await mush(asset, options), await mush(layered, options)];
    const [a, b] = [expected, found].map(({ full }) => denseOf(full.multiWeights, boneCount));
    expect(Math.max(...a.map((value, c) => Math.abs(value - b[c])))).toBeLessThan(1e-6);
    expect(found.bones).toBeGreaterThan(5);
  });
});
