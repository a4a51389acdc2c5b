// SPDX-License-Identifier: MIT
import type { Asset, SkinnedModel } from '../model/asset.ts';
import type { Sample } from '../sample/sample.ts';

/** A sample as if it had been read from a file: its mesh and its frames. */
export function assetOfSample(sample: Sample): Asset {
  return {
    name: sample.name,
    mesh: sample.clip.mesh,
    nodes: {
      names: [],
      parents: new Int32Array(0),
      translations: new Float64Array(0),
      rotations: new Float64Array(0),
      scales: new Float64Array(0),
    },
    animations: [],
    clips: [sample.clip],
    metresPerUnit: 1,
    up: 'y',
    byteLength: 0,
  };
}

/** The sample's truth as a skinned model, where it has one. */
export function skinnedOfSample({ clip, skeleton, skin, motion }: Sample): SkinnedModel | undefined {
  if (!skeleton || !skin || !motion) return undefined;
  return { mesh: clip.mesh, skeleton, skin, motions: [motion] };
}
