// SPDX-License-Identifier: MIT
import { makeBlendClip } from '../rigs/bones.ts';
import { softenWeights } from '../rigs/soften-weights.ts';
import type { SampleBody, SampleOptions } from '../sample.ts';
import { makeCreature } from './creature.ts';

const INFLUENCES = 12;
/** Smoothing passes at the reference resolution: each pass extends weights by one edge, and there are √n edges across. */
const PASSES = 100;
const RESOLUTION = 6000;

/** The creature with smoother weights, up to twelve per vertex: more than players support. The clip is exactly linear blend skinning with these. */
export function makeCreatureSoft(options: Required<SampleOptions>): SampleBody {
  const body = makeCreature(options);
  const { mesh } = body.clip;
  const passes = Math.max(1, Math.round((PASSES * options.resolution) / RESOLUTION));
  const boneCount = body.skeleton.names.length;
  const skin = softenWeights(body.skin, mesh.triangles, boneCount, Math.min(passes, MAX_PASSES), INFLUENCES);
  return { ...body, skin, clip: makeBlendClip(mesh, skin, body.motion) };
}

/** Maximum number of passes for fine meshes: each pass visits all bones of all vertices. */
const MAX_PASSES = 200;
