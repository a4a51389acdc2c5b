// SPDX-License-Identifier: MIT
import type { UpAxis } from '../../../core/model/asset.ts';
import { dropUndefined } from '../../../core/model/drop-undefined.ts';
import { InputError } from '../../../core/model/errors.ts';
import { quoteName } from '../../../core/model/plain-text.ts';
import type { Scene, SceneShape } from '../../gltf/index.ts';
import { makeFbxHeader } from '../syntax/fbx-header.ts';
import { packFbx } from '../syntax/fbx-pack.ts';
import { addFbxBinding } from './fbx-add-binding.ts';
import { addFbxGeometry, listLostAttributes } from './fbx-add-geometry.ts';
import { FbxMaterials } from './fbx-add-materials.ts';
import { addFbxModels } from './fbx-add-models.ts';
import { addFbxShapes } from './fbx-add-shapes.ts';
import { FbxBuilder } from './fbx-builder.ts';
import { planFbxModels } from './fbx-plan-models.ts';
import { addFbxAnimation } from './motion/fbx-add-animation.ts';
import { listFbxTakes } from './motion/fbx-scene-motion.ts';

/** Options of writeFbxScene. */
export interface WriteFbxSceneOptions {
  /** Name of the character, for messages. */
  name: string;
  /** The axis that points up in the numbers of the scene. */
  up: UpAxis;
  /** Length of a unit of the scene. Default 1. */
  metresPerUnit?: number;
  /** Length unit of the numbers: that of the scene, or centimetres, which some engines expect whatever a file declares. Default 'asset'. */
  unit?: 'asset' | 'cm';
  /** Where images are: in the FBX, or in files beside it, which are returned. Default 'embed'. */
  textures?: 'embed' | 'beside';
  /** Receives a sentence about everything that could not be kept. */
  log?: (message: string) => void;
}

/** Defaults of WriteFbxSceneOptions. */
export const WRITE_FBX_SCENE_DEFAULTS = { metresPerUnit: 1, unit: 'asset', textures: 'embed' } as const;

/** A written FBX, and the images beside it. */
export interface WrittenFbx {
  bytes: Uint8Array<ArrayBuffer>;
  /** Files in the folder of the FBX; none where images are embedded. */
  textures: { name: string; bytes: Uint8Array }[];
}

/** Frame rate of a file without motion. */
const PLAIN_RATE = 24;

/** Writes a scene as an FBX with its images inside. */
export function writeFbxScene(scene: Scene, options: WriteFbxSceneOptions): Uint8Array<ArrayBuffer> {
  return writeFbxFiles(scene, { ...options, textures: 'embed' }).bytes;
}

/**
 * Writes FBX 7.4 binary of all that a scene holds: every node in its place with the pose of the file, meshes with every set of UVs and colours,
 * materials with their images, skins with the bind pose, blend shapes, every animation as a take, cameras, lights, and custom properties.
 */
export function writeFbxFiles(scene: Scene, options: WriteFbxSceneOptions): WrittenFbx {
  const { name, up, log } = options;
  const { metresPerUnit, unit, textures } = { ...WRITE_FBX_SCENE_DEFAULTS, ...dropUndefined(options) };
  if (!scene.shapes.some(({ mesh }) => mesh.triangles.length > 0))
    throw new InputError('writeFbx', `${quoteName(name)} has no triangles to write`);
  const scale = unit === 'cm' ? metresPerUnit * 100 : 1;
  const builder = new FbxBuilder();
  const plan = planFbxModels(scene, log);
  const ids = addFbxModels(builder, scene, plan, scale);
  const materials = new FbxMaterials(builder, scene.look, textures === 'embed', log);
  const channels = new Map<number, number[]>();
  const geometries = scene.shapes.map((shape, s) => {
    const model = plan.modelOfShape[s];
    const used = listMaterials(shape);
    const geometry = addFbxGeometry(builder, shape, shape.mesh.name || plan.models[model].name, used, scale);
    builder.connect(geometry, ids[model]);
    if (used.some((m) => m >= 0)) for (const material of used) builder.connect(materials.idOf(material), ids[model]);
    channels.set(shape.node, addFbxShapes(builder, geometry, shape.targets, scale));
    return geometry;
  });
  scene.look.materials.forEach((_, m) => {
    materials.idOf(m);
  });
  addFbxBinding(builder, scene, geometries, { plan, ids, scale, log });
  const takes = listFbxTakes(scene, { plan, ids, channels, scale });
  for (const { span, tracks } of takes) addFbxAnimation(builder, span, tracks);
  noteLosses(scene, log);
  const spans = takes.map(({ span }) => span);
  const head = makeFbxHeader({
    up,
    centimetresPerUnit: unit === 'cm' ? 1 : metresPerUnit * 100,
    rate: spans[0]?.rate ?? PLAIN_RATE,
    spans,
  });
  const bytes = packFbx([...head.before, ...builder.finish(), ...head.after]);
  if (textures === 'embed') return { bytes, textures: [] };
  return { bytes, textures: scene.look.images.map((image, n) => ({ name: materials.files[n], bytes: image.bytes })) };
}

/** Materials of a shape in the order of its parts, each once. */
function listMaterials({ mesh, materialOfPart }: SceneShape): number[] {
  return [...new Set(mesh.parts.map((_, p) => materialOfPart?.[p] ?? -1))];
}

/** Says what FBX cannot hold. */
function noteLosses({ shapes, look }: Scene, log?: (message: string) => void): void {
  const lost = new Set(shapes.flatMap(({ mesh }) => listLostAttributes(mesh)));
  if (lost.size > 0)
    log?.(`FBX cannot hold the vertex attributes ${[...lost].map((one) => quoteName(one)).join(', ')}`);
  const physical = look.materials.some((one) => one.metallicRoughnessMap ?? one.occlusionMap);
  if (physical)
    log?.(
      'textures of metal, roughness and occlusion are in the FBX under the names of 3ds Max, since a Phong material has none; few programs show them',
    );
  const nearest = look.materials.some(({ colorMap }) => colorMap?.isNearest);
  if (nearest) log?.('FBX cannot state that the pixels of an image are shown as squares');
}
