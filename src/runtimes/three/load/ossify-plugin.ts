// SPDX-License-Identifier: MIT
import {
  type AnimationClip,
  type BufferGeometry,
  Group,
  type Material,
  Mesh,
  type MeshStandardMaterial,
  NumberKeyframeTrack,
  type Object3D,
  type Skeleton,
  type SkinnedMesh,
} from 'three';
import type { GLTF, GLTFLoaderPlugin, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { faultOf } from '../../../core/model/errors.ts';
import { plainText, quoteName } from '../../../core/model/plain-text.ts';
import { type DecodeBudget, label, makeDecodeBudget } from '../../../deformers/layout/index.ts';
import { decodeShapeDrivers, SHAPE_EXTENSION, SHAPE_FIELDS } from '../../../deformers/shape-drivers/index.ts';
import { COMPACT_EXTENSION } from '../../../formats/compact-skin/index.ts';
import { addLevelsOfDetail } from '../add-levels-of-detail.ts';
import { DeformedMesh } from '../deformed-mesh.ts';
import { DeformedShape } from '../deformed-shape.ts';
import { HelperSkeleton } from '../helper-skeleton.ts';
import { LevelOfDetail } from '../level-of-detail.ts';
import { type AnyRenderer, findRendererDevice } from '../renderer-device.ts';
import { driveMesh, ShapeSkeleton, shareInfluences } from '../shape-skeleton.ts';
import { expandParserInto } from './compact-skin-plugin.ts';
import { countBufferBytes, listOf, loadExtensionArrays } from './load-extension.ts';
import { readAttribute } from './read-attribute.ts';
import { readHelperControllers } from './read-helper-controllers.ts';
import { readPrimitiveLight } from './read-primitive-light.ts';
import { isMoreThanPlain, readPrimitiveModel, type SkinnedPrimitive } from './read-primitive-model.ts';

/** Options of ossifyPlugin. */
export interface OssifyPluginOptions {
  /** Called when a model falls back to its plain skin. Default: console.warn. */
  warn?: (message: string) => void;
  /** How helper bones are posed: by the file's controllers, in any pose, or only by the keys of its animations. Default 'controllers'. */
  helpers?: 'controllers' | 'keys';
  /** Also make deformed meshes of plain skins: for crowds, and for boxes and rays that follow the pose. Default false. */
  all?: boolean;
}

/** The JSON of a file, as far as it is read here. */
interface GltfJson {
  nodes?: { name?: string; mesh?: number; skin?: number; children?: number[] }[];
  meshes?: { name?: string; primitives: SkinnedPrimitive['def'][] }[];
  skins?: { joints: number[] }[];
  animations?: { name?: string }[];
}

/**
 * Makes a plugin for the GLTFLoader of three.js that reads the extensions of Ossify, and files of `--codec ossify`. With a WebGPURenderer, primitives with more than a plain skin become
 * DeformedMesh; with other renderers they stay plain skins, with a warning. Helper bones follow their controllers with every renderer.
 * @param renderer the renderer that will draw the meshes
 * @example
 * ```ts
 * import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
 * import { WebGPURenderer } from 'three/webgpu';
 * import { ossifyPlugin } from 'ossify/three';
 *
 * const renderer = new WebGPURenderer();
 * const loader = new GLTFLoader().register(ossifyPlugin(renderer, { warn: (message) => console.info(message) }));
 * const { scene, animations } = await loader.loadAsync('model.glb');
 * ```
 */
export function ossifyPlugin(renderer: AnyRenderer, options: OssifyPluginOptions = {}) {
  return (parser: GLTFParser): GLTFLoaderPlugin => new OssifyPlugin(parser, renderer, options);
}

class OssifyPlugin implements GLTFLoaderPlugin {
  readonly name = 'OSSIFY';
  readonly #parser: GLTFParser;
  readonly #renderer: AnyRenderer;
  readonly #options: OssifyPluginOptions;
  readonly #warned = new Set<string>();
  /** Weights by accessor, before the loader normalizes the first four. */
  readonly #weights = new Map<number, Float32Array>();
  /** The mesh and primitive of each geometry. */
  readonly #placeOf = new Map<BufferGeometry, { mesh: number; primitive: number }>();
  readonly #shapes = new Map<string, Promise<DeformedShape | undefined>>();
  #bufferBytes = 0;
  /** Memory limit for all data decoded from the file. */
  #budget: DecodeBudget = makeDecodeBudget(0);

  constructor(parser: GLTFParser, renderer: AnyRenderer, options: OssifyPluginOptions) {
    this.#parser = parser;
    this.#renderer = renderer;
    this.#options = options;
    // the loader warns of required extensions that no plugin is named after
    for (const key of ['extensionsUsed', 'extensionsRequired'])
      if (Array.isArray(parser.json[key]))
        parser.json[key] = parser.json[key].filter((name: unknown) => name !== COMPACT_EXTENSION);
  }

  /** The loader calls it before it loads anything. */
  _markDefs = (): void => expandParserInto(this.#parser);

  get #json(): GltfJson {
    return this.#parser.json;
  }

  beforeRoot = async (): Promise<void> => {
    for (const mesh of listOf<{ primitives: SkinnedPrimitive['def'][] }>(this.#json.meshes)) {
      try {
        for (const { attributes } of mesh.primitives) await this.#keepWeights(attributes);
      } catch {
        // The loader fails by itself where it draws this mesh.
      }
    }
  };

  async #keepWeights(attributes: Record<string, number>): Promise<void> {
    for (let set = 0; attributes[`WEIGHTS_${set}`] !== undefined; set++) {
      const index = attributes[`WEIGHTS_${set}`];
      this.#weights.set(index, readAttribute(await this.#parser.getDependency('accessor', index)));
    }
  }

  loadMesh = async (mesh: number) => {
    const object = await this.#parser.loadMesh(mesh);
    const parts = object instanceof Group ? object.children : [object];
    for (const [primitive, part] of parts.entries())
      this.#placeOf.set((part as SkinnedMesh).geometry, { mesh, primitive });
    return object;
  };

  afterRoot = async (gltf: GLTF): Promise<void> => {
    await addLevelsOfDetail(gltf, this.#parser, (text) => this.#warn(text));
    const found: { mesh: SkinnedMesh; scene: Object3D }[] = [];
    for (const scene of gltf.scenes)
      scene.traverse((object) => {
        if ((object as SkinnedMesh).isSkinnedMesh) found.push({ mesh: object as SkinnedMesh, scene });
      });
    if (found.length === 0) return;
    const device = await findRendererDevice(this.#renderer);
    this.#bufferBytes = await countBufferBytes(this.#parser);
    this.#budget = makeDecodeBudget(this.#bufferBytes);
    const skeletons = new Map<Skeleton, Skeleton>();
    for (const { mesh, scene } of found) {
      if (!mesh.skeleton) {
        // A node without a skin uses a mesh that other nodes skin. The loader makes it a SkinnedMesh without bones, which no renderer draws.
        this.#replace(mesh, new Mesh().copy(mesh as Mesh, false));
        continue;
      }
      if (mesh.skeleton.bones.length === 0) continue;
      try {
        await this.#deform(mesh, scene, device, skeletons, gltf.animations);
      } catch (error) {
        // Nothing in an optional extension may prevent a page from showing the file.
        this.#warn(`${quoteName(mesh.name)} is shown by its plain skin: ${plainText(faultOf(error))}`);
      }
    }
  };

  /** Replaces a mesh with more than a plain skin by a DeformedMesh, if it can be drawn. */
  async #deform(
    mesh: SkinnedMesh,
    scene: Object3D,
    device: GPUDevice | undefined,
    skeletons: Map<Skeleton, Skeleton>,
    clips: AnimationClip[],
  ): Promise<void> {
    const depth = depthOf(mesh.skeleton.bones[0], scene);
    const skeleton = skeletons.get(mesh.skeleton) ?? this.#addHelpers(mesh.skeleton, depth);
    skeletons.set(mesh.skeleton, skeleton);
    if (skeleton !== mesh.skeleton) mesh.bind(skeleton, mesh.bindMatrix);
    const place = this.#placeOf.get(mesh.geometry);
    const def = place && this.#json.meshes?.[place.mesh].primitives[place.primitive];
    if (place && def) await this.#driveShapes(place, def, mesh, skeletons, clips);
    const isWanted = this.#options.all || skeleton instanceof HelperSkeleton;
    if (!place || !def || !(isMoreThanPlain(def) || isWanted)) return;
    if (!device) {
      if (isMoreThanPlain(def))
        this.#warn('this renderer does not draw with WebGPU; plain skins of four influences are shown instead');
      return;
    }
    if (Object.keys(mesh.geometry.morphAttributes).length > 0) {
      if (isMoreThanPlain(def)) this.#warn(`${quoteName(mesh.name)} has morph targets; its plain skin is shown`);
      return;
    }
    const shape = await this.#shapeOf(place, def, mesh, device);
    if (!shape) return;
    const deformed = new DeformedMesh(shape, materialOf(mesh), depth).copy(mesh, false);
    if (mesh.skeleton instanceof ShapeSkeleton) shareInfluences(mesh, deformed);
    this.#replace(mesh, deformed);
    addCorrectionTracks(deformed, clips);
    addLightTracks(deformed, clips);
  }

  /** Gives a mesh with OSSIFY_shape_drivers the influences of its shapes, which drive its bones. */
  async #driveShapes(
    place: { mesh: number },
    def: SkinnedPrimitive['def'],
    mesh: SkinnedMesh,
    skeletons: Map<Skeleton, Skeleton>,
    clips: AnimationClip[],
  ): Promise<void> {
    if (this.#options.helpers === 'keys' || def.extensions?.[SHAPE_EXTENSION] === undefined) return;
    const primitive = await this.#describe(place, def, mesh.geometry, mesh.skeleton);
    try {
      const source = await primitive.loadExtension(SHAPE_EXTENSION, SHAPE_FIELDS);
      const driven = driveMesh(mesh, decodeShapeDrivers(source, primitive.animationNames), skeletons, clips);
      skeletons.set(driven, driven);
    } catch (error) {
      this.#warn(`${quoteName(mesh.name)} plays by the keys of its bones: ${plainText(faultOf(error))}`);
    }
  }

  /** The model of a primitive, uploaded once for all its meshes; undefined, with a warning, if it cannot be used. */
  #shapeOf(
    place: { mesh: number; primitive: number },
    def: SkinnedPrimitive['def'],
    { geometry, skeleton }: SkinnedMesh,
    device: GPUDevice,
  ): Promise<DeformedShape | undefined> {
    const key = `${place.mesh} ${place.primitive} ${skeleton.bones.length}`;
    const make = async (): Promise<DeformedShape | undefined> => {
      try {
        const primitive = await this.#describe(place, def, geometry, skeleton);
        const model = await readPrimitiveModel(primitive, (text) => this.#warn(text));
        const light = await readPrimitiveLight(primitive, (text) => this.#warn(text));
        const shape = new DeformedShape(this.#renderer, device, geometry, { ...model, light });
        await shape.upload();
        return shape;
      } catch (error) {
        const name = this.#labelOf(place);
        this.#warn(`mesh ${name} is shown by its plain skin: ${plainText(faultOf(error))}`);
        return undefined;
      }
    };
    const shape = this.#shapes.get(key) ?? make();
    this.#shapes.set(key, shape);
    return shape;
  }

  async #describe(
    place: { mesh: number },
    def: SkinnedPrimitive['def'],
    geometry: BufferGeometry,
    skeleton: Skeleton,
  ): Promise<SkinnedPrimitive> {
    const readAccessor = async (index: number): Promise<Float32Array> =>
      readAttribute(await this.#parser.getDependency('accessor', index));
    const influences: SkinnedPrimitive['influences'] = [];
    for (let set = 0; def.attributes[`JOINTS_${set}`] !== undefined; set++) {
      const joints = await readAccessor(def.attributes[`JOINTS_${set}`]);
      const index = def.attributes[`WEIGHTS_${set}`];
      influences.push({ joints, weights: this.#weights.get(index) ?? (await readAccessor(index)) });
    }
    const animationNames = listOf<{ name?: string } | null>(this.#json.animations).map(
      (one, n) => one?.name || `animation ${n}`,
    );
    const boneNames = skeleton.bones.map(({ name }) => name);
    const loadExtension: SkinnedPrimitive['loadExtension'] = async (name, fields) => ({
      ...(await loadExtensionArrays(this.#parser, def.extensions?.[name], fields, this.#bufferBytes)),
      where: `${name} of mesh ${this.#labelOf(place)}`,
      vertexCount: geometry.getAttribute('position').count,
      jointCount: boneNames.length,
      budget: this.#budget,
    });
    return { def, geometry, boneNames, influences, loadExtension, animationNames };
  }

  /** Returns a skeleton with the controllers of its helper bones, or the given one if there are none. */
  #addHelpers(skeleton: Skeleton, depth: number): Skeleton {
    if (this.#options.helpers === 'keys') return skeleton;
    const nodes = skeleton.bones.map((bone) => this.#parser.associations.get(bone)?.nodes ?? -1);
    if (nodes.includes(-1)) return skeleton;
    const controllers = readHelperControllers(listOf(this.#json.nodes), nodes, this.#budget, (text) =>
      this.#warn(text),
    );
    if (controllers.length === 0) return skeleton;
    return new HelperSkeleton(skeleton.bones, skeleton.boneInverses, controllers, depth);
  }

  /** Replaces a mesh in the scene; the children are moved to the new one. */
  #replace(mesh: SkinnedMesh, other: Mesh): void {
    const { parent } = mesh;
    // Clips refer to unnamed nodes by it.
    other.uuid = mesh.uuid;
    for (const child of [...mesh.children]) other.add(child);
    if (parent) {
      const place = parent.children.indexOf(mesh);
      parent.remove(mesh);
      parent.add(other);
      parent.children.splice(place, 0, ...parent.children.splice(-1));
      if (parent instanceof LevelOfDetail) parent.replace(mesh, other);
    }
    const reference = this.#parser.associations.get(mesh);
    if (reference) this.#parser.associations.set(other, reference);
  }

  /** Name of a mesh of the file in messages. */
  #labelOf({ mesh }: { mesh: number }): string {
    return label(this.#json.meshes?.[mesh].name, mesh);
  }

  #warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    (this.#options.warn ?? warnOnConsole)(`ossify: ${message}`);
  }
}

/** Adds tracks for the coefficients of a corrected skin to the clips of its file. */
function addCorrectionTracks(deformed: DeformedMesh, clips: AnimationClip[]): void {
  const { model } = deformed.shape;
  if (model.kind !== 'corrected-skin') return;
  const { rank, normalRank, tracks } = model.correction;
  for (const [n, { times, values, normalValues }] of tracks.entries()) {
    if (times.length === 0 || !clips[n]) continue;
    const all = new Float32Array(times.length * (rank + normalRank));
    for (let k = 0; k < times.length; k++) {
      all.set(values.subarray(k * rank, (k + 1) * rank), k * (rank + normalRank));
      all.set(normalValues.subarray(k * normalRank, (k + 1) * normalRank), k * (rank + normalRank) + rank);
    }
    const name = `${deformed.name || deformed.uuid}.corrections`;
    clips[n].tracks.push(new NumberKeyframeTrack(name, [...times], [...all]));
  }
}

/** Adds tracks for the coefficients of a light to the clips of its file. */
function addLightTracks(deformed: DeformedMesh, clips: AnimationClip[]): void {
  for (const [n, { times, values }] of (deformed.shape.light?.tracks ?? []).entries()) {
    if (times.length === 0 || !clips[n]) continue;
    const name = `${deformed.name || deformed.uuid}.lights`;
    clips[n].tracks.push(new NumberKeyframeTrack(name, [...times], [...values]));
  }
}

/** Number of levels from an object up to an ancestor, or to the root if it is not an ancestor. */
function depthOf(object: Object3D, top: Object3D): number {
  let depth = 0;
  for (let at: Object3D = object; at !== top && at.parent; at = at.parent) depth++;
  return depth;
}

/** Tangents are dropped because they would not be deformed. Without tangents, the loader flips the y axis of normal maps, and so does this. */
function materialOf({ geometry, material }: SkinnedMesh): Material | Material[] {
  const { normalScale } = material as MeshStandardMaterial;
  if (!geometry.getAttribute('tangent') || !normalScale) return material;
  const own = (material as MeshStandardMaterial).clone();
  own.normalScale.y *= -1;
  return own;
}

function warnOnConsole(message: string): void {
  // biome-ignore lint/suspicious/noConsole: the author of a page has no other place to see warnings
  console.warn(message);
}
