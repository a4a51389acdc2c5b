// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import { DDM_EXTENSION, DDM_EXTENSION_VERSION, unpackDdm } from '../extension/direct-delta-mush.ts';
import { IDENTITY, invertAffine, multiply } from '../math/mat4.ts';
import type { AssetRig } from '../model/asset.ts';
import type { DdmSettings, DdmVariant, DirectDeltaMush } from '../model/direct-delta-mush.ts';
import type { Mesh } from '../model/mesh.ts';
import { checkDecodedBytes } from './check-gltf.ts';
import { fail, indexField, integerField, type JsonObject, numbersField, objectField } from './gltf-fields.ts';
import type { GltfPiece } from './list-gltf-pieces.ts';
import type { GltfAccessors } from './make-gltf-accessors.ts';
import { labelOf } from './read-gltf-geometry.ts';

/** The extension of one piece, checked but for the values inside its buffers. */
export interface GltfDdmPiece {
  piece: number;
  where: string;
  variant: DdmVariant;
  settings: DdmSettings;
  bindMatrix: Float64Array;
  /** Accessor indices. */
  accessors: Record<'starts' | 'counts' | 'centers' | 'joints' | 'columns', number> & {
    scales?: number;
    squares?: number;
  };
}

export const INTEGERS = [5121, 5123, 5125];
export const NUMBERS = [5126, 5122];
export const FLOAT = [5126];

/** Reads fields of an extension that are indices of accessors of a given kind and number of elements. */
export function makeAccessorField(
  json: GLTF.IGLTF,
  def: JsonObject,
  where: string,
): (name: string, type: string, components: number[], count: number) => number {
  return (name, type, components, count) => {
    const index = indexField(def[name], json.accessors?.length ?? 0, `${where}: ${name}`, 'accessor');
    const a = json.accessors![index];
    if (a.type !== type || !components.includes(a.componentType))
      fail('syntax', `${where}: ${name} must be ${type} of the types ${components.join(', ')}`);
    if (a.count !== count) fail('mismatch', `${where}: ${name} has ${a.count} elements, and ${count} are expected`);
    return index;
  };
}

/** Lists the pieces with OSSIFY_direct_delta_mush. Versions of the future are left alone, with a note: there is a plain skin beside them. */
export function listGltfDdm(json: GLTF.IGLTF, pieces: GltfPiece[], log?: (message: string) => void): GltfDdmPiece[] {
  const found: GltfDdmPiece[] = [];
  const versions = new Set<number>();
  pieces.forEach((piece, p) => {
    const value = json.meshes![piece.mesh].primitives[piece.primitive].extensions?.[DDM_EXTENSION];
    if (value === undefined || piece.skin === undefined) return;
    const where = `${DDM_EXTENSION} of mesh ${labelOf(json, piece)}`;
    const def = objectField(value, where);
    const version = integerField(def.version, `${where}: version`, 1);
    if (version !== DDM_EXTENSION_VERSION) {
      versions.add(version);
      return;
    }
    const entryCount = countOf(json, def.joints, `${where}: joints`);
    const accessor = makeAccessorField(json, def, where);
    const { vertexCount } = piece;
    found.push({
      piece: p,
      where,
      variant: variantOf(def.variant, where),
      settings: settingsOf(def.settings, where),
      bindMatrix: Float64Array.from(
        def.bindMatrix === undefined ? IDENTITY : numbersField(def.bindMatrix, `${where}: bindMatrix`, 16),
      ),
      accessors: {
        starts: accessor('starts', 'SCALAR', INTEGERS, vertexCount),
        counts: accessor('counts', 'SCALAR', INTEGERS, vertexCount),
        centers: accessor('centers', 'VEC3', FLOAT, vertexCount),
        joints: accessor('joints', 'SCALAR', INTEGERS, entryCount),
        columns: accessor('columns', 'VEC4', NUMBERS, entryCount),
        scales: def.scales === undefined ? undefined : accessor('scales', 'SCALAR', FLOAT, vertexCount),
        squares: def.squares === undefined ? undefined : accessor('squares', 'VEC2', NUMBERS, 3 * entryCount),
      },
    });
  });
  for (const version of versions) log?.(`${DDM_EXTENSION} of version ${version} is not read; the plain skin is used`);
  const [first] = found;
  if (found.some(({ variant }) => variant !== first.variant))
    fail('unsupported', `the primitives have different variants of ${DDM_EXTENSION}; one for all of them is read`);
  return found;
}

/** By skin: joints that multi-weights name. They are bones that move something, whether the plain skin uses them or not. */
export function listDdmJoints(
  pieces: GltfPiece[],
  found: readonly { piece: number; accessors: { joints: number } }[],
  accessors: GltfAccessors,
): Map<number, Set<number>> {
  const joints = new Map<number, Set<number>>();
  for (const { piece, accessors: own } of found) {
    const skin = pieces[piece].skin!;
    const set = joints.get(skin) ?? new Set<number>();
    joints.set(skin, set);
    for (const joint of accessors.integers(own.joints)) set.add(joint);
  }
  return joints;
}

/**
 * Reads the multi-weights of all pieces into one model on the asset's mesh and skeleton. Pieces without the extension keep their plain skin, as patches
 * that are points.
 * @param boneOf the bone of a piece's joint
 * @param byteLength of the file: rows that vertices share must not multiply it without end
 */
export function readGltfDdm(
  json: GLTF.IGLTF,
  pieces: GltfPiece[],
  found: readonly GltfDdmPiece[],
  restMatrices: readonly Float64Array[],
  rig: AssetRig,
  boneOf: (piece: number, joint: number) => number,
  accessors: GltfAccessors,
  mesh: Mesh,
  byteLength: number,
): DirectDeltaMush {
  let most = rig.skin.weights.length;
  for (const { piece, where, accessors: own } of found) {
    const jointCount = json.skins![pieces[piece].skin!].joints.length;
    for (const joint of accessors.integers(own.joints))
      if (joint >= jointCount) fail('index', `${where} names joint ${joint}, but the skin has ${jointCount} joints`);
    for (const count of accessors.integers(own.counts)) {
      if (count > jointCount) fail('length', `${where}: a vertex has ${count} entries for ${jointCount} joints`);
      most += count;
    }
  }
  checkDecodedBytes(most * 84, byteLength);
  const rowStart = new Uint32Array(mesh.positions.length / 3 + 1);
  const bones = new Uint32Array(most);
  const omegas = new Float64Array(most * 10);
  let [rows, used] = [0, 0];
  const endRow = (): void => {
    rowStart[++rows] = used;
  };
  pieces.forEach((piece, p) => {
    const own = found.find((one) => one.piece === p);
    if (!own) {
      for (let i = piece.vertexStart; i < piece.vertexStart + piece.vertexCount; i++) {
        const [x, y, z] = mesh.positions.subarray(3 * i, 3 * i + 3);
        for (let e = rig.skin.rowStart[i]; e < rig.skin.rowStart[i + 1]; e++, used++) {
          const w = rig.skin.weights[e];
          bones[used] = rig.skin.boneIndices[e];
          const products = [x * x, x * y, x * z, x, y * y, y * z, y, z * z, z, 1];
          for (let c = 0; c < 10; c++) omegas[10 * used + c] = w * products[c];
        }
        endRow();
      }
      return;
    }
    const move = moveOf(own, restMatrices[p]);
    const { starts, counts, centers, joints, columns, scales, squares } = own.accessors;
    const packed = {
      starts: accessors.integers(starts),
      counts: accessors.integers(counts),
      centers: accessors.floats(centers),
      joints: accessors.integers(joints),
      columns: accessors.floats(columns),
      scales: scales === undefined ? undefined : accessors.floats(scales),
      squares: squares === undefined ? undefined : accessors.floats(squares),
    };
    const put = (bone: number, omega: Float64Array): void => {
      bones[used] = bone;
      if (move) moveOmega(omega, move);
      omegas.set(omega, 10 * used++);
    };
    try {
      unpackDdm(packed, (joint) => boneOf(p, joint), put, endRow);
    } catch (error) {
      fail('value', `${own.where}: ${(error as Error).message}`);
    }
  });
  const multiWeights = { rowStart, boneIndices: bones.slice(0, used), omegas: omegas.slice(0, 10 * used) };
  const { variant, settings } = found[0];
  return { kind: 'direct-delta-mush', mesh, skeleton: rig.skeleton, multiWeights, variant, settings };
}

/** From the space that the extension says to the one in which this project sees the rest shape; undefined where they are one. */
export function moveOf(
  { bindMatrix, where }: Pick<GltfDdmPiece, 'bindMatrix' | 'where'>,
  restMatrix: Float64Array,
): Float64Array | undefined {
  const move = new Float64Array(16);
  if (bindMatrix.every((x, c) => x === restMatrix[c])) return undefined;
  if (!invertAffine(bindMatrix, move)) fail('value', `${where}: the bindMatrix has no inverse`);
  multiply(restMatrix, move, move);
  return move;
}

/** Where x y z 1 times x y z 1 stand among the ten numbers. */
const PLACE = [
  [0, 1, 2, 3],
  [1, 4, 5, 6],
  [2, 5, 7, 8],
  [3, 6, 8, 9],
];

/** M Ω Mᵀ, in place. */
export function moveOmega(omega: Float64Array, m: Float64Array): void {
  const half = new Float64Array(16);
  for (let r = 0; r < 4; r++)
    for (let c = 0; c < 4; c++) for (let k = 0; k < 4; k++) half[4 * r + c] += m[4 * k + r] * omega[PLACE[k][c]];
  for (let r = 0; r < 4; r++) {
    for (let c = r; c < 4; c++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += half[4 * r + k] * m[4 * k + c];
      omega[PLACE[r][c]] = sum;
    }
  }
}

export function countOf(json: GLTF.IGLTF, value: unknown, where: string): number {
  return json.accessors![indexField(value, json.accessors?.length ?? 0, where, 'accessor')].count;
}

function variantOf(value: unknown, where: string): DdmVariant {
  const variant = integerField(value, `${where}: variant`);
  if (variant > 5) fail('value', `${where}: the variant must be 0 to 5, got ${variant}`);
  return variant as DdmVariant;
}

function settingsOf(value: unknown, where: string): DdmSettings {
  const def = value === undefined ? {} : objectField(value, `${where}: settings`);
  const number = (name: string): number => (Number.isFinite(def[name]) ? (def[name] as number) : 0);
  return {
    iterations: number('iterations'),
    lambda: number('lambda'),
    kappa: number('kappa'),
    alpha: number('alpha'),
  };
}
