// SPDX-License-Identifier: MIT

import type { Asset } from '../../core/model/asset.ts';
import type { Motion } from '../../core/model/clip/motion.ts';
import type { ShapeDrivenSkin, ShapeTrack } from '../../core/model/deformed/shape-drivers.ts';
import { bakeShapeMotions } from '../../deformers/shape-drivers/index.ts';
import { type WriteGlbOptions, writeGlb } from '../../formats/gltf/index.ts';

/**
 * Writes a face of driven bones as a GLB: a plain skin, keys of the bones for every animation, remaining shapes as morph targets, and OSSIFY_shape_drivers.
 * @param asset the asset that was converted; its materials and attributes are kept
 * @param tracks weights of the shapes in its animations, in the order of the asset's shapes
 * @param options how the file is stored; joints: motions of the joints that driven bones follow, one per track
 * @example
 * ```ts
 * import { convertShapes, writeDrivenShapes } from 'ossify';
 *
 * const { model, tracks } = await convertShapes(asset, { bones: 40 });
 * const glb = await writeDrivenShapes(asset, model, tracks, { quantize: true });
 * ```
 */
export function writeDrivenShapes(
  asset: Asset,
  model: ShapeDrivenSkin,
  tracks: readonly ShapeTrack[],
  options: WriteGlbOptions & { keys?: number; joints?: readonly Motion[] } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const { keys, joints, ...storing } = options;
  const { mesh, skeleton, skin, drivers, kept } = model;
  const count = drivers.shapes.length;
  const motions = bakeShapeMotions(model, tracks, joints);
  const keptCount = kept?.targets.length ?? 0;
  const weights = tracks.map(({ times, weights: all }) =>
    Float32Array.from({ length: times.length * keptCount }, (_, e) => {
      const [k, n] = [Math.floor(e / keptCount), e % keptCount];
      return all[k * count + n];
    }),
  );
  const skinned = { kind: 'skin', mesh, skeleton, skin, motions } as const;
  const driven = { drivers, tracks: [...tracks] };
  const content = {
    kind: 'skin',
    model: skinned,
    keys,
    driven,
    ...(kept ? { morphs: { morphs: kept, weights } } : {}),
  } as const;
  return writeGlb({ ...asset, clips: [] }, content, storing);
}
