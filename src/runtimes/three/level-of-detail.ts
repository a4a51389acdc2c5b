// SPDX-License-Identifier: MIT
import { type Camera, LOD, type Object3D, type SkinnedMesh, Vector3 } from 'three';

/** How much larger than its threshold an object must be on the screen before it gets the finer level again. */
const HYSTERESIS = 1.1;

const center = new Vector3();
const point = new Vector3();
const scale = new Vector3();

/**
 * Levels of a skinned mesh that share its skeleton; renderers draw one of them, by its size on the screen. ossifyPlugin makes them from MSFT_lod.
 * @example
 * ```ts
 * import { LevelOfDetail } from 'ossify/three';
 *
 * gltf.scene.traverse((object) => {
 *   if (object instanceof LevelOfDetail) console.log(object.coverage, object.getCurrentLevel());
 * });
 * ```
 */
export class LevelOfDetail extends LOD {
  /** Per level: the least part of the screen's height at which it is drawn. The last one is drawn at any size. */
  coverage: readonly number[];
  #current = 0;

  /**
   * @param objects the levels, the full mesh first
   * @param coverage least coverage of each
   */
  constructor(objects: readonly Object3D[] = [], coverage: readonly number[] = []) {
    super();
    this.coverage = coverage;
    objects.forEach((object, n) => {
      this.addLevel(object, n);
    });
  }

  /** Copies the levels of another one. */
  override copy(source: this): this {
    super.copy(source);
    this.coverage = source.coverage;
    return this;
  }

  /** Index of the level that is drawn. */
  override getCurrentLevel(): number {
    return this.#current;
  }

  /** The part of the screen's height that it covers: a sphere of its size at rest, about its bones. */
  measureCoverage(camera: Camera): number {
    center.set(0, 0, 0);
    let [radius, boneCount] = [0, 0];
    this.levels[0]?.object.traverse((object) => {
      const { geometry, skeleton, matrixWorld } = object as SkinnedMesh;
      if (!geometry) return;
      if (!geometry.boundingSphere) geometry.computeBoundingSphere();
      if (!geometry.boundingSphere) return;
      const { radius: own, center: middle } = geometry.boundingSphere;
      const { x, y, z } = scale.setFromMatrixScale(matrixWorld);
      radius = Math.max(radius, own * Math.max(x, y, z));
      // a skinned mesh is where its bones are
      for (const bone of skeleton?.bones ?? []) center.add(point.setFromMatrixPosition(bone.matrixWorld));
      boneCount += skeleton?.bones.length ?? 0;
      if (!skeleton && boneCount === 0) point.copy(middle).applyMatrix4(matrixWorld);
    });
    if (boneCount > 0) center.divideScalar(boneCount);
    else center.copy(point);
    const { elements } = camera.projectionMatrix;
    const isPerspective = elements[15] === 0;
    if (!isPerspective) return elements[5] * radius;
    const depth = -center.applyMatrix4(camera.matrixWorldInverse).z;
    return (elements[5] * radius) / Math.max(depth, radius);
  }

  /** Draws another object as a level. */
  replace(old: Object3D, other: Object3D): void {
    for (const level of this.levels) if (level.object === old) level.object = other;
  }

  /** Chooses the level for a camera. Renderers call it before drawing. */
  override update(camera: Camera): void {
    const covered = this.measureCoverage(camera);
    const last = this.levels.length - 1;
    let level = 0;
    while (level < last && covered < this.coverage[level] * (level < this.#current ? HYSTERESIS : 1)) level++;
    this.#current = level;
    this.levels.forEach(({ object }, n) => {
      object.visible = n === level;
    });
  }
}
