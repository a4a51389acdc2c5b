// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { quoteName } from '../../core/model/plain-text.ts';
import type { Remark } from '../../core/model/remark.ts';
import { changeMotion } from '../gltf/index.ts';
import { type Character, characterOfAsset } from './character.ts';
import { findHumanHips } from './human-hips.ts';
import { planRoot, type RootPlan } from './plan-root.ts';
import { MotionSplitter } from './split-motion.ts';

/** What happens to the motion of a trunk on the ground: it stays in the trunk, moves to a root bone, or is removed. */
export type RootMotion = 'keep' | 'extract' | 'none';

/** Name of a new root bone: the one that engines look for. */
const ROOT_NAME = 'root';

/**
 * The asset with its motion on the ground, a horizontal translation and a turn about the y axis, in the root bone, or without it. Vertices of `extract` are where they
 * were, up to the interpolation between keys. Assets without joints or animations are returned as they are.
 * @param log receives a sentence about what was moved
 */
export async function moveRoot(asset: Asset, mode: RootMotion, log?: Remark): Promise<Asset> {
  if (mode === 'keep' || !asset.source) return asset;
  const change = planChange(characterOfAsset(asset, findHumanHips(asset)), mode, log);
  if (!change) return asset;
  const { animations, plan, isAdded } = change;
  const root = isAdded ? { name: freeName(asset.nodes.names), above: [plan.top] } : undefined;
  return changeMotion(asset, { animations, root }, { log });
}

interface RootChange {
  animations: Animation[];
  plan: RootPlan;
  /** Whether there is a new node. */
  isAdded: boolean;
}

function planChange(character: Character, mode: Exclude<RootMotion, 'keep'>, log?: Remark): RootChange | undefined {
  const { animations, nodes } = character;
  if (animations.length === 0) return undefined;
  const plan = planRoot(character);
  if (!plan) {
    log?.('it has no joint that carries a trunk, so its root motion stays as it is');
    return undefined;
  }
  const splitter = new MotionSplitter(character, plan, mode === 'extract');
  const split = animations.map((animation) => splitter.split(animation));
  const moved = split.flatMap((one) => one ?? []);
  const isAdded = mode === 'extract' && plan.root < 0;
  if (moved.length === 0 && !isAdded) return undefined;
  const distance = moved.reduce((most, one) => Math.max(most, one.distance), 0);
  const turn = moved.reduce((most, one) => Math.max(most, one.turn), 0);
  const trunk = quoteName(nodes.names[plan.trunk]);
  const root = quoteName(plan.root < 0 ? freeName(nodes.names) : nodes.names[plan.root]);
  const reach = `at most ${distance.toPrecision(3)} m and ${Math.round((turn * 180) / Math.PI)}°`;
  const count = `in ${moved.length} of ${animations.length} animations`;
  log?.(
    mode === 'extract'
      ? `the motion of ${trunk} on the ground is in ${plan.root < 0 ? 'the new root' : 'the root'} ${root} ${count} (${reach})`
      : `the motion of ${trunk} on the ground was removed ${count} (${reach}); errors are measured against the animations in place`,
  );
  return { animations: split.map((one, n) => one?.animation ?? animations[n]), plan, isAdded };
}

function freeName(names: readonly string[]): string {
  let name = ROOT_NAME;
  for (let n = 2; names.includes(name); n++) name = `${ROOT_NAME} ${n}`;
  return name;
}
