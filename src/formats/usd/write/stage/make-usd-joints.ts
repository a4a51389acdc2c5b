// SPDX-License-Identifier: MIT
// Joints of the one skeleton of a stage, with their bind and rest matrices, and how each shape is bound to them.
//   skinned point = skeleton to world x Σ w joint(t) bind⁻¹ geomBind x point
// A skin of glTF has an inverse bind matrix per joint, so that joint(t) inverseBind = joint(t) bind⁻¹ geomBind. Skins that share joints share bind matrices up to one
// geomBind per skin; a joint whose matrices agree with none gets a second one below it, which does not move.
import { compose, IDENTITY, invertAffine, isCloseMatrix, multiply } from '../../../../core/math/mat4.ts';
import type { Scene, SceneShape } from '../../../gltf/index.ts';
import { roundToHalf } from '../crate/half-float.ts';
import { makeUsdIdentifier, takeUsdName } from '../usd-names.ts';
import type { UsdPlan } from './plan-usd-scene.ts';

/** Bind matrices closer than this, relative, are one. */
const SAME_BIND = 1e-6;
/** Relative difference of a scale from its 16-bit float that counts. */
const EXACT_SCALE = 1e-6;
/** A scale of zero at rest is written as this: the matrix keeps its rotation. */
const LEAST_SCALE = 1e-9;

export interface UsdJoints {
  /** Paths: Hips/Spine. */
  paths: string[];
  /** Names of the nodes, as they are. */
  names: string[];
  /** Node of each joint, -1 for one that was added below another. */
  nodes: number[];
  /** Joint to the space of the skeleton, at bind time. */
  binds: Float64Array[];
  /** Joint to its parent, in the pose of the file. */
  rests: Float64Array[];
  /** By node: factor of its translation and scale, where scales above it do not fit 16-bit floats. */
  factors: Float64Array;
  bindings: Map<SceneShape, UsdBinding>;
}

/** How a shape follows joints. */
export interface UsdBinding {
  /** By joint of the skin: joint of the skeleton. One joint if the shape has no skin. */
  joints: number[];
  geomBind: Float64Array;
}

/** Makes the joints of a scene. */
export function makeUsdJoints(scene: Scene, plan: UsdPlan): UsdJoints {
  const joints: UsdJoints = {
    ...{ paths: [], names: [], nodes: [], binds: [], rests: [], bindings: new Map() },
    factors: new Float64Array(scene.nodes.names.length).fill(1),
  };
  const rounding = addJoints(scene, plan, joints);
  const isBound = new Uint8Array(joints.paths.length);
  for (const shape of scene.shapes) if (shape.skin) bindSkin(shape, plan, joints, isBound);
  bindRest(joints, isBound);
  for (const shape of scene.shapes) {
    const joint = plan.jointOfNode[shape.node];
    if (!shape.skin && joint >= 0)
      joints.bindings.set(shape, { joints: [joint], geomBind: joints.binds[joint].slice() });
  }
  rounding.forEach((factor, j) => {
    if (factor === 1) return;
    for (let c = 0; c < 12; c++) joints.binds[j][c] /= factor;
  });
  // joints that were added below one with a rounded scale follow it
  for (let j = rounding.length; j < joints.paths.length; j++) {
    const above = joints.paths.indexOf(joints.paths[j].slice(0, joints.paths[j].lastIndexOf('/')));
    for (let c = 0; c < 12; c++) joints.binds[j][c] /= rounding[above];
  }
  return joints;
}

/** Adds the joints of nodes. Returns, by joint, the factor by which its scale was rounded to a 16-bit float. */
function addJoints({ nodes, animations }: Scene, { joints: list, jointOfNode }: UsdPlan, joints: UsdJoints): number[] {
  const { names, parents, translations, rotations, scales } = nodes;
  const moving = new Set<number>();
  const scaled = new Set<number>();
  for (const { node, path, values } of animations.flatMap(({ tracks }) => tracks)) {
    if (path === 'weights') continue;
    moving.add(node);
    const rest = scales.subarray(3 * node, 3 * node + 3);
    if (path === 'scale' && values.some((x, c) => Math.abs(x - rest[c % 3]) > EXACT_SCALE * Math.abs(rest[c % 3])))
      scaled.add(node);
  }
  const leaves = new Set<string>();
  return list.map((node) => {
    const name = names[node] || `node ${node}`;
    // players find joints by their last names
    const leaf = takeUsdName(name, leaves);
    const parent = parents[node] < 0 ? -1 : jointOfNode[parents[node]];
    joints.paths.push(parent < 0 ? leaf : `${joints.paths[parent]}/${leaf}`);
    joints.names.push(names[node] === '' ? leaf : names[node]);
    joints.nodes.push(node);
    const factor = joints.factors[node];
    const translation = translations.slice(3 * node, 3 * node + 3).map((x) => x * factor);
    const scale = scales.slice(3 * node, 3 * node + 3).map((x) => x * factor);
    const rounded = moving.has(node) && !scaled.has(node) ? roundingOf(scale) : 1;
    const rest = new Float64Array(16);
    const written = scale.map((x) => (x === 0 ? LEAST_SCALE : x / rounded));
    compose(translation, rotations.subarray(4 * node, 4 * node + 4), written, rest);
    joints.rests.push(rest);
    joints.binds.push(Float64Array.from(IDENTITY));
    if (rounded !== 1)
      parents.forEach((above, child) => {
        if (above === node) joints.factors[child] = rounded;
      });
    return rounded;
  });
}

/** Scale divided by its 16-bit float, if that is one factor for all axes and matters; 1 otherwise. */
function roundingOf(scale: Float64Array): number {
  const [x, y, z] = scale.map((value) => (value === 0 ? 1 : value / roundToHalf(value)));
  const isUniform = Math.abs(x - y) < EXACT_SCALE && Math.abs(x - z) < EXACT_SCALE;
  return isUniform && Number.isFinite(x) && Math.abs(x - 1) > EXACT_SCALE ? x : 1;
}

/** Finds the geomBind of a skin from the joints that others have bound, and binds the rest. */
function bindSkin(shape: SceneShape, plan: UsdPlan, joints: UsdJoints, isBound: Uint8Array): void {
  const { skin } = shape;
  if (!skin) return;
  const inverseOf = (s: number): Float64Array => skin.inverseBinds.slice(16 * s, 16 * s + 16);
  const own = skin.joints.map((node) => plan.jointOfNode[node]);
  const shared = own.findIndex((joint) => isBound[joint]);
  const geomBind = Float64Array.from(IDENTITY);
  if (shared >= 0) multiply(joints.binds[own[shared]], inverseOf(shared), geomBind);
  if (isCloseMatrix(IDENTITY, geomBind, SAME_BIND)) geomBind.set(IDENTITY);
  const bound = own.map((joint, s) => {
    const bind = new Float64Array(16);
    // a joint that flattens its mesh has no inverse: its own matrix is as good
    if (!invertAffine(inverseOf(s), bind)) bind.set(IDENTITY);
    multiply(geomBind, bind, bind);
    if (!isBound[joint]) {
      joints.binds[joint] = bind;
      isBound[joint] = 1;
      return joint;
    }
    return isCloseMatrix(joints.binds[joint], bind, SAME_BIND) ? joint : addBelow(joints, joint, bind);
  });
  joints.bindings.set(shape, { joints: bound, geomBind });
}

/** A joint that stays where another is, with another bind matrix. */
function addBelow(joints: UsdJoints, joint: number, bind: Float64Array): number {
  const taken = new Set(joints.paths.map((path) => path.slice(path.lastIndexOf('/') + 1)));
  const leaf = takeUsdName(`${makeUsdIdentifier(joints.names[joint])}_bind`, taken);
  joints.names.push(leaf);
  joints.nodes.push(-1);
  joints.binds.push(bind);
  joints.rests.push(Float64Array.from(IDENTITY));
  return joints.paths.push(`${joints.paths[joint]}/${leaf}`) - 1;
}

/** Joints that no skin binds are bound where they rest. */
function bindRest({ paths, binds, rests }: UsdJoints, isBound: Uint8Array): void {
  const place = new Map(paths.map((path, j) => [path, j]));
  const worlds: Float64Array[] = [];
  isBound.forEach((bound, j) => {
    const parent = place.get(paths[j].slice(0, Math.max(0, paths[j].lastIndexOf('/'))));
    const world = rests[j].slice();
    if (parent !== undefined) multiply(worlds[parent], rests[j], world);
    worlds.push(world);
    const inverse = new Float64Array(16);
    if (!bound && invertAffine(world, inverse)) binds[j] = world.slice();
  });
}
