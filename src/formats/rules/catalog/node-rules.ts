// SPDX-License-Identifier: MIT
import { worldsOfNodes } from '../../../core/model/skin/worlds-of-nodes.ts';
import { absorbScales, isSimilarity } from '../repairs/absorb-scales.ts';
import { insertRoot } from '../repairs/insert-root.ts';
import type { Fault, Rule, Subject } from '../rule.ts';
import {
  listBusyNodes,
  listJoints,
  listMovedNodes,
  listRoots,
  listSkeletonNodes,
  measureShear,
  nodeName,
  shapeName,
} from './scene-facts.ts';

/** Difference of a scale from one that is no rounding: of FBX files in centimetres, 1e-5 was seen (../shared/characters). */
const SCALE_ERROR = 1e-3;
/** Cosine of the angle of two axes of a joint above which it is sheared: 0.6 degrees. */
const SHEAR = 1e-2;

const scaleOf = ({ scene }: Subject, n: number): Float64Array => scene.nodes.scales.subarray(3 * n, 3 * n + 3);

/** Nodes at the top of skeletons, down to the first joints, whose scale is not one. */
function listScaledRoots(subject: Subject): number[] {
  const { nodes } = subject.scene;
  const joints = listJoints(subject.scene);
  return [...listSkeletonNodes(subject.scene)].filter((n) => {
    const isTop = nodes.parents[n] < 0 || !joints.has(nodes.parents[n]);
    const scale = scaleOf(subject, n);
    return (
      isTop && n !== subject.added && scale.every((x) => x > 0) && scale.some((x) => Math.abs(x - 1) > SCALE_ERROR)
    );
  });
}

const rootScale: Rule = {
  id: 'root-scale',
  severity: 'warning',
  title: 'No scale at the top of a skeleton',
  remedy:
    'apply the scale to the bones and the mesh: physics, levels of detail and clips of other characters expect none',
  check(subject) {
    return listScaledRoots(subject).map((n): Fault => {
      const scale = scaleOf(subject, n);
      const size = isSimilarity(scale) ? show(scale[0]) : [...scale].map(show).join(' x ');
      return {
        place: { node: nodeName(subject.scene.nodes, n) },
        fault: `the top of the skeleton is scaled by ${size}`,
        canFix: isSimilarity(scale),
      };
    });
  },
  fix(subject) {
    const scaled = new Set(listScaledRoots(subject));
    return absorbScales(subject.scene, (n) => scaled.has(n));
  },
};

const show = (x: number): string => String(Number(x.toPrecision(6)));

const zeroScale: Rule = {
  id: 'scale-zero',
  severity: 'warning',
  title: 'No joint has a scale of zero at rest',
  remedy: 'give it a scale; hide a mesh by its visibility',
  check(subject) {
    const { nodes } = subject.scene;
    return [...listSkeletonNodes(subject.scene)].flatMap((n): Fault[] =>
      scaleOf(subject, n).some((x) => x === 0)
        ? [{ place: { joint: nodeName(nodes, n) }, fault: 'its scale is zero, so what follows it has no size' }]
        : [],
    );
  },
  fix(subject) {
    const { scene } = subject;
    const scales = scene.nodes.scales.slice();
    for (const n of listSkeletonNodes(scene))
      for (let c = 3 * n; c < 3 * n + 3; c++) if (scales[c] === 0) scales[c] = 1;
    return { ...scene, nodes: { ...scene.nodes, scales } };
  },
};

function listMirrored(subject: Subject): number[] {
  const skeleton = listSkeletonNodes(subject.scene);
  const drawn = new Set(subject.scene.shapes.flatMap(({ node, skin }) => (skin ? [] : [node])));
  return [...subject.scene.nodes.names.keys()].filter(
    (n) => (skeleton.has(n) || drawn.has(n)) && scaleOf(subject, n).some((x) => x < 0),
  );
}

const mirror: Rule = {
  id: 'scale-negative',
  severity: 'note',
  title: 'No joint and no mesh is mirrored by a negative scale',
  remedy: 'apply the mirror to the vertices: rigid bodies, bones and culling of several engines do without it',
  check(subject) {
    const { nodes } = subject.scene;
    const skeleton = listSkeletonNodes(subject.scene);
    return listMirrored(subject).map((n): Fault => {
      const name = nodeName(nodes, n);
      return {
        place: skeleton.has(n) ? { joint: name } : { node: name },
        fault: 'its scale is negative',
        canFix: isSimilarity(scaleOf(subject, n)),
        ...(skeleton.has(n) ? { severity: 'warning' } : {}),
      };
    });
  },
  fix(subject) {
    const mirrored = new Set(listMirrored(subject));
    return absorbScales(subject.scene, (n) => mirrored.has(n));
  },
};

const shear: Rule = {
  id: 'joint-shear',
  severity: 'note',
  title: 'No joint is sheared at rest',
  remedy: 'apply the scale of the nodes above it: Unreal, Unity and Blender drop shear',
  check({ scene }) {
    const worlds = worldsOfNodes(scene.nodes);
    return [...listJoints(scene)].flatMap((n): Fault[] => {
      const most = measureShear(worlds, 16 * n);
      if (!(most > SHEAR)) return [];
      const degrees = (180 / Math.PI) * Math.asin(Math.min(1, most));
      return [
        {
          place: { joint: nodeName(scene.nodes, n) },
          fault: `its axes are ${degrees.toFixed(1)} degrees from right angles`,
        },
      ];
    });
  },
};

const skinnedNode: Rule = {
  id: 'skinned-node',
  severity: 'warning',
  title: 'Nodes of skinned meshes have no transform of their own',
  remedy: 'clear it: players ignore it, and some programs do not',
  check(subject) {
    const { scene } = subject;
    const moved = listMovedNodes(scene);
    return listPlainSkinned(subject).flatMap((n): Fault[] => {
      const place = { node: nodeName(scene.nodes, n) };
      if (!isAtRest(subject, n)) return [{ place, fault: 'it draws a skinned mesh and is moved, turned or scaled' }];
      return moved.has(n) ? [{ place, fault: 'it draws a skinned mesh and is animated' }] : [];
    });
  },
  fix(subject) {
    const { scene } = subject;
    const cleared = new Set(listPlainSkinned(subject));
    const { translations, rotations, scales } = scene.nodes;
    const clear = (values: Float64Array, size: number, rest: readonly number[]): Float64Array =>
      values.map((x, c) => (cleared.has(Math.floor(c / size)) ? rest[c % size] : x));
    return {
      ...scene,
      nodes: {
        ...scene.nodes,
        translations: clear(translations, 3, [0, 0, 0]),
        rotations: clear(rotations, 4, [0, 0, 0, 1]),
        scales: clear(scales, 3, [1, 1, 1]),
      },
      animations: scene.animations.map((animation) => ({
        ...animation,
        tracks: animation.tracks.filter(({ node, path }) => path === 'weights' || !cleared.has(node)),
      })),
    };
  },
};

/** Nodes that draw a skinned mesh and do nothing else. */
function listPlainSkinned({ scene }: Subject): number[] {
  const busy = listBusyNodes(scene);
  return scene.shapes.flatMap(({ node, skin }) => (skin && !busy.has(node) ? [node] : []));
}

function isAtRest({ scene: { nodes } }: Subject, n: number): boolean {
  const isNone = (values: Float64Array, size: number, rest: readonly number[]): boolean =>
    rest.every((x, c) => Math.abs(values[size * n + c] - x) <= 1e-6);
  return (
    isNone(nodes.translations, 3, [0, 0, 0]) &&
    isNone(nodes.rotations, 4, [0, 0, 0, 1]) &&
    isNone(nodes.scales, 3, [1, 1, 1])
  );
}

const severalRoots: Rule = {
  id: 'skeleton-roots',
  severity: 'error',
  title: 'The joints of a skin are below one node',
  remedy: 'place them below one root: Unreal and Unity refuse several, and glTF forbids them',
  check({ scene, added }) {
    const roots = listRoots(scene.nodes, added);
    return scene.shapes.flatMap((shape): Fault[] => {
      const own = new Set((shape.skin?.joints ?? []).map((joint) => roots[joint]));
      if (own.size < 2) return [];
      const names = [...own].slice(0, 4).map((n) => nodeName(scene.nodes, n));
      const rest = own.size > names.length ? ', …' : '';
      const fault = `its skeleton has ${own.size} roots: ${names.join(', ')}${rest}`;
      return [{ place: { mesh: shapeName(scene, shape) }, fault }];
    });
  },
  fix({ scene }) {
    const roots = listRoots(scene.nodes);
    const below = new Set([...listJoints(scene)].map((joint) => roots[joint]));
    const used = new Set(scene.nodes.names);
    const name = ['root', 'skeleton root'].find((one) => !used.has(one)) ?? `root_${scene.nodes.names.length}`;
    return insertRoot(scene, name, below);
  },
};

const unusedNode: Rule = {
  id: 'node-unused',
  severity: 'note',
  title: 'Every node draws something, moves something or holds other nodes',
  remedy: 'keep it if something is attached to it, otherwise remove it',
  check({ scene }) {
    const busy = listBusyNodes(scene);
    const moved = listMovedNodes(scene);
    const drawn = new Set(scene.shapes.map(({ node }) => node));
    const idle = [...scene.nodes.names.keys()].filter(
      (n) => !busy.has(n) && !moved.has(n) && !drawn.has(n) && !scene.extras?.has(n),
    );
    if (idle.length === 0) return [];
    const place = { node: nodeName(scene.nodes, idle[0]), count: idle.length };
    const fault =
      idle.length === 1
        ? 'it is empty and nothing moves it'
        : `${idle.length} nodes are empty and not moved, this first`;
    return [{ place, fault }];
  },
};

/** Rules about nodes. Roots are joined before scales are applied. */
export const NODE_RULES: readonly Rule[] = [severalRoots, skinnedNode, zeroScale, mirror, rootScale, shear, unusedNode];
