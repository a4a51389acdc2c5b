// SPDX-License-Identifier: MIT

import type { Document } from '@gltf-transform/core';
import { keyTimesOf } from '../../../core/keyframes/make-joint-motions.ts';
import { type Clip, frameCountOf, frameOf } from '../../../core/model/clip/clip.ts';
import { InputError } from '../../../core/model/errors.ts';
import { addAccessor } from '../document/add-accessor.ts';
import { addGltfKeys } from './add-gltf-animation.ts';
import type { GltfShape } from './place-gltf-shapes.ts';

/** Maximum bytes of morph targets; a skin of the same clip takes a hundredth. */
const MAX_BYTES = 2 ** 30;

/**
 * Adds clips as morph targets, one per frame, and one animation of their weights per clip: at the time of a frame only that frame has
 * weight one, and between frames positions are interpolated linearly. A frame equal to the rest shape needs no target. Normals are
 * those of the rest shape.
 */
export function addGltfClips(document: Document, shapes: GltfShape[], clips: Clip[]): void {
  const rest = clips[0].mesh.positions;
  const frames: Float32Array[] = [];
  const names: string[] = [];
  const targetsOf = clips.map((clip) => {
    if (clip.positions.length !== frameCountOf(clip) * rest.length)
      throw new InputError('writeGlb', `the frames of "${clip.name}" do not have the vertices of its mesh`);
    return Array.from({ length: frameCountOf(clip) }, (_, k) => {
      const frame = frameOf(clip, k);
      if (isEqual(frame, rest)) return -1;
      names.push(`${clip.name} ${k}`);
      return frames.push(frame) - 1;
    });
  });
  const keyCount = clips.reduce((sum, clip) => sum + frameCountOf(clip), 0);
  const bytes = frames.length * rest.length * 4 + keyCount * frames.length * 4;
  if (bytes > MAX_BYTES)
    throw new InputError(
      'writeGlb',
      `${frames.length} frames as morph targets would take ${Math.ceil(bytes / 2 ** 20)} MB; decompose the clip into bones, or write PC2`,
    );
  if (frames.length === 0) return;

  for (const { primitive, vertexStart, vertexCount } of shapes.flatMap((shape) => shape.pieces)) {
    const from = vertexStart * 3;
    const length = vertexCount * 3;
    frames.forEach((frame, t) => {
      const deltas = new Float32Array(length);
      for (let c = 0; c < length; c++) deltas[c] = frame[from + c] - rest[from + c];
      const target = document
        .createPrimitiveTarget(names[t])
        .setAttribute('POSITION', addAccessor(document, 3, deltas));
      primitive.addTarget(target);
    });
  }
  for (const { mesh } of shapes) mesh.setWeights(frames.map(() => 0));
  clips.forEach((clip, n) => {
    const values = new Float32Array(frameCountOf(clip) * frames.length);
    targetsOf[n].forEach((t, k) => {
      if (t >= 0) values[k * frames.length + t] = 1;
    });
    const times = keyTimesOf(clip.times, clip.name);
    const nodes = shapes.map(({ node }) => node);
    addGltfKeys(document, document.createAnimation(clip.name), nodes, 'weights', times, values);
  });
}

function isEqual(a: Float32Array, b: Float32Array): boolean {
  for (let c = 0; c < a.length; c++) if (a[c] !== b[c]) return false;
  return true;
}
