// SPDX-License-Identifier: MIT
// The materials of a stage as its meshes show them.
import type { SurfaceMaterial } from '../../../../core/model/surface-look.ts';
import type { SceneShape } from '../../../gltf/index.ts';
import type { UsdPrim } from '../../syntax/usd-layer.ts';
import { isNumbers, usdValueAt } from '../../syntax/usd-values-at.ts';
import type { UsdReadShape } from '../mesh/usd-shape.ts';
import type { UsdContent } from '../usd-scene.ts';
import type { UsdImages } from './usd-images.ts';
import { makePlainMaterial, readUsdMaterial } from './usd-look.ts';
import type { FindUsdPrim } from './usd-shaders.ts';

/** Purposes of bindings, the most useful first. */
const BINDINGS = ['material:binding', 'material:binding:preview', 'material:binding:full'];

/** The path of the material that is bound to a prim, or to one above it; '' for none. */
export function boundMaterialOf(prim: UsdPrim, above: readonly UsdPrim[]): string {
  for (const one of [prim, ...above])
    for (const name of BINDINGS) {
      const target = one.properties.get(name)?.targets[0];
      if (target !== undefined) return target;
    }
  return '';
}

/** Materials of the scene, each read once for every way in which meshes show it. */
export class UsdMaterials {
  readonly materials: SurfaceMaterial[] = [];
  readonly #images: UsdImages;
  readonly #find: FindUsdPrim;
  readonly #log?: (message: string) => void;
  readonly #places = new Map<string, number>();
  /** By path of a prim: the materials that were read of it. */
  readonly #read = new Map<string, number[]>();

  constructor(images: UsdImages, find: FindUsdPrim, log?: (message: string) => void) {
    this.#images = images;
    this.#find = find;
    this.#log = log;
  }

  /** The materials of the parts of a shape; their names become those of the parts. */
  async dress(
    { prim }: UsdContent,
    { shape, uvNames }: Pick<UsdReadShape, 'shape' | 'uvNames'>,
  ): Promise<Pick<SceneShape, 'materialOfPart'>> {
    const isDoubleSided = usdValueAt(prim.properties.get('doubleSided')) === true;
    const materialOfPart: number[] = [];
    for (const { material: path } of shape.mesh.parts)
      materialOfPart.push(
        path === '' ? this.#colorOf(prim, isDoubleSided) : await this.#place(path, uvNames, isDoubleSided),
      );
    return { materialOfPart };
  }

  async #place(path: string, uvNames: readonly string[], isDoubleSided: boolean): Promise<number> {
    const key = `${path} ${isDoubleSided} ${uvNames.join(' ')}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const prim = this.#find(path);
    const material = prim
      ? await readUsdMaterial(prim, { uvNames, isDoubleSided }, this.#images, this.#find, this.#log)
      : makePlainMaterial(path.slice(path.lastIndexOf('/') + 1), isDoubleSided);
    // one prim is one material, unless meshes show it in different ways
    const text = JSON.stringify(material);
    const read = this.#read.get(path) ?? [];
    const same = read.find((one) => JSON.stringify(this.materials[one]) === text);
    const place = same ?? this.materials.push(material) - 1;
    this.#read.set(path, [...read, place]);
    this.#places.set(key, place);
    return place;
  }

  /** The material of a mesh without one that states a colour; -1 without that. */
  #colorOf(prim: UsdPrim, isDoubleSided: boolean): number {
    const property = prim.properties.get('primvars:displayColor');
    const value = usdValueAt(property);
    const isConstant = property?.interpolation === undefined || property.interpolation === 'constant';
    if (!isNumbers(value) || value.length < 3 || !isConstant) return -1;
    const [r, g, b] = Array.from(value.subarray(0, 3), (x) => Math.min(1, Math.max(0, Number.isFinite(x) ? x : 0)));
    const opacity = usdValueAt(prim.properties.get('primvars:displayOpacity'));
    const [alpha] = isNumbers(opacity) && opacity.length === 1 ? opacity : [1];
    const key = `color ${[r, g, b, alpha]} ${isDoubleSided}`;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const material: SurfaceMaterial = {
      ...makePlainMaterial('displayColor', isDoubleSided),
      color: [r, g, b, alpha],
      alpha: alpha < 1 ? 'blend' : 'opaque',
    };
    const place = this.materials.push(material) - 1;
    this.#places.set(key, place);
    return place;
  }
}
