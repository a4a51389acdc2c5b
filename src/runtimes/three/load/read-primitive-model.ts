// SPDX-License-Identifier: MIT
import { type BufferGeometry, Matrix3, Matrix4, Vector3 } from 'three';
import type { SkinCorrection } from '../../../core/model/deformed/skin-correction.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeLooseSkeleton } from '../../../core/model/skin/skeleton.ts';
import { makeSkin, type Skin } from '../../../core/model/skin/skin.ts';
import { CORRECTION_EXTENSION, CORRECTION_FIELDS, decodeSkinCorrection } from '../../../deformers/corrections/index.ts';
import { DDM_EXTENSION, DDM_FIELDS, decodeDirectDeltaMush } from '../../../deformers/direct-delta-mush/index.ts';
import type { PrimitiveExtension } from '../../../deformers/layout/index.ts';
import { LIGHT_EXTENSION } from '../../../deformers/light/index.ts';
import {
  decodeVirtualBones,
  decodeVirtualSkin,
  TWO_LAYER_EXTENSION,
  TWO_LAYER_FIELDS,
} from '../../../deformers/two-layer/index.ts';
import type { PrimitiveModel } from '../deformed-shape.ts';
import { readAttribute } from './read-attribute.ts';

/** A skinned primitive of a file, and functions to load its data. */
export interface SkinnedPrimitive {
  /** The primitive in the JSON. */
  def: { attributes: Record<string, number>; extensions?: Record<string, unknown> | null };
  geometry: BufferGeometry;
  boneNames: string[];
  /** Sets of joints and weights in the file: vertexCount x 4 each */
  influences: { joints: Float32Array; weights: Float32Array }[];
  /** Loads the data of an extension. */
  loadExtension: (name: string, fields: readonly string[]) => Promise<PrimitiveExtension>;
  animationNames: string[];
}

/** Whether a primitive needs more than a plain player: an Ossify extension, or more than four influences. */
export function isMoreThanPlain({ attributes, extensions }: SkinnedPrimitive['def']): boolean {
  const names = [DDM_EXTENSION, TWO_LAYER_EXTENSION, CORRECTION_EXTENSION, LIGHT_EXTENSION];
  return attributes.JOINTS_1 !== undefined || names.some((name) => extensions?.[name] !== undefined);
}

/**
 * Reads the model of a primitive: multi-weights, two layers, or plain weights, with a correction if the file has one. Unknown versions and kinds are
 * ignored, with a warning. Throws a FormatError if the data is invalid.
 */
export async function readPrimitiveModel(
  primitive: SkinnedPrimitive,
  note: (message: string) => void,
): Promise<PrimitiveModel> {
  const { boneNames, animationNames } = primitive;
  const skeleton = makeLooseSkeleton(boneNames.length, boneNames);
  const decode = async <T>(
    name: string,
    fields: readonly string[],
    decoder: (source: PrimitiveExtension) => T,
  ): Promise<T | undefined> => {
    if (primitive.def.extensions?.[name] === undefined) return undefined;
    try {
      return decoder(await primitive.loadExtension(name, fields));
    } catch (error) {
      if (!(error instanceof FormatError && error.code === 'version')) throw error;
      note(error.fault);
      return undefined;
    }
  };

  const ddm = await decode(DDM_EXTENSION, DDM_FIELDS, decodeDirectDeltaMush);
  if (ddm) {
    const bindMatrix = new Matrix4().fromArray(ddm.bindMatrix);
    const mesh = makePrimitiveMesh(primitive, bindMatrix);
    const { variant, settings, multiWeights } = ddm;
    return { model: { kind: 'direct-delta-mush', mesh, skeleton, multiWeights, variant, settings }, bindMatrix };
  }
  const layers = await decode(TWO_LAYER_EXTENSION, TWO_LAYER_FIELDS, (source) => {
    const layer = decodeVirtualBones(source);
    return { layer, skin: decodeVirtualSkin(source, layer.rows.rowStart.length - 1) };
  });
  if (layers?.layer.kind === 'two-layer') {
    const { rows: virtualBones, centers, bindMatrix: bind } = layers.layer;
    const bindMatrix = new Matrix4().fromArray(bind);
    const mesh = makePrimitiveMesh(primitive, bindMatrix);
    return { model: { kind: 'two-layer', mesh, skeleton, virtualBones, centers, skin: layers.skin }, bindMatrix };
  }
  const bindMatrix = new Matrix4();
  const mesh = makePrimitiveMesh(primitive, bindMatrix);
  if (layers?.layer.kind === 'linear-two-layer') {
    const { rows: virtualBones } = layers.layer;
    return { model: { kind: 'linear-two-layer', mesh, skeleton, virtualBones, skin: layers.skin }, bindMatrix };
  }
  const plain = { mesh, skeleton, skin: makePlainSkin(primitive) };
  const correction = await decode(CORRECTION_EXTENSION, CORRECTION_FIELDS, (source) =>
    decodeSkinCorrection(source, animationNames),
  );
  if (!correction) return { model: { kind: 'skin', ...plain }, bindMatrix };
  const fitting = mesh.normals ? correction : dropNormals(correction);
  return { model: { kind: 'corrected-skin', ...plain, correction: fitting }, bindMatrix };
}

/** A correction for a mesh without normals. */
function dropNormals({ rank, basis, tracks }: SkinCorrection): SkinCorrection {
  const normalValues = new Float32Array(0);
  return { rank, basis, normalRank: 0, tracks: tracks.map((track) => ({ ...track, normalValues })) };
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
  return { ...makeMesh(positions ?? new Float32Array(0), new Uint32Array(0), geometry.name), normals };
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
        throw new FormatError(
          'gltf',
          'index',
          `vertex ${i} names joint ${bones[i * width + c]}, but the skin has ${boneNames.length}`,
        );
    }
  }
  return makeSkin(bones, weights, width);
}
