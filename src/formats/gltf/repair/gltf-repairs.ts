// SPDX-License-Identifier: MIT
// The repairs that a reader made: one sentence per kind of fault, with the number of places and the first of them.
import { FormatError } from '../../../core/model/errors.ts';
import type { Remark } from '../../../core/model/remark.ts';

/** A fault and what was done about it, for one place and for several. */
type Repair = readonly [one: string, many: string];

const REPAIRS = {
  reference: ['reference was left out', 'references were left out'],
  field: ['field that cannot be used was left out', 'fields that cannot be used were left out'],
  node: ['node without a name or content was left out', 'nodes without a name or content were left out'],
  image: ['image was left out', 'images were left out'],
  attribute: ['attribute was left out', 'attributes were left out'],
  morphWeights: [
    'list of morph weights was fitted to the morph targets',
    'lists of morph weights were fitted to the morph targets',
  ],
  sceneNode: ['node was taken from the list of its scene', 'nodes were taken from the lists of their scenes'],
  rotation: ['rotation of length zero was set to none', 'rotations of length zero were set to none'],
  channel: ['animation channel was left out', 'animation channels were left out'],
  weight: [
    'weight that is not a positive number was set to zero',
    'weights that are not positive numbers were set to zero',
  ],
  lostWeights: [
    'vertex all of whose weights were not numbers got those of the nearest vertex',
    'vertices all of whose weights were not numbers got those of the nearest vertices',
  ],
  normal: ['normal that is not a direction was computed anew', 'normals that are not directions were computed anew'],
  normalLength: ['normal was scaled to unit length', 'normals were scaled to unit length'],
  tangentLength: ['tangent was scaled to unit length', 'tangents were scaled to unit length'],
  tangent: ['tangent that is not a direction was computed anew', 'tangents that are not directions were computed anew'],
  position: [
    'position that is not finite, of a vertex without triangles, was replaced',
    'positions that are not finite, of vertices without triangles, were replaced',
  ],
  number: ['number that is not finite was set to zero', 'numbers that are not finite were set to zero'],
  displacement: [
    'displacement of a morph target that is not finite was set to zero',
    'displacements of morph targets that are not finite were set to zero',
  ],
  bind: [
    'inverse bind matrix was computed from the rest pose',
    'inverse bind matrices were computed from the rest pose',
  ],
  jump: [
    'animation key at the time of another was moved to the next instant',
    'animation keys at the times of others were moved to the next instants',
  ],
  key: ['animation key was left out', 'animation keys were left out'],
} as const satisfies Record<string, Repair>;

/** A kind of repair. */
export type RepairKind = keyof typeof REPAIRS;

/** Counts repairs, and says them when all are made. */
export class GltfRepairs {
  readonly #found = new Map<RepairKind, { count: number; where: string }>();

  /**
   * Counts a repair.
   * @param where the place, or the place and its fault; only the first one is said
   */
  add(kind: RepairKind, where: string, count = 1): void {
    const known = this.#found.get(kind);
    if (known) known.count += count;
    else this.#found.set(kind, { count, where });
  }

  /** Runs a check; if it finds a fault of the file, counts it and returns false. */
  passes(kind: RepairKind, check: () => void): boolean {
    try {
      check();
      return true;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      this.add(kind, error.fault);
      return false;
    }
  }

  /** Says all repairs, a sentence per kind, and forgets them. */
  report(log?: Remark): void {
    for (const [kind, { count, where }] of this.#found) {
      const [one, many] = REPAIRS[kind];
      log?.(count === 1 ? `1 ${one}: ${where}` : `${count} ${many}; the first: ${where}`, 'repair', {
        kind,
        count,
        where,
      });
    }
    this.#found.clear();
  }
}
