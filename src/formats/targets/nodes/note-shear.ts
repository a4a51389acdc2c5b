// SPDX-License-Identifier: MIT
import { quoteName } from '../../../core/model/plain-text.ts';
import type { Scene } from '../../gltf/index.ts';
import { listJoints } from './list-joints.ts';

/** Ratio of the scales of two axes above which a bone shears those below it visibly. */
const SAME_AXES = 1e-3;

/**
 * Notes bones below nodes whose scale differs by axis: they are sheared, which the target ignores.
 * @param title the target, for messages
 */
export function noteShear(scene: Scene, title: string, log?: (message: string) => void): void {
  const { nodes, animations } = scene;
  const { joints, above } = listJoints(scene);
  const isSkeleton = (n: number): boolean => joints.has(n) || above.has(n);
  const parents = new Set([...nodes.parents].filter((_, n) => isSkeleton(n)));
  const uneven = new Set<number>();
  for (let n = 0; n < nodes.names.length; n++) if (hasUneven(nodes.scales.subarray(3 * n, 3 * n + 3))) uneven.add(n);
  for (const { tracks } of animations)
    for (const { node, path, values, interpolation } of tracks)
      if (path === 'scale' && interpolation !== 'CUBICSPLINE' && hasUneven(values)) uneven.add(node);
  const found = [...uneven].filter((n) => parents.has(n) && isSkeleton(n)).sort((a, b) => a - b);
  if (found.length === 0) return;
  log?.(
    `${found.length === 1 ? 'the bone' : `${found.length} bones, the first of which is`} ${quoteName(nodes.names[found[0]])} ${found.length === 1 ? 'has' : 'have'} a scale that differs by axis, with bones below: ${title} ignores the shear that follows; use --transforms rigid or similarity where the bones are solved`,
  );
}

function hasUneven(scales: ArrayLike<number>): boolean {
  for (let o = 0; o + 2 < scales.length; o += 3) {
    const [x, y, z] = [scales[o], scales[o + 1], scales[o + 2]];
    const size = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
    if (Math.abs(x - y) > SAME_AXES * size || Math.abs(x - z) > SAME_AXES * size) return true;
  }
  return false;
}
