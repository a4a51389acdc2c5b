// SPDX-License-Identifier: MIT
import { makeAssetFrames } from '../../../deformers/playback/index.ts';
import { renderView, weightColors, writePng } from '../../../draw/index.ts';
import { openFiles } from '../../disk/index.ts';

const SIZE = { width: 96, height: 72 };

/** A small picture of a file, PNG: the frame in the middle of its first animation, coloured by its bones. */
export async function drawThumbnail(path: string): Promise<Uint8Array> {
  const { asset } = await openFiles(path, {});
  const frames = makeAssetFrames(asset);
  const positions = frames.frameAt(Math.floor(frames.times.length / 2));
  const colors = asset.rig ? weightColors(asset.rig.skin) : undefined;
  const scene = { positions, triangles: asset.mesh.triangles, ...(colors ? { colors } : {}) };
  return writePng(renderView(scene, { ...SIZE, view: 'three-quarter', up: asset.up }));
}
