// SPDX-License-Identifier: MIT
import type { Scene } from '../gltf/index.ts';

/** A scene with one of the animations, and the part of a file name that tells it apart. */
export interface Take {
  scene: Scene;
  /** '' for the first, which is the character itself. */
  suffix: string;
}

/** The scene once per animation, for software that reads one of a file. */
export function splitTakes(scene: Scene): Take[] {
  if (scene.animations.length <= 1) return [{ scene, suffix: '' }];
  const taken = new Set<string>();
  return scene.animations.map((animation, n) => {
    const base = animation.name.replace(/[^\p{L}\p{N}_-]+/gu, '_').replace(/^_+|_+$/g, '') || `animation_${n}`;
    let suffix = base;
    for (let k = 2; taken.has(suffix.toLowerCase()); k++) suffix = `${base}_${k}`;
    taken.add(suffix.toLowerCase());
    return { scene: { ...scene, animations: [animation] }, suffix: n === 0 ? '' : suffix };
  });
}
