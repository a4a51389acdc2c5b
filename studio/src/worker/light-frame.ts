// SPDX-License-Identifier: MIT
import { lightInto, sampleLightInto } from '../../../src/entry/deform.ts';
import type { Asset } from '../../../src/entry/index.ts';
import type { VersionInfo } from '../messages/views.ts';

/** Colours of the lit vertices of an asset at a frame: vertexCount x 3, linear light. */
export function lightFrame(
  { asset, info }: { asset: Asset; info: VersionInfo },
  motion: number,
  frame: number,
): Float32Array {
  const { light, mesh } = asset;
  if (!light) throw new Error('this version has no light');
  const { name, times } = info.motions[motion];
  const track = light.tracks.find((one) => one.name === name) ?? light.tracks[motion];
  const coefficients = new Float32Array(light.rank);
  sampleLightInto(light, track, times[frame], coefficients);
  const colors = new Float32Array(mesh.positions.length);
  lightInto(light, coefficients, colors);
  return colors;
}
