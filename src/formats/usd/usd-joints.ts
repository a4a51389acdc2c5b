// SPDX-License-Identifier: MIT
// Bones of an asset as joints of a UsdSkel skeleton: the nodes that bones follow, and all nodes above them.
import { sampleTrackInto } from '../../core/keyframes/sample-track.ts';
import { compose, IDENTITY, multiply } from '../../core/math/mat4.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation, Track } from '../../core/model/clip/animation.ts';

export interface UsdJoints {
  /** Paths: 'Hips/Spine'. A parent comes before its children. */
  paths: string[];
  /** Node of each joint; -1 for a second bone of the node above, which does not move in it. */
  nodes: number[];
  /** jointCount x 16: joint to model space, at bind time */
  bindMatrices: Float64Array;
  /** jointCount x 16: joint to parent, at rest */
  restMatrices: Float64Array;
  /** Joint of each bone. */
  jointOfBone: number[];
}

/** Lists the joints of an asset with a rig. */
export function listUsdJoints({ nodes, rig, animations }: Asset): UsdJoints {
  const used = new Uint8Array(nodes.names.length);
  for (const node of rig?.nodeOfBone ?? []) for (let n = node; n >= 0 && !used[n]; n = nodes.parents[n]) used[n] = 1;
  // nodes at the origin that carry no bone and never move are left out
  const isBone = new Set(rig?.nodeOfBone);
  const moved = new Set(animations.flatMap(({ tracks }) => tracks.map(({ node }) => node)));
  const isSkipped = (n: number): boolean => !isBone.has(n) && !moved.has(n) && isIdentity(nodes, n);
  const joints: UsdJoints = {
    paths: [],
    nodes: [],
    bindMatrices: new Float64Array(0),
    restMatrices: new Float64Array(0),
    jointOfBone: [],
  };
  const binds: ArrayLike<number>[] = [];
  const rests: ArrayLike<number>[] = [];
  const jointOfNode = new Int32Array(nodes.names.length).fill(-1);
  const worlds = new Float64Array(16 * nodes.names.length);
  const taken = new Set<string>();
  const add = (path: string, node: number, bind: ArrayLike<number>, rest: ArrayLike<number>): number => {
    binds.push(bind);
    rests.push(rest);
    joints.nodes.push(node);
    return joints.paths.push(path) - 1;
  };
  for (let n = 0; n < used.length; n++) {
    const local = new Float64Array(16);
    compose(nodes.translations, nodes.rotations, nodes.scales, local, 3 * n, 4 * n, 3 * n);
    const parent = nodes.parents[n];
    if (parent < 0) worlds.set(local, 16 * n);
    else multiply(worlds, local, worlds, 16 * parent, 0, 16 * n);
    if (!used[n]) continue;
    const parentJoint = parent < 0 ? -1 : jointOfNode[parent];
    jointOfNode[n] = parentJoint;
    if (isSkipped(n)) continue;
    const above = parentJoint < 0 ? '' : `${joints.paths[parentJoint]}/`;
    jointOfNode[n] = add(
      uniqueUsdName(nodes.names[n] || `node_${n}`, taken, above),
      n,
      worlds.slice(16 * n, 16 * n + 16),
      local,
    );
  }
  const isBound = new Set<number>();
  rig?.nodeOfBone.forEach((node, bone) => {
    const bind = rig.skeleton.bindMatrices.subarray(16 * bone, 16 * bone + 16);
    let joint = jointOfNode[node];
    if (isBound.has(joint)) joint = add(uniqueUsdName('bind', taken, `${joints.paths[joint]}/`), -1, bind, IDENTITY);
    else binds[joint] = bind;
    isBound.add(joint);
    joints.jointOfBone.push(joint);
  });
  joints.bindMatrices = Float64Array.from(binds.flatMap((bind) => Array.from(bind)));
  joints.restMatrices = Float64Array.from(rests.flatMap((rest) => Array.from(rest)));
  return joints;
}

function isIdentity({ translations, rotations, scales }: Asset['nodes'], n: number): boolean {
  return (
    translations.subarray(3 * n, 3 * n + 3).every((x) => x === 0) &&
    rotations.subarray(4 * n, 4 * n + 3).every((x) => x === 0) &&
    scales.subarray(3 * n, 3 * n + 3).every((x) => x === 1)
  );
}

/** A valid name that no sibling has: letters, digits and underscores. Returns it with the path above. */
export function uniqueUsdName(name: string, taken: Set<string>, above = ''): string {
  const plain = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=[0-9]|$)/, '_');
  let path = above + plain;
  for (let n = 1; taken.has(path); n++) path = `${above}${plain}_${n}`;
  taken.add(path);
  return path;
}

/** Keys of an animation in any of its tracks, seconds, rising. */
export function listKeyTimes({ tracks }: Animation): number[] {
  const times = new Set<number>();
  for (const track of tracks) for (const time of track.times) times.add(time);
  return [...times].sort((a, b) => a - b);
}

/** Local transforms of joints in an animation, at times. */
export interface UsdJointFrames {
  /** frameCount x jointCount x 3 */
  translations: Float32Array;
  /** frameCount x jointCount x 4, x y z w */
  rotations: Float32Array;
  /** frameCount x jointCount x 3 */
  scales: Float32Array;
}

/** Samples the tracks of all joints. */
export function sampleUsdJoints(
  { nodes }: Asset,
  joints: UsdJoints,
  { tracks }: Animation,
  times: readonly number[],
): UsdJointFrames {
  const count = joints.paths.length;
  const frames: UsdJointFrames = {
    translations: new Float32Array(3 * count * times.length),
    rotations: new Float32Array(4 * count * times.length),
    scales: new Float32Array(3 * count * times.length),
  };
  const trackOf = new Map<string, Track>(tracks.map((track) => [`${track.node} ${track.path}`, track]));
  const value = new Float64Array(4);
  const fill = (out: Float32Array, path: Track['path'], rest: Float64Array, size: number): void => {
    joints.nodes.forEach((node, j) => {
      const track = node < 0 ? undefined : trackOf.get(`${node} ${path}`);
      times.forEach((time, k) => {
        if (node < 0) value.set(path === 'rotation' ? [0, 0, 0, 1] : path === 'scale' ? [1, 1, 1] : [0, 0, 0]);
        else value.set(rest.subarray(size * node, size * node + size));
        if (track) sampleTrackInto(track, time, value);
        out.set(value.subarray(0, size), size * (k * count + j));
      });
    });
  };
  fill(frames.translations, 'translation', nodes.translations, 3);
  fill(frames.rotations, 'rotation', nodes.rotations, 4);
  fill(frames.scales, 'scale', nodes.scales, 3);
  return frames;
}
