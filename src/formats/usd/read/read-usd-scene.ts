// SPDX-License-Identifier: MIT
// A composed stage as a scene of glTF: metres, y up, everything that is drawn, cameras, lights and custom properties.
import type { Animation, Track } from '../../../core/model/clip/animation.ts';
import { DEFAULT_FPS } from '../../../core/model/clip/clip.ts';
import { FormatError } from '../../../core/model/errors.ts';
import { makeNodeTree } from '../../../core/model/make-asset.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import type { Extras } from '../../../core/model/surface-look.ts';
import type { Scene, SceneShape } from '../../gltf/index.ts';
import type { UsdLayer, UsdPrim } from '../syntax/usd-layer.ts';
import { isSampled, textsOf } from '../syntax/usd-values-at.ts';
import { dropUsdNodes } from './drop-usd-nodes.ts';
import { isShearedMatrix } from './is-sheared-matrix.ts';
import type { UsdImages } from './look/usd-images.ts';
import { UsdMaterials } from './look/usd-materials.ts';
import { readUsdShape, type UsdReadShape } from './mesh/usd-shape.ts';
import { turnUpright } from './usd-axes.ts';
import type { UsdBudget } from './usd-budget.ts';
import {
  listJointTracks,
  listSkeletonTimes,
  listTransformTracks,
  makeWeightTrack,
  poseJoints,
  splitMatrix,
  transformAt,
  type UsdScaling,
  type UsdTransform,
} from './usd-motion.ts';
import { nameOf, type UsdContent, type UsdScene } from './usd-scene.ts';
import { listTransformTimes, localMatrixAt } from './usd-transforms.ts';
import { readUsdCamera, readUsdLight } from './usd-views.ts';

const DEFAULT_UNIT = 0.01;

/** What the reader of a scene needs. */
export interface UsdSceneInput {
  stage: UsdScene;
  layer: UsdLayer;
  images: UsdImages;
  budget: UsdBudget;
  log?: (message: string) => void;
}

/** A scene, and what a cache of points needs besides. */
export interface UsdReadScene {
  scene: Scene;
  /** Meshes in the order of the shapes. */
  shapes: UsdReadShape[];
  /** Time codes of all samples. */
  codes: number[];
  rate: number;
  unit: number;
  isZUp: boolean;
}

/** Reads the scene of a stage. Meshes whose points have samples get neither skins nor blend shapes. */
export function readUsdScene(input: UsdSceneInput): Promise<UsdReadScene> {
  return new SceneReader(input).read();
}

class SceneReader {
  readonly #stage: UsdScene;
  readonly #images: UsdImages;
  readonly #log?: (message: string) => void;
  readonly #rate: number;
  readonly #isZUp: boolean;
  readonly #scaling: UsdScaling;
  readonly #materials: UsdMaterials;
  readonly #codes: number[];
  /** Time code at which animations begin. */
  readonly #start: number;

  constructor({ stage, layer, images, budget, log }: UsdSceneInput) {
    this.#stage = stage;
    this.#images = images;
    this.#log = log;
    const { timeCodesPerSecond, framesPerSecond, startTimeCode, upAxis, metersPerUnit } = layer.metadata;
    const rate = timeCodesPerSecond ?? framesPerSecond ?? DEFAULT_FPS;
    const isUsable = typeof rate === 'number' && rate > 0 && Number.isFinite(rate);
    if (!isUsable) log?.(`timeCodesPerSecond is not a positive number; ${DEFAULT_FPS} is used`);
    this.#rate = isUsable ? rate : DEFAULT_FPS;
    this.#isZUp = upAxis === 'Z';
    this.#codes = this.#listCodes();
    const first = this.#codes[0] ?? 0;
    this.#start = typeof startTimeCode === 'number' && startTimeCode <= first ? startTimeCode : first;
    const unit =
      typeof metersPerUnit === 'number' && metersPerUnit > 0 && Number.isFinite(metersPerUnit)
        ? metersPerUnit
        : DEFAULT_UNIT;
    this.#scaling = { unit, secondsOf: (codes) => this.#secondsOf(codes), budget };
    this.#materials = new UsdMaterials(images, stage.find, log);
  }

  async read(): Promise<UsdReadScene> {
    const stage = this.#stage;
    const { unit, budget } = this.#scaling;
    const meshes = stage.contents.filter(({ kind }) => kind === 'mesh');
    const isCached = meshes.some(({ prim }) => isSampled(prim.properties.get('points')));
    const transforms = this.#listTransforms();
    this.#noteShear();
    const shapes: UsdReadShape[] = [];
    for (const content of meshes) {
      const own = readUsdShape(content, { stage, unit, budget, isCached, log: this.#log });
      shapes.push({ ...own, shape: { ...own.shape, ...(await this.#materials.dress(content, own)) } });
    }
    const drawn = spreadShapes(shapes);
    const nodes = this.#makeNodes(transforms, drawn.added);
    const animations = isCached ? [] : this.#listAnimations(drawn.shapes);
    if (this.#isZUp)
      turnUpright(
        nodes,
        animations.flatMap(({ tracks }) => tracks),
      );
    const views = (kind: UsdContent['kind']): UsdContent[] => stage.contents.filter((content) => content.kind === kind);
    const extras = new Map(stage.nodes.flatMap(({ extras: own }, n): [number, Extras][] => (own ? [[n, own]] : [])));
    const scene: Scene = {
      ...{ nodes, shapes: drawn.shapes.map(({ shape }) => shape), animations },
      look: { materials: this.#materials.materials, images: this.#images.images },
      cameras: views('camera').map(({ prim, node }) => readUsdCamera(prim, node, unit)),
      lights: views('light').map(({ prim, node }) => readUsdLight(prim, node, unit)),
      extras,
    };
    return {
      scene: this.#tidy(scene, drawn.shapes),
      shapes: drawn.shapes,
      codes: this.#codes,
      rate: this.#rate,
      unit,
      isZUp: this.#isZUp,
    };
  }

  /** Meshes that joints draw leave nodes behind that have no use. */
  #tidy(scene: Scene, shapes: readonly UsdReadShape[]): Scene {
    const used = new Set<number>([...scene.nodes.parents, ...scene.shapes.map(({ node }) => node)]);
    const left = new Set(
      shapes
        .map(({ content }) => content)
        .filter(({ node, prim }) => this.#stage.nodes[node]?.prim === prim && !used.has(node)),
    );
    const nodes = new Set([...left].map(({ node }) => node));
    return dropUsdNodes(scene, (n) => nodes.has(n));
  }

  /** Time codes in seconds from the start, as files store them. */
  #secondsOf(codes: readonly number[]): Float32Array {
    const seconds = Float32Array.from(codes, (code) => (code - this.#start) / this.#rate);
    const wrong = seconds.findIndex((time, k) => !Number.isFinite(time) || (k > 0 && time <= seconds[k - 1]));
    if (wrong >= 0)
      throw new FormatError('usd', 'value', `samples at time code ${codes[wrong]} are too close for 32-bit times`);
    return seconds;
  }

  /** Time codes of all samples. */
  #listCodes(): number[] {
    const { nodes, contents, animations } = this.#stage;
    const times = new Set<number>();
    const add = (list: Iterable<number>): void => {
      for (const time of list) times.add(time);
    };
    for (const { prim } of nodes) if (prim) add(listTransformTimes(prim));
    for (const { prim } of contents) add(prim.properties.get('points')?.samples?.times ?? []);
    for (const animation of animations) add(listSkeletonTimes(animation));
    return [...times].sort((a, b) => a - b);
  }

  #listTransforms(): UsdTransform[] {
    const { nodes, skeletons } = this.#stage;
    const transforms = nodes.map(({ prim }) =>
      prim ? transformAt(prim) : splitMatrix(Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)),
    );
    for (const skeleton of skeletons) {
      skeleton.joints.forEach((_, j) => {
        transforms[skeleton.firstJoint + j] = splitMatrix(skeleton.restMatrices.slice(16 * j, 16 * j + 16));
      });
      poseJoints(skeleton, transforms);
    }
    return transforms;
  }

  /** @param added nodes for shapes that do not find a place at their own */
  #makeNodes(transforms: readonly UsdTransform[], added: readonly { name: string; parent: number }[]): Scene['nodes'] {
    const { nodes: listed } = this.#stage;
    const nodes = makeNodeTree(listed.length + added.length);
    nodes.names = [...listed, ...added].map(({ name }) => name);
    nodes.parents = Int32Array.from([...listed, ...added], ({ parent }) => parent);
    transforms.forEach(({ translation, rotation, scale }, n) => {
      nodes.translations.set(
        translation.map((x) => x * this.#scaling.unit),
        3 * n,
      );
      nodes.rotations.set(rotation, 4 * n);
      nodes.scales.set(scale, 3 * n);
    });
    return nodes;
  }

  #noteShear(): void {
    const { nodes, skeletons } = this.#stage;
    const named = nodes.find(({ prim }) => prim && isShearedMatrix(localMatrixAt(prim)));
    const joint = skeletons.flatMap(({ joints, restMatrices }) =>
      joints.filter((_, j) => isShearedMatrix(restMatrices.slice(16 * j, 16 * j + 16))),
    )[0];
    const name = named?.name ?? joint;
    if (name !== undefined) this.#log?.(`the transform of ${quoteName(name)} is sheared; the shear is left out`);
  }

  /** The animation that the stage plays, and those of its skeletons that are stored beside it. */
  #listAnimations(shapes: readonly UsdReadShape[]): Animation[] {
    const { skeletons, animations: stored } = this.#stage;
    const bound = new Set(skeletons.flatMap(({ animation }) => animation ?? []));
    const [first] = bound;
    const whole = [
      ...listTransformTracks(this.#stage, this.#scaling),
      ...skeletons.flatMap((skeleton) =>
        skeleton.animation ? listJointTracks(skeleton, skeleton.animation, this.#scaling) : [],
      ),
      ...this.#listWeights(shapes, (shape) => shape.content.skeleton?.animation),
    ];
    const others = stored
      .filter((prim) => !bound.has(prim))
      .map((prim) => ({ name: nameOf(prim), tracks: this.#listFree(prim, shapes) }));
    return [{ name: first ? nameOf(first) : 'animation', tracks: whole }, ...others]
      .filter(({ tracks }) => tracks.length > 0)
      .map(({ name, tracks }) => ({
        ...{ name, tracks },
        duration: tracks.reduce((most, track) => Math.max(most, track.times.at(-1) ?? 0), 0),
      }));
  }

  /** Keys of an animation that no skeleton is bound to: it moves the first one that has all of its joints. */
  #listFree(animation: UsdPrim, shapes: readonly UsdReadShape[]): Track[] {
    const joints = textsOf(animation, 'joints');
    const skeleton = this.#stage.skeletons.find((one) => joints.every((joint) => one.joints.includes(joint)));
    if (!skeleton) return [];
    return [
      ...listJointTracks(skeleton, animation, this.#scaling),
      ...this.#listWeights(shapes, ({ content }) => (content.skeleton === skeleton ? animation : undefined)),
    ];
  }

  #listWeights(shapes: readonly UsdReadShape[], animationOf: (shape: UsdReadShape) => UsdPrim | undefined): Track[] {
    return shapes.flatMap((one): Track[] => {
      const animation = animationOf(one);
      const blends = animation ? one.listBlends(animation) : [];
      if (!animation || one.shape.targets.length === 0) return [];
      const track = makeWeightTrack(
        one.shape.node,
        animation,
        blends,
        one.shape.targets.length,
        this.#scaling.secondsOf,
      );
      return track ? [track] : [];
    });
  }
}

/** A node draws one shape: others of it get nodes of their own below it. */
function spreadShapes(shapes: readonly UsdReadShape[]): {
  shapes: UsdReadShape[];
  added: { name: string; parent: number }[];
} {
  const taken = new Set<number>();
  const added: { name: string; parent: number }[] = [];
  const out = shapes.map((one): UsdReadShape => {
    const { node, skin, mesh } = one.shape;
    if (!taken.has(node) && node >= 0) {
      taken.add(node);
      return one;
    }
    added.push({ name: mesh.name, parent: skin ? -1 : node });
    const shape: SceneShape = { ...one.shape, node: one.nodeCount + added.length - 1 };
    return { ...one, shape };
  });
  return { shapes: out, added };
}
