// SPDX-License-Identifier: MIT
import { type BufferAttribute, type BufferGeometry, Matrix3, Matrix4, Vector3 } from 'three';
import { DDM_EXTENSION, DDM_EXTENSION_VERSION, unpackDdm } from '../extension/direct-delta-mush.ts';
import { CORRECTION_EXTENSION, CORRECTION_EXTENSION_VERSION } from '../extension/skin-correction.ts';
import {
  LINEAR_TWO_LAYER_KIND,
  TWO_LAYER_EXTENSION,
  TWO_LAYER_EXTENSION_VERSION,
  TWO_LAYER_KIND,
  unpackVirtualLayer,
  unpackVirtualSkin,
} from '../extension/two-layer.ts';
import type { DdmVariant, MultiWeights } from '../model/direct-delta-mush.ts';
import { type Mesh, makeMesh } from '../model/mesh.ts';
import { makeLooseSkeleton } from '../model/skeleton.ts';
import { makeSkin, type Skin } from '../model/skin.ts';
import type { LinearTwoLayer } from '../model/two-layer.ts';
import type { PrimitiveModel } from './deformed-shape.ts';
import { readAttribute } from './read-attribute.ts';
import { readCorrection } from './read-correction.ts';

/** A skinned primitive of a file, and how to read it. */
export interface SkinnedPrimitive {
  /** As the JSON has it. */
  def: { attributes: Record<string, number>; extensions?: Record<string, Record<string, unknown>> };
  geometry: BufferGeometry;
  boneNames: string[];
  /** Sets of joints and weights as the file has them: vertexCount x 4 each */
  influences: { joints: Float32Array; weights: Float32Array }[];
  readAccessor: (index: number) => Promise<BufferAttribute>;
  animationNames: string[];
}

const NO_SETTINGS = { iterations: 0, lambda: 0, kappa: 0, alpha: 0 };

/** Whether a primitive is more than what any player shows: an extension of this project, or more than four influences. */
export function isMoreThanPlain({ attributes, extensions }: SkinnedPrimitive['def']): boolean {
  const names = [DDM_EXTENSION, TWO_LAYER_EXTENSION, CORRECTION_EXTENSION];
  return attributes.JOINTS_1 !== undefined || names.some((name) => extensions?.[name] !== undefined);
}

/**
 * Reads how a primitive deforms: by multi-weights, by two layers, or by its plain weights, corrected where the file says so. Versions and kinds of the
 * future are left alone, with a note. Throws, in one sentence, on what cannot be meant.
 */
export async function readPrimitiveModel(
  primitive: SkinnedPrimitive,
  note: (message: string) => void,
): Promise<PrimitiveModel> {
  const { extensions = {} } = primitive.def;
  const has = (name: string, version: number): boolean => {
    if (extensions[name] === undefined) return false;
    if (extensions[name].version === version) return true;
    note(`${name} of version ${extensions[name].version} is not read; the plain skin is used`);
    return false;
  };
  if (has(DDM_EXTENSION, DDM_EXTENSION_VERSION)) return readDdm(primitive, extensions[DDM_EXTENSION]);
  if (has(TWO_LAYER_EXTENSION, TWO_LAYER_EXTENSION_VERSION)) {
    const { kind } = extensions[TWO_LAYER_EXTENSION];
    if (kind === TWO_LAYER_KIND) return readTwoLayer(primitive, extensions[TWO_LAYER_EXTENSION]);
    if (kind === LINEAR_TWO_LAYER_KIND) return readLinearTwoLayer(primitive, extensions[TWO_LAYER_EXTENSION]);
    note(`${TWO_LAYER_EXTENSION} of kind "${kind}" is not read; the plain skin is used`);
  }
  const mesh = makePrimitiveMesh(primitive, new Matrix4());
  const skin = makePlainSkin(primitive);
  const plain = { mesh, skeleton: makeLooseSkeleton(primitive.boneNames.length, primitive.boneNames), skin };
  if (!has(CORRECTION_EXTENSION, CORRECTION_EXTENSION_VERSION))
    return { model: { kind: 'skin', ...plain }, bindMatrix: new Matrix4() };
  const correction = await readCorrection(extensions[CORRECTION_EXTENSION], primitive, mesh);
  return { model: { kind: 'corrected-skin', ...plain, correction }, bindMatrix: new Matrix4() };
}

type Fields = Record<string, unknown>;

async function readDdm(primitive: SkinnedPrimitive, def: Fields): Promise<PrimitiveModel> {
  const names = { starts: 'starts', counts: 'counts', centers: 'centers', scales: 'scales' };
  const packed = await readRows(primitive, def, names);
  const rows = new Rows();
  unpackDdm(
    packed,
    checkJoints(primitive),
    (bone, omega) => rows.put(bone, ...omega),
    () => rows.end(),
  );
  const bindMatrix = bindMatrixOf(def);
  const mesh = makePrimitiveMesh(primitive, bindMatrix);
  const variant = def.variant as DdmVariant;
  const skeleton = makeLooseSkeleton(primitive.boneNames.length, primitive.boneNames);
  const multiWeights = rows.toMultiWeights();
  const settings = NO_SETTINGS;
  return { model: { kind: 'direct-delta-mush', mesh, skeleton, multiWeights, variant, settings }, bindMatrix };
}

async function readTwoLayer(primitive: SkinnedPrimitive, def: Fields): Promise<PrimitiveModel> {
  const names = { starts: 'boneStarts', counts: 'boneCounts', centers: 'boneCenters', scales: 'boneScales' };
  const packed = await readRows(primitive, def, names);
  const rows = new Rows();
  const centers: number[] = [];
  unpackVirtualLayer(
    packed,
    checkJoints(primitive),
    (bone, omega) => rows.put(bone, ...omega),
    (center) => {
      centers.push(...center);
      rows.end();
    },
  );
  const bindMatrix = bindMatrixOf(def);
  const mesh = makePrimitiveMesh(primitive, bindMatrix);
  const skin = await readVirtualSkin(primitive, def, packed.starts.length);
  const layers = { virtualBones: rows.toMultiWeights(), centers: Float64Array.from(centers), skin };
  return {
    model: {
      kind: 'two-layer',
      mesh,
      skeleton: makeLooseSkeleton(primitive.boneNames.length, primitive.boneNames),
      ...layers,
    },
    bindMatrix,
  };
}

async function readLinearTwoLayer(primitive: SkinnedPrimitive, def: Fields): Promise<PrimitiveModel> {
  const [starts, counts, bones, weights] = await Promise.all(
    ['boneStarts', 'boneCounts', 'joints', 'boneWeights'].map((name) => readField(primitive, def, name)),
  );
  const masters = new Rows();
  unpackVirtualSkin(
    { starts, counts, bones, weights },
    primitive.boneNames.length,
    (bone, weight) => masters.put(bone, weight),
    () => masters.end(),
  );
  const mesh = makePrimitiveMesh(primitive, new Matrix4());
  const skin = await readVirtualSkin(primitive, def, starts.length);
  const model: LinearTwoLayer = {
    kind: 'linear-two-layer',
    mesh,
    skeleton: makeLooseSkeleton(primitive.boneNames.length, primitive.boneNames),
    virtualBones: masters.toSkin(),
    skin,
  };
  return { model, bindMatrix: new Matrix4() };
}

async function readVirtualSkin(primitive: SkinnedPrimitive, def: Fields, boneCount: number): Promise<Skin> {
  const [starts, counts, bones, weights] = await Promise.all(
    ['starts', 'counts', 'bones', 'weights'].map((name) => readField(primitive, def, name)),
  );
  const rows = new Rows();
  unpackVirtualSkin(
    { starts, counts, bones, weights },
    boneCount,
    (bone, weight) => rows.put(bone, weight),
    () => rows.end(),
  );
  return rows.toSkin();
}

/** Rows of multi-weights, by the names that the extension has for them. */
async function readRows(primitive: SkinnedPrimitive, def: Fields, names: Record<string, string>) {
  const read = (name: string) => readField(primitive, def, name);
  const readIfThere = async (name: string) => (def[name] === undefined ? undefined : read(name));
  const [starts, counts, centers, joints, columns, scales, squares] = await Promise.all([
    ...[names.starts, names.counts, names.centers, 'joints', 'columns'].map(read),
    ...[names.scales, 'squares'].map(readIfThere),
  ]);
  return {
    ...{ starts: starts!, counts: counts!, centers: centers!, joints: joints!, columns: columns! },
    ...{ scales, squares },
  };
}

/** The accessor that a field of an extension names. */
export async function readField(
  { readAccessor }: Pick<SkinnedPrimitive, 'readAccessor'>,
  def: Fields,
  name: string,
): Promise<Float32Array<ArrayBuffer>> {
  const index = def[name];
  if (!Number.isInteger(index)) throw new Error(`${name} is not the index of an accessor`);
  return readAttribute(await readAccessor(index as number));
}

function checkJoints({ boneNames }: SkinnedPrimitive): (joint: number) => number {
  return (joint) => {
    if (joint >= boneNames.length) throw new Error(`joint ${joint} is named, and the skin has ${boneNames.length}`);
    return joint;
  };
}

function bindMatrixOf({ bindMatrix }: Fields): Matrix4 {
  if (bindMatrix === undefined) return new Matrix4();
  if (!Array.isArray(bindMatrix) || bindMatrix.length !== 16 || !bindMatrix.every(Number.isFinite))
    throw new Error('bindMatrix must be 16 finite numbers');
  const matrix = new Matrix4().fromArray(bindMatrix);
  if (matrix.determinant() === 0) throw new Error('bindMatrix has no inverse');
  return matrix;
}

/** Rest shape in the space of the model. */
function makePrimitiveMesh({ geometry }: SkinnedPrimitive, bindMatrix: Matrix4): Mesh {
  const move = (name: string, turn: (vector: Vector3) => void): Float32Array<ArrayBuffer> | undefined => {
    const attribute = geometry.getAttribute(name);
    if (!attribute) return undefined;
    const values = readAttribute(attribute);
    const vector = new Vector3();
    for (let o = 0; o < values.length; o += 3) {
      turn(vector.fromArray(values, o));
      vector.toArray(values, o);
    }
    return values;
  };
  const normalMatrix = new Matrix3().getNormalMatrix(bindMatrix);
  const positions = move('position', (vector) => vector.applyMatrix4(bindMatrix));
  const normals = move('normal', (vector) => vector.applyMatrix3(normalMatrix).normalize());
  return { ...makeMesh(positions!, new Uint32Array(0), geometry.name), normals };
}

function makePlainSkin({ influences, boneNames }: SkinnedPrimitive): Skin {
  const width = 4 * influences.length;
  const vertexCount = influences[0].weights.length / 4;
  const bones = new Uint32Array(vertexCount * width);
  const weights = new Float32Array(vertexCount * width);
  for (let i = 0; i < vertexCount; i++) {
    for (let c = 0; c < width; c++) {
      const { joints, weights: own } = influences[c >> 2];
      bones[i * width + c] = joints[4 * i + (c & 3)];
      weights[i * width + c] = own[4 * i + (c & 3)];
      if (weights[i * width + c] > 0 && bones[i * width + c] >= boneNames.length)
        throw new Error(`vertex ${i} names joint ${bones[i * width + c]}, and the skin has ${boneNames.length}`);
    }
  }
  return makeSkin(bones, weights, width);
}

/** Only the number of its bones is read: where they are comes from the scene. */
/** Rows as they are gathered: a bone and some numbers per entry. */
class Rows {
  readonly #starts = [0];
  readonly #bones: number[] = [];
  readonly #values: number[] = [];

  put(bone: number, ...values: number[]): void {
    this.#bones.push(bone);
    this.#values.push(...values);
  }

  end(): void {
    this.#starts.push(this.#bones.length);
  }

  toSkin(): Skin {
    const [rowStart, boneIndices] = [Uint32Array.from(this.#starts), Uint32Array.from(this.#bones)];
    return { rowStart, boneIndices, weights: Float32Array.from(this.#values) };
  }

  toMultiWeights(): MultiWeights {
    const [rowStart, boneIndices] = [Uint32Array.from(this.#starts), Uint32Array.from(this.#bones)];
    return { rowStart, boneIndices, omegas: Float64Array.from(this.#values) };
  }
}
