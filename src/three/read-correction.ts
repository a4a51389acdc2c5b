// SPDX-License-Identifier: MIT
import { unpackComponentsInto } from '../extension/skin-correction.ts';
import type { Mesh } from '../model/mesh.ts';
import {
  type CorrectionTrack,
  checkSkinCorrection,
  type NormalRule,
  type SkinCorrection,
} from '../model/skin-correction.ts';
import { readField, type SkinnedPrimitive } from './read-primitive-model.ts';

/** Reads OSSIFY_skin_correction of a primitive, with a track per animation of the file. Throws, in one sentence, where its parts do not fit together. */
export async function readCorrection(
  def: Record<string, unknown>,
  primitive: Pick<SkinnedPrimitive, 'readAccessor' | 'animationNames'>,
  mesh: Mesh,
): Promise<SkinCorrection> {
  const size = mesh.positions.length;
  const rank = countOf(def.rank, 'rank');
  const normalRank = def.normalRank === undefined ? 0 : countOf(def.normalRank, 'normalRank');
  const rule = def.normalRule as NormalRule | undefined;
  const normalCount = rule && mesh.normals ? normalRank || rank : 0;
  const readIfThere = async (name: string) => (def[name] === undefined ? undefined : readField(primitive, def, name));
  const readBasis = async (count: number, basisName: string, scalesName: string): Promise<Float32Array> => {
    const basis = new Float32Array(count * size);
    if (count === 0) return basis;
    const values = await readField(primitive, def, basisName);
    if (values.length !== basis.length)
      throw new Error(`${basisName} has ${values.length / 3} vectors for ${count} components of ${size / 3} vertices`);
    unpackComponentsInto(values, await readIfThere(scalesName), count, basis, 0);
    return basis;
  };
  const basis = await readBasis(rank, 'basis', 'scales');
  const normalBasis = await readBasis(normalCount, 'normalBasis', 'normalScales');
  const times = await readField(primitive, def, 'times');
  const values = await readField(primitive, def, 'values');
  const normalValues = (await readIfThere('normalValues')) ?? new Float32Array(0);
  const tracks = primitive.animationNames.map(
    (name): CorrectionTrack => ({
      ...{ name, times: new Float64Array(0) },
      ...{ values: new Float32Array(0), normalValues: new Float32Array(0) },
    }),
  );
  let at = 0;
  for (const { animation, keys } of Array.isArray(def.tracks) ? def.tracks : []) {
    if (!tracks[animation]) throw new Error(`a track is of animation ${animation}, which the file does not have`);
    const [from, to] = [at, at + countOf(keys, 'keys')];
    tracks[animation] = {
      name: tracks[animation].name,
      times: Float64Array.from(times.subarray(from, to)),
      values: values.slice(from * rank, to * rank),
      normalValues: normalValues.slice(from * normalRank, to * normalRank),
    };
    at = to;
  }
  const normals = normalCount > 0 ? { rule: rule!, basis: normalBasis } : undefined;
  const correction = { rank, basis, normalRank, tracks, ...(normals ? { normals } : {}) };
  checkSkinCorrection(correction, size / 3);
  return correction;
}

function countOf(value: unknown, name: string): number {
  if (!(Number.isInteger(value) && (value as number) >= 1)) throw new Error(`${name} must be a whole number from 1 on`);
  return value as number;
}
