// SPDX-License-Identifier: MIT
// From the GLB of a job to the scenes that are written: one, or one per take.

import type { Asset, UpAxis } from '../../../core/model/asset.ts';
import type { Scene } from '../../../formats/gltf/index.ts';
import { fitScene, placeScene, type ScenePlace, splitTakes, type Target } from '../../../formats/targets/index.ts';
import { makeScene } from './make-scene.ts';

/** A change of the scene before it is written, in the numbers of the model. A scene that needs none is returned as it is. */
export type SceneStep = (scene: Scene, place: ScenePlace, log: (message: string) => void) => Scene;

/** How a character is written, besides its format. */
export interface OutputSettings {
  /** Where it is written to. */
  path: string;
  target?: Target;
  /** Changes before the scene is placed and fitted to the target, in their order. */
  steps?: readonly SceneStep[];
  /** Receives the names that bones had, by the names that they got. */
  renamed?: Map<string, string>;
  /** Receives a sentence about everything that could not be kept. */
  log?(message: string): void;
}

/** A scene that is written. */
export interface OutputScene {
  path: string;
  scene: Scene;
  up: UpAxis;
  metresPerUnit?: number;
  /** Whether it is a further animation of the character. */
  isTake: boolean;
}

/** glTF states neither. */
const GLTF_PLACE: ScenePlace = { up: 'y', metresPerUnit: 1 };

/** The scenes of a character: one, or one per animation for a target that reads one of a file. */
export async function listOutputScenes(model: Asset, settings: OutputSettings): Promise<OutputScene[]> {
  const { path, target, log } = settings;
  const { up, metresPerUnit } = model;
  const scene = await makeScene(model, log);
  const changed = changeScene(scene, model, settings);
  if (!target) return [{ path, scene: changed, up, metresPerUnit, isTake: false }];
  const to = placeFor(target, model, path);
  const takes = target.takes?.value === 'one' ? splitTakes(changed) : [{ scene: changed, suffix: '' }];
  const files = takes.map(({ scene: own, suffix }) => ({
    ...{ path: suffix === '' ? path : path.replace(/(\.[^.]*)$/, `.${suffix}$1`), scene: own, ...to },
    isTake: suffix !== '',
  }));
  if (files.length > 1)
    log?.(
      `${target.title} reads one animation of a file: "${files[0].scene.animations[0].name}" is in ${path}, and ${files.length === 2 ? 'the other is' : `the ${files.length - 1} others are`} in files of their own (${files[1].path}${files.length > 2 ? ', …' : ''})`,
    );
  return files;
}

/** The scene of a glTF; undefined if nothing has to be changed. */
export async function changeGltfScene(model: Asset, settings: OutputSettings): Promise<Scene | undefined> {
  const scene = await makeScene(model, settings.log);
  const changed = changeScene(scene, model, settings);
  return changed === scene ? undefined : changed;
}

/** Runs the steps, places the scene in the axes and the unit of the target, and fits it to the target. */
function changeScene(scene: Scene, model: Asset, settings: OutputSettings): Scene {
  const changed = runSteps(scene, model, settings);
  if (settings.renamed) listRenamed(scene, changed, settings.renamed);
  return changed;
}

/** Skins keep their joints in order, and a new root is the last. */
function listRenamed(before: Scene, after: Scene, renamed: Map<string, string>): void {
  before.shapes.forEach(({ skin }, s) => {
    skin?.joints.forEach((joint, j) => {
      const next = after.shapes[s].skin?.joints[j];
      if (next !== undefined) renamed.set(after.nodes.names[next], before.nodes.names[joint]);
    });
  });
}

function runSteps(scene: Scene, model: Asset, { target, steps = [], path, log }: OutputSettings): Scene {
  const from: ScenePlace = { up: model.up, metresPerUnit: model.metresPerUnit ?? 1 };
  const note = (message: string): void => log?.(message);
  const stepped = steps.reduce((before, step) => step(before, from, note), scene);
  if (!target) return stepped;
  return fitScene(placeScene(stepped, from, placeFor(target, model, path)), target, log);
}

/** Axes and unit of a file for a target: those of the format if it states none. */
function placeFor({ up, metresPerUnit }: Target, model: Asset, path: string): ScenePlace {
  if (/\.(glb|gltf|vrm)$/i.test(path)) return GLTF_PLACE;
  return { up: up?.value ?? model.up, metresPerUnit: metresPerUnit?.value ?? model.metresPerUnit ?? 1 };
}
