// SPDX-License-Identifier: MIT
// The rules that the stage of a package must keep, as far as one layer shows them.
import { resolveUsdPath } from '../read/compose-usd.ts';
import { followUsdInput, inputNumbers, inputText, shaderIdOf } from '../read/look/usd-shaders.ts';
import type { UsdLayer, UsdPrim } from '../syntax/usd-layer.ts';
import { numbersOf, textsOf } from '../syntax/usd-values-at.ts';
import type { UsdzFault } from './usdz-fault.ts';

/** Shaders that viewers of packages draw. */
const SHADERS = /^Usd(PreviewSurface|UVTexture|Transform2d|PrimvarReader_.*)$/;
/** Influences per point that these viewers play. */
const MAX_INFLUENCES = 4;
const TO_SIGNED = { scale: [2, 2, 2], bias: [-1, -1, -1] };

/**
 * Checks a stage.
 * @param file its path in the package
 * @param files all paths of the package
 */
export function checkUsdStage(layer: UsdLayer, file: string, files: ReadonlySet<string>): UsdzFault[] {
  return new StageChecker(layer, file, files).check();
}

class StageChecker {
  readonly #layer: UsdLayer;
  readonly #file: string;
  readonly #files: ReadonlySet<string>;
  readonly #faults: UsdzFault[] = [];

  constructor(layer: UsdLayer, file: string, files: ReadonlySet<string>) {
    this.#layer = layer;
    this.#file = file;
    this.#files = files;
  }

  check(): UsdzFault[] {
    this.#checkMetadata();
    for (const asset of this.#layer.subLayers) this.#checkFile(asset, '');
    const stack = [...this.#layer.root.children.values()].map((prim) => ({ prim, path: `/${prim.name}` }));
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { prim, path } = next;
      this.#checkPrim(prim, path);
      for (const child of prim.children.values()) stack.push({ prim: child, path: `${path}/${child.name}` });
    }
    return this.#faults;
  }

  #add(
    rule: UsdzFault['rule'],
    path: string,
    fault: string,
    remedy: string,
    severity: UsdzFault['severity'] = 'error',
  ): void {
    const place = path === '' ? this.#file : `${this.#file}<${path}>`;
    this.#faults.push({ rule, severity, place, fault, remedy });
  }

  #checkMetadata(): void {
    const { metadata, root } = this.#layer;
    const { defaultPrim, upAxis, metersPerUnit } = metadata;
    if (typeof defaultPrim !== 'string' || defaultPrim === '')
      this.#add(
        'default-prim',
        '',
        'the stage names no default prim',
        'set defaultPrim to the prim that holds everything',
      );
    else {
      const prim = root.children.get(defaultPrim.replace(/^\//, ''));
      if (!prim)
        this.#add('default-prim', '', `its default prim "${defaultPrim}" is missing`, 'name a prim at the root');
      else if (prim.specifier !== 'def' || prim.typeName === '' || prim.typeName === 'Scope')
        this.#add(
          'default-prim',
          `/${prim.name}`,
          'the default prim has no transform',
          'make it an Xform or a SkelRoot',
        );
    }
    if (upAxis !== 'Y' && upAxis !== 'Z') this.#add('up-axis', '', 'the stage states no up axis', 'set upAxis to Y');
    else if (upAxis === 'Z')
      this.#add(
        'up-axis',
        '',
        'z points up, and AR Quick Look expects y',
        'turn the stage, and set upAxis to Y',
        'warning',
      );
    if (!(typeof metersPerUnit === 'number' && metersPerUnit > 0))
      this.#add('unit', '', 'the stage states no unit: viewers take centimetres', 'set metersPerUnit');
  }

  /** A path must lead to a file of the package. */
  #checkFile(asset: string, path: string): void {
    const resolved = resolveUsdPath(this.#file, asset);
    if (resolved === undefined)
      this.#add('references', path, `"${asset}" is outside of the package`, 'place the file in the package');
    else if (!this.#files.has(resolved) && !this.#files.has(asset))
      this.#add('references', path, `"${asset}" is not in the package`, 'place the file in the package');
  }

  #checkPrim(prim: UsdPrim, path: string): void {
    for (const { asset } of [...prim.references, ...prim.payloads]) if (asset !== '') this.#checkFile(asset, path);
    for (const { typeName, value } of prim.properties.values())
      if (typeName === 'asset' && typeof value === 'string' && value !== '') this.#checkFile(value, path);
    if (prim.typeName === 'Mesh') this.#checkMesh(prim, path);
    if (prim.typeName === 'Shader') this.#checkShader(prim, path);
    if (prim.typeName === 'Skeleton') this.#checkSkeleton(prim, path);
  }

  #checkMesh(prim: UsdPrim, path: string): void {
    const points = numbersOf(prim, 'points');
    if (!points || prim.specifier !== 'def') return;
    const extent = numbersOf(prim, 'extent');
    if (extent?.length !== 6)
      this.#add('extent', path, 'the mesh has no extent', 'write the box of its points as extent');
    const counts = numbersOf(prim, 'faceVertexCounts') ?? new Int32Array(0);
    const indices = numbersOf(prim, 'faceVertexIndices') ?? new Int32Array(0);
    let corners = 0;
    for (const count of counts) corners += count;
    if (corners !== indices.length)
      this.#add(
        'mesh',
        path,
        `its faces have ${corners} corners, and ${indices.length} indices`,
        'write its faces again',
      );
    if (Array.from(indices).some((index) => !(index >= 0 && 3 * index < points.length)))
      this.#add('mesh', path, 'a face names a point that is not there', 'write its faces again');
    if (!Array.from(points).every(Number.isFinite))
      this.#add('mesh', path, 'a point is not finite', 'remove the point, or set it');
    this.#checkWeights(prim, path, points.length / 3);
  }

  #checkWeights(prim: UsdPrim, path: string, pointCount: number): void {
    const property = prim.properties.get('primvars:skel:jointWeights');
    const weights = numbersOf(prim, 'primvars:skel:jointWeights');
    if (!property || !weights) return;
    const width = property.elementSize ?? 1;
    if (width > MAX_INFLUENCES)
      this.#add(
        'weights',
        path,
        `its points follow up to ${width} joints, and viewers play ${MAX_INFLUENCES}`,
        'reduce the influences',
        'warning',
      );
    if (property.interpolation === 'constant' || weights.length !== width * pointCount) return;
    for (let i = 0; i < pointCount; i++) {
      let sum = 0;
      for (let e = width * i; e < width * (i + 1); e++) sum += weights[e];
      if (Math.abs(sum - 1) <= 1e-3) continue;
      this.#add(
        'weights',
        path,
        `the weights of point ${i} sum to ${sum.toPrecision(4)}`,
        'scale them to a sum of one',
      );
      return;
    }
  }

  #checkSkeleton(prim: UsdPrim, path: string): void {
    const count = textsOf(prim, 'joints').length;
    for (const name of ['bindTransforms', 'restTransforms']) {
      const matrices = numbersOf(prim, name)?.length ?? 0;
      if (matrices !== 16 * count)
        this.#add(
          'skeleton',
          path,
          `it has ${count} joints and ${matrices / 16} ${name}`,
          `write ${name} of all joints`,
        );
    }
    const isBelow = path
      .split('/')
      .slice(1, -1)
      .some((_, depth, names) => this.#find(`/${names.slice(0, depth + 1).join('/')}`)?.typeName === 'SkelRoot');
    if (!isBelow)
      this.#add('skeleton', path, 'it is not below a SkelRoot: nothing moves', 'make a prim above it a SkelRoot');
  }

  #checkShader(prim: UsdPrim, path: string): void {
    const id = shaderIdOf(prim);
    if (!SHADERS.test(id)) {
      this.#add('material', path, `its shader "${id}" is not drawn by viewers of packages`, 'use UsdPreviewSurface');
      return;
    }
    if (id !== 'UsdPreviewSurface') return;
    const { shader } = followUsdInput(prim, 'inputs:normal', (one) => this.#find(one));
    if (!shader || shaderIdOf(shader) !== 'UsdUVTexture') return;
    const find = (one: string): UsdPrim | undefined => this.#find(one);
    const [scale, bias] = ['scale', 'bias'].map((name) => inputNumbers(shader, name, find));
    const isSigned =
      TO_SIGNED.scale.every((x, c) => scale?.[c] !== undefined && (c < 2 || scale[c] === x)) &&
      bias?.[2] === TO_SIGNED.bias[2];
    if (!isSigned)
      this.#add(
        'normal-map',
        path,
        'its normal map is not brought from 0 … 1 to -1 … 1',
        'set scale to (2, 2, 2, 1) and bias to (-1, -1, -1, 0)',
      );
    if (inputText(shader, 'sourceColorSpace', find) !== 'raw')
      this.#add(
        'normal-map',
        path,
        'its normal map is not read as raw numbers',
        'set sourceColorSpace to raw',
        'warning',
      );
  }

  #find(path: string): UsdPrim | undefined {
    let prim: UsdPrim | undefined = this.#layer.root;
    for (const name of path.split('/').slice(1)) prim = prim?.children.get(name);
    return prim;
  }
}
