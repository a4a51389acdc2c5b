// SPDX-License-Identifier: MIT
import {
  Box3,
  type Intersection,
  type Material,
  Matrix4,
  type Object3D,
  type Raycaster,
  SkinnedMesh,
  Sphere,
  Vector3,
} from 'three';
import { meanLightOf, needsNormals } from '../../core/model/deformed/skin-light.ts';
import type { DeformedShape, GpuShape } from './deformed-shape.ts';
import { HelperSkeleton } from './helper-skeleton.ts';
import { type AnyRenderer, bindAttribute } from './renderer-device.ts';
import { ShapeSkeleton } from './shape-skeleton.ts';

const inverse = new Matrix4();
const matrix = new Matrix4();
const corner = new Vector3();
const reach = new Box3();
const ball = new Sphere();

/**
 * A skinned mesh that is deformed by a compute pass, directly into the buffers that are drawn. It follows the bones of its skeleton, and is cloned, bound and
 * disposed of, like any SkinnedMesh. It is drawn in the space of the file's scene: scale and place that scene or its parents, not the mesh. ossifyPlugin
 * makes them.
 * @example
 * ```ts
 * import { DeformedMesh } from 'ossify/three';
 *
 * gltf.scene.traverse((object) => {
 *   if (object instanceof DeformedMesh) console.log(object.name, object.shape.model.kind, object.shape.boneCount);
 * });
 * ```
 */
export class DeformedMesh extends SkinnedMesh {
  /** Type check without instanceof, as in three.js. */
  readonly isDeformedMesh = true;
  /** Coefficients of a corrected skin, which clips of the file animate; empty for other models. */
  readonly corrections: number[];
  /** Coefficients of its light, which clips of the file animate; empty without light. */
  readonly lights: number[];
  /** What it shares with its clones. */
  readonly shape: DeformedShape;
  /** Number of levels from the first bone up to the object of the file's scene. */
  #frameDepth: number;
  #gpu: GpuShape | undefined;
  /** boneCount: model space to the space of each bone, at rest */
  inverseBinds: readonly Matrix4[] = [];
  /** boneCount x 16, and corrections. #version increases with every change; the others are the versions of derived data. */
  readonly #pose: { bones: Float64Array; corrections: Float32Array | undefined };
  #version = 0;
  readonly #lights: Float32Array;
  #areLightsChanged = true;
  #gpuVersion = -1;
  #cpuVersion = -1;
  #boxVersion = -1;
  #sphereVersion = -1;
  #isHeld = false;
  #positions: Float32Array | undefined;
  #normals: Float32Array | undefined;
  readonly #corners = new Float64Array(6);
  readonly #box = new Box3();
  readonly #sphere = new Sphere();

  constructor(shape: DeformedShape, material: Material | Material[], frameDepth: number) {
    super(shape.makeGeometry(), material);
    this.shape = shape;
    this.#frameDepth = frameDepth;
    this.corrections = new Array(shape.coefficientCount).fill(0);
    this.#lights = shape.light ? meanLightOf(shape.light) : new Float32Array(0);
    this.lights = Array.from(this.#lights);
    const corrections = shape.coefficientCount > 0 ? new Float32Array(shape.coefficientCount) : undefined;
    this.#pose = { bones: new Float64Array(16 * shape.boneCount), corrections };
    // Loaders, SkeletonUtils and exporters test whether it is truthy; materials add their own skinning only if it is exactly true.
    Object.assign(this, { isSkinnedMesh: 'deformed' });
    // Computed from the pose; values that SkinnedMesh or a copy assigns are ignored.
    Object.defineProperties(this, {
      boundingBox: { get: () => this.#findBox(), set: () => undefined },
      boundingSphere: { get: () => this.#findSphere(), set: () => undefined },
    });
    this.geometry.addEventListener('dispose', () => this.#release());
  }

  /** Binds it to a skeleton, as SkinnedMesh does. */
  override bind(skeleton: SkinnedMesh['skeleton'], bindMatrix?: Matrix4): void {
    super.bind(skeleton, bindMatrix);
    inverse.copy(this.shape.bindMatrix).invert();
    this.inverseBinds = skeleton.boneInverses.map((bone) =>
      new Matrix4().multiplyMatrices(bone, this.bindMatrix).multiply(inverse),
    );
  }

  /** Deforms it if its bones have moved. Renderers call this before drawing; call it before reading the buffers. */
  deform(renderer: AnyRenderer): void {
    if (renderer !== this.shape.renderer) return;
    this.#gpu ??= this.shape.acquire();
    if (!this.#gpu) return;
    const { deformer, light } = this.#gpu;
    const { position, normal, color } = this.geometry.attributes;
    bindAttribute(renderer, position as never, deformer.positions);
    if (deformer.normals) bindAttribute(renderer, normal as never, deformer.normals);
    if (light) bindAttribute(renderer, color as never, light.colors);
    this.#readPose();
    this.#readLights();
    const isMoved = this.#gpuVersion !== this.#version;
    if (!isMoved && !this.#areLightsChanged) return;
    this.#gpuVersion = this.#version;
    const { device } = this.shape;
    const encoder = device.createCommandEncoder({ label: this.name });
    const pass = encoder.beginComputePass();
    if (isMoved) {
      deformer.writePoses([this.#pose]);
      deformer.encode(pass);
    }
    const isLightMoved = isMoved && this.shape.light !== undefined && needsNormals(this.shape.light);
    if (light && (this.#areLightsChanged || isLightMoved)) {
      light.writeCoefficients(this.#lights);
      light.encode(pass);
    }
    this.#areLightsChanged = false;
    pass.end();
    // a submission of its own, before that of the frame that is being recorded
    device.queue.submit([encoder.finish()]);
  }

  /** Deforms it before it is drawn. Used by the mesh: do not replace it. */
  override onBeforeRender = (renderer: unknown): void => this.deform(renderer as AnyRenderer);

  /** Updates the world matrix: that of the file's scene, not of its own node. */
  override updateMatrixWorld(force?: boolean): void {
    // children are placed by its node, but its own matrix is that of the file's scene
    this.matrixWorldNeedsUpdate = true;
    super.updateMatrixWorld(force);
    this.#place();
  }

  /** Updates the world matrix: that of the file's scene, not of its own node. */
  override updateWorldMatrix(updateParents: boolean, updateChildren: boolean, ...more: boolean[]): void {
    this.matrixWorldNeedsUpdate = true;
    (super.updateWorldMatrix as (...flags: boolean[]) => void)(updateParents, updateChildren, ...more);
    this.#place();
  }

  /** Fills target with a deformed vertex, in the space of the file's scene. Computed on the CPU. */
  override getVertexPosition(index: number, target: Vector3): Vector3 {
    if (!this.#isHeld) this.#solve();
    return target.fromArray(this.#positions as Float32Array, 3 * index);
  }

  /** Intersects a ray with the deformed shape, computed on the CPU. */
  override raycast(raycaster: Raycaster, intersects: Intersection[]): void {
    if (!raycaster.ray.intersectsSphere(ball.copy(this.#findSphere()).applyMatrix4(this.matrixWorld))) return;
    const first = intersects.length;
    this.#solve();
    // the same pose for all vertices of this ray
    this.#isHeld = true;
    super.raycast(raycaster, intersects);
    this.#isHeld = false;
    const direction = new Vector3();
    direction.copy(raycaster.ray.direction).transformDirection(inverse.copy(this.matrixWorld).invert());
    for (const hit of intersects.slice(first)) {
      const { face, barycoord } = hit as Intersection & { barycoord?: Vector3 };
      if (!this.#normals || !face || !barycoord || !hit.normal) continue;
      hit.normal.set(0, 0, 0);
      for (const [n, vertex] of [face.a, face.b, face.c].entries())
        hit.normal.addScaledVector(corner.fromArray(this.#normals, 3 * vertex), barycoord.getComponent(n));
      hit.normal.normalize();
      if (hit.normal.dot(direction) > 0) hit.normal.negate();
    }
  }

  /** Computes the exact box of the pose, on the CPU. boundingBox does the same. */
  override computeBoundingBox(): void {
    this.#findBox();
  }

  /** Computes a tighter sphere from the vertices. It is kept until bones move. */
  override computeBoundingSphere(): void {
    this.#findBox().getBoundingSphere(this.#sphere);
    this.#sphereVersion = this.#version;
  }

  /** Copies a mesh; geometry and deformer stay its own. */
  override copy(source: SkinnedMesh, recursive?: boolean): this {
    const { geometry } = this;
    super.copy(source as this, recursive);
    this.geometry = geometry;
    if (source instanceof DeformedMesh) {
      this.#frameDepth = source.#frameDepth;
      for (const [c, value] of source.corrections.entries()) this.corrections[c] = value;
      for (const [c, value] of source.lights.entries()) this.lights[c] = value;
    }
    if (source.skeleton) this.bind(source.skeleton, source.bindMatrix);
    return this;
  }

  /** Returns a mesh with its own outputs; the model is shared. */
  override clone(recursive?: boolean): this {
    return new DeformedMesh(this.shape, this.material, this.#frameDepth).copy(this, recursive) as this;
  }

  /** Frees its GPU memory; shared memory is freed with the last mesh that uses it. It is allocated again when the mesh is drawn again. */
  override dispose(): void {
    super.dispose?.();
    this.geometry.dispose();
    this.#release();
  }

  #release(): void {
    if (this.#gpu) this.shape.release(this.#gpu);
    this.#gpu = undefined;
    this.#gpuVersion = -1;
    this.#areLightsChanged = true;
  }

  /** Returns the object of the file's scene: the deformed shape is in its space. */
  findFrame(): Object3D | undefined {
    let frame: Object3D | null | undefined = this.skeleton?.bones[0];
    for (let step = 0; step < this.#frameDepth && frame?.parent; step++) frame = frame.parent;
    return frame ?? undefined;
  }

  #place(): void {
    const frame = this.findFrame();
    if (frame) this.matrixWorld.copy(frame.matrixWorld);
  }

  /** Updates the pose from the bones. */
  #readPose(): void {
    const { bones, corrections } = this.#pose;
    let isChanged = false;
    const put = (array: Float64Array | Float32Array, o: number, value: number): void => {
      if (array[o] === value) return;
      array[o] = value;
      isChanged = true;
    };
    const { skeleton } = this;
    if (skeleton instanceof HelperSkeleton || skeleton instanceof ShapeSkeleton) skeleton.drive();
    const frame = this.findFrame();
    if (frame) inverse.copy(frame.matrixWorld).invert();
    else inverse.identity();
    for (let j = 0; j < this.shape.boneCount; j++) {
      matrix.multiplyMatrices(inverse, skeleton.bones[j].matrixWorld).multiply(this.inverseBinds[j]);
      for (let e = 0; e < 16; e++) put(bones, 16 * j + e, matrix.elements[e]);
    }
    if (corrections) for (let c = 0; c < corrections.length; c++) put(corrections, c, Math.fround(this.corrections[c]));
    if (isChanged) this.#version++;
  }

  #readLights(): void {
    for (const [c, value] of this.lights.entries()) {
      if (this.#lights[c] !== Math.fround(value)) this.#areLightsChanged = true;
      this.#lights[c] = value;
    }
  }

  /** The exact box. Vertices are deformed on the CPU if the pose has changed. */
  #findBox(): Box3 {
    this.#solve();
    if (this.#boxVersion !== this.#version) {
      this.#boxVersion = this.#version;
      this.#box.setFromArray(this.#positions as Float32Array);
    }
    return this.#box;
  }

  /** A sphere that contains the shape, computed from the bones without visiting vertices: culling needs it in every frame. */
  #findSphere(): Sphere {
    this.#readPose();
    if (this.#sphereVersion !== this.#version) {
      this.#sphereVersion = this.#version;
      this.shape.bounds.boxInto(this.#pose.bones, this.#corners);
      reach.min.fromArray(this.#corners);
      reach.max.fromArray(this.#corners, 3);
      reach.getBoundingSphere(this.#sphere);
    }
    return this.#sphere;
  }

  #solve(): void {
    this.#readPose();
    if (this.#cpuVersion === this.#version) return;
    this.#cpuVersion = this.#version;
    const { mesh } = this.shape.model;
    this.#positions ??= new Float32Array(mesh.positions.length);
    if (mesh.normals) this.#normals ??= new Float32Array(mesh.normals.length);
    this.shape.deformer.deformInto(this.#pose, this.#positions, this.#normals);
  }
}
