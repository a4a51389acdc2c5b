// SPDX-License-Identifier: MIT
import type { Scene } from '../gltf/index.ts';
import { cutInfluences } from './cut-influences.ts';
import { bindAtRest } from './nodes/bind-at-rest.ts';
import { makeOneRoot } from './nodes/make-one-root.ts';
import { noteShear } from './nodes/note-shear.ts';
import { unscaleNodes } from './nodes/unscale-nodes.ts';
import { noteImages } from './note-images.ts';
import { settleNames } from './settle-names.ts';
import type { Target } from './target.ts';

/** Receives a sentence about everything that was changed, and about what the target will show otherwise. */
type Log = (message: string) => void;

/** A step that makes a scene meet one setting of a target. */
interface FitStep {
  /** Whether it changes nodes, their names or where meshes are. */
  movesNodes: boolean;
  fit(scene: Scene, target: Target, log?: Log): Scene;
}

/** The steps in their order: roots and names follow the tree, and scales are moved before it changes. */
const STEPS: readonly FitStep[] = [
  { movesNodes: true, fit: (scene, { scale }, log) => (scale ? bindAtRest(unscaleNodes(scene, log)) : scene) },
  { movesNodes: true, fit: (scene, { root }, log) => (root ? makeOneRoot(scene, root.value, log) : scene) },
  {
    movesNodes: true,
    fit: (scene, { names, title }, log) => (names ? settleNames(scene, names.value, title, log) : scene),
  },
  {
    movesNodes: false,
    fit: (scene, { influences }, log) => (influences ? cutInfluences(scene, influences.value, log) : scene),
  },
  {
    movesNodes: false,
    fit(scene, { bones, title }, log) {
      if (bones && bones.value !== 'affine') noteShear(scene, title, log);
      return scene;
    },
  },
  {
    movesNodes: false,
    fit(scene, target, log) {
      noteImages(scene, target, log);
      return scene;
    },
  },
];

/**
 * Makes a scene meet the settings of a target: scales, one root, names and influences. Positions do not change, except where influences are dropped. A scene that meets
 * them is returned as it is. Axes, units, takes and textures belong to the file: placeScene, splitTakes and the writers have them.
 * @param log receives a sentence about every change, and about what the target ignores
 */
export function fitScene(scene: Scene, target: Target, log?: Log): Scene {
  return STEPS.reduce((fitted, step) => step.fit(fitted, target, log), scene);
}

/** The same without changes of nodes, for files whose extensions refer to them. */
export function fitMeshes(scene: Scene, target: Target, log?: Log): Scene {
  return STEPS.reduce((fitted, step) => (step.movesNodes ? fitted : step.fit(fitted, target, log)), scene);
}
