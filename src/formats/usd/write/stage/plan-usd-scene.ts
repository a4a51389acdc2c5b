// SPDX-License-Identifier: MIT
// Which nodes of a scene become joints of the one skeleton, and which become prims. A stage plays several animations, and morph targets, only through
// UsdSkel: what moves becomes a joint, with all nodes below it. Its meshes are bound to the joint.
import type { Scene, SceneShape } from '../../../gltf/index.ts';

/** The roles of the nodes. */
export interface UsdPlan {
  /** nodeCount: index of the joint, -1 for a node that is a prim, -2 for one that only draws a skinned mesh. */
  jointOfNode: Int32Array;
  /** Nodes of the joints, parents first. */
  joints: readonly number[];
  /** The node whose prim is the SkelRoot, -1 for the root prim; undefined without joints. */
  skelRoot?: number;
  /** Shapes by node. */
  shapes: ReadonlyMap<number, SceneShape>;
}

const [IS_PRIM, IS_DRAWN] = [-1, -2];

/** Decides what each node of a scene becomes. */
export function planUsdScene(scene: Scene): UsdPlan {
  const { nodes, shapes } = scene;
  const { parents } = nodes;
  const count = parents.length;
  const jointOfNode = new Int32Array(count).fill(IS_PRIM);
  for (const node of listDrawing(scene)) jointOfNode[node] = IS_DRAWN;
  const byNode = new Map(shapes.map((shape) => [shape.node, shape]));
  const isCore = new Uint8Array(count);
  for (const node of listMoving(scene)) if (jointOfNode[node] !== IS_DRAWN) isCore[node] = 1;
  if (!isCore.includes(1))
    // a skin whose joints are gone still needs a SkelRoot, which is the root
    return { jointOfNode, joints: [], shapes: byNode };
  const skelRoot = findCommonParent(parents, isCore);
  // the trees below the common parent that hold anything that moves
  const holds = Uint8Array.from(isCore);
  for (let n = count - 1; n >= 0; n--) if (holds[n] && parents[n] >= 0) holds[parents[n]] = 1;
  const joints: number[] = [];
  for (let n = 0; n < count; n++) {
    const parent = parents[n];
    const isTop = parent === skelRoot && holds[n];
    const isBelow = parent >= 0 && jointOfNode[parent] >= 0;
    if ((isTop || isBelow) && jointOfNode[n] !== IS_DRAWN) jointOfNode[n] = joints.push(n) - 1;
  }
  return { jointOfNode, joints, skelRoot, shapes: byNode };
}

/** Nodes that do nothing but draw a skinned mesh, whose transform does not count. */
function listDrawing({ nodes, shapes, cameras = [], lights = [] }: Scene): number[] {
  const busy = new Set<number>([
    ...nodes.parents,
    ...shapes.flatMap(({ skin }) => [...(skin?.joints ?? [])]),
    ...cameras.map(({ node }) => node),
    ...lights.map(({ node }) => node),
  ]);
  return shapes.flatMap(({ node, skin }) => (skin && !busy.has(node) ? [node] : []));
}

/** Joints of skins, nodes with keys, and nodes with morph targets. */
function listMoving({ shapes, animations }: Scene): number[] {
  return [
    ...shapes.flatMap(({ skin }) => [...(skin?.joints ?? [])]),
    ...shapes.flatMap(({ node, skin, targets }) => (targets.length > 0 && !skin ? [node] : [])),
    ...animations.flatMap(({ tracks }) => tracks.filter(({ path }) => path !== 'weights').map(({ node }) => node)),
  ];
}

/** The lowest node above all core nodes that is not below one of them; -1 if there is none. */
function findCommonParent(parents: Int32Array, isCore: Uint8Array): number {
  const listAbove = (node: number): number[] => {
    const path: number[] = [];
    for (let n = parents[node]; n >= 0; n = parents[n]) path.push(n);
    return path.reverse();
  };
  let common: number[] | undefined;
  isCore.forEach((core, node) => {
    // one below another core node has a longer path, which adds nothing
    if (!core) return;
    const path = listAbove(node);
    const end = path.findIndex((n) => isCore[n]);
    const own = end < 0 ? path : path.slice(0, end);
    if (!common) common = own;
    else {
      const known = common;
      const first = known.findIndex((n, depth) => own[depth] !== n);
      common = first < 0 ? known : known.slice(0, first);
    }
  });
  return common?.at(-1) ?? -1;
}
