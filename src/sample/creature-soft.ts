// SPDX-License-Identifier: MIT
import { makeBlendClip } from './bones.ts';
import { makeCreature } from './creature.ts';
import type { SampleBody, SampleOptions } from './sample.ts';
import { softenWeights } from './soften-weights.ts';

const INFLUENCES = 12;
/** Passes at the resolution that weights look alike at: a pass reaches an edge farther, and there are √n edges across. */
const PASSES = 100;
const RESOLUTION = 6000;

/** The creature with weights that melt into one another, up to twelve per vertex: more than players take. The clip is linear blend of these, exactly. */
export function makeCreatureSoft(options: Required<SampleOptions>): SampleBody {
  const body = makeCreature(options);
  const { mesh } = body.clip;
  const passes = Math.max(1, Math.round((PASSES * options.resolution) / RESOLUTION));
  const boneCount = body.skeleton!.names.length;
  const skin = softenWeights(body.skin!, mesh.triangles, boneCount, Math.min(passes, MOST_PASSES), INFLUENCES);
  return { ...body, skin, clip: makeBlendClip(mesh, skin, body.motion!) };
}

/** Weights of a fine mesh need not melt as far: each pass is over all bones of all vertices. */
const MOST_PASSES = 200;
