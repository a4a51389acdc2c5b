// SPDX-License-Identifier: MIT
// What a composed USD stage holds: prims with transforms as nodes, and meshes, cameras, lights and skeletons at them.
import { FormatError } from '../../../core/model/errors.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import type { Extras } from '../../../core/model/surface-look.ts';
import { type UsdDictionary, type UsdPrim, type UsdValue, usdTupleSize } from '../syntax/usd-layer.ts';
import { numbersOf, textOf, textsOf } from '../syntax/usd-values-at.ts';
import { extrasOfUsd } from '../usd-extras.ts';
import { readUsdSkeleton, type UsdSkeleton } from './usd-skeleton.ts';
import { resetsTransforms } from './usd-transforms.ts';

/** A prim with its place on the stage. */
export interface UsdPlace {
  prim: UsdPrim;
  path: string;
  /** The prims above, nearest first, without the root. */
  above: readonly UsdPrim[];
}

/** A node: a prim, or a joint. */
export interface UsdNode {
  name: string;
  /** Index of the node whose transform applies, -1 for none. */
  parent: number;
  /** The prim that has its transform; a joint has none. */
  prim?: UsdPrim;
  extras?: Extras;
}

/** A skeleton whose joints became nodes. */
export interface UsdSkeletonNode extends UsdSkeleton {
  /** Index of the node in whose space it is, -1 for the world. */
  node: number;
  /** Index of the first joint's node; the others follow. */
  firstJoint: number;
  /** The SkelAnimation that moves it. */
  animation?: UsdPrim;
}

/** A mesh, camera or light at a node. */
export interface UsdContent extends UsdPlace {
  kind: 'mesh' | 'camera' | 'light';
  node: number;
  skeleton?: UsdSkeletonNode;
}

/** Nodes, and what they draw. */
export interface UsdScene {
  nodes: UsdNode[];
  contents: UsdContent[];
  skeletons: UsdSkeletonNode[];
  /** Animations of the stage in its order. */
  animations: UsdPrim[];
  /** Finds a prim by its path. */
  find(path: string): UsdPrim | undefined;
}

/** Types that are no nodes, and whose children are not either. */
const SKIPPED = /^(Material|Shader|NodeGraph|BlendShape|GeomSubset|Physics.*|RenderSettings|RenderProduct|RenderVar)$/;
/** Types that only hold others. */
const HOLDERS = new Set(['', 'Scope']);

/** A prim that is visited, and the node above it. */
interface Visit extends UsdPlace {
  parent: number;
  isShown: boolean;
  /** The joint that moves what is here, if this project wrote it. */
  joint?: string;
}

/** Children of a prim, by what they are. */
type ChildCounts = Record<'all' | UsdContent['kind'], number>;

/** Lists what the stage holds: defined and active prims; of meshes those that are visible and whose purpose is to be rendered. */
export function listUsdScene(root: UsdPrim, log?: (message: string) => void): UsdScene {
  return new SceneLister(root, log).list();
}

class SceneLister {
  readonly #root: UsdPrim;
  readonly #log?: (message: string) => void;
  readonly #scene: UsdScene;
  readonly #skeletons = new Map<string, Visit>();
  readonly #holds = new Map<UsdPrim, boolean>();
  readonly #counts = new Map<UsdPrim, ChildCounts>();
  /** Contents that wait for the joint that carries them. */
  readonly #carried: { content: UsdContent; joint: string }[] = [];
  #instancers = 0;

  constructor(root: UsdPrim, log?: (message: string) => void) {
    this.#root = root;
    this.#log = log;
    this.#scene = {
      ...{ nodes: [], contents: [], skeletons: [], animations: [] },
      find: (path) => findPrim(root, path),
    };
  }

  list(): UsdScene {
    // a loop instead of recursion; the last one on the stack is the next
    const stack: Visit[] = [...this.#root.children.values()]
      .reverse()
      .map((prim) => ({ prim, path: `/${prim.name}`, above: [], parent: -1, isShown: true }));
    for (let next = stack.pop(); next; next = stack.pop()) {
      const inside = this.#visit(next);
      if (!inside) continue;
      const { prim, path, above } = next;
      for (const child of [...prim.children.values()].reverse())
        stack.push({ ...inside, prim: child, path: `${path}/${child.name}`, above: [prim, ...above] });
    }
    if (this.#instancers > 0) this.#log?.(`point instancers are not supported; ${this.#instancers} are left out`);
    this.#bindSkeletons();
    this.#placeCarried();
    return this.#scene;
  }

  /** Adds what a prim is. Returns what counts for its children; undefined if they are not visited. */
  #visit(visit: Visit): Pick<Visit, 'parent' | 'isShown' | 'joint'> | undefined {
    const { prim } = visit;
    const { typeName } = prim;
    if (prim.specifier !== 'def' || prim.isActive === false || SKIPPED.test(typeName)) return undefined;
    if (typeName === 'SkelAnimation') this.#scene.animations.push(prim);
    if (typeName === 'PointInstancer') this.#instancers++;
    if (typeName === 'SkelAnimation' || typeName === 'PointInstancer') return undefined;
    const purpose = textOf(prim, 'purpose');
    const isShown =
      visit.isShown && textOf(prim, 'visibility') !== 'invisible' && purpose !== 'guide' && purpose !== 'proxy';
    if (isStage(prim)) return { parent: visit.parent, isShown };
    const joint = textOf(prim, 'ossify:joint') ?? visit.joint;
    const kind = kindOf(typeName);
    const isPlain = !prim.properties.has('xformOpOrder');
    if (typeName === 'Skeleton') this.#skeletons.set(visit.path, visit);
    if (typeName === 'Skeleton' && isPlain) return { parent: visit.parent, isShown };
    if (HOLDERS.has(typeName) && isPlain && !this.#holdsNodes(prim)) {
      this.#listAnimations(prim);
      return undefined;
    }
    if (joint !== undefined && !kind) return { parent: visit.parent, isShown, joint };
    const isMerged = kind !== undefined && (joint !== undefined || (isPlain && this.#isOnlyContent(visit, kind)));
    const node = isMerged ? visit.parent : this.#addNode(visit);
    if (!kind) return { parent: node, isShown };
    const content: UsdContent = { ...{ prim, path: visit.path, above: visit.above }, kind, node };
    if (joint !== undefined) this.#carried.push({ content, joint });
    else if (kind !== 'mesh' || (isShown && hasFaces(prim))) this.#scene.contents.push(content);
    return { parent: node, isShown };
  }

  /** Whether a mesh, camera or light without transform is all of its kind in the transform above, and can be drawn by that. */
  #isOnlyContent({ prim, above, parent }: Visit, kind: UsdContent['kind']): boolean {
    const [holder] = above;
    if (!holder || parent < 0 || this.#scene.nodes[parent].prim !== holder || holder.typeName !== 'Xform') return false;
    if (resetsTransforms(prim)) return false;
    const counts = this.#countChildren(holder);
    // what follows joints stays apart from nodes that move others
    const isBound = kind === 'mesh' && prim.properties.has('skel:skeleton');
    return (isBound ? counts.all : counts[kind]) === 1;
  }

  /** Defined children of a prim by what they are, counted once for all of them. */
  #countChildren(holder: UsdPrim): ChildCounts {
    const known = this.#counts.get(holder);
    if (known) return known;
    const counts: ChildCounts = { all: 0, mesh: 0, camera: 0, light: 0 };
    for (const { specifier, typeName } of holder.children.values()) {
      if (specifier !== 'def' || SKIPPED.test(typeName)) continue;
      const kind = kindOf(typeName);
      counts.all++;
      if (kind) counts[kind]++;
    }
    this.#counts.set(holder, counts);
    return counts;
  }

  /** Whether a prim, or one below it, is more than a holder of materials and animations. */
  #holdsNodes(prim: UsdPrim): boolean {
    const known = this.#holds.get(prim);
    if (known !== undefined) return known;
    const holds = [...prim.children.values()].some(
      (child) =>
        child.specifier === 'def' &&
        child.isActive !== false &&
        !SKIPPED.test(child.typeName) &&
        child.typeName !== 'SkelAnimation' &&
        (!HOLDERS.has(child.typeName) || child.properties.has('xformOpOrder') || this.#holdsNodes(child)),
    );
    this.#holds.set(prim, holds);
    return holds;
  }

  #listAnimations(prim: UsdPrim): void {
    for (const child of prim.children.values()) {
      if (child.specifier !== 'def' || child.isActive === false) continue;
      if (child.typeName === 'SkelAnimation') this.#scene.animations.push(child);
      else if (HOLDERS.has(child.typeName)) this.#listAnimations(child);
    }
  }

  #addNode({ prim, parent }: Visit): number {
    const extras = extrasOfPrim(prim);
    return (
      this.#scene.nodes.push({
        ...{ name: nameOf(prim), parent: resetsTransforms(prim) ? -1 : parent, prim },
        ...(extras ? { extras } : {}),
      }) - 1
    );
  }

  /** Finds the skeleton of each mesh and adds its joints to the nodes. */
  #bindSkeletons(): void {
    const made = new Map<string, UsdSkeletonNode>();
    for (const content of this.#scene.contents) {
      if (content.kind !== 'mesh') continue;
      const target = findInherited(content, 'skel:skeleton')?.properties.get('skel:skeleton')?.targets[0];
      // skinning applies below a SkelRoot only
      const isBound = target !== undefined && content.above.some(({ typeName }) => typeName === 'SkelRoot');
      const visit = isBound ? this.#skeletons.get(target) : undefined;
      if (!visit || target === undefined) continue;
      let skeleton = made.get(target);
      if (!skeleton) {
        skeleton = this.#addSkeleton(visit);
        made.set(target, skeleton);
      }
      content.skeleton = skeleton;
    }
    // a stage without meshes is a file of animations
    if (this.#scene.contents.every(({ kind }) => kind !== 'mesh'))
      for (const visit of this.#skeletons.values()) this.#addSkeleton(visit);
  }

  #addSkeleton(visit: Visit): UsdSkeletonNode {
    const scene = this.#scene;
    const { prim } = visit;
    const skeleton = readUsdSkeleton(prim);
    const own = scene.nodes.findIndex((node) => node.prim === prim);
    const node = own < 0 ? visit.parent : own;
    const source = findInherited(visit, 'skel:animationSource')?.properties.get('skel:animationSource');
    const animation = source?.targets[0] === undefined ? undefined : scene.find(source.targets[0]);
    const firstJoint = scene.nodes.length;
    const names = textsOf(prim, 'jointNames');
    const stored = dictionaryOf(dictionaryOf(prim.customData?.ossify)?.joints);
    skeleton.joints.forEach((joint, j) => {
      const parent = skeleton.parents[j];
      const name = names.length === skeleton.joints.length ? names[j] : joint.slice(joint.lastIndexOf('/') + 1);
      const extras = dictionaryOf(stored?.[joint]);
      scene.nodes.push({
        ...{ name, parent: parent < 0 ? node : firstJoint + parent },
        ...(extras ? { extras: extrasOfUsd(extras) } : {}),
      });
    });
    const made: UsdSkeletonNode = { ...skeleton, node, firstJoint };
    if (animation?.typeName === 'SkelAnimation') made.animation = animation;
    scene.skeletons.push(made);
    return made;
  }

  /** Puts cameras and lights on the joints that carried them. */
  #placeCarried(): void {
    for (const { content, joint } of this.#carried) {
      const skeleton = this.#scene.skeletons.find(({ joints }) => joints.includes(joint));
      if (!skeleton)
        throw new FormatError(
          'usd',
          'mismatch',
          `${quoteName(content.path)} follows a joint ${quoteName(joint)}, which is missing`,
        );
      this.#scene.contents.push({ ...content, node: skeleton.firstJoint + skeleton.joints.indexOf(joint) });
    }
  }
}

function kindOf(typeName: string): UsdContent['kind'] | undefined {
  if (typeName === 'Mesh') return 'mesh';
  if (typeName === 'Camera') return 'camera';
  return /^(Distant|Sphere|Disk|Rect)Light$/.test(typeName) ? 'light' : undefined;
}

/** Whether a prim only holds a scene that this project wrote. */
function isStage(prim: UsdPrim): boolean {
  return dictionaryOf(prim.customData?.ossify)?.stage === true;
}

/** The name of a prim, as it was before it became an identifier. */
export function nameOf(prim: UsdPrim): string {
  return prim.displayName || prim.name;
}

/** A dictionary, if a value is one. */
export function dictionaryOf(value: UsdValue | undefined): UsdDictionary | undefined {
  const isOther = typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value);
  return isOther ? undefined : (value as UsdDictionary);
}

/** Custom properties of a prim: its customData, and attributes that Blender writes. */
export function extrasOfPrim(prim: UsdPrim): Extras | undefined {
  const { ossify, ...custom } = prim.customData ?? {};
  const out = extrasOfUsd(custom);
  for (const [name, { value }] of prim.properties)
    if (name.startsWith('userProperties:') && value !== undefined && value !== null)
      Object.assign(out, extrasOfUsd({ [name.slice('userProperties:'.length)]: value }));
  return Object.keys(out).length > 0 ? out : undefined;
}

/** Meshes without points or faces draw nothing, and points that are no positions are no points. */
function hasFaces(prim: UsdPrim): boolean {
  const type = prim.properties.get('points')?.typeName ?? '';
  if (!type.endsWith('[]') || usdTupleSize(type) !== 3) return false;
  return (numbersOf(prim, 'points')?.length ?? 0) >= 3 && (numbersOf(prim, 'faceVertexCounts')?.length ?? 0) > 0;
}

/** The prim, or the nearest above it, that has a property. */
export function findInherited({ prim, above }: UsdPlace, property: string): UsdPrim | undefined {
  return [prim, ...above].find((one) => one.properties.has(property));
}

function findPrim(root: UsdPrim, path: string): UsdPrim | undefined {
  let prim: UsdPrim | undefined = root;
  for (const name of path.split('/').slice(1)) prim = prim?.children.get(name);
  return prim;
}
