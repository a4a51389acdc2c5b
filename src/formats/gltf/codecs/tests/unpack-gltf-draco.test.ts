// SPDX-License-Identifier: MIT
import { WebIO } from '@gltf-transform/core';
import { KHRDracoMeshCompression } from '@gltf-transform/extensions';
import draco3d from 'draco3dgltf';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkAccepted } from '../../../../../fuzz/check-accepted.ts';
import type { Asset } from '../../../../core/model/asset.ts';
import { FormatError } from '../../../../core/model/errors.ts';
import { makeAsset } from '../../../../core/model/make-asset.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { readGltf } from '../../read-gltf.ts';
import { writeGlb } from '../../write-glb.ts';
import { checkDracoHeader } from '../draco-header.ts';

const sample = makeSample('quadruped', { resolution: 300, frames: 4 });
const { EncoderMethod } = KHRDracoMeshCompression;

/** A skinned GLB, compressed by Google's encoder. */
async function makePacked(method = EncoderMethod.EDGEBREAKER): Promise<{ plain: Uint8Array; packed: Uint8Array }> {
  const { clip, skeleton, skin, motion } = sample;
  const model = { kind: 'skin' as const, mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
  const plain = await writeGlb(makeAsset(clip), { kind: 'skin', model });
  const io = new WebIO()
    .registerExtensions([KHRDracoMeshCompression])
    .registerDependencies({ 'draco3d.encoder': await draco3d.createEncoderModule() });
  const document = await io.readBinary(plain);
  document
    .createExtension(KHRDracoMeshCompression)
    .setRequired(true)
    .setEncoderOptions({ method, quantizationBits: { POSITION: 16 } });
  return { plain, packed: await io.writeBinary(document) };
}

/** Sorted lengths of edges: what the order of vertices does not change. */
function edgesOf({ positions, triangles }: { positions: Float32Array; triangles: Uint32Array }): Float64Array {
  return Float64Array.from(triangles, (a, c) => {
    const b = triangles[c % 3 === 2 ? c - 2 : c + 1];
    return Math.hypot(...[0, 1, 2].map((r) => positions[3 * a + r] - positions[3 * b + r]));
  }).sort();
}

describe('a Draco-compressed glTF', () => {
  it.each(['EDGEBREAKER', 'SEQUENTIAL'] as const)('is read with its skin: %s', async (method) => {
    const { plain, packed } = await makePacked(EncoderMethod[method]);
    const [asset, back] = [await readGltf(plain), await readGltf(packed)];
    expect(packed.length).toBeLessThan(plain.length);
    const edges = edgesOf(asset.mesh);
    expect(back.mesh.triangles).toHaveLength(asset.mesh.triangles.length);
    edgesOf(back.mesh).forEach((length, e) => {
      expect(length).toBeCloseTo(edges[e], 3);
    });
    expect(back.rig!.skeleton.names).toEqual(asset.rig!.skeleton.names);
    expect(back.animations[0].tracks).toHaveLength(asset.animations[0].tracks.length);
    const { rowStart, weights } = back.rig!.skin;
    expect(weights.subarray(rowStart[0], rowStart[1]).reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 5);
  });

  it('is written without compression', async () => {
    const back = await readGltf((await makePacked()).packed);
    const again = await readGltf(await writeGlb(back));
    expect(again.mesh.positions).toEqual(back.mesh.positions);
    expect(again.mesh.triangles).toEqual(back.mesh.triangles);
  });

  it('gives a whole asset or a FormatError for any mutation', async () => {
    const { packed } = await makePacked();
    const outcomes = { read: 0, refused: 0 };
    const jsonLength = new DataView(packed.buffer, packed.byteOffset).getUint32(12, true);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(4000), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        async (changes) => {
          const bytes = packed.slice();
          for (const [at, value] of changes) bytes[28 + jsonLength + (at % (bytes.length - 28 - jsonLength))] = value;
          const result = await readGltf(bytes).catch((error: unknown) => error);
          if (result instanceof FormatError) outcomes.refused++;
          else {
            expect(checkAccepted(result as Asset)).toBeUndefined();
            outcomes.read++;
          }
        },
      ),
      { numRuns: 60 },
    );
    expect(Math.min(outcomes.read, outcomes.refused), JSON.stringify(outcomes)).toBeGreaterThan(0);
  });
});

describe('checkDracoHeader', () => {
  const stream = (...tail: number[]) => Uint8Array.of(68, 82, 65, 67, 79, 2, 2, 1, 1, 0, 0, 0, ...tail, 0, 0);

  it('refuses counts other than those of the accessors, before anything is decoded', () => {
    expect(() => checkDracoHeader(stream(8, 12), 8, 12)).not.toThrow();
    expect(() => checkDracoHeader(stream(9, 12), 8, 12)).not.toThrow();
    expect(() => checkDracoHeader(stream(37, 12), 8, 12)).toThrow(/claims 37 points and 12 triangles/);
    expect(() => checkDracoHeader(stream(8, 255, 255, 255, 255, 15), 8, 12)).toThrow(FormatError);
    expect(() => checkDracoHeader(stream(255, 255, 255, 255, 255), 8, 12)).toThrow(FormatError);
    expect(() => checkDracoHeader(stream().subarray(0, 12), 8, 12)).toThrow(FormatError);
    expect(() => checkDracoHeader(Uint8Array.of(1, 2, 3), 8, 12)).toThrow(/DRACO/);
  });
});
