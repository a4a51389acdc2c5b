// SPDX-License-Identifier: MIT
import { ABC_INPUTS } from './grow-abc.ts';
import { FBX_INPUTS } from './grow-fbx.ts';
import { GLTF_INPUTS } from './grow-gltf.ts';
import { MDD_INPUTS, OBJ_INPUTS, PC2_INPUTS, PLY_INPUTS, STL_INPUTS } from './grow-meshes.ts';
import { USD_INPUTS } from './grow-usd.ts';
import { DECOMPOSE_INPUTS, LOD_INPUTS } from './grow-work.ts';
import type { FormatInput, GrowingInput } from './growing-input.ts';

const BY_FORMAT: Readonly<Record<string, readonly FormatInput[]>> = {
  ...{ gltf: GLTF_INPUTS, fbx: FBX_INPUTS, usd: USD_INPUTS, abc: ABC_INPUTS, obj: OBJ_INPUTS, ply: PLY_INPUTS },
  ...{ stl: STL_INPUTS, pc2: PC2_INPUTS, mdd: MDD_INPUTS, lod: LOD_INPUTS, decompose: DECOMPOSE_INPUTS },
};

/** The hostile inputs of every format that is read, and of commands. */
export const GROWING_INPUTS: readonly GrowingInput[] = Object.entries(BY_FORMAT).flatMap(([format, inputs]) =>
  inputs.map((input) => ({ format, ...input })),
);
