// SPDX-License-Identifier: MIT
// Materials as Phong, which every program reads, with the values of metal and roughness beside it under the names of the glTF material of 3ds
// Max, which readers of physical materials know. Shininess and reflection follow the rule of Blender's exporter.
import { quoteName } from '../../../core/model/plain-text.ts';
import type { SurfaceImage, SurfaceMap, SurfaceMaterial } from '../../../core/model/surface-look.ts';
import type { Scene } from '../../gltf/index.ts';
import { screenFromLight } from '../fbx-colors.ts';
import { fbxDouble, fbxNode } from '../syntax/fbx-pack.ts';
import { nameOfUvSet } from './fbx-add-geometry.ts';
import { type FbxBuilder, type FbxProperty, fbxProperties } from './fbx-builder.ts';
import { listUserProperties } from './fbx-user-properties.ts';

/** Class of the glTF material of 3ds Max. */
const CLASS_A = 0x38420192;
const CLASS_B = 0x45fe4e1b;
export const FBX_PBR = '3dsMax|main|';
/** Alpha modes as that material counts them. */
export const FBX_ALPHA_MODES = ['', 'opaque', 'mask', 'blend'] as const;

const EXTENSIONS: Readonly<Record<string, string>> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' };

/** Materials and textures as they are added, when something needs them. */
export class FbxMaterials {
  readonly #builder: FbxBuilder;
  readonly #look: Scene['look'];
  readonly #isEmbedded: boolean;
  readonly #log?: (message: string) => void;
  readonly #materials = new Map<number, number>();
  readonly #videos = new Map<number, number>();
  readonly #textures = new Map<string, number>();
  /** By image: the name of its file. */
  readonly files: readonly string[];

  constructor(builder: FbxBuilder, look: Scene['look'], isEmbedded: boolean, log?: (message: string) => void) {
    this.#builder = builder;
    this.#look = look;
    this.#isEmbedded = isEmbedded;
    this.#log = log;
    this.files = nameFiles(look.images);
  }

  /** The identifier of a material of the scene; -1 is the plain one of parts without. */
  idOf(material: number): number {
    const known = this.#materials.get(material);
    if (known !== undefined) return known;
    const own = this.#look.materials[material];
    const id = own ? this.#add(own) : this.#addPlain();
    this.#materials.set(material, id);
    return id;
  }

  #addPlain(): number {
    return this.#builder.add('Material', 'material', 'Material', '', [
      fbxNode('Version', [102]),
      fbxNode('ShadingModel', ['Lambert']),
      fbxNode('MultiLayer', [0]),
      fbxProperties([color('DiffuseColor', [0.8, 0.8, 0.8]), number('DiffuseFactor', 1)]),
    ]);
  }

  #add(material: SurfaceMaterial): number {
    const id = this.#builder.add('Material', material.name || 'material', 'Material', '', [
      fbxNode('Version', [102]),
      fbxNode('ShadingModel', ['Phong']),
      fbxNode('MultiLayer', [0]),
      fbxProperties([...listPhong(material), ...listPhysical(material), ...listUserProperties(material.extras)]),
    ]);
    const { colorMap, metallicRoughnessMap, normalMap, occlusionMap, emissiveMap } = material;
    this.#connect(id, colorMap, ['DiffuseColor', `${FBX_PBR}baseColor`]);
    this.#connect(id, normalMap, ['NormalMap']);
    this.#connect(id, emissiveMap, ['EmissiveColor']);
    this.#connect(id, metallicRoughnessMap, [`${FBX_PBR}metalness`, `${FBX_PBR}roughness`]);
    this.#connect(id, occlusionMap, [`${FBX_PBR}ambientOcclusion`]);
    return id;
  }

  /** Connects a texture to properties of a material; the first is the one that players show. */
  #connect(material: number, map: SurfaceMap | undefined, [property, ...others]: readonly string[]): void {
    if (!map) return;
    const texture = this.#textureOf(map);
    for (const one of [property, ...others.filter((name) => name !== `${FBX_PBR}baseColor`)])
      this.#builder.connect(texture, material, one);
  }

  #textureOf(map: SurfaceMap): number {
    const { image, uv, wrap, offset, rotation, scale } = map;
    const key = JSON.stringify([image, uv, wrap, offset, rotation, scale]);
    const known = this.#textures.get(key);
    if (known !== undefined) return known;
    const file = this.files[image];
    if (rotation !== 0)
      this.#log?.(`the map ${quoteName(file)} is turned on the surface, which FBX textures are not: it is not turned`);
    const modes = wrap.map((mode) => (mode === 'clamp' ? 1 : 0));
    if (wrap.includes('mirror'))
      this.#log?.(
        `the map ${quoteName(file)} is mirrored outside of its image, which FBX cannot state: it is repeated`,
      );
    // from the texture to the surface, with v from the bottom
    const [x, y] = scale.map((value) => value || 1);
    const id = this.#builder.add('Texture', file.replace(/\.[^.]*$/, ''), 'Texture', '', [
      fbxNode('Type', ['TextureVideoClip']),
      fbxNode('Version', [202]),
      fbxNode('TextureName', [`${file}\0\x01Texture`]),
      fbxNode('Media', [`${file}\0\x01Video`]),
      fbxNode('FileName', [file]),
      fbxNode('RelativeFilename', [file]),
      fbxNode('ModelUVTranslation', [fbxDouble(0), fbxDouble(0)]),
      fbxNode('ModelUVScaling', [fbxDouble(1), fbxDouble(1)]),
      fbxNode('Texture_Alpha_Source', ['None']),
      fbxNode('Cropping', [0, 0, 0, 0]),
      fbxProperties([
        ['UVSet', 'KString', '', '', nameOfUvSet(uv)],
        ['UseMaterial', 'bool', '', '', 1],
        ['WrapModeU', 'enum', '', '', modes[0]],
        ['WrapModeV', 'enum', '', '', modes[1]],
        ...(offset.some((value) => value !== 0) || scale.some((value) => value !== 1)
          ? [vector('Translation', [-offset[0] / x, -(1 - y - offset[1]) / y, 0]), vector('Scaling', [1 / x, 1 / y, 1])]
          : []),
      ]),
    ]);
    this.#builder.connect(this.#videoOf(image), id);
    this.#textures.set(key, id);
    return id;
  }

  #videoOf(image: number): number {
    const known = this.#videos.get(image);
    if (known !== undefined) return known;
    const file = this.files[image];
    const { bytes, type } = this.#look.images[image];
    if (type !== 'image/png' && type !== 'image/jpeg')
      this.#log?.(
        `the image ${quoteName(file)} is kept as it is, ${type || 'of unknown type'}: few programs read such images of an FBX`,
      );
    const id = this.#builder.add('Video', file.replace(/\.[^.]*$/, ''), 'Video', 'Clip', [
      fbxNode('Type', ['Clip']),
      fbxProperties([['Path', 'KString', 'XRefUrl', '', file]]),
      fbxNode('UseMipMap', [0]),
      fbxNode('Filename', [file]),
      fbxNode('RelativeFilename', [file]),
      ...(this.#isEmbedded ? [fbxNode('Content', [{ type: 'R', value: bytes }])] : []),
    ]);
    this.#videos.set(image, id);
    return id;
  }
}

/** Names of the files of images: their own where they have one, without folders, each once. */
function nameFiles(images: readonly SurfaceImage[]): string[] {
  const taken = new Set<string>();
  return images.map(({ name = '', type }, n) => {
    const extension = EXTENSIONS[type];
    const plain = name
      .replace(/^.*[/\\]/, '')
      .replace(/\.(png|jpe?g|webp|tga|bmp|tiff?)$/i, '')
      // letters that no system takes in a name of a file
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
      .replace(/[\x00-\x1f<>:"|?*]/g, '_');
    const base = plain === '' || /^\.+$/.test(plain) ? `image_${n}` : plain;
    const end = extension ?? (/\.(\w{3,4})$/.exec(name)?.[1] || 'bin');
    let own = `${base}.${end}`;
    for (let k = 2; taken.has(own.toLowerCase()); k++) own = `${base}_${k}.${end}`;
    taken.add(own.toLowerCase());
    return own;
  });
}

function listPhong(material: SurfaceMaterial): FbxProperty[] {
  const { roughness, metallic, emissive, alpha } = material;
  const strength = Math.max(1, ...emissive);
  const opacity = alpha === 'blend' ? material.color[3] : 1;
  return [
    color('DiffuseColor', material.color.slice(0, 3).map(screenFromLight)),
    number('DiffuseFactor', 1),
    color('AmbientColor', [0, 0, 0]),
    number('AmbientFactor', 0),
    color(
      'EmissiveColor',
      emissive.map((x) => screenFromLight(x / strength)),
    ),
    number('EmissiveFactor', strength),
    color('SpecularColor', [0.2, 0.2, 0.2]),
    number('SpecularFactor', 0.25),
    number('Shininess', (10 * (1 - roughness)) ** 2),
    number('ShininessExponent', (10 * (1 - roughness)) ** 2),
    color('ReflectionColor', [1, 1, 1]),
    number('ReflectionFactor', metallic),
    color('TransparentColor', [1, 1, 1]),
    number('TransparencyFactor', 1 - opacity),
    ['Opacity', 'double', 'Number', '', fbxDouble(opacity)],
    number('BumpFactor', material.normalScale),
  ];
}

/** Values of the glTF material of 3ds Max. */
function listPhysical(material: SurfaceMaterial): FbxProperty[] {
  const own = (name: string, value: number): FbxProperty => [
    `${FBX_PBR}${name}`,
    'Float',
    '',
    'A',
    { type: 'D', value },
  ];
  const flag = (name: string, value: boolean): FbxProperty => [name, 'Bool', '', 'A', value ? 1 : 0];
  const [red, green, blue, alpha] = material.color;
  return [
    ['3dsMax|ClassIDa', 'Integer', '', '', CLASS_A],
    ['3dsMax|ClassIDb', 'Integer', '', '', CLASS_B],
    [`${FBX_PBR}baseColor`, 'ColorAndAlpha', '', 'A', ...[red, green, blue, alpha].map(fbxDouble)],
    own('metalness', material.metallic),
    own('roughness', material.roughness),
    own('normal', material.normalScale),
    own('ambientOcclusion', material.occlusionStrength),
    [`${FBX_PBR}alphaMode`, 'Integer', '', 'A', FBX_ALPHA_MODES.indexOf(material.alpha)],
    own('AlphaCutoff', material.cutoff),
    flag(`${FBX_PBR}DoubleSided`, material.isDoubleSided),
    flag('3dsMax|extension|unlit', material.isUnlit),
  ];
}

function number(name: string, value: number): FbxProperty {
  return [name, 'Number', '', 'A', fbxDouble(value)];
}

function color(name: string, values: readonly number[]): FbxProperty {
  return [name, 'Color', '', 'A', ...values.map(fbxDouble)];
}

function vector(name: string, values: readonly number[]): FbxProperty {
  return [name, 'Vector', '', 'A', ...values.map(fbxDouble)];
}
