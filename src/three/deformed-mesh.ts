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
import type { GpuDeformer } from '../gpu/create-gpu-deformer.ts';
import type { DeformedShape } from './deformed-shape.ts';
import { HelperSkeleton } from './helper-skeleton.ts';
import { type AnyRenderer, bindAttribute } from './renderer-device.ts';

const inverse = new Matrix4();
const matrix = new Matrix4();
const corner = new Vector3();
const reach = new Box3();
const ball = new Sphere();

/**
 * A skinned mesh that a compute pass deforms, straight into the buffers it is drawn from. It moves with the bones of its skeleton, as any SkinnedMesh, and is
 * cloned, bound and disposed of like one. Its shape is made in the space of the file's scene, so that a scene may be scaled and placed at will.
 */
export class DeformedMesh extends SkinnedMesh {
  readonly isDeformedMesh = true;
  /** Coefficients of a corrected skin, which clips of the file move; empty for others. */
  readonly corrections: number[];
  readonly shape: DeformedShape;
  /** Steps from the first bone up to the object that stands for the file's scene. */
  #frameDepth: number;
  #gpu: GpuDeformer | undefined;
  /** boneCount: from the space of the model to that of each bone, at rest */
  inverseBinds: readonly Matrix4[] = [];
  /** boneCount x 16, and corrections; a number that grows with every change, and which of them GPU and CPU have seen */
  readonly #pose: { bones: Float64Array; corrections: Float32Array | undefined };
  #version = 0;
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
    const corrections = shape.coefficientCount > 0 ? new Float32Array(shape.coefficientCount) : undefined;
    this.#pose = { bones: new Float64Array(16 * shape.boneCount), corrections };
    // Loaders, SkeletonUtils and exporters ask whether it is set; materials add skinning of their own only where it is exactly true.
    Object.assign(this, { isSkinnedMesh: 'deformed' });
    // They follow the pose; what SkinnedMesh or a copy would store is not kept.
    Object.defineProperties(this, {
      boundingBox: { get: () => this.#findBox(), set: () => undefined },
      boundingSphere: { get: () => this.#findSphere(), set: () => undefined },
    });
    this.geometry.addEventListener('dispose', () => this.#release());
  }

  override bind(skeleton: SkinnedMesh['skeleton'], bindMatrix?: Matrix4): void {
    super.bind(skeleton, bindMatrix);
    inverse.copy(this.shape.bindMatrix).invert();
    this.inverseBinds = skeleton.boneInverses.map((bone) =>
      new Matrix4().multiplyMatrices(bone, this.bindMatrix).multiply(inverse),
    );
  }

  /** Deforms for the pose of its bones, where that has changed. Renderers call it before they draw; call it before reading buffers yourself. */
  deform(renderer: AnyRenderer): void {
    if (renderer !== this.shape.renderer) return;
    this.#gpu ??= this.shape.acquire();
    if (!this.#gpu) return;
    const { position, normal } = this.geometry.attributes;
    bindAttribute(renderer, position as never, this.#gpu.positions);
    if (this.#gpu.normals) bindAttribute(renderer, normal as never, this.#gpu.normals);
    this.#readPose();
    if (this.#gpuVersion === this.#version) return;
    this.#gpuVersion = this.#version;
    const { device } = this.shape;
    this.#gpu.writePoses([this.#pose]);
    const encoder = device.createCommandEncoder({ label: this.name });
    const pass = encoder.beginComputePass();
    this.#gpu.encode(pass);
    pass.end();
    // in its own submission: it comes before that of the frame which is being recorded
    device.queue.submit([encoder.finish()]);
  }

  override onBeforeRender = (renderer: unknown): void => this.deform(renderer as AnyRenderer);

  override updateMatrixWorld(force?: boolean): void {
    // children hang on its node, while its own matrix is that of the file's scene
    this.matrixWorldNeedsUpdate = true;
    super.updateMatrixWorld(force);
    this.#place();
  }

  override updateWorldMatrix(updateParents: boolean, updateChildren: boolean, ...more: boolean[]): void {
    this.matrixWorldNeedsUpdate = true;
    (super.updateWorldMatrix as (...flags: boolean[]) => void)(updateParents, updateChildren, ...more);
    this.#place();
  }

  override getVertexPosition(index: number, target: Vector3): Vector3 {
    if (!this.#isHeld) this.#solve();
    return target.fromArray(this.#positions as Float32Array, 3 * index);
  }

  override raycast(raycaster: Raycaster, intersects: Intersection[]): void {
    if (!raycaster.ray.intersectsSphere(ball.copy(this.#findSphere()).applyMatrix4(this.matrixWorld))) return;
    const first = intersects.length;
    this.#solve();
    // one pose for all vertices that it asks for
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

  override computeBoundingBox(): void {
    this.#findBox();
  }

  /** A tighter sphere, from vertices. It holds until bones move. */
  override computeBoundingSphere(): void {
    this.#findBox().getBoundingSphere(this.#sphere);
    this.#sphereVersion = this.#version;
  }

  override copy(source: SkinnedMesh, recursive?: boolean): this {
    const { geometry } = this;
    super.copy(source as this, recursive);
    this.geometry = geometry;
    if (source instanceof DeformedMesh) {
      this.#frameDepth = source.#frameDepth;
      for (const [c, value] of source.corrections.entries()) this.corrections[c] = value;
    }
    if (source.skeleton) this.bind(source.skeleton, source.bindMatrix);
    return this;
  }

  override clone(recursive?: boolean): this {
    return new DeformedMesh(this.shape, this.material, this.#frameDepth).copy(this, recursive) as this;
  }

  /** Frees what it has on the GPU; what it shares with others goes with the last of them. It comes back when drawn again. */
  override dispose(): void {
    super.dispose?.();
    this.geometry.dispose();
    this.#release();
  }

  #release(): void {
    if (this.#gpu) this.shape.release(this.#gpu);
    this.#gpu = undefined;
    this.#gpuVersion = -1;
  }

  /** The object that stands for the file's scene: the deformed shape is in its space. */
  findFrame(): Object3D | undefined {
    let frame: Object3D | null | undefined = this.skeleton?.bones[0];
    for (let step = 0; step < this.#frameDepth && frame?.parent; step++) frame = frame.parent;
    return frame ?? undefined;
  }

  #place(): void {
    const frame = this.findFrame();
    if (frame) this.matrixWorld.copy(frame.matrixWorld);
  }

  /** Brings the pose up to date with the bones. */
  #readPose(): void {
    const { bones, corrections } = this.#pose;
    let isChanged = false;
    const put = (array: Float64Array | Float32Array, o: number, value: number): void => {
      if (array[o] === value) return;
      array[o] = value;
      isChanged = true;
    };
    const { skeleton } = this;
    if (skeleton instanceof HelperSkeleton) skeleton.drive();
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

  /** The exact box: vertices are deformed on the CPU, where the pose has changed since. */
  #findBox(): Box3 {
    this.#solve();
    if (this.#boxVersion !== this.#version) {
      this.#boxVersion = this.#version;
      this.#box.setFromArray(this.#positions as Float32Array);
    }
    return this.#box;
  }

  /** A sphere around what bones can reach, without a look at vertices: culling asks for it in every frame. */
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
