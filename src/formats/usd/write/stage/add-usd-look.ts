// SPDX-License-Identifier: MIT
// Materials as UsdPreviewSurface (https://openusd.org/release/spec_usdpreviewsurface.html), each with its textures and what reads their UVs.
import type { SurfaceImage, SurfaceMap, SurfaceMaterial } from '../../../../core/model/surface-look.ts';
import type { Scene } from '../../../gltf/index.ts';
import { isPlainUv, usdTransformOf } from '../../uv-transform.ts';
import { makeUsdDraft, type UsdDraftPrim, type UsdDraftProperty, uniformOf } from '../usd-draft.ts';
import { takeUsdName } from '../usd-names.ts';

/** An image file beside the stage, or in its package. */
export interface UsdImage {
  path: string;
  bytes: Uint8Array;
}

export interface UsdLook {
  /** A scope of materials; none without materials. */
  scope?: UsdDraftPrim;
  /** By material: its path. */
  paths: string[];
  images: UsdImage[];
}

const UNITS = [1, 1, 1, 1];

/**
 * Makes the materials of a scene.
 * @param parent path of the prim that gets the scope
 * @param prefix what the paths of images begin with
 * @param hasColors by material: whether all that it covers has vertex colours
 */
export function makeUsdLook(
  { look: { materials, images } }: Scene,
  {
    parent,
    prefix,
    hasColors,
    log,
  }: {
    parent: string;
    prefix: string;
    hasColors: readonly boolean[];
    log?: (message: string) => void;
  },
): UsdLook {
  if (materials.length === 0) return { paths: [], images: [] };
  const scope = makeUsdDraft('Scope', 'Looks');
  const used = new Set(materials.flatMap((material) => listMaps(material).map(({ image }) => image)));
  const stored = nameImages(images, used, prefix, log);
  const taken = new Set<string>();
  const paths = materials.map((material, m) => {
    const prim = makeUsdDraft('Material', takeUsdName(material.name || 'material', taken));
    if (material.name !== '' && material.name !== prim.name) prim.displayName = material.name;
    const path = `${parent}/Looks/${prim.name}`;
    new MaterialWriter(prim, path, stored).write(material, hasColors[m]);
    scope.children.push(prim);
    return path;
  });
  return { scope, paths, images: stored.filter((image) => image !== undefined) };
}

function listMaps(material: SurfaceMaterial): SurfaceMap[] {
  const { colorMap, metallicRoughnessMap, normalMap, occlusionMap, emissiveMap } = material;
  return [colorMap, metallicRoughnessMap, normalMap, occlusionMap, emissiveMap].filter((map) => map !== undefined);
}

/** Paths of the images that are used. USD has PNG and JPEG only. */
function nameImages(
  images: readonly SurfaceImage[],
  used: ReadonlySet<number>,
  prefix: string,
  log?: (message: string) => void,
): (UsdImage | undefined)[] {
  const taken = new Set<string>();
  let others = 0;
  const out = images.map(({ bytes, name = '' }, n) => {
    const extension = extensionOf(bytes);
    if (!used.has(n)) return undefined;
    if (extension === undefined) {
      others++;
      return undefined;
    }
    const plain = name
      .replace(/^.*[/\\]/, '')
      .replace(/\.[^.]*$/, '')
      .toLowerCase();
    return { path: `${prefix}${takeUsdName(plain || `image_${n}`, taken)}.${extension}`, bytes };
  });
  if (others > 0) log?.(`USD has PNG and JPEG images; ${others} of another type are left out, convert them first`);
  return out;
}

function extensionOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0x89 && bytes[1] === 0x50 && bytes[2] === 0x4e && bytes[3] === 0x47) return 'png';
  return bytes[0] === 0xff && bytes[1] === 0xd8 ? 'jpg' : undefined;
}

/** How a texture gives a value. */
interface Channel {
  output: 'r' | 'g' | 'b' | 'a' | 'rgb';
  scale?: readonly number[];
  bias?: readonly number[];
  isColor?: boolean;
}

class MaterialWriter {
  readonly #prim: UsdDraftPrim;
  readonly #path: string;
  readonly #images: readonly (UsdImage | undefined)[];
  readonly #surface: UsdDraftPrim;
  /** What reads UVs, by set and transform. */
  readonly #readers = new Map<string, string>();

  constructor(prim: UsdDraftPrim, path: string, images: readonly (UsdImage | undefined)[]) {
    this.#prim = prim;
    this.#path = path;
    this.#images = images;
    this.#surface = makeUsdDraft('Shader', 'surface', [uniformOf('info:id', 'token', 'UsdPreviewSurface')]);
  }

  write(material: SurfaceMaterial, hasColors: boolean): void {
    this.#prim.properties.push({
      ...{ name: 'outputs:surface', type: 'token', connection: `${this.#path}/surface.outputs:surface` },
    });
    this.#prim.children.push(this.#surface);
    this.#writeColor(material, hasColors);
    this.#writeOpacity(material);
    this.#writeSurface(material);
    this.#surface.properties.push({ name: 'outputs:surface', type: 'token' });
    const own = {
      ...(material.isUnlit ? { unlit: true } : {}),
      ...(material.alpha === 'opaque' ? {} : { alpha: material.alpha }),
      ...(material.color[3] === 1 || material.alpha !== 'opaque' ? {} : { opacity: material.color[3] }),
      ...(listMaps(material).some(({ isNearest }) => isNearest) ? { nearest: true } : {}),
    };
    const data = { ...material.extras, ...(Object.keys(own).length > 0 ? { ossify: own } : {}) };
    if (Object.keys(data).length > 0) this.#prim.data = data;
  }

  #writeColor({ color, emissive, colorMap, emissiveMap, isUnlit }: SurfaceMaterial, hasColors: boolean): void {
    const base = color.slice(0, 3);
    const input = isUnlit ? 'emissiveColor' : 'diffuseColor';
    const scale = [...base, color[3]];
    if (!this.#connect(input, 'color3f', colorMap, { output: 'rgb', scale, isColor: true })) {
      const isWhite = base.every((x) => x === 1);
      if (hasColors && isWhite) this.#connectColors(input);
      else this.#input(input, 'color3f', base);
    }
    // what is not lit shines, and reflects nothing
    if (isUnlit) this.#input('diffuseColor', 'color3f', [0, 0, 0]);
    else if (
      !this.#connect('emissiveColor', 'color3f', emissiveMap, { output: 'rgb', scale: [...emissive, 1], isColor: true })
    )
      this.#input('emissiveColor', 'color3f', emissive);
  }

  #writeOpacity({ color, alpha, cutoff, colorMap }: SurfaceMaterial): void {
    if (alpha === 'opaque') return;
    const scale = [...color];
    if (!this.#connect('opacity', 'float', colorMap, { output: 'a', scale, isColor: true }))
      this.#input('opacity', 'float', color[3]);
    if (alpha === 'mask') this.#input('opacityThreshold', 'float', cutoff);
  }

  #writeSurface(material: SurfaceMaterial): void {
    const { metallic, roughness, metallicRoughnessMap, normalMap, normalScale, occlusionMap, occlusionStrength } =
      material;
    const scale = [1, roughness, metallic, 1];
    if (!this.#connect('metallic', 'float', metallicRoughnessMap, { output: 'b', scale }))
      this.#input('metallic', 'float', metallic);
    if (!this.#connect('roughness', 'float', metallicRoughnessMap, { output: 'g', scale }))
      this.#input('roughness', 'float', roughness);
    // maps store normals from 0 to 1
    const [length, s] = [2 * normalScale, normalScale];
    this.#connect('normal', 'normal3f', normalMap, {
      output: 'rgb',
      scale: [length, length, 2, 1],
      bias: [-s, -s, -1, 0],
    });
    const [o, rest] = [occlusionStrength, 1 - occlusionStrength];
    this.#connect('occlusion', 'float', occlusionMap, {
      output: 'r',
      scale: [o, o, o, 1],
      bias: [rest, rest, rest, 0],
    });
  }

  #input(name: string, type: string, value: number | readonly number[]): void {
    this.#surface.properties.push({ name: `inputs:${name}`, type, value });
  }

  #connectColors(input: string): void {
    const reader = makeUsdDraft('Shader', 'colors', [
      uniformOf('info:id', 'token', 'UsdPrimvarReader_float3'),
      { name: 'inputs:varname', type: 'string', value: 'displayColor' },
      { name: 'outputs:result', type: 'float3' },
    ]);
    this.#prim.children.push(reader);
    this.#surface.properties.push({
      ...{ name: `inputs:${input}`, type: 'color3f', connection: `${this.#path}/colors.outputs:result` },
    });
  }

  /** Connects an input to a texture; false if there is none. Inputs with equal maps share their texture. */
  #connect(input: string, type: string, map: SurfaceMap | undefined, channel: Channel): boolean {
    const image = map && this.#images[map.image];
    if (!map || !image) return false;
    const { output, scale = UNITS, bias, isColor } = channel;
    const texture = makeUsdDraft('Shader', '', [
      uniformOf('info:id', 'token', 'UsdUVTexture'),
      { name: 'inputs:file', type: 'asset', value: image.path },
      { name: 'inputs:sourceColorSpace', type: 'token', value: isColor ? 'sRGB' : 'raw' },
      { name: 'inputs:st', type: 'float2', connection: this.#readerOf(map) },
      { name: 'inputs:wrapS', type: 'token', value: map.wrap[0] },
      { name: 'inputs:wrapT', type: 'token', value: map.wrap[1] },
      ...(scale.some((x) => x !== 1) ? [{ name: 'inputs:scale', type: 'float4', value: scale }] : []),
      ...(bias?.some((x) => x !== 0) ? [{ name: 'inputs:bias', type: 'float4', value: bias }] : []),
    ]);
    const key = JSON.stringify(texture.properties);
    const known = this.#textures.get(key);
    const name = known?.name ?? `${input}_texture`;
    const own = known ?? { ...texture, name };
    if (!known) {
      this.#textures.set(key, own);
      this.#prim.children.push(own);
    }
    const result: UsdDraftProperty = {
      name: `outputs:${output}`,
      type: output === 'rgb' ? 'float3' : 'float',
    };
    if (!own.properties.some((property) => property.name === result.name)) own.properties.push(result);
    this.#surface.properties.push({
      ...{ name: `inputs:${input}`, type, connection: `${this.#path}/${name}.outputs:${output}` },
    });
    return true;
  }

  readonly #textures = new Map<string, UsdDraftPrim>();

  /** The output that gives the UVs of a map. */
  #readerOf(map: SurfaceMap): string {
    const varname = map.uv === 0 ? 'st' : `st${map.uv}`;
    let reader = this.#readers.get(varname);
    if (reader === undefined) {
      const name = `reader_${varname}`;
      this.#prim.children.push(
        makeUsdDraft('Shader', name, [
          uniformOf('info:id', 'token', 'UsdPrimvarReader_float2'),
          { name: 'inputs:varname', type: 'string', value: varname },
          { name: 'outputs:result', type: 'float2' },
        ]),
      );
      reader = `${this.#path}/${name}.outputs:result`;
      this.#readers.set(varname, reader);
    }
    if (isPlainUv(map)) return reader;
    const { translation, rotation, scale } = usdTransformOf(map);
    const key = JSON.stringify([varname, translation, rotation, scale]);
    let transform = this.#readers.get(key);
    if (transform === undefined) {
      const name = `transform_${this.#readers.size}`;
      this.#prim.children.push(
        makeUsdDraft('Shader', name, [
          uniformOf('info:id', 'token', 'UsdTransform2d'),
          { name: 'inputs:in', type: 'float2', connection: reader },
          { name: 'inputs:rotation', type: 'float', value: rotation },
          { name: 'inputs:scale', type: 'float2', value: scale },
          { name: 'inputs:translation', type: 'float2', value: translation },
          { name: 'outputs:result', type: 'float2' },
        ]),
      );
      transform = `${this.#path}/${name}.outputs:result`;
      this.#readers.set(key, transform);
    }
    return transform;
  }
}
