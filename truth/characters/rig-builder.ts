// SPDX-License-Identifier: MIT
// Small characters as GLB, made in code: a tube along y on a chain of joints, and keys that say what is difficult.
import {
  type Accessor,
  type Animation,
  Document,
  type Node,
  type Primitive,
  type TypedArray,
  WebIO,
} from '@gltf-transform/core';
import { KHRLightsPunctual } from '@gltf-transform/extensions';

export type Vector = readonly [number, number, number];
export type Rotation = readonly [number, number, number, number];

export interface TubeShape {
  height: number;
  radius: number;
  rings: number;
  segments: number;
  /** Place of the bottom. */
  foot: Vector;
}

export const TUBE: TubeShape = { height: 2, radius: 0.2, rings: 17, segments: 8, foot: [0, 0, 0] };

export interface Surface {
  positions: Float32Array;
  normals: Float32Array;
  uvs: Float32Array;
  indices: Uint16Array;
}

/** A tube with a cap at either end. The seam of its UVs has two vertices at one place. */
export function makeTube({ height, radius, rings, segments, foot }: TubeShape = TUBE): Surface {
  const positions: number[] = [];
  const normals: number[] = [];
  const uvs: number[] = [];
  const indices: number[] = [];
  const row = segments + 1;
  for (let r = 0; r < rings; r++)
    for (let s = 0; s < row; s++) {
      const angle = (2 * Math.PI * (s % segments)) / segments;
      const v = r / (rings - 1);
      positions.push(foot[0] + radius * Math.cos(angle), foot[1] + height * v, foot[2] + radius * Math.sin(angle));
      normals.push(Math.cos(angle), 0, Math.sin(angle));
      uvs.push(s / segments, v);
    }
  for (let r = 0; r + 1 < rings; r++)
    for (let s = 0; s < segments; s++) {
      const a = r * row + s;
      indices.push(a, a + row, a + 1, a + 1, a + row, a + row + 1);
    }
  for (const end of [0, 1]) {
    const center = positions.length / 3;
    positions.push(foot[0], foot[1] + end * height, foot[2]);
    normals.push(0, 2 * end - 1, 0);
    uvs.push(0.5, end);
    const ring = end * (rings - 1) * row;
    for (let s = 0; s < segments; s++)
      indices.push(...(end ? [center, ring + s + 1, ring + s] : [center, ring + s, ring + s + 1]));
  }
  return {
    ...{ positions: Float32Array.from(positions), normals: Float32Array.from(normals) },
    ...{ uvs: Float32Array.from(uvs), indices: Uint16Array.from(indices) },
  };
}

/** Rotation by an angle in degrees about an axis. */
export function turn(axis: Vector, degrees: number): Rotation {
  const half = (degrees * Math.PI) / 360;
  const length = Math.hypot(...axis);
  const s = Math.sin(half) / length;
  return [axis[0] * s, axis[1] * s, axis[2] * s, Math.cos(half)];
}

/** The rotation b, then a. */
export function multiply(a: Rotation, b: Rotation): Rotation {
  const [x, y, z, w] = a;
  const [p, q, r, s] = b;
  return [
    w * p + x * s + y * r - z * q,
    w * q - x * r + y * s + z * p,
    w * r + x * q - y * p + z * s,
    w * s - x * p - y * q - z * r,
  ];
}

export type KeyPath = 'translation' | 'rotation' | 'scale' | 'weights';

/** A document with the accessors and channels that characters need. */
export class RigBuilder {
  readonly document = new Document();
  readonly scene = this.document.createScene('scene');
  readonly #buffer = this.document.createBuffer();

  constructor() {
    this.document.getRoot().setDefaultScene(this.scene);
  }

  accessor(type: 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4' | 'MAT4', array: TypedArray): Accessor {
    return this.document.createAccessor().setType(type).setArray(array).setBuffer(this.#buffer);
  }

  primitive({ positions, normals, uvs, indices }: Surface): Primitive {
    return this.document
      .createPrimitive()
      .setAttribute('POSITION', this.accessor('VEC3', positions))
      .setAttribute('NORMAL', this.accessor('VEC3', normals))
      .setAttribute('TEXCOORD_0', this.accessor('VEC2', uvs))
      .setIndices(this.accessor('SCALAR', indices))
      .setMaterial(this.document.createMaterial('skin').setBaseColorFactor([0.8, 0.6, 0.5, 1]).setMetallicFactor(0));
  }

  /** A chain of joints along y, the first at the bottom of the shape. */
  chain(count: number, { height, foot }: TubeShape = TUBE, name = 'joint'): Node[] {
    const joints = Array.from({ length: count }, (_, j) =>
      this.document.createNode(`${name}-${j}`).setTranslation(j === 0 ? [...foot] : [0, height / count, 0]),
    );
    joints.slice(1).forEach((joint, j) => {
      joints[j].addChild(joint);
    });
    return joints;
  }

  /** Binds a primitive to a chain of joints that stand upright: smooth weights over `width` joints. */
  bind(primitive: Primitive, joints: readonly Node[], shape: TubeShape = TUBE, width = 1): void {
    const array = primitive.getAttribute('POSITION')?.getArray();
    if (!array) throw new Error('a primitive without positions cannot be bound');
    const rows = Array.from({ length: array.length / 3 }, (_, i) =>
      weighJoints(((array[3 * i + 1] - shape.foot[1]) / shape.height) * joints.length - 0.5, joints.length, width),
    );
    const sets = Math.ceil(Math.max(...rows.map((row) => row.length)) / 4);
    for (let set = 0; set < sets; set++) {
      const pick = (row: readonly (readonly [number, number])[], c: number) => row[4 * set + c] ?? [0, 0];
      const four = [0, 1, 2, 3];
      const indices = Uint8Array.from(rows.flatMap((row) => four.map((c) => pick(row, c)[0])));
      const weights = Float32Array.from(rows.flatMap((row) => four.map((c) => pick(row, c)[1])));
      primitive.setAttribute(`JOINTS_${set}`, this.accessor('VEC4', indices));
      primitive.setAttribute(`WEIGHTS_${set}`, this.accessor('VEC4', weights));
    }
  }

  /** A node with a skinned mesh; joints are bound where they stand without their rotations and scales. */
  skinned(name: string, primitives: readonly Primitive[], joints: readonly Node[], binds: readonly Vector[]): Node {
    const inverses = binds.flatMap(([x, y, z]) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1]);
    const skin = this.document
      .createSkin(`${name}-skin`)
      .setInverseBindMatrices(this.accessor('MAT4', Float32Array.from(inverses)));
    for (const joint of joints) skin.addJoint(joint);
    const mesh = this.document.createMesh(name);
    for (const primitive of primitives) mesh.addPrimitive(primitive);
    return this.document.createNode(name).setMesh(mesh).setSkin(skin);
  }

  /** Adds keys to an animation. */
  keys(
    animation: Animation,
    target: Node,
    path: KeyPath,
    times: readonly number[],
    values: readonly (readonly number[])[],
    interpolation: 'LINEAR' | 'STEP' | 'CUBICSPLINE' = 'LINEAR',
  ): void {
    const type = path === 'rotation' ? 'VEC4' : path === 'weights' ? 'SCALAR' : 'VEC3';
    const sampler = this.document
      .createAnimationSampler()
      .setInput(this.accessor('SCALAR', Float32Array.from(times)))
      .setOutput(this.accessor(type, Float32Array.from(values.flat())))
      .setInterpolation(interpolation);
    const channel = this.document
      .createAnimationChannel()
      .setTargetNode(target)
      .setTargetPath(path)
      .setSampler(sampler);
    animation.addSampler(sampler).addChannel(channel);
  }

  write(): Promise<Uint8Array> {
    return new WebIO().registerExtensions([KHRLightsPunctual]).writeBinary(this.document);
  }
}

/** Weights of the joints nearest to a place along a chain. */
function weighJoints(at: number, count: number, width: number): (readonly [number, number])[] {
  const row: [number, number][] = [];
  for (let j = 0; j < count; j++) {
    const weight = Math.max(0, 1 - Math.abs(j - Math.min(Math.max(at, 0), count - 1)) / width) ** 2;
    if (weight > 0) row.push([j, weight]);
  }
  const sum = row.reduce((total, [, weight]) => total + weight, 0);
  return row.map(([j, weight]) => [j, weight / sum]);
}

/** Places of a chain of joints as it is bound. */
export function chainBinds(count: number, { height, foot }: TubeShape = TUBE): Vector[] {
  return Array.from({ length: count }, (_, j) => [foot[0], foot[1] + (height / count) * j, foot[2]]);
}
