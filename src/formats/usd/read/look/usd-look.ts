// SPDX-License-Identifier: MIT
// Materials of a stage: UsdPreviewSurface, and the base colour of other surfaces.
import { quoteName } from '../../../../core/model/plain-text.ts';
import type { SurfaceMap, SurfaceMaterial, SurfaceWrap } from '../../../../core/model/surface-look.ts';
import type { UsdPrim } from '../../syntax/usd-layer.ts';
import { gltfTransformOf } from '../../uv-transform.ts';
import { dictionaryOf, extrasOfPrim, nameOf } from '../usd-scene.ts';
import type { UsdImages } from './usd-images.ts';
import {
  type FindUsdPrim,
  followUsdInput,
  inputNumbers,
  inputText,
  shaderIdOf,
  type UsdSource,
} from './usd-shaders.ts';

/** What UsdPreviewSurface has where nothing is stated. */
const DEFAULTS = { color: 0.18, metallic: 0, roughness: 0.5 };
/** Outputs of a material, the most useful first. */
const SURFACES = ['outputs:surface', 'outputs:mtlx:surface', 'outputs:mdl:surface', 'outputs:ri:surface'];
/** Names of the base colour in surfaces of other kinds. */
const OTHER_COLORS = ['base_color', 'baseColor', 'diffuse_color_constant', 'diffuseColor', 'color'];
const WRAPS: Readonly<Record<string, SurfaceWrap>> = {
  clamp: 'clamp',
  mirror: 'mirror',
  repeat: 'repeat',
  black: 'clamp',
};

/** A texture that an input is connected to. */
interface Texture {
  map: SurfaceMap;
  output: string;
  scale: number[];
  bias: number[];
}

/** How a mesh shows materials. */
export interface UsdMeshLook {
  /** Names of its sets of UVs. */
  uvNames: readonly string[];
  isDoubleSided: boolean;
}

/** The material of a surface that states nothing. */
export function makePlainMaterial(name: string, isDoubleSided: boolean): SurfaceMaterial {
  return {
    ...{ name, color: [DEFAULTS.color, DEFAULTS.color, DEFAULTS.color, 1], metallic: DEFAULTS.metallic },
    ...{ roughness: DEFAULTS.roughness, emissive: [0, 0, 0], alpha: 'opaque', cutoff: 0.5, isDoubleSided },
    ...{ isUnlit: false, normalScale: 1, occlusionStrength: 1 },
  };
}

/** Reads a Material prim as a mesh shows it. */
export function readUsdMaterial(
  prim: UsdPrim,
  mesh: UsdMeshLook,
  images: UsdImages,
  find: FindUsdPrim,
  log?: (message: string) => void,
): Promise<SurfaceMaterial> {
  return new MaterialReader(prim, mesh, { images, find, log }).read();
}

class MaterialReader {
  readonly #prim: UsdPrim;
  readonly #mesh: UsdMeshLook;
  readonly #images: UsdImages;
  readonly #find: FindUsdPrim;
  readonly #log?: (message: string) => void;
  readonly #out: SurfaceMaterial;

  constructor(
    prim: UsdPrim,
    mesh: UsdMeshLook,
    { images, find, log }: { images: UsdImages; find: FindUsdPrim; log?: (message: string) => void },
  ) {
    this.#prim = prim;
    this.#mesh = mesh;
    this.#images = images;
    this.#find = find;
    this.#log = log;
    this.#out = makePlainMaterial(nameOf(prim), mesh.isDoubleSided);
    const extras = extrasOfPrim(prim);
    if (extras) this.#out.extras = extras;
  }

  async read(): Promise<SurfaceMaterial> {
    const surface = this.#findSurface();
    if (!surface) {
      this.#log?.(`material ${quoteName(this.#prim.name)} has no surface; it is read as plain grey`);
      return this.#out;
    }
    if (shaderIdOf(surface) !== 'UsdPreviewSurface') {
      this.#readOther(surface);
      return this.#out;
    }
    const own = dictionaryOf(this.#prim.customData?.ossify) ?? {};
    this.#out.isUnlit = own.unlit === true;
    await this.#readColor(surface);
    await this.#readMetal(surface);
    await this.#readMaps(surface);
    await this.#readOpacity(surface);
    if (own.alpha === 'blend') this.#out.alpha = 'blend';
    if (typeof own.opacity === 'number') this.#setAlpha(own.opacity);
    if (own.nearest === true)
      for (const key of ['colorMap', 'metallicRoughnessMap', 'normalMap', 'occlusionMap', 'emissiveMap'] as const) {
        const map = this.#out[key];
        if (map) this.#out[key] = { ...map, isNearest: true };
      }
    return this.#out;
  }

  /** The surface of the material: a preview if there is one, even if nothing is connected to it. */
  #findSurface(): UsdPrim | undefined {
    const connected = SURFACES.flatMap((name) => followUsdInput(this.#prim, name, this.#find).shader ?? []);
    const all: UsdPrim[] = [...connected];
    const stack = [...this.#prim.children.values()];
    for (let next = stack.pop(); next; next = stack.pop()) {
      if (next.typeName === 'Shader') all.push(next);
      for (const child of next.children.values()) stack.push(child);
    }
    return all.find((shader) => shaderIdOf(shader) === 'UsdPreviewSurface') ?? connected[0];
  }

  #readOther(surface: UsdPrim): void {
    const name = OTHER_COLORS.find((one) => (inputNumbers(surface, one, this.#find)?.length ?? 0) >= 3);
    const [r, g, b] = (name && inputNumbers(surface, name, this.#find)) || [0.8, 0.8, 0.8];
    this.#out.color = [r, g, b, 1];
    const kind = shaderIdOf(surface) || 'of an unknown kind';
    this.#log?.(`material ${quoteName(this.#prim.name)} is ${quoteName(kind)}; only its base colour is read`);
  }

  async #readColor(surface: UsdPrim): Promise<void> {
    const [color, glow] = this.#out.isUnlit ? ['emissiveColor', ''] : ['diffuseColor', 'emissiveColor'];
    const texture = await this.#texture(surface, color);
    const source = this.#source(surface, color);
    const isPrimvar = source.shader && /PrimvarReader/.test(shaderIdOf(source.shader));
    const [r, g, b] = texture?.scale ?? (isPrimvar ? [1, 1, 1] : this.#numbers(surface, color, 3, DEFAULTS.color));
    this.#out.color = [r, g, b, 1];
    if (texture) this.#out.colorMap = texture.map;
    if (glow === '') return;
    const light = await this.#texture(surface, glow);
    const [er, eg, eb] = light?.scale ?? this.#numbers(surface, glow, 3, 0);
    this.#out.emissive = [er, eg, eb];
    if (light) this.#out.emissiveMap = light.map;
  }

  async #readOpacity(surface: UsdPrim): Promise<void> {
    const [threshold] = this.#numbers(surface, 'opacityThreshold', 1, 0);
    const texture = await this.#texture(surface, 'opacity');
    const [value] = texture ? [texture.scale[3] ?? 1] : this.#numbers(surface, 'opacity', 1, 1);
    this.#setAlpha(value);
    const { colorMap } = this.#out;
    if (texture && (texture.output !== 'a' || texture.map.image !== colorMap?.image))
      this.#log?.(
        `the opacity map of material ${quoteName(this.#prim.name)} is not the alpha of its colour map; it is left out`,
      );
    const isSeen = texture && colorMap && this.#images.images[colorMap.image]?.type !== 'image/jpeg';
    if (!isSeen && value >= 1) return;
    this.#out.alpha = threshold > 0 ? 'mask' : 'blend';
    if (threshold > 0) this.#out.cutoff = threshold;
  }

  #setAlpha(alpha: number): void {
    const [r, g, b] = this.#out.color;
    this.#out.color = [r, g, b, alpha];
  }

  /** glTF has metal and roughness in one image: in blue and green. */
  async #readMetal(surface: UsdPrim): Promise<void> {
    const [metal, rough] = [await this.#texture(surface, 'metallic'), await this.#texture(surface, 'roughness')];
    const out = this.#out;
    [out.metallic] = metal ? [scaleOf(metal)] : this.#numbers(surface, 'metallic', 1, DEFAULTS.metallic);
    [out.roughness] = rough ? [scaleOf(rough)] : this.#numbers(surface, 'roughness', 1, DEFAULTS.roughness);
    const isOne = metal && rough && metal.map.image === rough.map.image;
    if (metal && rough && !isOne)
      this.#log?.(
        `material ${quoteName(this.#prim.name)} has separate maps of metal and roughness; the one of metal is left out`,
      );
    if (metal && rough && !isOne) out.metallic = 0;
    if (rough) {
      out.metallicRoughnessMap = rough.map;
      // a map of roughness says nothing about metal
      if (!metal && out.metallic > 0) {
        this.#log?.(
          `the roughness map of material ${quoteName(this.#prim.name)} is left out, since its metal is a number`,
        );
        delete out.metallicRoughnessMap;
      }
    } else if (metal)
      this.#log?.(
        `the map of metal of material ${quoteName(this.#prim.name)} is left out, since its roughness is a number`,
      );
  }

  async #readMaps(surface: UsdPrim): Promise<void> {
    const out = this.#out;
    const normal = await this.#texture(surface, 'normal');
    if (normal) {
      out.normalMap = normal.map;
      out.normalScale = normal.bias[0] === 0 ? 1 : normal.scale[0] / 2;
    }
    const occlusion = await this.#texture(surface, 'occlusion');
    if (!occlusion) return;
    out.occlusionMap = occlusion.map;
    out.occlusionStrength = Math.min(1, Math.max(0, occlusion.scale[0]));
  }

  #source(surface: UsdPrim, input: string): UsdSource {
    return followUsdInput(surface, `inputs:${input}`, this.#find);
  }

  #numbers(prim: UsdPrim, input: string, count: number, fallback: number): number[] {
    const numbers = inputNumbers(prim, input, this.#find);
    return numbers && numbers.length >= count ? numbers : new Array<number>(count).fill(fallback);
  }

  async #texture(surface: UsdPrim, input: string): Promise<Texture | undefined> {
    const { shader, output = 'rgb' } = this.#source(surface, input);
    if (!shader || shaderIdOf(shader) !== 'UsdUVTexture') return undefined;
    const { property } = followUsdInput(shader, 'inputs:file', this.#find);
    const file = inputText(shader, 'file', this.#find);
    if (!file || !property) return undefined;
    const image = await this.#images.place(file, property.from ?? '');
    if (image === undefined) return undefined;
    const wrap = ['wrapS', 'wrapT'].map((name) => WRAPS[inputText(shader, name, this.#find) ?? ''] ?? 'repeat');
    const [wrapS, wrapT] = wrap;
    return {
      ...{ output, scale: this.#numbers(shader, 'scale', 4, 1), bias: this.#numbers(shader, 'bias', 4, 0) },
      map: { image, wrap: [wrapS, wrapT], isNearest: false, ...this.#placeUvs(shader) },
    };
  }

  /** The set of UVs of a texture, and their transform. */
  #placeUvs(texture: UsdPrim): Pick<SurfaceMap, 'uv' | 'offset' | 'rotation' | 'scale'> {
    let { shader } = followUsdInput(texture, 'inputs:st', this.#find);
    let transform: Pick<SurfaceMap, 'offset' | 'rotation' | 'scale'> = { offset: [0, 0], rotation: 0, scale: [1, 1] };
    if (shader && shaderIdOf(shader) === 'UsdTransform2d') {
      const [tx, ty] = this.#numbers(shader, 'translation', 2, 0);
      const [sx, sy] = this.#numbers(shader, 'scale', 2, 1);
      const [rotation] = this.#numbers(shader, 'rotation', 1, 0);
      transform = gltfTransformOf({ translation: [tx, ty], rotation, scale: [sx, sy] });
      ({ shader } = followUsdInput(shader, 'inputs:in', this.#find));
    }
    const name = shader && inputText(shader, 'varname', this.#find);
    return { uv: Math.max(0, this.#mesh.uvNames.indexOf(name ?? '')), ...transform };
  }
}

/** Factor of the channel that a texture gives. */
function scaleOf({ output, scale }: Texture): number {
  return scale[Math.max(0, 'rgba'.indexOf(output))] ?? 1;
}
