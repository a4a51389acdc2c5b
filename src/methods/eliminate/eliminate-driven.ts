// SPDX-License-Identifier: MIT
// Elimination in a face of driven bones: bones and shapes whose largest effect on any vertex is below a length. Drivers number bones and shapes, so both are numbered again.

import { measureBounds } from '../../core/mesh/geometry/bounds.ts';
import type { MorphTarget } from '../../core/model/deformed/morphs.ts';
import {
  DRIVER_OUTPUTS,
  NO_FACTOR,
  type ShapeDrivenSkin,
  type ShapeTrack,
} from '../../core/model/deformed/shape-drivers.ts';
import { pickSkeleton } from '../../core/model/skin/skeleton.ts';
import { makeSkin, maxInfluencesOf, type Skin } from '../../core/model/skin/skin.ts';
import { makeShapeDriver } from '../../deformers/shape-drivers/index.ts';

/** A face without bones and shapes that have no visible effect. */
export interface EliminatedFace {
  model: ShapeDrivenSkin;
  tracks: ShapeTrack[];
  /** Names of the removed bones and shapes. */
  bones: string[];
  shapes: string[];
  /** The largest displacement that anything removed could cause, file units. */
  largest: number;
}

/**
 * Removes bones and shapes without visible effect. One bone that does not move stays: it gets the weights of the removed bones.
 * @param ratio displacements below this ratio of the box diagonal are not visible
 */
export function eliminateDriven(model: ShapeDrivenSkin, tracks: readonly ShapeTrack[], ratio: number): EliminatedFace {
  const limit = ratio * measureBounds(model.mesh.positions).diagonal;
  const effects = measureEffects(model, tracks);
  const { names } = model.skeleton;
  const still = Array.from(names.keys()).filter((j) => effects.bones[j] < limit);
  const gone = new Set(still.slice(1));
  const shapes = Array.from(effects.shapes.keys()).filter((s) => !(effects.shapes[s] < limit));
  // a face keeps at least one shape
  const left = shapes.length > 0 ? shapes : [0];
  const bones = Array.from(names.keys()).filter((j) => !gone.has(j));
  const placeOf = names.map((_, j) => bones.indexOf(gone.has(j) ? still[0] : j));
  const isStill = new Set(still);
  const removed = model.drivers.shapes.filter((_, s) => !left.includes(s));
  const count = model.drivers.shapes.length;
  const kept = joinKept(model).filter(({ name }) => !removed.includes(name));
  const { kept: _kept, ...rest } = model;
  return {
    model: {
      ...rest,
      skeleton: pickSkeleton(model.skeleton, bones),
      skin: mergeBones(model.skin, placeOf),
      drivers: pickDrivers(model.drivers, left, placeOf, isStill),
      ...(kept.length > 0
        ? {
            kept: {
              targets: kept.map((target, weight) => ({ ...target, weight })),
              restWeights: [{ node: 0, weights: new Float32Array(kept.length) }],
            },
          }
        : {}),
    },
    tracks: tracks.map((track) => ({
      ...track,
      weights: Float32Array.from({ length: track.times.length * left.length }, (_, e) => {
        const [k, s] = [Math.floor(e / left.length), e % left.length];
        return track.weights[k * count + left[s]];
      }),
    })),
    bones: [...gone].map((j) => names[j]),
    shapes: removed,
    largest: Math.max(
      0,
      ...[...gone].map((j) => effects.bones[j]),
      ...removed.map((name) => effects.shapes[model.drivers.shapes.indexOf(name)]),
    ),
  };
}

/** The shapes that remain as morph targets, each as one target of the whole mesh. */
function joinKept({ mesh, kept, drivers }: ShapeDrivenSkin): MorphTarget[] {
  const vertexCount = mesh.positions.length / 3;
  return drivers.shapes.flatMap((name) => {
    const own = (kept?.targets ?? []).filter((target) => target.name === name);
    if (own.length === 0) return [];
    const positions = new Float32Array(mesh.positions.length);
    for (const { positions: deltas, vertexStart } of own) positions.set(deltas, 3 * vertexStart);
    return [{ name, node: 0, weight: 0, vertexStart: 0, vertexCount, positions }];
  });
}

/** The largest displacement of any vertex by every bone and by every shape, at its largest weight (at least one). */
function measureEffects(model: ShapeDrivenSkin, tracks: readonly ShapeTrack[]) {
  const { mesh, skin, skeleton, drivers } = model;
  const kept = joinKept(model);
  const [boneCount, count] = [skeleton.names.length, drivers.shapes.length];
  const effects = { bones: new Float64Array(boneCount), shapes: new Float64Array(count) };
  const driver = makeShapeDriver(drivers, skeleton);
  const matrices = new Float64Array(16 * boneCount);
  const weights = new Float64Array(count);
  const rest = mesh.positions;
  for (let s = 0; s < count; s++) {
    const most = tracks.reduce(
      (max, track) => track.weights.reduce((own, w, e) => (e % count === s ? Math.max(own, Math.abs(w)) : own), max),
      1,
    );
    weights.fill(0)[s] = most;
    driver.driveInto(weights, matrices);
    const delta = kept.find(({ name }) => name === drivers.shapes[s])?.positions;
    for (let i = 0; i < rest.length; i += 3) {
      const sum = [0, 1, 2].map((r) => (delta ? most * delta[i + r] : 0));
      for (let e = skin.rowStart[i / 3]; e < skin.rowStart[i / 3 + 1]; e++) {
        const [j, w] = [skin.boneIndices[e], skin.weights[e]];
        const m = 16 * j;
        const own = [0, 1, 2].map((r) => {
          const at = matrices[m + r] * rest[i] + matrices[m + 4 + r] * rest[i + 1] + matrices[m + 8 + r] * rest[i + 2];
          return w * (at + matrices[m + 12 + r] - rest[i + r]);
        });
        for (let r = 0; r < 3; r++) sum[r] += own[r];
        effects.bones[j] = Math.max(effects.bones[j], Math.hypot(...own));
      }
      effects.shapes[s] = Math.max(effects.shapes[s], Math.hypot(...sum));
    }
  }
  return effects;
}

/** Weights with other numbers of bones; weights of one bone in a vertex are added up. */
function mergeBones(skin: Skin, placeOf: readonly number[]): Skin {
  const influences = maxInfluencesOf(skin);
  const vertexCount = skin.rowStart.length - 1;
  const bones = new Uint32Array(vertexCount * influences);
  const weights = new Float64Array(vertexCount * influences);
  for (let i = 0; i < vertexCount; i++) {
    const total = new Map<number, number>();
    for (let e = skin.rowStart[i]; e < skin.rowStart[i + 1]; e++) {
      const place = placeOf[skin.boneIndices[e]];
      total.set(place, (total.get(place) ?? 0) + skin.weights[e]);
    }
    [...total].forEach(([bone, weight], n) => {
      bones[i * influences + n] = bone;
      weights[i * influences + n] = weight;
    });
  }
  return makeSkin(bones, weights, influences);
}

/** Drivers of some shapes and bones. */
function pickDrivers(
  drivers: ShapeDrivenSkin['drivers'],
  shapes: readonly number[],
  placeOf: readonly number[],
  isStill: ReadonlySet<number>,
): ShapeDrivenSkin['drivers'] {
  const size = DRIVER_OUTPUTS[drivers.form];
  const factors: number[] = [];
  const rowStart = [0];
  const columns: number[] = [];
  const values: number[] = [];
  for (let n = 0; n + 1 < drivers.rowStart.length; n++) {
    const [first, second] = [drivers.factors[2 * n], drivers.factors[2 * n + 1]];
    if (!shapes.includes(first) || (second !== NO_FACTOR && !shapes.includes(second))) continue;
    factors.push(shapes.indexOf(first), second === NO_FACTOR ? NO_FACTOR : shapes.indexOf(second));
    for (let e = drivers.rowStart[n]; e < drivers.rowStart[n + 1]; e++) {
      const bone = Math.floor(drivers.columns[e] / size);
      if (isStill.has(bone)) continue;
      columns.push(size * placeOf[bone] + (drivers.columns[e] % size));
      values.push(drivers.values[e]);
    }
    rowStart.push(values.length);
  }
  return {
    shapes: shapes.map((s) => drivers.shapes[s]),
    form: drivers.form,
    factors: Uint32Array.from(factors),
    rowStart: Uint32Array.from(rowStart),
    columns: Uint32Array.from(columns),
    values: Float32Array.from(values),
  };
}
