// SPDX-License-Identifier: MIT

import { determinant3, IDENTITY, invertAffine, isCloseMatrix, multiply } from '../../../core/math/mat4.ts';
import { measureBounds } from '../../../core/mesh/geometry/bounds.ts';
import { worldsOfNodes } from '../../../core/model/skin/worlds-of-nodes.ts';
import type { Scene, SceneShape, SceneSkin } from '../../gltf/index.ts';
import type { Fault, Rule } from '../rule.ts';
import { nodeName, shapeName } from './scene-facts.ts';

/** Determinant of an inverse bind matrix, relative to the cube of its largest number, below which it flattens what it moves. */
const FLAT = 1e-9;
/** Distance of the rest pose from the bind pose, relative to the size of the mesh, that is no rounding. */
const POSE_ERROR = 1e-3;
/** Part of the weight of a mesh that a joint needs to count. */
const LEAST_WEIGHT = 1e-4;

/** By joint, where it places the mesh at rest: world x inverse bind. */
function listSpaces({ joints, inverseBinds }: SceneSkin, worlds: Float64Array): Float64Array {
  const spaces = new Float64Array(16 * joints.length);
  joints.forEach((joint, j) => {
    multiply(worlds, inverseBinds, spaces, 16 * joint, 16 * j, 16 * j);
  });
  return spaces;
}

const matrixAt = (values: Float64Array, n: number): Float64Array => values.subarray(16 * n, 16 * n + 16);

function isFlat(m: Float64Array): boolean {
  const size = Math.max(...[0, 1, 2, 4, 5, 6, 8, 9, 10].map((c) => Math.abs(m[c])));
  const isAffine = m[3] === 0 && m[7] === 0 && m[11] === 0 && m[15] === 1;
  return !isAffine || !(Math.abs(determinant3(m)) > FLAT * size ** 3);
}

/** Joints whose matrix cannot be inverted. */
const listFlat = ({ joints, inverseBinds }: SceneSkin): number[] =>
  joints.flatMap((_, j) => (isFlat(matrixAt(inverseBinds, j)) ? [j] : []));

/** Whether all matrices are the identity, though the joints are in several places. */
function isLost({ joints, inverseBinds }: SceneSkin, worlds: Float64Array): boolean {
  const areNone = joints.every((_, j) => isCloseMatrix(IDENTITY, matrixAt(inverseBinds, j), 1e-6));
  const [first] = joints;
  return areNone && joints.some((joint) => !isCloseMatrix(matrixAt(worlds, first), matrixAt(worlds, joint), 1e-4));
}

/** Gives some joints the inverse of their rest pose, in the space in which another joint places the mesh. */
function rebind(skin: SceneSkin, wrong: ReadonlySet<number>, worlds: Float64Array): SceneSkin {
  const inverseBinds = skin.inverseBinds.slice();
  const spaces = listSpaces(skin, worlds);
  const known = skin.joints.findIndex((_, j) => !wrong.has(j));
  const space = known < 0 ? Float64Array.from(IDENTITY) : matrixAt(spaces, known);
  const inverse = new Float64Array(16);
  for (const j of wrong) {
    if (invertAffine(worlds, inverse, 16 * skin.joints[j])) multiply(inverse, space, inverse);
    else inverse.set(IDENTITY);
    inverseBinds.set(inverse, 16 * j);
  }
  return { ...skin, inverseBinds };
}

const withSkins = (scene: Scene, change: (skin: SceneSkin) => SceneSkin): Scene => ({
  ...scene,
  shapes: scene.shapes.map((shape) => (shape.skin ? { ...shape, skin: change(shape.skin) } : shape)),
});

const lost: Rule = {
  id: 'bind-lost',
  severity: 'error',
  title: 'Skins have a bind pose',
  remedy: 'bind the mesh again, or take the rest pose as the bind pose',
  check({ scene }) {
    const worlds = worldsOfNodes(scene.nodes);
    return scene.shapes.flatMap((shape): Fault[] =>
      shape.skin && isLost(shape.skin, worlds)
        ? [
            {
              place: { mesh: shapeName(scene, shape) },
              fault: 'it has no inverse bind matrices: its bind pose is lost',
            },
          ]
        : [],
    );
  },
  fix({ scene }) {
    const worlds = worldsOfNodes(scene.nodes);
    return withSkins(scene, (skin) =>
      isLost(skin, worlds) ? rebind(skin, new Set(skin.joints.keys()), worlds) : skin,
    );
  },
};

const flat: Rule = {
  id: 'bind-singular',
  severity: 'error',
  title: 'Inverse bind matrices can be inverted',
  remedy: 'compute it from the rest pose',
  check({ scene }) {
    return scene.shapes.flatMap((shape) =>
      (shape.skin ? listFlat(shape.skin) : []).map((j): Fault => {
        const joint = nodeName(scene.nodes, shape.skin?.joints[j] ?? 0);
        return { place: { mesh: shapeName(scene, shape), joint }, fault: 'its inverse bind matrix has no inverse' };
      }),
    );
  },
  fix({ scene }) {
    const worlds = worldsOfNodes(scene.nodes);
    return withSkins(scene, (skin) => {
      const wrong = listFlat(skin);
      return wrong.length === 0 ? skin : rebind(skin, new Set(wrong), worlds);
    });
  },
};

/** By joint, the sum of its weights divided by that of all. */
function weighJoints({ joints, weights }: SceneSkin): Float64Array {
  const totals = new Float64Array(joints.length);
  let sum = 0;
  for (let e = 0; e < weights.weights.length; e++) {
    totals[weights.boneIndices[e]] += weights.weights[e];
    sum += weights.weights[e];
  }
  return sum > 0 ? totals.map((x) => x / sum) : totals;
}

/** Largest distance between where joints with weight place the corners of the box of the mesh at rest, relative to its size. */
function measurePose({ mesh, skin }: SceneShape, worlds: Float64Array): { most: number; joint: number } {
  if (!skin) return { most: 0, joint: 0 };
  const { min, max, diagonal } = measureBounds(mesh.positions);
  const spaces = listSpaces(skin, worlds);
  const shares = weighJoints(skin);
  const base = shares.indexOf(Math.max(...shares));
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => [0, 1, 2].map((c) => ((n >> c) & 1 ? max[c] : min[c])));
  const place = (j: number, [x, y, z]: number[]): number[] =>
    [0, 1, 2].map((r) => {
      const o = 16 * j + r;
      return spaces[o] * x + spaces[o + 4] * y + spaces[o + 8] * z + spaces[o + 12];
    });
  const size = diagonal * Math.cbrt(Math.abs(determinant3(matrixAt(spaces, base))));
  let [most, joint] = [0, 0];
  shares.forEach((share, j) => {
    if (share < LEAST_WEIGHT) return;
    for (const corner of corners) {
      const [a, b] = [place(base, corner), place(j, corner)];
      const distance = Math.hypot(...a.map((x, c) => x - b[c])) / (size || 1);
      if (distance > most) [most, joint] = [distance, j];
    }
  });
  return { most, joint };
}

const pose: Rule = {
  id: 'bind-pose',
  severity: 'note',
  title: 'The rest pose is the bind pose',
  remedy: 'export the character in its bind pose if clips of other characters are played on it',
  check({ scene }) {
    const worlds = worldsOfNodes(scene.nodes);
    return scene.shapes.flatMap((shape): Fault[] => {
      const { most, joint } = measurePose(shape, worlds);
      if (!(most > POSE_ERROR) || !shape.skin || isLost(shape.skin, worlds)) return [];
      const place = { mesh: shapeName(scene, shape), joint: nodeName(scene.nodes, shape.skin.joints[joint]) };
      return [{ place, fault: `the rest pose is up to ${(100 * most).toFixed(1)} % of the size from the bind pose` }];
    });
  },
};

/** Rules about bind poses. */
export const BIND_RULES: readonly Rule[] = [flat, lost, pose];
