// SPDX-License-Identifier: MIT
// Animations of several files on one character: `rig.glb+walk.glb+run.fbx`. docs/guide/takes.md states the rules.
import type { Asset } from '../../core/model/asset.ts';
import type { Animation, Track } from '../../core/model/clip/animation.ts';
import { FormatError } from '../../core/model/errors.ts';
import { quoteName } from '../../core/model/plain-text.ts';
import type { Remark } from '../../core/model/remark.ts';
import { changeMotion, type Scene } from '../gltf/index.ts';
import { baseName, plainName } from '../shared/index.ts';
import { isTrackAtRest } from './at-rest.ts';
import { matchRigJoints } from './match-rig-joints.ts';
import { makeUnique, nameTake } from './name-takes.ts';
import { fitRests, listJointPairs } from './rest-fit.ts';
import { makeRestPose, type RestPose } from './rest-pose.ts';
import { TrackTransfer } from './transfer-tracks.ts';
import { type TargetList, transferWeights } from './transfer-weights.ts';

/** A file whose animations are wanted. */
export interface TakeFile {
  /** Its path. */
  file: string;
  /** Short name of its format, for errors. */
  format: string;
  scene: Scene;
  byteLength: number;
}

/** Names in a note before the rest is counted. */
const MAX_NAMES = 3;

/** Adds the animations of files to a character that was read from a format of scenes. Throws a FormatError if a file moves nothing that the character has. */
export async function joinTakes(character: Asset, takes: readonly TakeFile[], log?: Remark): Promise<Asset> {
  const joiner = new TakeJoiner(character, log);
  const animations = [...character.animations, ...takes.flatMap((take) => joiner.list(take))];
  const byteLength = takes.reduce((sum, take) => sum + take.byteLength, character.byteLength);
  return changeMotion(character, { animations }, { byteLength, log });
}

class TakeJoiner {
  readonly #character: Asset;
  readonly #pose: RestPose;
  readonly #joints: ReadonlySet<number>;
  readonly #targets: readonly TargetList[];
  readonly #names: Set<string>;
  readonly #log?: Remark;

  constructor(character: Asset, log?: Remark) {
    this.#character = character;
    this.#log = log;
    this.#pose = makeRestPose(character.nodes);
    const { rig, animations } = character;
    const bones = rig ? [...rig.nodeOfBone] : [];
    const joints = bones.filter((_, j) => rig?.isJoint[j] === 1);
    this.#joints = new Set(joints.length > 0 ? joints : bones);
    this.#targets = listTargets(character);
    this.#names = new Set(animations.map(({ name }) => name));
  }

  /** The animations of a file on the nodes of the character. */
  list({ file, format, scene }: TakeFile): Animation[] {
    const name = baseName(file);
    const fail = (fault: string): never => {
      throw new FormatError(format, 'mismatch', fault, undefined, file);
    };
    const note = (sentence: string): void => this.#log?.(`in ${name}, ${sentence}`);
    if (scene.animations.length === 0) fail('it has no animation to add to the character');
    const pose = makeRestPose(scene.nodes);
    const moved = listMovedNodes(scene.animations, pose);
    const match = this.#match(pose, moved);
    const pairs = listJointPairs(this.#pose, pose, match);
    const fit = fitRests(this.#pose, pose, pairs, this.#joints);
    const transfer = new TrackTransfer(this.#pose, pose, fit);
    const own = scene.shapes.flatMap(({ node, targets }): TargetList[] =>
      targets.length > 0
        ? [
            {
              node,
              name: scene.nodes.names[node],
              targets: targets.map((target) => target.name),
              rest: targets.map(({ weight }) => weight),
            },
          ]
        : [],
    );
    const lostTargets = new Set<string>();
    const made = scene.animations.map((animation): [Animation, Track[]] => {
      const weights = transferWeights(animation.tracks, own, this.#targets);
      for (const target of weights.lost) lostTargets.add(target);
      return [animation, [...transfer.transfer(animation), ...weights.tracks]];
    });
    if (made.every(([, tracks]) => tracks.length === 0))
      fail(
        `none of the ${moved.size + lostTargets.size} joints and morph targets that it moves is in ${quoteName(this.#character.name)}: it was made for another rig`,
      );
    this.#tellLost(note, scene, moved, match, lostTargets);
    for (const sentence of fit.notes) note(sentence);
    return made.flatMap(([animation, tracks]): Animation[] => {
      if (tracks.length > 0)
        return [{ ...animation, name: makeUnique(nameTake(animation.name, plainName(file)), this.#names), tracks }];
      note(`the animation ${quoteName(animation.name)} moves nothing that the character has, and is left out`);
      return [];
    });
  }

  /** Nodes that move, and joints below them, which stay at the rest of the file. */
  #match(pose: RestPose, moved: ReadonlySet<number>): Int32Array {
    const { parents } = pose.tree;
    const isBelow = new Uint8Array(parents.length);
    parents.forEach((parent, n) => {
      isBelow[n] = moved.has(n) || (parent >= 0 && isBelow[parent] === 1) ? 1 : 0;
    });
    const isJoint = (node: number): boolean => this.#joints.has(node);
    // what moves is matched first: a mesh may have the name of a joint
    const wanted = [...moved, ...isBelow.keys()].filter((n) => isBelow[n] === 1);
    const match = matchRigJoints(this.#character.nodes, pose.tree, [...new Set(wanted)], isJoint);
    return match.map((to, n) => (to >= 0 && (moved.has(n) || isJoint(to)) ? to : -1));
  }

  #tellLost(
    note: (sentence: string) => void,
    { nodes }: Scene,
    moved: ReadonlySet<number>,
    match: Int32Array,
    targets: ReadonlySet<string>,
  ): void {
    const hasMatchBelow = new Uint8Array(match.length);
    for (let n = match.length - 1; n >= 0; n--)
      if (nodes.parents[n] >= 0 && (match[n] >= 0 || hasMatchBelow[n])) hasMatchBelow[nodes.parents[n]] = 1;
    // a node above others that match moves those
    const lost = [...moved].filter((n) => match[n] < 0 && !hasMatchBelow[n]).map((n) => nodes.names[n]);
    if (lost.length > 0)
      note(`${describeLost(lost, 'joint')}; ${lost.length === 1 ? 'its' : 'their'} tracks are left out`);
    if (targets.size > 0)
      note(
        `${describeLost([...targets], 'morph target')}; ${targets.size === 1 ? 'its' : 'their'} weights are left out`,
      );
  }
}

/** '5 joints that it moves are not in the character ("a", "b", "c" and 2 more)'. */
function describeLost(names: readonly string[], what: string): string {
  const listed = names.slice(0, MAX_NAMES).map(quoteName).join(', ');
  const others = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  const count = names.length === 1 ? `one ${what} that it moves is` : `${names.length} ${what}s that it moves are`;
  return `${count} not in the character (${listed}${others})`;
}

/** Nodes with a track that does not keep them at rest, parents first. */
function listMovedNodes(animations: readonly Animation[], pose: RestPose): Set<number> {
  const moved = new Set<number>();
  for (const { tracks } of animations)
    for (const track of tracks)
      if (track.path !== 'weights' && !moved.has(track.node) && !isTrackAtRest(track, pose)) moved.add(track.node);
  return new Set([...moved].sort((a, b) => a - b));
}

/** The morph targets of a character by node. */
function listTargets({ morphs, nodes }: Asset): TargetList[] {
  const byNode = new Map<number, string[]>();
  for (const { node, weight, name } of morphs?.targets ?? []) {
    const names = byNode.get(node) ?? [];
    names[weight] = name;
    byNode.set(node, names);
  }
  return (morphs?.restWeights ?? []).map(({ node, weights }) => ({
    node,
    name: nodes.names[node],
    targets: Array.from(weights, (_, t) => byNode.get(node)?.[t] ?? ''),
    rest: [...weights],
  }));
}
