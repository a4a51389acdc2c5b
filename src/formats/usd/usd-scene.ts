// SPDX-License-Identifier: MIT
// What a composed USD stage draws: prims with transforms as nodes, meshes, skeletons.
import type { UsdPrim } from './syntax/usd-layer.ts';
import { numbersOf, textOf } from './syntax/usd-values-at.ts';
import { readUsdSkeleton, type UsdSkeleton } from './usd-skeleton.ts';
import { localMatrixAt, resetsTransforms } from './usd-transforms.ts';

/** A prim with its place on the stage. */
export interface UsdNode {
  prim: UsdPrim;
  path: string;
  /** The prims above, nearest first, without the root. */
  above: readonly UsdPrim[];
  /** Index of the node whose transform applies, -1 for none. */
  parent: number;
}

/** A skeleton whose joints became nodes. */
export interface UsdSkeletonNode extends UsdSkeleton {
  /** Index of the Skeleton prim's node. */
  node: number;
  /** Index of the first joint's node; the others follow. */
  firstJoint: number;
  /** The SkelAnimation that moves it. */
  animation?: UsdPrim;
}

/** A mesh that is drawn. */
export interface UsdMeshNode {
  node: number;
  skeleton?: UsdSkeletonNode;
}

/** Nodes, and what they draw. */
export interface UsdScene {
  nodes: UsdNode[];
  /** Parents of all nodes, joints included. */
  parents: number[];
  names: string[];
  /** Local matrices at rest, 16 numbers each. */
  locals: Float64Array[];
  meshes: UsdMeshNode[];
  skeletons: UsdSkeletonNode[];
  /** Finds a prim by its path. */
  find(path: string): UsdPrim | undefined;
}

/** Types that are not drawn, and whose children are not either. */
const SKIPPED = /^(Material|Shader|NodeGraph|BlendShape|SkelAnimation|GeomSubset|Camera|.*Light|Physics.*)$/;

/** Lists what the stage draws: defined, active and visible prims whose purpose is to be rendered. */
export function listUsdScene(root: UsdPrim, log?: (message: string) => void): UsdScene {
  const scene: UsdScene = {
    nodes: [],
    parents: [],
    names: [],
    locals: [],
    meshes: [],
    skeletons: [],
    find: (path) => findPrim(root, path),
  };
  // a loop instead of recursion; the last one on the stack is the next
  const stack = [...root.children.values()]
    .reverse()
    .map((prim) => ({ prim, path: '', above: [] as UsdPrim[], parent: -1, isShown: true }));
  const paths = new Map<string, number>();
  const drawn: { node: number; path: string }[] = [];
  let instancers = 0;
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { prim, above } = next;
    if (prim.specifier !== 'def' || prim.isActive === false || SKIPPED.test(prim.typeName)) continue;
    if (prim.typeName === 'PointInstancer') {
      instancers++;
      continue;
    }
    const path = `${next.path}/${prim.name}`;
    const purpose = textOf(prim, 'purpose');
    const isShown =
      next.isShown && textOf(prim, 'visibility') !== 'invisible' && purpose !== 'guide' && purpose !== 'proxy';
    const parent = resetsTransforms(prim) ? -1 : next.parent;
    const node = addNode(scene, prim.name, parent, localMatrixAt(prim));
    scene.nodes.push({ prim, path, above, parent });
    paths.set(path, node);
    if (prim.typeName === 'Mesh' && isShown && hasFaces(prim)) drawn.push({ node, path });
    const children = [...prim.children.values()].reverse();
    for (const child of children) stack.push({ prim: child, path, above: [prim, ...above], parent: node, isShown });
  }
  if (instancers > 0) log?.(`point instancers are not supported; ${instancers} are left out`);
  bindSkeletons(scene, drawn, paths);
  return scene;
}

/** Meshes without points or faces draw nothing. */
function hasFaces(prim: UsdPrim): boolean {
  return (numbersOf(prim, 'points')?.length ?? 0) >= 3 && (numbersOf(prim, 'faceVertexCounts')?.length ?? 0) > 0;
}

function addNode(scene: UsdScene, name: string, parent: number, local: Float64Array): number {
  scene.names.push(name);
  scene.locals.push(local);
  return scene.parents.push(parent) - 1;
}

/** Finds the skeleton of each mesh and adds its joints to the nodes. */
function bindSkeletons(scene: UsdScene, drawn: { node: number; path: string }[], paths: Map<string, number>): void {
  const made = new Map<number, UsdSkeletonNode>();
  for (const { node } of drawn) {
    const target = findInherited(scene.nodes[node], 'skel:skeleton')?.properties.get('skel:skeleton')?.targets[0];
    // skinning applies below a SkelRoot only
    const isBound = target !== undefined && scene.nodes[node].above.some(({ typeName }) => typeName === 'SkelRoot');
    const at = isBound ? paths.get(target) : undefined;
    if (at === undefined || scene.nodes[at]?.prim.typeName !== 'Skeleton') {
      scene.meshes.push({ node });
      continue;
    }
    if (!made.has(at)) made.set(at, addSkeleton(scene, at));
    scene.meshes.push({ node, skeleton: made.get(at) });
  }
}

function addSkeleton(scene: UsdScene, node: number): UsdSkeletonNode {
  const { prim } = scene.nodes[node];
  const skeleton = readUsdSkeleton(prim);
  const source = findInherited(scene.nodes[node], 'skel:animationSource')?.properties.get('skel:animationSource');
  const animation = source?.targets[0] === undefined ? undefined : scene.find(source.targets[0]);
  const firstJoint = scene.parents.length;
  skeleton.joints.forEach((joint, j) => {
    const parent = skeleton.parents[j];
    const name = joint.slice(joint.lastIndexOf('/') + 1);
    addNode(scene, name, parent < 0 ? node : firstJoint + parent, skeleton.restMatrices.slice(16 * j, 16 * j + 16));
  });
  const made: UsdSkeletonNode = { ...skeleton, node, firstJoint };
  if (animation?.typeName === 'SkelAnimation') made.animation = animation;
  scene.skeletons.push(made);
  return made;
}

/** The prim, or the nearest above it, that has a property. */
export function findInherited({ prim, above }: UsdNode, property: string): UsdPrim | undefined {
  return [prim, ...above].find((one) => one.properties.has(property));
}

function findPrim(root: UsdPrim, path: string): UsdPrim | undefined {
  let prim: UsdPrim | undefined = root;
  for (const name of path.split('/').slice(1)) prim = prim?.children.get(name);
  return prim;
}
