// SPDX-License-Identifier: MIT
// Tracks of one skeleton on another. Let W be world rotations in the file, V those of the character, and F the turn from one to the other if they face other ways.
// For each pair of joints V = F W O with a constant O: the identity if rotations are taken as they are, (F W)⁻¹ V of the rests if the axes of the joints differ. So the local rotation of a pair is M q O, where the affine M leads from the
// parent in the file, by the pair above (or model space), to the parent in the character. Positions are M t, with the lengths of the character.
import { listMotionTimes, NodeMotion } from '../../core/keyframes/node-motion.ts';
import { decomposeAffineInto, makeAffineFactors } from '../../core/math/decompose-affine.ts';
import { compose, IDENTITY, invertAffine, multiply, transformDirection, transformPoint } from '../../core/math/mat4.ts';
import { conjugateQuaternion, multiplyQuaternions } from '../../core/math/quaternion.ts';
import type { Animation, Track } from '../../core/model/clip/animation.ts';
import { isTrackAtRest, SAME } from './at-rest.ts';
import type { JointPair, RestFit } from './rest-fit.ts';
import type { RestPose } from './rest-pose.ts';

/** The constant maps of a pair. */
interface PairMap extends JointPair {
  /** 16: from translations in the file to those of the character */
  matrix: Float64Array;
  /** 4: its rotation */
  before: Float64Array;
  /** 4: O */
  after: Float64Array;
  /** Nodes of the file between the pair above and this one, which match nothing. */
  between: readonly number[];
}

/** Moves the tracks of animations from the nodes of a file to those of the character. */
export class TrackTransfer {
  readonly #character: RestPose;
  readonly #other: RestPose;
  readonly #fit: RestFit;
  readonly #maps: PairMap[] = [];

  constructor(character: RestPose, other: RestPose, fit: RestFit) {
    this.#character = character;
    this.#other = other;
    this.#fit = fit;
    for (const pair of fit.pairs) this.#maps.push(this.#makeMap(pair));
  }

  /** Tracks on the nodes of the character. Tracks of nodes that match nothing move those below them. */
  transfer({ tracks }: Animation): Track[] {
    const motion = new NodeMotion(this.#other.tree, { tracks });
    return this.#maps.flatMap((map, p): Track[] => {
      const above = map.between.filter((node) =>
        motion.tracksOf(node).some((track) => !isTrackAtRest(track, this.#other)),
      );
      const own = above.length > 0 ? this.#fold(map, motion) : motion.tracksOf(map.own);
      const taken = own.flatMap((track) => this.#move(track, p, above.length > 0));
      const isTurned = taken.some(({ path }) => path === 'rotation');
      return isTurned ? taken : [...taken, ...this.#holdTurn(map, tracks)];
    });
  }

  #makeMap(pair: JointPair): PairMap {
    const { own, to, above } = pair;
    const { hasOtherAxes, facing, scale } = this.#fit;
    const face = Float64Array.of(0, Math.sin(facing / 2), 0, Math.cos(facing / 2));
    const [other, character] = [this.#other, this.#character];
    const over = above < 0 ? undefined : this.#maps[above];
    const after = Float64Array.of(0, 0, 0, 1);
    if (hasOtherAxes) {
      multiplyQuaternions(face, other.rotations, after, 0, 4 * own);
      conjugateQuaternion(after, after);
      multiplyQuaternions(after, character.rotations, after, 0, 4 * to);
    }
    const inFile = matrixBetween(other, over?.own ?? -1, other.tree.parents[own]);
    const inCharacter = matrixBetween(character, over?.to ?? -1, character.tree.parents[to]);
    const turn = Float64Array.from(face);
    if (over) conjugateQuaternion(over.after, turn);
    const factor = over ? (scale * other.sizes[over.own]) / character.sizes[over.to] : scale;
    const matrix = new Float64Array(16);
    compose([0, 0, 0], turn, [factor, factor, factor], matrix);
    const inverse = Float64Array.from(IDENTITY);
    invertAffine(inCharacter, inverse);
    multiply(inverse, matrix, matrix);
    multiply(matrix, inFile, matrix);
    const between: number[] = [];
    for (let n = other.tree.parents[own]; n >= 0 && n !== over?.own; n = other.tree.parents[n]) between.unshift(n);
    return { ...pair, matrix, before: rotationOf(matrix), after, between };
  }

  /** A track on the node of the character; none if it says nothing there. */
  #move(track: Track, p: number, isFolded: boolean): Track[] {
    const map = this.#maps[p];
    const { to, own } = map;
    const { isUniform, isTrunk } = this.#fit;
    const { path, interpolation } = track;
    const isCubic = interpolation === 'CUBICSPLINE';
    if (path === 'translation') {
      // bones keep their lengths; what a folded track adds belongs to the trunk
      if (!isFolded && !isTrunk[p] && (!isUniform || isTrackAtRest(track, this.#other))) return [];
      const matrix = isFolded ? this.#foldedMatrix(map) : map.matrix;
      const values = mapVectors(track.values, isCubic, (values, v, isTangent, out) =>
        (isTangent ? transformDirection : transformPoint)(matrix, values, out, 0, v, v),
      );
      return [{ ...track, node: to, values }];
    }
    if (path === 'rotation') {
      const before = isFolded ? rotationOf(this.#foldedMatrix(map)) : map.before;
      return [{ ...track, node: to, values: turnValues(track.values, before, map.after) }];
    }
    if (path !== 'scale' || isTrackAtRest(track, this.#other)) return [];
    const [rest, target] = [this.#other.tree.scales, this.#character.tree.scales];
    const values = track.values.map((x, v) => (x * target[3 * to + (v % 3)]) / (rest[3 * own + (v % 3)] || 1));
    return [{ ...track, node: to, values }];
  }

  /** The map of a track that has the nodes between in it. */
  #foldedMatrix({ matrix, own, above }: PairMap): Float64Array {
    const over = above < 0 ? -1 : this.#maps[above].own;
    const inverse = Float64Array.from(IDENTITY);
    invertAffine(matrixBetween(this.#other, over, this.#other.tree.parents[own]), inverse);
    multiply(matrix, inverse, inverse);
    return inverse;
  }

  /** Translations and rotations of a node relative to the pair above, with the motion of the nodes between. */
  #fold({ own, between }: PairMap, motion: NodeMotion): Track[] {
    const path = [...between, own];
    const times = listMotionTimes(path.flatMap((node) => motion.tracksOf(node)));
    const translations = new Float32Array(3 * times.length);
    const rotations = new Float32Array(4 * times.length);
    const factors = makeAffineFactors();
    const world = new Float64Array(16);
    const local = new Float64Array(16);
    times.forEach((time, k) => {
      world.set(IDENTITY);
      for (const node of path) {
        motion.localInto(node, time, local);
        multiply(world, local, world);
      }
      decomposeAffineInto(world, factors, 0, true);
      translations.set(factors.translation, 3 * k);
      rotations.set(factors.rotation, 4 * k);
    });
    const linear = { node: own, interpolation: 'LINEAR', times } as const;
    return [
      { ...linear, path: 'translation', values: translations },
      { ...linear, path: 'rotation', values: followSigns(rotations) },
      ...motion.tracksOf(own).filter(({ path: kind }) => kind === 'scale'),
    ];
  }

  /** A key for a joint that the file does not turn, if it is turned otherwise there: files leave out what stays at their own rest. */
  #holdTurn({ own, to, before, after, above }: PairMap, tracks: readonly Track[]): Track[] {
    if (above < 0 || this.#fit.hasOtherAxes) return [];
    const values = turnValues(
      Float32Array.from(this.#other.tree.rotations.subarray(4 * own, 4 * own + 4)),
      before,
      after,
    );
    const rest = this.#character.tree.rotations;
    let dot = 0;
    for (let c = 0; c < 4; c++) dot += values[c] * rest[4 * to + c];
    if (1 - Math.abs(dot) < SAME * SAME) return [];
    const start = tracks.reduce((first, { times }) => Math.min(first, times[0] ?? first), Infinity);
    if (!Number.isFinite(start)) return [];
    return [{ node: to, path: 'rotation', interpolation: 'LINEAR', times: Float32Array.of(start), values }];
  }
}

/** At rest, the matrix from the space of a node to that of one above it; -1 is model space. */
function matrixBetween({ tree, worlds }: RestPose, above: number, node: number): Float64Array {
  const out = Float64Array.from(IDENTITY);
  if (node < 0 || node === above || tree.names.length === 0) return out;
  if (above >= 0) invertAffine(worlds, out, 16 * above);
  multiply(out, worlds, out, 0, 16 * node);
  return out;
}

function rotationOf(matrix: Float64Array): Float64Array {
  const factors = makeAffineFactors();
  decomposeAffineInto(matrix, factors, 0, true);
  return factors.rotation;
}

/** before · q · after for all quaternions; tangents are mapped likewise, since the products are linear. */
function turnValues(values: Float32Array, before: Float64Array, after: Float64Array): Float32Array {
  const out = new Float64Array(values.length);
  for (let v = 0; v < values.length; v += 4) {
    multiplyQuaternions(before, values, out, 0, v, v);
    multiplyQuaternions(out, after, out, v, 0, v);
  }
  return Float32Array.from(out);
}

function mapVectors(
  values: Float32Array,
  isCubic: boolean,
  map: (values: Float32Array, v: number, isTangent: boolean, out: Float64Array) => void,
): Float32Array {
  const out = new Float64Array(values.length);
  for (let v = 0; v < values.length; v += 3) map(values, v, isCubic && Math.floor(v / 3) % 3 !== 1, out);
  return Float32Array.from(out);
}

/** Quaternions with the signs that make neighbours similar. */
function followSigns(rotations: Float32Array): Float32Array {
  for (let o = 4; o < rotations.length; o += 4) {
    let dot = 0;
    for (let c = 0; c < 4; c++) dot += rotations[o + c] * rotations[o - 4 + c];
    if (dot < 0) for (let c = 0; c < 4; c++) rotations[o + c] *= -1;
  }
  return rotations;
}
