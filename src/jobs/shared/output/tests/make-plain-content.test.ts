// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import type { Asset } from '../../../../core/model/asset.ts';
import { bakeClip } from '../../../../deformers/playback/bake/bake-clip.ts';
import { readAsset } from '../../../../formats/assets/read-asset.ts';
import { writeFbx } from '../../../../formats/fbx/write/write-fbx.ts';
import { writeGlb } from '../../../../formats/gltf/write-glb.ts';
import { makeSample } from '../../../../samples/make-sample.ts';
import { convert } from '../../../convert/convert.ts';
import { mush } from '../../../mush/mush.ts';
import { assetOfSample, skinnedOfSample } from '../../../sample/sample-asset.ts';
import { makePlainContent } from '../make-plain-content.ts';

const readGlb = (bytes: Uint8Array): Promise<Asset> => readAsset([{ name: 'a.glb', bytes }]);
const readBack = (bytes: Uint8Array): Promise<Asset> => readAsset([{ name: 'a.fbx', bytes }]);

async function makeRigged(): Promise<Asset> {
  const sample = makeSample('creature', { resolution: 200, frames: 6 });
  return readGlb(await writeGlb(assetOfSample(sample), { kind: 'skin', model: skinnedOfSample(sample)! }));
}

function worstOf(a: Asset, b: Asset): number {
  const [one, other] = [a, b].map((asset) => bakeClip(asset));
  expect(other.times).toHaveLength(one.times.length);
  return one.positions.reduce((worst, x, c) => Math.max(worst, Math.abs(x - other.positions[c])), 0);
}

describe('makePlainContent', () => {
  it('makes an FBX of a skinned glTF that plays the same', async () => {
    const asset = await makeRigged();
    const back = await readBack(writeFbx(asset, makePlainContent(asset, { kind: 'clip' })));
    expect(back.rig!.skeleton.names).toEqual(asset.rig!.skeleton.names);
    expect(worstOf(asset, back)).toBeLessThan(1e-5);
  });

  it('keeps clips, and shapes that do not move', () => {
    const asset = assetOfSample(makeSample('sheet', { resolution: 200, frames: 3 }));
    expect(makePlainContent(asset, { kind: 'clip' })).toEqual({ kind: 'clip' });
    expect(makePlainContent({ ...asset, clips: [] }, { kind: 'clip' })).toEqual({ kind: 'clip' });
  });

  it('writes the plain skin of Direct Delta Mush, and says so', async () => {
    const asset = await makeRigged();
    const { full, skin } = await mush(asset, { iterations: 2, threads: 1 });
    const notes: string[] = [];
    const content = makePlainContent(
      asset,
      { kind: 'delta-mush', model: full, skin },
      { log: (note) => notes.push(note) },
    );
    expect(content).toMatchObject({ kind: 'skin', model: { skin } });
    expect(notes).toEqual([expect.stringContaining('the plain skin is written')]);
  });

  it('writes the keys of helper bones', async () => {
    const asset = await makeRigged();
    const { model, bones } = await convert({ kind: 'asset', asset }, { helpers: 2, samples: 20, threads: 1 });
    const content = makePlainContent(asset, { kind: 'converted', model, bones, motions: [] });
    const back = await readBack(writeFbx(asset, content));
    expect(back.rig!.skeleton.names).toHaveLength(model.skeleton.names.length);
    expect(back.animations).toHaveLength(1);
  });
});
