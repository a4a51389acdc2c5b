// SPDX-License-Identifier: MIT

import { pairOffset } from '../../../core/kernels/bones/skin-moments.ts';
import type { Trajectories } from '../../../core/kernels/matrices/trajectories.ts';
import { SYM4_11, SYM4_FIRST } from '../../../core/math/sym4.ts';
import { linkParts, type PartContact } from '../../../core/mesh/topology/link-parts.ts';
import type { SkinFit } from '../../../fit/skin/index.ts';

/** Distance of two parts, in solver units, at which their contact counts half. Chosen by hand. */
const CONTACT_REACH = 0.02;
/** Contacts of trajectories that were measured before. */
const CONTACTS = new WeakMap<Trajectories, PartContact[]>();

/** Weight sums and centers of bones and pairs of bones, solver space. */
export interface BoneBlends {
  boneCount: number;
  /** boneCount x 3: Σ wᵢⱼ uᵢ / Σ wᵢⱼ, zero for a bone without weights */
  centroids: Float64Array;
  /** boneCount: Σ wᵢⱼ */
  masses: Float64Array;
  /** boneCount x boneCount: Σᵢ wᵢⱼ wᵢₗ, and the contacts of parts */
  sums: Float64Array;
  /** boneCount x boneCount x 3: Σ wᵢⱼ wᵢₗ uᵢ / Σ wᵢⱼ wᵢₗ; the midpoint of the two centroids if the bones share no vertex */
  centers: Float64Array;
}

/** Measures the blends of a fit from its moments Cⱼₗ = Σ wᵢⱼ wᵢₗ ũũᵀ. */
export function measureBlends(fit: SkinFit): BoneBlends {
  const { boneCount } = fit;
  const pairs = fit.moments.pairs.view();
  const centroids = new Float64Array(3 * boneCount);
  const masses = new Float64Array(boneCount);
  const sums = new Float64Array(boneCount * boneCount);
  const centers = new Float64Array(3 * boneCount * boneCount);
  for (let j = 0; j < boneCount; j++) {
    for (let l = 0; l < boneCount; l++) {
      const p = pairOffset(boneCount, j, l);
      const o = j * boneCount + l;
      sums[o] = pairs[p + SYM4_11];
      // weights of a vertex sum to one, so the sum over l is that of bone j
      masses[j] += pairs[p + SYM4_11];
      for (let r = 0; r < 3; r++) {
        const first = pairs[p + SYM4_FIRST[r]];
        centroids[3 * j + r] += first;
        centers[3 * o + r] = first;
      }
    }
    if (masses[j] > 0) for (let r = 0; r < 3; r++) centroids[3 * j + r] /= masses[j];
  }
  addContacts(fit, sums, centers);
  for (let j = 0; j < boneCount; j++) {
    for (let l = 0; l < boneCount; l++) {
      const o = j * boneCount + l;
      for (let r = 0; r < 3; r++) {
        centers[3 * o + r] =
          sums[o] > 0 ? centers[3 * o + r] / sums[o] : 0.5 * (centroids[3 * j + r] + centroids[3 * l + r]);
      }
    }
  }
  return { boneCount, centroids, masses, sums, centers };
}

/** Parts that touch blend as if they shared a vertex at their contact: the limbs of a robot have joints without common vertices. */
function addContacts({ trajectories, weights, boneCount }: SkinFit, sums: Float64Array, centers: Float64Array): void {
  if (!trajectories.parts) return;
  const rest = trajectories.rest.view();
  let contacts = CONTACTS.get(trajectories);
  if (!contacts) {
    contacts = linkParts(rest, trajectories.parts);
    CONTACTS.set(trajectories, contacts);
  }
  const [ids, values, influences] = [weights.bones.view(), weights.weights.view(), weights.influences];
  for (const { a, b, distance } of contacts) {
    const strength = 1 / (1 + (distance / CONTACT_REACH) ** 2);
    for (let p = a * influences; p < (a + 1) * influences; p++) {
      for (let q = b * influences; q < (b + 1) * influences; q++) {
        const blend = strength * values[p] * values[q];
        if (ids[p] === ids[q] || blend === 0) continue;
        for (const o of [ids[p] * boneCount + ids[q], ids[q] * boneCount + ids[p]]) {
          sums[o] += blend;
          for (let r = 0; r < 3; r++) centers[3 * o + r] += 0.5 * blend * (rest[3 * a + r] + rest[3 * b + r]);
        }
      }
    }
  }
}
