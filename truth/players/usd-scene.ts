// SPDX-License-Identifier: MIT
// Plays a stage as UsdSkel says: skins, blend shapes, sampled points and transforms. three.js plays the first and the last.
import { Euler, Matrix4, Quaternion, Vector3 } from 'three';
import type { Inventory, PlayedClip, PlayedCounts, PlayedPart, PlayedScene } from './played-scene.ts';
import type { Numbers, UsdStage } from './usd-stage.ts';

/** Whether a stage holds what three.js does not play. */
export function needsUsdPlayer(stage: UsdStage): boolean {
  return stage.prims.some((prim) => stage.isAnimated(prim, 'points') || stage.has(prim, 'blendShapes'));
}

interface UsdPart extends PlayedPart {
  prim: string;
}

export class UsdScene implements PlayedScene {
  readonly parts: readonly UsdPart[];
  readonly clips: readonly PlayedClip[];
  readonly inventory: Inventory;
  readonly counts: PlayedCounts;
  readonly jointNames: readonly string[];
  readonly metresPerUnit: number;
  readonly scale = 1;
  readonly #stage: UsdStage;
  /** Animations that nothing binds, after the clip of what is bound. */
  readonly #free: readonly string[];

  constructor(stage: UsdStage, inventory: Inventory) {
    this.#stage = stage;
    this.metresPerUnit = stage.metresPerUnit;
    const ofType = (type: string) => stage.prims.filter((prim) => stage.typeOf(prim) === type);
    this.parts = ofType('Mesh').map((prim) => describeMesh(stage, prim));
    const skeletons = ofType('Skeleton');
    const bound = new Set(
      [...skeletons, ...ofType('Mesh')].flatMap((prim) => stage.targets(prim, 'skel:animationSource')),
    );
    this.#free = ofType('SkelAnimation').filter((prim) => !bound.has(prim));
    const fixed = stage.prims.filter((prim) => !this.#free.includes(prim));
    const name = [...bound][0]?.split('/').at(-1) ?? '';
    this.clips = [
      describeClip(stage, name, fixed),
      ...this.#free.map((prim) => describeClip(stage, prim.split('/').at(-1) ?? '', [prim])),
    ].filter(({ keys }) => keys.length > 0);
    this.jointNames = [...stage.jointNames().values()];
    this.inventory = { ...inventory, animations: this.clips.length };
    const { triangles } = inventory;
    const joints = stage.boundJointCount() ?? inventory.joints;
    this.counts = { triangles, joints, animations: this.clips.length };
  }

  play(clip: number | undefined, time: number): Float64Array {
    const animation = clip ? this.#free[clip - 1] : undefined;
    // without a clip a stage shows its first time
    const code = clip === undefined ? 0 : time * this.#stage.rate;
    return this.#positions(code, animation, new Map());
  }

  turn(turns: ReadonlyMap<string, Numbers>): Float64Array {
    return this.#positions(0, undefined, turns);
  }

  #positions(time: number, animation: string | undefined, turns: ReadonlyMap<string, Numbers>): Float64Array {
    const out = new Float64Array(3 * this.parts.reduce((sum, { vertexCount }) => sum + vertexCount, 0));
    let at = 0;
    for (const { prim } of this.parts) {
      const pose = new SkeletonPose(this.#stage, prim, time, animation, turns);
      for (const point of posePoints(this.#stage, prim, time, pose)) {
        point.toArray(out, at);
        at += 3;
      }
    }
    return out;
  }
}

function describeMesh(stage: UsdStage, prim: string): UsdPart {
  const counts = stage.numbers(prim, 'faceVertexCounts', 0) ?? [];
  const indices = stage.numbers(prim, 'faceVertexIndices', 0) ?? [];
  const corners: number[] = [];
  let start = 0;
  for (const count of counts) {
    for (let c = 2; c < count; c++) corners.push(indices[start], indices[start + c - 1], indices[start + c]);
    start += count;
  }
  const vertexCount = (stage.numbers(prim, 'points', 0) ?? []).length / 3;
  return { name: prim.split('/').at(-1) ?? '', vertexCount, corners: Uint32Array.from(corners), prim };
}

function describeClip(stage: UsdStage, name: string, prims: readonly string[]): PlayedClip {
  const keys = [...new Set(prims.flatMap((prim) => stage.times(prim)))]
    .sort((a, b) => a - b)
    .map((code) => code / stage.rate);
  return { name, start: keys[0] ?? 0, end: keys.at(-1) ?? 0, keys };
}

/** Rows of USD are columns here: vectors stand before matrices there. */
const toMatrix = (m: Numbers): Matrix4 => new Matrix4().fromArray([...m]);

/** Transform of a prim to the world. */
function worldOf(stage: UsdStage, prim: string, time: number): Matrix4 {
  const world = new Matrix4();
  for (let path = prim; path !== ''; path = path.slice(0, path.lastIndexOf('/')))
    world.premultiply(localOf(stage, path, time));
  return world;
}

function localOf(stage: UsdStage, prim: string, time: number): Matrix4 {
  const local = new Matrix4();
  for (const text of stage.operations(prim)) {
    const name = text.replace('!invert!', '');
    const op = operation(name, stage.numbers(prim, name, time) ?? []);
    local.multiply(text === name ? op : op.invert());
  }
  return local;
}

function operation(name: string, value: Numbers): Matrix4 {
  const [, kind] = name.split(':');
  const [x = 0, y = 0, z = 0, w = 0] = value;
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  if (kind === 'transform') return toMatrix(value);
  if (kind === 'translate') return new Matrix4().makeTranslation(x, y, z);
  if (kind === 'scale') return new Matrix4().makeScale(x, y, z);
  if (kind === 'orient') return new Matrix4().makeRotationFromQuaternion(new Quaternion(x, y, z, w));
  if (/^rotate[XYZ]$/.test(kind)) {
    const angles = ['X', 'Y', 'Z'].map((axis) => (kind.endsWith(axis) ? radians(x) : 0));
    return new Matrix4().makeRotationFromEuler(new Euler(angles[0], angles[1], angles[2]));
  }
  // rotateXYZ turns about x first, which three.js calls ZYX
  const order = kind.replace('rotate', '').split('').reverse().join('') as 'XYZ';
  return new Matrix4().makeRotationFromEuler(new Euler(radians(x), radians(y), radians(z), order));
}

/** Matrices of the joints of a skinned mesh, and weights of its blend shapes. */
class SkeletonPose {
  readonly #stage: UsdStage;
  readonly #time: number;
  readonly #skeleton: string | undefined;
  readonly #animation: string | undefined;
  readonly #turns: ReadonlyMap<string, Numbers>;

  constructor(
    stage: UsdStage,
    mesh: string,
    time: number,
    animation: string | undefined,
    turns: ReadonlyMap<string, Numbers>,
  ) {
    this.#stage = stage;
    this.#time = time;
    [this.#skeleton] = stage.targets(mesh, 'skel:skeleton');
    this.#animation =
      animation ??
      stage.targets(this.#skeleton ?? mesh, 'skel:animationSource')[0] ??
      stage.targets(mesh, 'skel:animationSource')[0];
    this.#turns = turns;
  }

  /** From the bind pose to the world, by path of a joint; undefined without a skeleton. */
  matrices(): ReadonlyMap<string, Matrix4> | undefined {
    const skeleton = this.#skeleton;
    if (skeleton === undefined || this.#stage.typeOf(skeleton) !== 'Skeleton') return undefined;
    const joints = this.#stage.texts(skeleton, 'joints');
    const binds = this.#stage.numbers(skeleton, 'bindTransforms', 0) ?? [];
    const world = worldOf(this.#stage, skeleton, this.#time);
    const names = this.#stage.jointNames();
    const posed = new Map<string, Matrix4>();
    const out = new Map<string, Matrix4>();
    for (const [j, joint] of joints.entries()) {
      const parent = posed.get(joint.slice(0, joint.lastIndexOf('/')));
      const local = this.#local(joint, j);
      const leaf = joint.split('/').at(-1) ?? '';
      const turn = this.#turns.get(names.get(leaf) ?? leaf);
      if (turn) local.multiply(new Matrix4().makeRotationFromQuaternion(new Quaternion(...turn)));
      const own = parent ? new Matrix4().multiplyMatrices(parent, local) : local;
      posed.set(joint, own);
      const bind = toMatrix(binds.slice(16 * j, 16 * j + 16));
      out.set(joint, new Matrix4().multiplyMatrices(world, own).multiply(bind.invert()));
    }
    return out;
  }

  #local(joint: string, j: number): Matrix4 {
    const animation = this.#animation;
    const n = animation === undefined ? -1 : this.#stage.texts(animation, 'joints').indexOf(joint);
    const rests = this.#stage.numbers(this.#skeleton ?? '', 'restTransforms', 0) ?? [];
    const rest = () => toMatrix(rests.slice(16 * j, 16 * j + 16));
    if (animation === undefined || n < 0) return rest();
    const part = (name: string, width: number) => {
      const all = this.#stage.numbers(animation, name, this.#time);
      return all?.slice(width * n, width * (n + 1));
    };
    const [t, r, s] = [part('translations', 3), part('rotations', 4), part('scales', 3)];
    if (!t || !r || !s) return rest();
    return new Matrix4().compose(new Vector3(...t), new Quaternion(...r), new Vector3(...s));
  }

  /** Weights of blend shapes by name. */
  weights(): ReadonlyMap<string, number> {
    const animation = this.#animation;
    if (animation === undefined) return new Map();
    const values = this.#stage.numbers(animation, 'blendShapeWeights', this.#time) ?? [];
    return new Map(this.#stage.texts(animation, 'blendShapes').map((name, n) => [name, values[n] ?? 0]));
  }
}

function posePoints(stage: UsdStage, prim: string, time: number, pose: SkeletonPose): Vector3[] {
  const flat = stage.numbers(prim, 'points', time) ?? [];
  const points = Array.from(
    { length: flat.length / 3 },
    (_, i) => new Vector3(flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]),
  );
  const weights = pose.weights();
  const targets = stage.targets(prim, 'skel:blendShapeTargets');
  stage.texts(prim, 'skel:blendShapes').forEach((name, n) => {
    const weight = weights.get(name) ?? 0;
    if (weight === 0 || !targets[n]) return;
    const offsets = stage.numbers(targets[n], 'offsets', 0) ?? [];
    const indices = stage.numbers(targets[n], 'pointIndices', 0) ?? points.map((_, i) => i);
    indices.forEach((i, k) => {
      points[i].addScaledVector(new Vector3(offsets[3 * k], offsets[3 * k + 1], offsets[3 * k + 2]), weight);
    });
  });
  const joints = stage.has(prim, 'primvars:skel:jointIndices') ? pose.matrices() : undefined;
  if (!joints) {
    const world = worldOf(stage, prim, time);
    return points.map((point) => point.applyMatrix4(world));
  }
  return skinPoints(stage, prim, points, joints);
}

function skinPoints(
  stage: UsdStage,
  prim: string,
  points: readonly Vector3[],
  joints: ReadonlyMap<string, Matrix4>,
): Vector3[] {
  const indices = stage.numbers(prim, 'primvars:skel:jointIndices', 0) ?? [];
  const weights = stage.numbers(prim, 'primvars:skel:jointWeights', 0) ?? [];
  const width = stage.elementSize(prim, 'primvars:skel:jointIndices') ?? indices.length / points.length;
  const isRigid = indices.length === width && points.length > 1;
  const order = stage.has(prim, 'skel:joints') ? stage.texts(prim, 'skel:joints') : [...joints.keys()];
  const bind = stage.numbers(prim, 'primvars:skel:geomBindTransform', 0);
  const geometry = bind ? toMatrix(bind) : new Matrix4();
  const moved = new Vector3();
  return points.map((point, i) => {
    point.applyMatrix4(geometry);
    const sum = new Vector3();
    for (let c = 0; c < width; c++) {
      const k = (isRigid ? 0 : width * i) + c;
      const matrix = joints.get(order[indices[k]]);
      if (matrix && weights[k]) sum.addScaledVector(moved.copy(point).applyMatrix4(matrix), weights[k]);
    }
    return sum;
  });
}
