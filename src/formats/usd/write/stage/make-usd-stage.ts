// SPDX-License-Identifier: MIT
// A scene as the prims of a stage. Nodes that do not move are prims; those that move are joints of one skeleton (plan-usd-scene.ts), whose prim is the SkelRoot.
import type { Extras } from '../../../../core/model/surface-look.ts';
import type { Scene, SceneShape } from '../../../gltf/index.ts';
import { listNodeTransforms, listWorldSamples } from '../motion/sample-usd-nodes.ts';
import { UsdClock } from '../motion/usd-clock.ts';
import { UsdFrames } from '../motion/usd-frames.ts';
import { makeUsdDraft, type UsdDraftLayer, type UsdDraftPrim, type UsdDraftProperty, uniformOf } from '../usd-draft.ts';
import { takeUsdName } from '../usd-names.ts';
import type { WriteUsdSceneOptions } from '../write-usd-scene.ts';
import { makeUsdLook, type UsdImage, type UsdLook } from './add-usd-look.ts';
import { fillUsdMesh } from './add-usd-mesh.ts';
import { makeUsdSkeleton, type UsdBlendShapes } from './add-usd-skeleton.ts';
import { makeUsdCamera, makeUsdLight } from './add-usd-views.ts';
import { makeUsdJoints, type UsdJoints } from './make-usd-joints.ts';
import { measureUsdSize } from './measure-usd-size.ts';
import { planUsdScene, type UsdPlan } from './plan-usd-scene.ts';

/** Names that the prims of a skeleton and the scope of materials have. */
const RESERVED = ['Skeleton', 'Animations', 'Looks'];

type StageOptions = Omit<WriteUsdSceneOptions, 'form'> & {
  /** What the paths of images begin with. */
  prefix: string;
};

/** Makes the file of a scene, and lists its images. */
export function makeUsdStage(scene: Scene, options: StageOptions): { layer: UsdDraftLayer; images: UsdImage[] } {
  return new StageMaker(scene, options).make();
}

/** A prim, its path, and the names that its children have. */
interface Place {
  prim: UsdDraftPrim;
  path: string;
  taken: Set<string>;
}

class StageMaker {
  readonly #scene: Scene;
  readonly #options: StageOptions;
  readonly #plan: UsdPlan;
  readonly #joints: UsdJoints;
  readonly #clock: UsdClock;
  readonly #size: number;
  readonly #frames?: UsdFrames;
  /** Vertices of the shapes that were placed. */
  #vertexCount = 0;
  readonly #root: Place;
  /** By node, of those that are prims. */
  readonly #places: (Place | undefined)[] = [];
  #look: UsdLook = { paths: [], images: [] };

  constructor(scene: Scene, options: StageOptions) {
    this.#scene = scene;
    this.#options = options;
    this.#plan = planUsdScene(scene);
    this.#joints = makeUsdJoints(scene, this.#plan);
    const { clip } = options;
    this.#frames = clip && new UsdFrames(clip);
    this.#clock = new UsdClock(scene.animations, this.#frames?.seconds);
    this.#size = measureUsdSize(scene);
    this.#root = this.#makeRoot();
  }

  make(): { layer: UsdDraftLayer; images: UsdImage[] } {
    const { up, metresPerUnit = 1, prefix, log } = this.#options;
    const root = this.#root;
    this.#look = makeUsdLook(this.#scene, { parent: root.path, prefix, hasColors: this.#listColored(), log });
    if (this.#look.scope) root.prim.children.push(this.#look.scope);
    this.#placeNodes();
    const skelRoot = this.#placeSkeleton();
    for (const shape of this.#scene.shapes) this.#placeShape(shape, skelRoot);
    this.#placeViews(skelRoot);
    const { rate, end } = this.#clock;
    const layer: UsdDraftLayer = {
      ...{ defaultPrim: root.prim.name, upAxis: up === 'z' ? 'Z' : 'Y', metersPerUnit: metresPerUnit },
      ...(end > 0 ? { time: { rate, end } } : {}),
      prims: [root.prim],
    };
    return { layer, images: this.#look.images };
  }

  /** The only root node, if it is a prim; otherwise a prim that holds them all. */
  #makeRoot(): Place {
    const { nodes } = this.#scene;
    const { jointOfNode, skelRoot } = this.#plan;
    const roots = [...nodes.parents.keys()].filter((n) => nodes.parents[n] < 0 && jointOfNode[n] !== -2);
    const [only] = roots;
    const isNode = roots.length === 1 && jointOfNode[only] === -1 && skelRoot !== -1;
    if (isNode) return this.#makeNode(only, undefined);
    const name = takeUsdName(this.#options.name || 'stage', new Set());
    const prim = { ...makeUsdDraft('Xform', name), data: { ossify: { stage: true } } };
    return { prim, path: `/${name}`, taken: new Set(RESERVED) };
  }

  #makeNode(node: number, above: Place | undefined): Place {
    const { nodes, extras } = this.#scene;
    const name = nodes.names[node] || `node ${node}`;
    const prim = this.#makeChild('Xform', name, above);
    prim.prim.properties.push(...listNodeTransforms(nodes, node));
    const own = extras?.get(node);
    if (own) prim.prim.data = own;
    this.#places[node] = prim;
    return prim;
  }

  /** A prim with a free name; the name that was asked for is kept beside it. */
  #makeChild(type: string, name: string, above: Place | undefined): Place {
    const own = takeUsdName(name, above?.taken ?? new Set());
    const prim = makeUsdDraft(type, own);
    if (name !== own) prim.displayName = name;
    above?.prim.children.push(prim);
    return { prim, path: `${above?.path ?? ''}/${own}`, taken: new Set(RESERVED) };
  }

  #placeNodes(): void {
    const { parents } = this.#scene.nodes;
    parents.forEach((parent, n) => {
      if (this.#plan.jointOfNode[n] !== -1 || this.#places[n]) return;
      this.#makeNode(n, (parent < 0 ? undefined : this.#places[parent]) ?? this.#root);
    });
  }

  /** Makes the SkelRoot with its skeleton; undefined if nothing needs one. */
  #placeSkeleton(): Place | undefined {
    const { skelRoot } = this.#plan;
    if (skelRoot === undefined) return undefined;
    const place = (skelRoot < 0 ? undefined : this.#places[skelRoot]) ?? this.#root;
    place.prim.type = 'SkelRoot';
    place.prim.apis = ['SkelBindingAPI'];
    const prims = makeUsdSkeleton({
      ...{ scene: this.#scene, joints: this.#joints, blends: this.#blends, clock: this.#clock, size: this.#size },
      ...{ path: place.path, log: this.#options.log },
    });
    place.prim.children.push(...prims);
    return place;
  }

  get #blends(): UsdBlendShapes[] {
    const taken = new Set<string>();
    return this.#scene.shapes
      .filter(({ targets }) => targets.length > 0)
      .map((shape) => ({
        shape,
        tokens: shape.targets.map(({ name }, t) => takeUsdName(name || `shape_${t}`, taken)),
      }));
  }

  /** By material: whether all parts that it covers have vertex colours. */
  #listColored(): boolean[] {
    const { shapes, look } = this.#scene;
    const isPlain = new Set<number>();
    const isUsed = new Set<number>();
    for (const { mesh, materialOfPart = [] } of shapes)
      for (const material of materialOfPart) {
        isUsed.add(material);
        if (!mesh.attributes.some(({ name }) => name === 'COLOR_0')) isPlain.add(material);
      }
    return look.materials.map((_, m) => isUsed.has(m) && !isPlain.has(m));
  }

  #placeShape(shape: SceneShape, skelRoot: Place | undefined): void {
    const { node, mesh, materialOfPart = [], extras } = shape;
    const { names } = this.#scene.nodes;
    const binding = this.#joints.bindings.get(shape);
    const place = this.#placeContent('Mesh', node, mesh.name, extras, binding ? skelRoot : undefined);
    const tokens = this.#blends.find((one) => one.shape === shape)?.tokens;
    fillUsdMesh(place.prim, shape, {
      path: place.path,
      materials: this.#look.paths,
      isDoubleSided: materialOfPart.some((m) => this.#scene.look.materials[m]?.isDoubleSided),
      ...(binding ? { binding, skeleton: `${skelRoot?.path}/Skeleton`, joints: this.#joints.paths } : {}),
      ...(tokens ? { blendShapes: tokens } : {}),
    });
    if (binding && mesh.name === '' && names[node] === '') delete place.prim.displayName;
    this.#frames?.sample(place.prim, this.#vertexCount, mesh, this.#clock);
    this.#vertexCount += mesh.positions.length / 3;
  }

  /** The prim of something that a node has: the node's own if it has nothing else, or one below it. */
  #placeContent(type: string, node: number, name: string, extras: Extras | undefined, root?: Place): Place {
    const { nodes, extras: ofNodes } = this.#scene;
    const nodeName = nodes.names[node];
    const own = name || nodeName || type.toLowerCase();
    const isDrawn = this.#plan.jointOfNode[node] === -2;
    const withData = (place: Place): Place => {
      if (extras) place.prim.data = { ...place.prim.data, ...extras };
      return place;
    };
    if (root) {
      const nodeExtras = isDrawn ? ofNodes?.get(node) : undefined;
      const isOne = !isDrawn || nodeName === '' || (own === nodeName && !(extras && nodeExtras));
      if (isOne) {
        const place = this.#makeChild(type, own, root);
        if (nodeExtras) place.prim.data = nodeExtras;
        return withData(place);
      }
      const above = this.#makeChild('Xform', nodeName, root);
      if (nodeExtras) above.prim.data = nodeExtras;
      return withData(this.#makeChild(type, own, above));
    }
    const place = this.#places[node] ?? this.#root;
    const isAlone = place.prim.type === 'Xform' && place !== this.#root && this.#isLeaf(node);
    if (!isAlone || own !== nodeName || extras) return withData(this.#makeChild(type, own, place));
    place.prim.type = type;
    // readers join a mesh without transform and the prim above it, which is another node here
    const { properties } = place.prim;
    if (nodes.parents[node] >= 0 && !properties.some((own) => own.name === 'xformOpOrder'))
      properties.push(uniformOf('xformOpOrder', 'token[]', []));
    return place;
  }

  /** Whether a node has one thing only: no children, and one of shape, camera and light. */
  #isLeaf(node: number): boolean {
    const { nodes, shapes, cameras = [], lights = [] } = this.#scene;
    const contents = [...shapes, ...cameras, ...lights].filter((one) => one.node === node);
    return contents.length === 1 && !nodes.parents.includes(node);
  }

  /** Cameras and lights; those at joints get samples of the world, since prims do not follow joints. */
  #placeViews(skelRoot: Place | undefined): void {
    const { cameras = [], lights = [], nodes } = this.#scene;
    const carriers = new Map<number, Place>();
    const carrierOf = (node: number): Place | undefined => {
      const joint = this.#plan.jointOfNode[node];
      if (joint < 0 || !skelRoot) return undefined;
      let carrier = carriers.get(node);
      if (!carrier) {
        // players find what is animated by its name
        for (const path of this.#joints.paths) skelRoot.taken.add(path.slice(path.lastIndexOf('/') + 1));
        carrier = this.#makeChild('Xform', nodes.names[node] || `node ${node}`, skelRoot);
        carrier.prim.properties.push(...this.#followJoint(node, joint));
        carriers.set(node, carrier);
      }
      return carrier;
    };
    const place = (type: string, node: number, name: string): Place => {
      const carrier = carrierOf(node);
      return carrier
        ? this.#makeChild(type, name || nodes.names[node] || type.toLowerCase(), carrier)
        : this.#placeContent(type, node, name, undefined);
    };
    for (const camera of cameras) mergePrim(place('Camera', camera.node, camera.name).prim, makeUsdCamera(camera, ''));
    for (const light of lights) {
      const made = makeUsdLight(light, '');
      mergePrim(place(made.type, light.node, light.name).prim, made);
    }
  }

  #followJoint(node: number, joint: number): UsdDraftProperty[] {
    const { skelRoot = -1 } = this.#plan;
    return [
      ...listWorldSamples(this.#scene, { node, above: skelRoot, clock: this.#clock, size: this.#size }),
      { name: 'ossify:joint', type: 'token', value: this.#joints.paths[joint] },
    ];
  }
}

/** Adds what a prim of another name has. */
function mergePrim(prim: UsdDraftPrim, { properties, apis, data }: UsdDraftPrim): void {
  prim.properties.push(...properties);
  if (apis) prim.apis = [...(prim.apis ?? []), ...apis];
  if (data) prim.data = { ...prim.data, ...data };
}
