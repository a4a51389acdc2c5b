// SPDX-License-Identifier: MIT
// The Skeleton prim and its SkelAnimations.
import { sampleTrackInto, sizeOfTrack } from '../../../../core/keyframes/sample-track.ts';
import type { Animation, Track } from '../../../../core/model/clip/animation.ts';
import type { NodeTree } from '../../../../core/model/skin/node-tree.ts';
import type { Scene, SceneShape } from '../../../gltf/index.ts';
import { roundToHalf } from '../crate/half-float.ts';
import { listUsdSampleTimes } from '../motion/sample-usd-tracks.ts';
import type { UsdClock } from '../motion/usd-clock.ts';
import { makeUsdDraft, relationOf, type UsdDraftPrim, type UsdDraftProperty, uniformOf } from '../usd-draft.ts';
import { takeUsdName } from '../usd-names.ts';
import type { UsdJoints } from './make-usd-joints.ts';

/** Maximum error of splines between samples: radians, ratios, weights, and parts of the size of the scene. */
const TOLERANCE = 5e-6;
/** Difference of a scale from the rest scale that makes it animated. */
const SAME_SCALE = 1e-6;
/** Error of scales in 16-bit floats that is worth a note. */
const NOTED_SCALE = 1e-4;

/** Morph targets of a shape as blend shapes of the stage. */
export interface UsdBlendShapes {
  shape: SceneShape;
  /** Names, unique on the stage. */
  tokens: string[];
}

/** What the skeleton of a stage needs. */
export interface UsdSkeletonInput {
  scene: Scene;
  joints: UsdJoints;
  blends: readonly UsdBlendShapes[];
  clock: UsdClock;
  /** Size of the scene at rest. */
  size: number;
  /** Path of the prim that gets the skeleton. */
  path: string;
  log?: (message: string) => void;
}

/** Makes the Skeleton, and a scope of its animations if there are any. */
export function makeUsdSkeleton(input: UsdSkeletonInput): UsdDraftPrim[] {
  const { scene, joints, path, log } = input;
  const { names, paths } = joints;
  const skeleton = makeUsdDraft('Skeleton', 'Skeleton', [
    uniformOf('joints', 'token[]', paths),
    ...(names.some((name, j) => !paths[j].endsWith(name)) ? [uniformOf('jointNames', 'token[]', names)] : []),
    uniformOf('bindTransforms', 'matrix4d[]', join(joints.binds)),
    uniformOf('restTransforms', 'matrix4d[]', join(joints.rests)),
  ]);
  skeleton.apis = ['SkelBindingAPI'];
  const extras = joints.nodes.flatMap((node, j) => {
    const own = scene.extras?.get(node);
    return own ? [[paths[j], own] as const] : [];
  });
  if (extras.length > 0) skeleton.data = { ossify: { joints: Object.fromEntries(extras) } };
  const taken = new Set<string>();
  const made = scene.animations.map((animation) => makeAnimation(animation, input, taken));
  const rest = scene.animations.length === 0 ? makeRest(input) : undefined;
  if (rest) made.push(rest);
  if (made.length === 0) return [skeleton];
  skeleton.properties.push(relationOf('skel:animationSource', `${path}/Animations/${made[0].name}`));
  if (made.length > 1)
    log?.(
      `a USD stage plays one animation; "${scene.animations[0].name}" is bound, the other ${made.length - 1} are stored beside it`,
    );
  return [skeleton, { ...makeUsdDraft('Scope', 'Animations'), children: made }];
}

function makeAnimation(animation: Animation, input: UsdSkeletonInput, taken: Set<string>): UsdDraftPrim {
  const prim = makeUsdDraft('SkelAnimation', takeUsdName(animation.name || 'animation', taken));
  if (animation.name !== '' && animation.name !== prim.name) prim.displayName = animation.name;
  const { joints } = input;
  const byNode = new Map<number, Track[]>();
  for (const track of animation.tracks) {
    const own = byNode.get(track.node);
    if (own) own.push(track);
    else byNode.set(track.node, [track]);
  }
  const moved = joints.nodes.flatMap((node, j) =>
    byNode.get(node)?.some(({ path }) => path !== 'weights') ? [j] : [],
  );
  if (moved.length > 0) {
    prim.properties.push(
      uniformOf(
        'joints',
        'token[]',
        moved.map((j) => joints.paths[j]),
      ),
    );
    prim.properties.push(
      ...['translation', 'rotation', 'scale'].map((path) => sampleJoints(path as JointPath, moved, byNode, input)),
    );
  }
  if (input.blends.length > 0) prim.properties.push(...sampleWeights(byNode, input));
  return prim;
}

type JointPath = 'translation' | 'rotation' | 'scale';
const ATTRIBUTES = {
  translation: ['translations', 'float3[]', 3],
  rotation: ['rotations', 'quatf[]', 4],
  scale: ['scales', 'half3[]', 3],
} as const;

/** Samples of one property of all joints that an animation moves. */
function sampleJoints(
  path: JointPath,
  moved: readonly number[],
  byNode: ReadonlyMap<number, readonly Track[]>,
  { scene, joints, clock, size: sceneSize, log }: UsdSkeletonInput,
): UsdDraftProperty {
  const [name, type, size] = ATTRIBUTES[path];
  const tracks = moved.map((j) => byNode.get(joints.nodes[j])?.find((track) => track.path === path));
  const own = tracks.filter((track) => track !== undefined);
  const times = listUsdSampleTimes(own, (track) =>
    path === 'translation' ? (TOLERANCE * sceneSize) / scaleAbove(scene.nodes, track.node) : TOLERANCE,
  );
  if (times.length === 0) times.push(0);
  const { nodes } = scene;
  const rests = { translation: nodes.translations, rotation: nodes.rotations, scale: nodes.scales }[path];
  const frames = times.map(() => new Float32Array(size * moved.length));
  const value = new Float64Array(4);
  let worst = 0;
  moved.forEach((j, m) => {
    const node = joints.nodes[j];
    const factor = path === 'rotation' ? 1 : joints.factors[node];
    times.forEach((time, k) => {
      value.set(rests.subarray(size * node, size * node + size));
      const track = tracks[m];
      if (track) sampleTrackInto(track, time, value);
      for (let c = 0; c < size; c++) {
        const own = factor * value[c];
        frames[k][size * m + c] = path === 'scale' ? roundToHalf(own) : own;
      }
      if (path === 'rotation' && k > 0) alignInPlace(frames[k], frames[k - 1], 4 * m);
      // scales that stay are part of the bind matrix as they are rounded
      if (path === 'scale' && track && value.some((x, c) => c < 3 && Math.abs(x - rests[3 * node + c]) > SAME_SCALE))
        for (let c = 0; c < 3; c++) worst = Math.max(worst, Math.abs(roundToHalf(value[c]) - value[c]));
    });
  });
  if (worst > NOTED_SCALE)
    log?.(`UsdSkel has scales of 16 bits; those of the animation are rounded by up to ${worst.toPrecision(2)}`);
  return {
    name,
    type,
    samples: { codes: clock.codesOf(times), at: (k) => frames[k] },
  };
}

/** Length in the world of a unit in the space in which a node moves, at rest. */
function scaleAbove({ parents, scales }: NodeTree, node: number): number {
  let scale = 1;
  for (let n = parents[node]; n >= 0; n = parents[n])
    scale *= Math.max(...scales.subarray(3 * n, 3 * n + 3).map(Math.abs));
  return scale > 0 ? scale : 1;
}

/** Turns a quaternion so that it is on the side of the one before. */
function alignInPlace(values: Float32Array, before: Float32Array, o: number): void {
  let dot = 0;
  for (let c = o; c < o + 4; c++) dot += values[c] * before[c];
  if (dot < 0) for (let c = o; c < o + 4; c++) values[c] = -values[c];
}

/** Weights of all blend shapes; the default is the pose of the file. */
function sampleWeights(
  byNode: ReadonlyMap<number, readonly Track[]>,
  { blends, clock }: UsdSkeletonInput,
): UsdDraftProperty[] {
  const tracks = blends.map(({ shape }) => byNode.get(shape.node)?.find(({ path }) => path === 'weights'));
  const own = tracks.filter((track) => track !== undefined && sizeOfTrack(track) > 0) as Track[];
  const rest = restWeights(blends);
  const properties = [
    uniformOf(
      'blendShapes',
      'token[]',
      blends.flatMap(({ tokens }) => tokens),
    ),
  ];
  if (own.length === 0) return [...properties, { name: 'blendShapeWeights', type: 'float[]', value: rest }];
  const times = listUsdSampleTimes(own, () => TOLERANCE);
  const at = (time: number): Float32Array => {
    const out = rest.slice();
    let first = 0;
    blends.forEach(({ tokens }, b) => {
      const track = tracks[b];
      const value = new Float64Array(Math.max(tokens.length, track ? sizeOfTrack(track) : 0));
      if (track && sizeOfTrack(track) > 0) {
        sampleTrackInto(track, time, value);
        out.set(value.subarray(0, tokens.length), first);
      }
      first += tokens.length;
    });
    return out;
  };
  const codes = clock.codesOf(times);
  return [
    ...properties,
    { name: 'blendShapeWeights', type: 'float[]', value: rest, samples: { codes, at: (k) => at(times[k]) } },
  ];
}

function restWeights(blends: readonly UsdBlendShapes[]): Float32Array {
  return Float32Array.from(blends.flatMap(({ shape }) => shape.targets.map(({ weight }) => weight)));
}

/** Weights of a file without animation; none if all are zero. */
function makeRest({ blends }: UsdSkeletonInput): UsdDraftPrim | undefined {
  const weights = restWeights(blends);
  if (!weights.some((weight) => weight !== 0)) return undefined;
  return makeUsdDraft('SkelAnimation', 'pose', [
    uniformOf(
      'blendShapes',
      'token[]',
      blends.flatMap(({ tokens }) => tokens),
    ),
    { name: 'blendShapeWeights', type: 'float[]', value: weights },
  ]);
}

function join(matrices: readonly Float64Array[]): Float64Array {
  const out = new Float64Array(16 * matrices.length);
  matrices.forEach((matrix, j) => {
    out.set(matrix, 16 * j);
  });
  return out;
}
