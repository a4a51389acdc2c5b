// SPDX-License-Identifier: MIT
// Faces of driven bones in a three.js scene (docs/formats/extensions/OSSIFY_shape_drivers.md).
import {
  type AnimationClip,
  type Bone,
  Matrix4,
  NumberKeyframeTrack,
  PropertyBinding,
  Skeleton,
  type SkinnedMesh,
} from 'three';
import { DRIVER_OUTPUTS, type DrivenShapes, type ShapeDrivers } from '../../core/model/deformed/shape-drivers.ts';
import { makeShapeDriver, type ShapeDriver } from '../../deformers/shape-drivers/index.ts';

const frame = new Matrix4();
const posed = new Matrix4();

/**
 * A skeleton whose bones follow the influences of shapes: set `mesh.morphTargetInfluences`, as for morph targets. Renderers update skeletons before drawing, and the bones with them.
 * ossifyPlugin makes them.
 */
export class ShapeSkeleton extends Skeleton {
  /** The drivers. */
  readonly drivers: ShapeDrivers;
  /** shapeCount: the influences, shared with the meshes. */
  influences: number[];
  /** A mesh that it moves: the bones are posed in its space. */
  owner: SkinnedMesh;
  readonly #driver: ShapeDriver;
  readonly #binds: Matrix4[];
  readonly #matrices: Float64Array;
  /** By bone, the joint that it follows; -1: none. Bones that drivers do not move are joints if any bone has one. */
  readonly #parents: number[];
  readonly #isDriven: boolean[];

  constructor(bones: Bone[], inverses: Matrix4[], drivers: ShapeDrivers, influences: number[], owner: SkinnedMesh) {
    super(bones, inverses);
    this.drivers = drivers;
    this.influences = influences;
    this.owner = owner;
    this.#binds = inverses.map((inverse) => inverse.clone().invert());
    const names = bones.map(({ name }) => name);
    const bindMatrices = Float64Array.from(this.#binds.flatMap((bind) => bind.elements));
    this.#driver = makeShapeDriver(drivers, { names, bindMatrices });
    this.#matrices = new Float64Array(16 * bones.length);
    this.#parents = bones.map((bone) => findParent(bone, bones));
    this.#isDriven = listDriven(drivers, bones.length);
  }

  /** Whether driven bones follow joints. */
  get hasJoints(): boolean {
    return this.#parents.some((parent) => parent >= 0);
  }

  /** The bones that follow the influences. */
  listDriven(): Bone[] {
    return this.bones.filter((_, j) => !this.hasJoints || this.#isDriven[j]);
  }

  /** Poses the bones from the influences. */
  drive(): void {
    this.#driver.driveInto(this.influences, this.#matrices);
    frame.copy(this.owner.matrixWorld);
    const { hasJoints } = this;
    for (let j = 0; j < this.bones.length; j++) {
      const parent = this.#parents[j];
      if (hasJoints && !this.#isDriven[j]) continue;
      posed.fromArray(this.#matrices, 16 * j);
      if (parent < 0) posed.premultiply(frame);
      else posed.premultiply(this.boneInverses[parent]).premultiply(this.bones[parent].matrixWorld);
      this.bones[j].matrixWorld.multiplyMatrices(posed, this.#binds[j]);
    }
  }

  /** Poses the bones, then updates the bone matrices as Skeleton does. */
  override update(): void {
    this.drive();
    super.update();
  }

  /** Returns a skeleton with the same bones and influences. */
  override clone(): this {
    return new ShapeSkeleton(this.bones, this.boneInverses, this.drivers, this.influences, this.owner) as this;
  }
}

/** The nearest bone above a bone. */
function findParent(bone: Bone, bones: readonly Bone[]): number {
  for (let at = bone.parent; at; at = at.parent) {
    const found = bones.indexOf(at as Bone);
    if (found >= 0) return found;
  }
  return -1;
}

function listDriven({ columns, form }: ShapeDrivers, boneCount: number): boolean[] {
  const isDriven = new Array<boolean>(boneCount).fill(false);
  for (const column of columns) isDriven[Math.floor(column / DRIVER_OUTPUTS[form])] = true;
  return isDriven;
}

/** Makes the influences of a mesh those of another, which it replaces: arrays are shared, so that apps and clips move both. */
export function shareInfluences(from: SkinnedMesh, to: SkinnedMesh): void {
  to.morphTargetInfluences = from.morphTargetInfluences;
  to.morphTargetDictionary = from.morphTargetDictionary;
  if (from.skeleton instanceof ShapeSkeleton && from.skeleton.owner === from) from.skeleton.owner = to;
}

/**
 * Drives a mesh by the influences of its shapes. Clips get tracks of the influences in place of the keys of its bones. Returns the skeleton that the mesh is bound to.
 * @param skeletons by skeleton of the file, the one that replaces it; changed in place
 */
export function driveMesh(
  mesh: SkinnedMesh,
  { drivers, tracks }: DrivenShapes,
  skeletons: Map<Skeleton, Skeleton>,
  clips: readonly AnimationClip[],
): ShapeSkeleton {
  const { skeleton } = mesh;
  const known = skeletons.get(skeleton);
  const driven =
    known instanceof ShapeSkeleton
      ? known
      : new ShapeSkeleton(
          ...([skeleton.bones, skeleton.boneInverses, drivers] as const),
          ...([new Array<number>(drivers.shapes.length).fill(0), mesh] as const),
        );
  skeletons.set(skeleton, driven);
  mesh.morphTargetInfluences = driven.influences;
  mesh.morphTargetDictionary = Object.fromEntries(drivers.shapes.map((name, s) => [name, s]));
  mesh.bind(driven, mesh.bindMatrix);
  if (known instanceof ShapeSkeleton) return driven;
  // a sheared bone is two nodes; the node above a bone under a joint is the joint
  const names = new Set(
    driven.listDriven().flatMap(({ name, uuid, parent }) => [name, uuid, driven.hasJoints ? '' : (parent?.name ?? '')]),
  );
  names.delete('');
  for (const [n, { times, weights }] of tracks.entries()) {
    const clip = clips[n];
    if (!clip || times.length === 0) continue;
    clip.tracks = clip.tracks.filter((track) => {
      const { nodeName, propertyName } = PropertyBinding.parseTrackName(track.name);
      return !names.has(nodeName) && propertyName !== 'morphTargetInfluences';
    });
    const name = `${mesh.name || mesh.uuid}.morphTargetInfluences`;
    clip.tracks.push(new NumberKeyframeTrack(name, [...times], [...weights]));
  }
  return driven;
}
