// SPDX-License-Identifier: MIT

import { transformPoints } from '../../../core/math/mat4.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { worldsOfNodes } from '../../../core/model/skin/worlds-of-nodes.ts';
import type { Scene, SceneSkin } from '../../gltf/index.ts';
import { transformRoots } from '../repairs/transform-roots.ts';
import type { Rule, Subject } from '../rule.ts';

/** Metres. The blue whale of ../shared/animals and a dragon stay below the first, a wasp above the second. */
const TALLEST = 100;
const SMALLEST = 0.002;
/** Metres of a character for which the wrong unit is certain enough to repair it. */
const PERSON: readonly [number, number] = [0.3, 3];
/** Cosine of the angle between the way from feet to trunk and the up axis, below which a character lies. */
const LYING = 0.3;
/** Spacing of 32-bit numbers, relative to the size of the mesh, that is visible. */
const COARSE = 1e-4;
const SPACING = 2 ** -23;

const FEET = /(foot|feet|toe|ankle|paw|hoof)/i;
const TRUNK = /(spine|chest|pelvis|hips?$|neck|head$)/i;

type Point = [number, number, number];

/** Box of all meshes at rest; skinned ones as the joint with the most weight places them. */
function measureScene(scene: Scene): { min: Point; max: Point; diagonal: number } {
  const worlds = worldsOfNodes(scene.nodes);
  const corners: number[] = [];
  for (const { mesh, node, skin } of scene.shapes) {
    if (mesh.triangles.length === 0) continue;
    const placed = new Float32Array(mesh.positions.length);
    if (skin) placeSkinned(mesh.positions, skin, worlds, placed);
    else transformPoints(worlds.subarray(16 * node, 16 * node + 16), mesh.positions, placed, 0, 0);
    const { min, max } = measureBounds(placed);
    corners.push(...min, ...max);
  }
  return measureBounds(corners);
}

/** Vertices at rest, each placed by the joint with its largest weight. */
function placeSkinned(
  positions: Float32Array,
  { joints, inverseBinds, weights }: SceneSkin,
  worlds: Float64Array,
  out: Float32Array,
): void {
  for (let i = 0; i < positions.length / 3; i++) {
    const j = weights.boneIndices[weights.rowStart[i]];
    const bound = transformBy(inverseBinds, 16 * j, positions, 3 * i);
    out.set(transformBy(worlds, 16 * joints[j], bound, 0), 3 * i);
  }
}

function transformBy(m: Float64Array, o: number, p: ArrayLike<number>, at: number): Point {
  const [x, y, z] = [p[at], p[at + 1], p[at + 2]];
  return [0, 1, 2].map((r) => m[o + r] * x + m[o + 4 + r] * y + m[o + 8 + r] * z + m[o + 12 + r]) as Point;
}

const AXES = ['x', 'y', 'z'] as const;

function heightOf({ scene, up, metresPerUnit = 1 }: Subject): number {
  const { min, max } = measureScene(scene);
  const axis = AXES.indexOf(up);
  return metresPerUnit * (max[axis] - min[axis]);
}

const isPerson = (height: number): boolean => height >= PERSON[0] && height <= PERSON[1];

/** The factor that makes a person of a character that is 100 times too large or too small. */
const factorFor = (height: number): number | undefined => [0.01, 100].find((factor) => isPerson(height * factor));

const unit: Rule = {
  id: 'size-unit',
  severity: 'warning',
  title: `Characters are ${SMALLEST} m to ${TALLEST} m high`,
  remedy: 'scale it; a factor of 100 is that of centimetres and metres',
  check(subject) {
    if (subject.metresPerUnit === undefined || !subject.scene.shapes.some(({ skin }) => skin)) return [];
    const height = heightOf(subject);
    if (!(height > 0) || (height >= SMALLEST && height <= TALLEST)) return [];
    const fault = `the character is ${Number(height.toPrecision(3))} m high`;
    return [{ place: {}, fault, canFix: factorFor(height) !== undefined }];
  },
  fix(subject) {
    const scale = factorFor(heightOf(subject));
    return scale === undefined ? subject.scene : transformRoots(subject.scene, { scale });
  },
};

/** The axis from feet to trunk at rest, of unit length; undefined if the names of the joints do not tell. */
function findStance({ nodes, shapes }: Scene): Point | undefined {
  const joints = [...new Set(shapes.flatMap(({ skin }) => skin?.joints ?? []))];
  const worlds = worldsOfNodes(nodes);
  const centerOf = (pattern: RegExp): Point | undefined => {
    const own = joints.filter((n) => pattern.test(nodes.names[n]));
    if (own.length < 2) return undefined;
    return [12, 13, 14].map((c) => own.reduce((sum, n) => sum + worlds[16 * n + c], 0) / own.length) as Point;
  };
  const [feet, trunk] = [centerOf(FEET), centerOf(TRUNK)];
  if (!feet || !trunk) return undefined;
  const way = trunk.map((x, c) => x - feet[c]) as Point;
  const length = Math.hypot(...way);
  return length > 0 ? (way.map((x) => x / length) as Point) : undefined;
}

/** The axis of the file that a character stands along, and its direction, if that is not the up axis. */
function findWrongUp({ scene, up }: Subject): { axis: number; sign: number } | undefined {
  const stance = findStance(scene);
  const own = AXES.indexOf(up);
  if (!stance || stance[own] > LYING) return undefined;
  const axis = [0, 1, 2].reduce((best, c) => (Math.abs(stance[c]) > Math.abs(stance[best]) ? c : best), 0);
  return Math.abs(stance[axis]) > 0.9 ? { axis, sign: Math.sign(stance[axis]) } : undefined;
}

const upright: Rule = {
  id: 'up-axis',
  severity: 'warning',
  title: 'Characters stand along the up axis of the file',
  remedy: 'turn it: the program that wrote it had another axis up',
  check(subject) {
    const wrong = findWrongUp(subject);
    if (!wrong) return [];
    const axis = `${wrong.sign < 0 ? '-' : ''}${AXES[wrong.axis]}`;
    return [{ place: {}, fault: `the character stands along the ${axis} axis, and ${subject.up} points up` }];
  },
  fix(subject) {
    const wrong = findWrongUp(subject);
    if (!wrong) return subject.scene;
    return transformRoots(subject.scene, { rotation: rotateAxis(wrong.axis, wrong.sign, AXES.indexOf(subject.up)) });
  },
};

/** The quarter or half turn that brings an axis with a sign to another. */
function rotateAxis(from: number, sign: number, to: number): number[] {
  const rotation = [0, 0, 0, 0];
  if (from === to) {
    rotation[(to + 1) % 3] = 1;
    return rotation;
  }
  const about = 3 - from - to;
  const hand = (from + 1) % 3 === to ? 1 : -1;
  rotation[about] = sign * hand * Math.SQRT1_2;
  rotation[3] = Math.SQRT1_2;
  return rotation;
}

const far: Rule = {
  id: 'far-away',
  severity: 'warning',
  title: 'Meshes are near the origin',
  remedy: 'move it to the origin before the export',
  check({ scene }) {
    const { min, max, diagonal } = measureScene(scene);
    const spacing = SPACING * Math.max(...[...min, ...max].map(Math.abs));
    if (diagonal === 0 || spacing <= COARSE * diagonal) return [];
    const share = ((100 * spacing) / diagonal).toPrecision(2);
    return [{ place: {}, fault: `it is so far from the origin that positions are ${share} % of its size apart` }];
  },
};

/** Rules about the size and the place of a character. */
export const SIZE_RULES: readonly Rule[] = [upright, unit, far];
