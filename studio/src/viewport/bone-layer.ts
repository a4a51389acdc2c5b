// SPDX-License-Identifier: MIT
// Bones on top of the shape: octahedra between joints, as in modelling programs, and cubes for virtual bones, as in the paper.
import {
  BoxGeometry,
  type BufferGeometry,
  Color,
  Group,
  InstancedMesh,
  Matrix4,
  MeshBasicMaterial,
  MeshLambertMaterial,
  OctahedronGeometry,
  Quaternion,
  type Raycaster,
  SphereGeometry,
  Vector3,
} from 'three';
import { labelColors } from '../../../src/entry/draw.ts';
import type { RigView, VirtualView } from '../messages/views.ts';

/** Relative to the box diagonal. */
const JOINT_SIZE = 0.009;
const CUBE_SIZE = 0.011;
const UP = new Vector3(0, 1, 0);

/** A bone from the origin to (0, 1, 0), thickest near its head. */
function makeBoneGeometry(): BufferGeometry {
  const geometry = new OctahedronGeometry(1);
  geometry.scale(0.1, 0.5, 0.1).translate(0, 0.5, 0);
  const position = geometry.getAttribute('position');
  for (let v = 0; v < position.count; v++) if (Math.abs(position.getY(v) - 0.5) < 0.01) position.setY(v, 0.18);
  geometry.computeVertexNormals();
  return geometry;
}

function onTop<T extends InstancedMesh>(mesh: T, order: number): T {
  mesh.renderOrder = order;
  mesh.frustumCulled = false;
  // nothing is drawn until the places of a frame are known
  mesh.count = 0;
  return mesh;
}

export class BoneLayer {
  readonly group = new Group();
  readonly rig: RigView;
  readonly #joints: InstancedMesh;
  readonly #links: InstancedMesh;
  /** First and last bone of each link. */
  readonly #ends: [number, number][];
  readonly #size: number;
  /** boneCount x 3, joint positions */
  readonly heads: Float64Array;
  #selected = -1;
  readonly #colors: Color[];

  constructor(rig: RigView, diagonal: number) {
    this.rig = rig;
    const count = rig.names.length;
    this.heads = new Float64Array(3 * count);
    this.#size = JOINT_SIZE * (diagonal || 1);
    this.#ends = [];
    for (let j = 0; j < count; j++) if (rig.parents[j] >= 0) this.#ends.push([rig.parents[j], j]);
    const material = () =>
      new MeshLambertMaterial({ depthTest: false, transparent: true, opacity: 0.9, emissive: 0x333333 });
    this.#joints = onTop(new InstancedMesh(new SphereGeometry(1, 12, 8), material(), count), 12);
    this.#links = onTop(new InstancedMesh(makeBoneGeometry(), material(), this.#ends.length), 11);
    const flat = labelColors(Uint32Array.from({ length: count }, (_, j) => j));
    this.#colors = Array.from({ length: count }, (_, j) =>
      new Color().setRGB(flat[3 * j], flat[3 * j + 1], flat[3 * j + 2], 'srgb'),
    );
    this.group.add(this.#links, this.#joints);
    this.#paint();
  }

  /** @param bones boneCount x 16, rest to posed */
  update(bones: Float64Array): void {
    const count = this.rig.names.length;
    if (bones.length !== 16 * count) return;
    const bind = new Matrix4();
    const world = new Matrix4();
    for (let j = 0; j < count; j++) {
      world.fromArray(bones, 16 * j).multiply(bind.fromArray(this.rig.binds, 16 * j));
      this.heads.set(world.elements.slice(12, 15), 3 * j);
      const size = this.#size * (j === this.#selected ? 1.7 : 1);
      bind.makeScale(size, size, size).setPosition(world.elements[12], world.elements[13], world.elements[14]);
      this.#joints.setMatrixAt(j, bind);
    }
    const [head, tail, turn, scale] = [new Vector3(), new Vector3(), new Quaternion(), new Vector3()];
    this.#ends.forEach(([from, to], n) => {
      head.fromArray(this.heads, 3 * from);
      tail.fromArray(this.heads, 3 * to).sub(head);
      const length = tail.length();
      turn.setFromUnitVectors(UP, length > 0 ? tail.divideScalar(length) : UP);
      world.compose(head, turn, scale.set(length, length, length));
      this.#links.setMatrixAt(n, world);
    });
    this.#joints.count = count;
    this.#links.count = this.#ends.length;
    this.#joints.instanceMatrix.needsUpdate = true;
    this.#links.instanceMatrix.needsUpdate = true;
    this.#joints.boundingSphere = null;
    this.#links.boundingSphere = null;
  }

  select(bone: number): void {
    this.#selected = bone;
    this.#paint();
  }

  #paint(): void {
    const white = new Color(0xffffff);
    this.#colors.forEach((color, j) => {
      this.#joints.setColorAt(j, j === this.#selected ? white : color);
    });
    this.#ends.forEach(([from], n) => {
      this.#links.setColorAt(n, from === this.#selected ? white : this.#colors[from]);
    });
    for (const mesh of [this.#joints, this.#links]) if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  /** The bone whose joint or link a ray hits; -1 for none. */
  pick(raycaster: Raycaster): number {
    const [joint] = raycaster.intersectObject(this.#joints, false);
    if (joint?.instanceId !== undefined) return joint.instanceId;
    const [link] = raycaster.intersectObject(this.#links, false);
    return link?.instanceId === undefined ? -1 : this.#ends[link.instanceId][0];
  }

  dispose(): void {
    for (const mesh of [this.#joints, this.#links]) {
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.group.removeFromParent();
  }
}

export class VirtualLayer {
  readonly mesh: InstancedMesh;
  readonly view: VirtualView;
  readonly #size: number;

  constructor(view: VirtualView, diagonal: number) {
    this.view = view;
    this.#size = CUBE_SIZE * (diagonal || 1);
    const count = view.centers.length / 3;
    const material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.85 });
    this.mesh = onTop(new InstancedMesh(new BoxGeometry(1, 1, 1), material, count), 10);
    const flat = labelColors(Uint32Array.from({ length: count }, (_, j) => j));
    for (let j = 0; j < count; j++)
      this.mesh.setColorAt(j, new Color().setRGB(flat[3 * j], flat[3 * j + 1], flat[3 * j + 2], 'srgb'));
  }

  /** @param transforms count x 12: rotation, column-major, and posed center */
  update(transforms: Float64Array): void {
    const count = this.view.centers.length / 3;
    if (transforms.length < 12 * count) return;
    const s = this.#size;
    const matrix = new Matrix4();
    for (let k = 0; k < count; k++) {
      const t = transforms.subarray(12 * k, 12 * k + 12);
      matrix.set(
        t[0] * s,
        t[3] * s,
        t[6] * s,
        t[9],
        t[1] * s,
        t[4] * s,
        t[7] * s,
        t[10],
        t[2] * s,
        t[5] * s,
        t[8] * s,
        t[11],
        0,
        0,
        0,
        1,
      );
      this.mesh.setMatrixAt(k, matrix);
    }
    this.mesh.count = count;
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.dispose();
    this.mesh.removeFromParent();
  }
}
