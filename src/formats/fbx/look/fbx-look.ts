// SPDX-License-Identifier: MIT
// Materials of FBX as metal and roughness. Lambert and Phong have a diffuse colour and maps; physical materials (Stingray of Maya, the physical
// and glTF materials of 3ds Max, Arnold) have properties of their own behind a prefix, whose names are compared without case and underscores.
import type { SurfaceMap, SurfaceMaterial } from '../../../core/model/surface-look.ts';
import type { Scene } from '../../gltf/index.ts';
import { lightFromScreen } from '../fbx-colors.ts';
import { readFbxExtras } from '../fbx-extras.ts';
import { type FbxValue, numberOfFbx, textOfFbx } from '../syntax/fbx-node.ts';
import { type FbxObject, numberProperty, propertyOf } from '../syntax/fbx-object.ts';
import type { FbxObjects } from '../syntax/fbx-objects.ts';
import { type FbxTextureFiles, FbxTextures } from './fbx-textures.ts';

/** Names of the values of physical materials, without prefix, case and underscores. */
const NAMES = {
  color: ['basecolor', 'color'],
  colorMap: ['basecolor', 'basecolormap', 'texcolormap', 'colormap'],
  metallic: ['metalness', 'metallic'],
  metallicMap: ['metalness', 'metalnessmap', 'metallicmap', 'texmetallicmap'],
  roughness: ['roughness', 'specularroughness'],
  roughnessMap: ['roughness', 'roughnessmap', 'texroughnessmap'],
  normalMap: ['normal', 'normalmap', 'normmap', 'texnormalmap', 'normalcamera', 'bumpmap'],
  occlusionMap: ['ambientocclusion', 'ambientocclusionmap', 'aomap', 'texaomap'],
  emissive: ['emissive', 'emissioncolor', 'emitcolor', 'emission'],
  emissiveMap: [
    'emission',
    'emissionmap',
    'emissivemap',
    'texemissivemap',
    'emitcolormap',
    'emissioncolor',
    'emissioncolormap',
  ],
} as const;
const FLAGS = { roughnessInverse: 'roughnessinv' } as const;
const ALPHA_MODES = ['opaque', 'opaque', 'mask', 'blend'] as const;

/** Roughness of a surface without gloss, and metal of one that states none. */
const PLAIN_ROUGHNESS = 0.8;

/** Materials and their places in the scene. */
export interface FbxLook {
  look: Scene['look'];
  /** By identifier of a material. */
  placeOf: ReadonlyMap<string, number>;
}

/**
 * Reads the materials of a file and the images of their maps.
 * @param uvSets by identifier of a material: names of the UV sets of a mesh that it is on
 */
export async function readFbxLook(
  objects: FbxObjects,
  uvSets: ReadonlyMap<string, readonly string[]>,
  files: FbxTextureFiles,
): Promise<FbxLook> {
  const textures = new FbxTextures(objects, files);
  const materials: SurfaceMaterial[] = [];
  const placeOf = new Map<string, number>();
  for (const object of objects.objects) {
    if (object.kind !== 'Material') continue;
    const maps = new Map<string, SurfaceMap>();
    const stated = new Set<string>();
    for (const { object: texture, property } of objects.childrenOf(object.id)) {
      if (property === '') continue;
      stated.add(keyOf(property));
      const map = await textures.mapOf(texture, uvSets.get(object.id) ?? []);
      if (map && !maps.has(keyOf(property))) maps.set(keyOf(property), map);
    }
    placeOf.set(
      object.id,
      materials.push(readMaterial(object, { maps, stated, isBlender: isFromBlender(objects) })) - 1,
    );
  }
  return { look: { materials, images: textures.images }, placeOf };
}

/** Blender writes metal as reflection since version 2.8; elsewhere that is something else. */
function isFromBlender({ creator }: FbxObjects): boolean {
  const [, version] = /^Blender .* - (\d+\.\d+)/.exec(creator) ?? [];
  return Number(version) >= 2.8 || /^Blender .* - [3-9]/.test(creator);
}

/** What a material is read with. */
interface MaterialFacts {
  maps: ReadonlyMap<string, SurfaceMap>;
  /** Properties that have a texture, also where its image is missing. */
  stated: ReadonlySet<string>;
  isBlender: boolean;
}

function readMaterial(object: FbxObject, facts: MaterialFacts): SurfaceMaterial {
  const { maps } = facts;
  const physical = listPhysical(object);
  const isPhysical = [...NAMES.metallic, ...NAMES.roughness].some((name) => physical.has(name));
  const common = {
    name: object.name || 'material',
    isUnlit: flagOf(object, '3dsMax|extension|unlit') ?? false,
    isDoubleSided: flagOf(object, '3dsMax|main|DoubleSided') ?? true,
    ...withExtras(object),
  };
  const plain = readPlain(object, facts);
  if (!isPhysical) return { ...common, ...plain };
  return { ...common, ...plain, ...readPhysical(physical, maps, plain) };
}

type Plain = Omit<SurfaceMaterial, 'name' | 'isUnlit' | 'isDoubleSided' | 'extras'>;

function readPlain(object: FbxObject, { maps, stated, isBlender }: MaterialFacts): Plain {
  const colorMap = firstOf(maps, ['diffusecolor', 'diffuse', ...NAMES.colorMap]);
  const normalMap = firstOf(maps, NAMES.normalMap);
  const emissiveMap = firstOf(maps, ['emissivecolor', 'emissive', ...NAMES.emissiveMap]);
  const opacityMap = firstOf(maps, ['transparentcolor', 'transparencyfactor', 'opacity']);
  const factor = numberProperty(object, 'DiffuseFactor', 1);
  const colors = colorOf(propertyOf(object, 'DiffuseColor') ?? propertyOf(object, 'Diffuse')) ?? [1, 1, 1];
  // a texture takes the place of the colour
  const isTextured = colorMap !== undefined || stated.has('diffusecolor');
  const [r, g, b] = isTextured ? [1, 1, 1] : colors.map((x) => lightFromScreen(clamped(x * factor)));
  const glow = colorOf(propertyOf(object, 'EmissiveColor') ?? propertyOf(object, 'Emissive')) ?? [0, 0, 0];
  const strength = Math.max(0, numberProperty(object, 'EmissiveFactor', 1));
  const opacity = opacityOf(object);
  const light = glow.map((x) => lightFromScreen(clamped(x)) * strength);
  const isDark = light.every((x) => x === 0);
  const shininess = numberProperty(object, 'ShininessExponent', numberProperty(object, 'Shininess', Number.NaN));
  const hasGloss = shininess >= 0 && /phong/i.test(textOfFbx(object.node, 'ShadingModel'));
  const usesAlpha = opacityMap !== undefined && colorMap !== undefined && opacityMap.image === colorMap.image;
  return {
    color: [r, g, b, opacity],
    metallic: isBlender ? clamped(numberProperty(object, 'ReflectionFactor', 0)) : 0,
    roughness: hasGloss ? clamped(1 - Math.sqrt(shininess) / 10) : PLAIN_ROUGHNESS,
    emissive: emissiveMap && isDark ? [1, 1, 1] : [light[0], light[1], light[2]],
    alpha: opacity < 1 || usesAlpha ? 'blend' : 'opaque',
    cutoff: 0.5,
    normalScale: 1,
    occlusionStrength: 1,
    ...(colorMap ? { colorMap } : {}),
    ...(normalMap ? { normalMap } : {}),
    ...(emissiveMap ? { emissiveMap } : {}),
  };
}

/** What a physical material states beside or instead of the plain one. */
function readPhysical(
  physical: ReadonlyMap<string, FbxValue[]>,
  maps: ReadonlyMap<string, SurfaceMap>,
  plain: Plain,
): Partial<Plain> {
  const number = (names: readonly string[], fallback: number): number => {
    for (const name of names) {
      const value = numberOfFbx(physical.get(name)?.[0]);
      if (value !== undefined && Number.isFinite(value)) return value;
    }
    return fallback;
  };
  const values = NAMES.color.map((name) => physical.get(name)).find((list) => list && list.length >= 3);
  const base = colorOf(values);
  const alpha = numberOfFbx(values?.[3]);
  const [metallicMap, roughnessMap] = [firstOf(maps, NAMES.metallicMap), firstOf(maps, NAMES.roughnessMap)];
  const occlusionMap = firstOf(maps, NAMES.occlusionMap);
  const roughness = clamped(number(NAMES.roughness, plain.roughness));
  const mode = ALPHA_MODES[number(['alphamode'], 0)];
  // metal and roughness in one image, as glTF has them
  const joined = metallicMap && roughnessMap && metallicMap.image === roughnessMap.image ? metallicMap : undefined;
  return {
    ...(base ? { color: [base[0], base[1], base[2], alpha ?? plain.color[3]] as const } : {}),
    metallic: clamped(number(NAMES.metallic, 0)),
    roughness: number([FLAGS.roughnessInverse], 0) > 0 ? 1 - roughness : roughness,
    normalScale: number(['normal', 'bumpmapamt'], 1),
    occlusionStrength: number(['ambientocclusion'], 1),
    cutoff: number(['alphacutoff'], 0.5),
    ...(physical.has('alphamode') && mode ? { alpha: mode } : {}),
    ...(joined ? { metallicRoughnessMap: joined } : {}),
    ...(occlusionMap ? { occlusionMap } : {}),
  };
}

/** Properties behind a prefix, by their plain names. */
function listPhysical({ properties }: FbxObject): Map<string, FbxValue[]> {
  const out = new Map<string, FbxValue[]>();
  for (const [name, values] of properties) if (name.includes('|')) out.set(keyOf(name), values);
  return out;
}

/** A name without its prefix, case and underscores. */
function keyOf(name: string): string {
  return name.replace(/^.*\|/, '').replaceAll('_', '').toLowerCase();
}

function firstOf(maps: ReadonlyMap<string, SurfaceMap>, names: readonly string[]): SurfaceMap | undefined {
  for (const name of names) {
    const map = maps.get(name);
    if (map) return map;
  }
  return undefined;
}

/** Some exporters state a transparency of one for opaque surfaces: the opacity decides there. */
function opacityOf(object: FbxObject): number {
  const opacity = 1 - numberProperty(object, 'TransparencyFactor', 0);
  return clamped(opacity <= 0 || opacity >= 1 ? numberProperty(object, 'Opacity', 1) : opacity);
}

function colorOf(values: readonly FbxValue[] | undefined): [number, number, number] | undefined {
  const [r, g, b] = [0, 1, 2].map((c) => numberOfFbx(values?.[c]));
  if (r === undefined || g === undefined || b === undefined || ![r, g, b].every(Number.isFinite)) return undefined;
  return [r, g, b];
}

function flagOf(object: FbxObject, name: string): boolean | undefined {
  const value = numberOfFbx(propertyOf(object, name)?.[0]);
  return value === undefined ? undefined : value !== 0;
}

function withExtras(object: FbxObject): Pick<SurfaceMaterial, 'extras'> {
  const extras = readFbxExtras(object);
  return extras ? { extras } : {};
}

function clamped(x: number): number {
  return Number.isFinite(x) ? Math.min(1, Math.max(0, x)) : 1;
}
