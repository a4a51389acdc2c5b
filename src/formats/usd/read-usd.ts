// SPDX-License-Identifier: MIT
// A USD stage (text, binary or package) as an asset. docs/formats/README.md lists what is read.
import { IDENTITY, multiply, transformPoints } from '../../core/math/mat4.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Track } from '../../core/model/clip/animation.ts';
import { type Clip, DEFAULT_FPS } from '../../core/model/clip/clip.ts';
import { FormatError } from '../../core/model/errors.ts';
import { makeNodeTree } from '../../core/model/make-asset.ts';
import { coordinateFault, MAX_COORDINATE } from '../../core/model/mesh/coordinate-limit.ts';
import { quoteName } from '../../core/model/plain-text.ts';
import type { NodeTree } from '../../core/model/skin/node-tree.ts';
import {
  buildSceneAsset,
  type ReadSceneOptions,
  type SceneAsset,
  type ScenePiece,
  worldMatricesOf,
} from '../shared/index.ts';
import { composeUsd } from './compose-usd.ts';
import { readUsda } from './syntax/read-usda.ts';
import { readUsdc } from './syntax/read-usdc.ts';
import { readUsdz } from './syntax/read-usdz.ts';
import type { UsdLayer, UsdPrim } from './syntax/usd-layer.ts';
import { isSampled, numbersOf, textsOf } from './syntax/usd-values-at.ts';
import { USD_COSTS, UsdBudget } from './usd-budget.ts';
import { readUsdMesh } from './usd-mesh.ts';
import {
  blendWeightsAt,
  fillTimes,
  listJointTracks,
  listSkeletonTimes,
  listTransformTracks,
  makeWeightTrack,
  poseJoints,
  splitMatrix,
  type UsdBlend,
} from './usd-motion.ts';
import { findInherited, listUsdScene, type UsdMeshNode, type UsdScene } from './usd-scene.ts';
import { readUsdShapes, readUsdWeights } from './usd-skeleton.ts';
import { listTransformTimes, localMatrixAt } from './usd-transforms.ts';

const DEFAULT_UNIT = 0.01;
const WEIGHTS = 'primvars:skel:jointWeights';
/** Difference of an element of a matrix from its translation, rotation and scale that counts as shear. */
const SHEAR = 1e-4;

/** Reads a USD file (.usda, .usdc, .usdz). Files beside it are read by `options.resolve`. */
export async function readUsd(bytes: Uint8Array, options: ReadSceneOptions = {}): Promise<Asset> {
  const { name = 'stage', log } = options;
  const budget = new UsdBudget(options.maxMemory);
  const { first, open } = openFiles(bytes, options, budget);
  const { layer, root } = await composeUsd(first, open, budget, log);
  const scene = listUsdScene(root, log);
  if (scene.meshes.length === 0) throw new FormatError('usd', 'empty', 'the stage draws no mesh');
  const reader = new UsdAssetReader(name, scene, layer, budget, log);
  return { ...reader.read(), byteLength: budget.fileBytes };
}

/** How files of the stage are opened: from the package, or beside the file. */
function openFiles(bytes: Uint8Array, { resolve, log }: ReadSceneOptions, budget: UsdBudget) {
  const files = isPackage(bytes) ? readUsdz(bytes) : undefined;
  const first = files ? [...files.keys()][0] : '.';
  const read = async (path: string): Promise<Uint8Array | undefined> => {
    if (files) return files.get(path);
    if (path === first) return bytes;
    const file = await resolve?.(path).catch(() => undefined);
    if (file) budget.addFile(file.length);
    return file;
  };
  budget.addFile(bytes.length);
  const open = async (path: string): Promise<UsdLayer | undefined> => {
    const file = await read(path);
    try {
      return file && parseLayer(file);
    } catch (error) {
      if (path === first || !(error instanceof FormatError) || error.code === 'limit') throw error;
      log?.(`${quoteName(path)} cannot be read: ${error.fault}`);
      return undefined;
    }
  };
  return { first, open };
}

function isPackage(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

function parseLayer(bytes: Uint8Array): UsdLayer {
  if (isPackage(bytes)) {
    const [first] = readUsdz(bytes).values();
    if (!isPackage(first)) return parseLayer(first);
  }
  if (bytes[0] === 0x50) return readUsdc(bytes);
  if (/^(\xef\xbb\xbf)?#usda /.test(new TextDecoder('latin1').decode(bytes.subarray(0, 16)))) return readUsda(bytes);
  throw new FormatError('usd', 'magic', 'neither text, binary nor packaged USD');
}

class UsdAssetReader {
  readonly #name: string;
  readonly #scene: UsdScene;
  readonly #layer: UsdLayer;
  readonly #budget: UsdBudget;
  readonly #log?: (message: string) => void;
  readonly #fps: number;
  /** Time code at which animations begin. */
  #start = 0;

  constructor(name: string, scene: UsdScene, layer: UsdLayer, budget: UsdBudget, log?: (message: string) => void) {
    this.#name = name;
    this.#scene = scene;
    this.#layer = layer;
    this.#budget = budget;
    this.#log = log;
    const { timeCodesPerSecond, framesPerSecond } = layer.metadata;
    const fps = timeCodesPerSecond ?? framesPerSecond ?? DEFAULT_FPS;
    if (!(typeof fps === 'number' && fps > 0 && Number.isFinite(fps)))
      throw new FormatError('usd', 'value', 'timeCodesPerSecond is not a positive number');
    this.#fps = fps;
  }

  read(): Omit<Asset, 'byteLength'> {
    const scene = this.#scene;
    const times = this.#listTimes();
    this.#start = times[0] ?? 0;
    const transforms = scene.locals.map(splitMatrix);
    for (const skeleton of scene.skeletons) poseJoints(skeleton, transforms);
    this.#noteShear();
    const nodes = this.#makeNodes(transforms);
    const worlds = worldMatricesOf(joinMatrices(scene.locals), scene.parents);
    const blends = scene.meshes.map((mesh) => {
      this.#takeMesh(mesh);
      return this.#listBlends(mesh);
    });
    const pieces = scene.meshes.map((mesh, m) => this.#readPiece(mesh, worlds, blends[m]));
    const isCached = scene.meshes.some(({ node }) => isSampled(scene.nodes[node].prim.properties.get('points')));
    const secondsOf = (codes: readonly number[]) => this.#secondsOf(codes);
    const tracks: Track[] = isCached
      ? []
      : [
          ...listTransformTracks(scene, secondsOf, this.#budget),
          ...scene.skeletons.flatMap((skeleton) => listJointTracks(skeleton, secondsOf, this.#budget)),
          ...scene.meshes.flatMap(({ node, skeleton }, m): Track[] => {
            const count = pieces[m].shapes?.length ?? 0;
            const track =
              skeleton?.animation && count > 0
                ? makeWeightTrack(node, skeleton.animation, blends[m], count, secondsOf)
                : undefined;
            return track ? [track] : [];
          }),
        ];
    const duration = tracks.reduce((most, track) => Math.max(most, track.times.at(-1) ?? 0), 0);
    const animations = tracks.length > 0 ? [{ name: this.#animationName(), duration, tracks }] : [];
    const built = buildSceneAsset({ name: this.#name, nodes, pieces, animations });
    checkPositions(built.mesh.positions);
    const { pointsOfPiece, ...asset } = built;
    const { upAxis, metersPerUnit } = this.#layer.metadata;
    return {
      ...asset,
      ...(isCached ? { rig: undefined, morphs: undefined } : {}),
      clips: isCached ? [this.#makeClip(built, pieces)] : [],
      metresPerUnit: typeof metersPerUnit === 'number' && metersPerUnit > 0 ? metersPerUnit : DEFAULT_UNIT,
      up: upAxis === 'Z' ? 'z' : 'y',
    };
  }

  /** Time codes in seconds from the first sample, as files store them. */
  #secondsOf(codes: readonly number[]): Float32Array {
    const seconds = Float32Array.from(codes, (code) => (code - this.#start) / this.#fps);
    const wrong = seconds.findIndex((time, k) => !Number.isFinite(time) || (k > 0 && time <= seconds[k - 1]));
    if (wrong >= 0)
      throw new FormatError('usd', 'value', `samples at time code ${codes[wrong]} are too close for 32-bit times`);
    return seconds;
  }

  #animationName(): string {
    const [animation] = this.#scene.skeletons.flatMap((skeleton) => skeleton.animation ?? []);
    return animation?.name ?? 'animation';
  }

  /** Time codes of all samples. */
  #listTimes(): number[] {
    const { nodes, meshes, skeletons } = this.#scene;
    const times = new Set<number>();
    const add = (list: Iterable<number>): void => {
      for (const time of list) times.add(time);
    };
    for (const { prim } of nodes) add(listTransformTimes(prim));
    for (const { node } of meshes) add(nodes[node].prim.properties.get('points')?.samples?.times ?? []);
    for (const { animation } of skeletons) if (animation) add(listSkeletonTimes(animation));
    return [...times].sort((a, b) => a - b);
  }

  #makeNodes(transforms: { translation: Float64Array; rotation: Float64Array; scale: Float64Array }[]): NodeTree {
    const nodes = makeNodeTree(transforms.length);
    nodes.names = [...this.#scene.names];
    nodes.parents = Int32Array.from(this.#scene.parents);
    transforms.forEach(({ translation, rotation, scale }, n) => {
      nodes.translations.set(translation, 3 * n);
      nodes.rotations.set(rotation, 4 * n);
      nodes.scales.set(scale, 3 * n);
    });
    return nodes;
  }

  #noteShear(): void {
    const name = this.#scene.locals.findIndex((m) => {
      const axes = [0, 4, 8].map((o) => Array.from(m.subarray(o, o + 3)));
      const cosine = (a: number[], b: number[]): number =>
        (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (Math.hypot(...a) * Math.hypot(...b));
      return [cosine(axes[0], axes[1]), cosine(axes[0], axes[2]), cosine(axes[1], axes[2])].some(
        (x) => Math.abs(x) > SHEAR,
      );
    });
    if (name >= 0)
      this.#log?.(`the transform of ${quoteName(this.#scene.names[name])} is sheared; the shear is left out`);
  }

  #readPiece({ node, skeleton }: UsdMeshNode, worlds: Float64Array, blends: UsdBlend[]): ScenePiece {
    const at = this.#scene.nodes[node];
    const polygons = readUsdMesh(at.prim, (prim) => this.#materialOf(prim, prim === at.prim ? at.above : []));
    const shapes = blends.flatMap((blend) => blend.shapes);
    const piece: ScenePiece = {
      name: at.prim.name,
      node,
      polygons,
      restMatrix: worlds.slice(16 * node, 16 * node + 16),
    };
    if (shapes.length > 0) {
      piece.shapes = shapes;
      piece.weights = blendWeightsAt(skeleton?.animation, blends, shapes.length);
    }
    const find = (attribute: string) => {
      const prim = findInherited(at, attribute);
      return prim && { prim, isOwn: prim === at.prim };
    };
    const weights = skeleton && readUsdWeights(at.prim.name, find, skeleton, polygons.positions.length / 3);
    if (!skeleton || !weights) return piece;
    const bound = findInherited(at, 'primvars:skel:geomBindTransform');
    const geomBind = (bound && numbersOf(bound, 'primvars:skel:geomBindTransform')) ?? IDENTITY;
    const skeletonWorld = worlds.slice(16 * skeleton.node, 16 * skeleton.node + 16);
    const restMatrix = new Float64Array(16);
    multiply(skeletonWorld, geomBind.length === 16 ? geomBind : IDENTITY, restMatrix);
    const bindMatrices = new Float64Array(skeleton.bindMatrices.length);
    for (let o = 0; o < bindMatrices.length; o += 16)
      multiply(skeletonWorld, skeleton.bindMatrices, bindMatrices, 0, o, o);
    const nodes = skeleton.joints.map((_, j) => skeleton.firstJoint + j);
    return { ...piece, restMatrix, skin: { nodes, bindMatrices, ...weights } };
  }

  /** Takes the memory of a mesh before it is read. */
  #takeMesh({ node, skeleton }: UsdMeshNode): void {
    const { prim } = this.#scene.nodes[node];
    const corners = numbersOf(prim, 'faceVertexIndices')?.length ?? 0;
    const points = (numbersOf(prim, 'points')?.length ?? 0) / 3;
    const shapes = textsOf(prim, 'skel:blendShapes').length;
    const width = skeleton
      ? (findInherited(this.#scene.nodes[node], WEIGHTS)?.properties.get(WEIGHTS)?.elementSize ?? 1)
      : 0;
    this.#budget.take(
      USD_COSTS.corner * corners +
        USD_COSTS.point * points +
        USD_COSTS.shapePoint * shapes * points +
        USD_COSTS.weight * Math.max(0, width) * points +
        USD_COSTS.key * (skeleton?.joints.length ?? 0),
      `mesh ${quoteName(prim.name)} with those before it`,
    );
  }

  /** Shapes of a mesh in its own order, with the weights of its skeleton's animation. */
  #listBlends({ node, skeleton }: UsdMeshNode): UsdBlend[] {
    const { prim } = this.#scene.nodes[node];
    const names = textsOf(prim, 'skel:blendShapes');
    const targets = prim.properties.get('skel:blendShapeTargets')?.targets ?? [];
    const pointCount = Math.floor((numbersOf(prim, 'points')?.length ?? 0) / 3);
    const weights = skeleton?.animation ? textsOf(skeleton.animation, 'blendShapes') : [];
    let first = 0;
    return names.flatMap((name, n): UsdBlend[] => {
      const shape = targets[n] === undefined ? undefined : this.#scene.find(targets[n]);
      if (!shape) return [];
      const shapes = readUsdShapes(shape, name, pointCount);
      const blend = { weight: weights.indexOf(name), first, shapes };
      first += shapes.length;
      return [blend];
    });
  }

  /** The last name of the path of the bound material; bindings above apply too. */
  #materialOf(prim: UsdPrim, above: readonly UsdPrim[]): string {
    for (const one of [prim, ...above]) {
      const target = one.properties.get('material:binding')?.targets[0];
      if (target !== undefined) return target.slice(target.lastIndexOf('/') + 1);
    }
    return '';
  }

  /** Frames of positions of all meshes, at every time at which something is sampled. */
  #makeClip({ mesh, pointsOfPiece }: SceneAsset, pieces: readonly ScenePiece[]): Clip {
    const { nodes, parents, meshes } = this.#scene;
    if (pieces.some(({ skin, shapes }) => skin || shapes))
      this.#log?.('the stage has cached and skinned meshes; the skinned ones do not move');
    const codes = fillTimes(this.#listTimes());
    const stride = mesh.positions.length;
    this.#budget.take(USD_COSTS.framePoint * (stride / 3) * codes.length, `${codes.length} frames of positions`);
    const positions = new Float32Array(stride * codes.length);
    codes.forEach((code, k) => {
      const locals = joinMatrices(nodes.map(({ prim }) => localMatrixAt(prim, code)));
      const worlds = worldMatricesOf(locals, parents.slice(0, nodes.length));
      meshes.forEach(({ node }, m) => {
        const { vertexStart, pointOfVertex } = pointsOfPiece[m];
        const { restMatrix, polygons, skin } = pieces[m];
        const points = numbersOf(nodes[node].prim, 'points', code);
        if (!points || points.length !== polygons.positions.length)
          throw new FormatError(
            'usd',
            'mismatch',
            `mesh ${quoteName(nodes[node].prim.name)} has ${polygons.positions.length / 3} points, and ${(points?.length ?? 0) / 3} at time code ${code}; the topology must not change`,
          );
        const own = new Float32Array(3 * pointOfVertex.length);
        for (let i = 0; i < pointOfVertex.length; i++)
          for (let c = 0; c < 3; c++) own[3 * i + c] = points[3 * pointOfVertex[i] + c];
        const world = skin ? restMatrix : worlds.subarray(16 * node, 16 * node + 16);
        transformPoints(world, own, positions, 0, k * stride + 3 * vertexStart);
      });
    });
    checkPositions(positions);
    const times = Float64Array.from(codes, (code) => (code - codes[0]) / this.#fps);
    return { kind: 'clip', name: this.#name, mesh, positions, times };
  }
}

/** Throws if a position is not finite or too large. */
function checkPositions(positions: Float32Array): void {
  for (let c = 0; c < positions.length; c++)
    if (!(Math.abs(positions[c]) <= MAX_COORDINATE))
      throw new FormatError('usd', 'value', `a position is ${coordinateFault(positions[c])}`);
}

function joinMatrices(matrices: readonly Float64Array[]): Float64Array {
  const out = new Float64Array(16 * matrices.length);
  matrices.forEach((matrix, n) => {
    out.set(matrix, 16 * n);
  });
  return out;
}
