// SPDX-License-Identifier: MIT
// An asset as text USD: a SkelRoot with a skeleton, its animations and one Mesh per part, or meshes with sampled points.
import { sampleTrackInto } from '../../core/keyframes/sample-track.ts';
import { carryNormalsInto } from '../../core/mesh/geometry/carry-normals.ts';
import type { Asset } from '../../core/model/asset.ts';
import type { Animation } from '../../core/model/clip/animation.ts';
import { type Clip, frameCountOf, frameOf, frameRateOf } from '../../core/model/clip/clip.ts';
import type { MeshPart } from '../../core/model/mesh/mesh.ts';
import { listKeyTimes, listUsdJoints, sampleUsdJoints, type UsdJoints, uniqueUsdName } from './usd-joints.ts';

/** Options of writeUsda. */
export interface WriteUsdOptions {
  /** Receives a sentence about everything that could not be kept. */
  log?: (message: string) => void;
}

/** Times this close to a whole number of frames are written as that number. */
const SNAP = 1e-4;
const SKEL_API = 'prepend apiSchemas = ["SkelBindingAPI"]';
const PER_VERTEX = ['interpolation = "vertex"'];

/**
 * Writes an asset as text USD: its mesh, and its first clip as sampled points, or its plain skin, morph targets and animations as UsdSkel. A stage plays one
 * animation: the first is bound, the others are stored beside it.
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 * import { writeUsda } from 'ossify';
 *
 * await writeFile('out.usda', writeUsda(asset, { log: console.warn }));
 * ```
 */
export function writeUsda(asset: Asset, options: WriteUsdOptions = {}): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(new UsdaWriter(asset, options).write());
}

class UsdaWriter {
  readonly #asset: Asset;
  readonly #log?: (message: string) => void;
  readonly #lines: string[] = [];
  readonly #joints: UsdJoints;
  readonly #fps: number;
  readonly #root: string;
  /** Names of the materials, by that of the asset. */
  readonly #materials = new Map<string, string>();
  /** Normals of the frames of the clip. */
  readonly #normals: Float32Array[] = [];
  #depth = 0;
  #end = 0;

  constructor(asset: Asset, { log }: WriteUsdOptions) {
    this.#asset = asset;
    this.#log = log;
    this.#joints = listUsdJoints(asset);
    const [clip] = asset.clips;
    const times = clip ? clip.times : Float64Array.from(asset.animations[0] ? listKeyTimes(asset.animations[0]) : []);
    this.#fps = Math.round(frameRateOf(times) * 1000) / 1000;
    const taken = new Set(['Looks']);
    this.#root = uniqueUsdName(asset.name, taken);
    const names = new Set<string>();
    for (const { material } of asset.mesh.parts)
      if (material !== '' && !this.#materials.has(material))
        this.#materials.set(material, uniqueUsdName(material, names));
  }

  write(): string {
    const { clips, animations, mesh, up, metresPerUnit = 1, rig, morphs } = this.#asset;
    const isSkinned = clips.length === 0 && (rig !== undefined || morphs !== undefined);
    if (clips.length > 1)
      this.#log?.(`USD holds one cache per mesh; only "${clips[0].name}" of ${clips.length} clips is written`);
    if (isSkinned && animations.length > 1)
      this.#log?.(
        `a USD stage plays one animation; "${animations[0].name}" is bound, the other ${animations.length - 1} are stored beside it`,
      );
    const taken = new Set<string>(['Skeleton', 'Animations']);
    this.#block(
      `def ${isSkinned ? 'SkelRoot' : 'Xform'} "${this.#root}"`,
      () => {
        if (isSkinned) this.#writeSkeleton();
        for (const part of mesh.parts) this.#writeMesh(part, uniqueUsdName(part.name || 'mesh', taken), isSkinned);
      },
      isSkinned ? [SKEL_API] : [],
    );
    if (this.#materials.size > 0)
      this.#block('def Scope "Looks"', () => {
        for (const name of this.#materials.values()) this.#block(`def Material "${name}"`, () => {});
      });
    const head = [
      '#usda 1.0',
      '(',
      `    defaultPrim = "${this.#root}"`,
      `    metersPerUnit = ${metresPerUnit}`,
      `    upAxis = "${up === 'z' ? 'Z' : 'Y'}"`,
      ...(this.#end > 0
        ? [
            '    startTimeCode = 0',
            `    endTimeCode = ${this.#end}`,
            `    timeCodesPerSecond = ${this.#fps}`,
            `    framesPerSecond = ${this.#fps}`,
          ]
        : []),
      ')',
      '',
    ];
    return `${[...head, ...this.#lines].join('\n')}\n`;
  }

  #line(text: string): void {
    this.#lines.push('    '.repeat(this.#depth) + text);
  }

  /** A prim; lines of metadata go in brackets after its name. */
  #block(head: string, fill: () => void, metadata: readonly string[] = []): void {
    this.#attribute(head, metadata);
    this.#line('{');
    this.#depth++;
    fill();
    this.#depth--;
    this.#line('}');
  }

  /** A line with its metadata, one entry per line as all parsers read it. */
  #attribute(text: string, metadata: readonly string[]): void {
    this.#line(metadata.length === 0 ? text : `${text} (`);
    if (metadata.length === 0) return;
    for (const entry of metadata) this.#line(`    ${entry}`);
    this.#line(')');
  }

  /** A time in frames. */
  #code(seconds: number): number {
    const code = seconds * this.#fps;
    const whole = Math.round(code);
    const snapped = Math.abs(code - whole) < SNAP ? whole : code;
    this.#end = Math.max(this.#end, snapped);
    return snapped;
  }

  #writeSkeleton(): void {
    const { paths, bindMatrices, restMatrices } = this.#joints;
    const { animations } = this.#asset;
    const names = new Set<string>();
    const animationNames = animations.map(({ name }) => uniqueUsdName(name || 'animation', names));
    this.#block('def Skeleton "Skeleton"', () => {
      if (paths.length > 0) {
        this.#line(`uniform token[] joints = [${paths.map((path) => `"${path}"`).join(', ')}]`);
        this.#line(`uniform matrix4d[] bindTransforms = ${formatMatrices(bindMatrices)}`);
        this.#line(`uniform matrix4d[] restTransforms = ${formatMatrices(restMatrices)}`);
      }
      if (animations.length > 0)
        this.#line(`rel skel:animationSource = </${this.#root}/Animations/${animationNames[0]}>`);
    }, [SKEL_API]);
    if (animations.length === 0) return;
    this.#block('def Scope "Animations"', () => {
      animations.forEach((animation, n) => {
        this.#block(`def SkelAnimation "${animationNames[n]}"`, () => this.#writeAnimation(animation));
      });
    });
  }

  #writeAnimation(animation: Animation): void {
    const { paths } = this.#joints;
    const times = listKeyTimes(animation);
    if (paths.length > 0) {
      const frames = sampleUsdJoints(this.#asset, this.#joints, animation, times);
      this.#line(`uniform token[] joints = [${paths.map((path) => `"${path}"`).join(', ')}]`);
      this.#writeSamples('float3[] translations', times, frames.translations, 3);
      this.#writeSamples('quatf[] rotations', times, frames.rotations, 4);
      this.#writeSamples('half3[] scales', times, frames.scales, 3);
    }
    const shapes = this.#listShapes();
    if (shapes.length === 0) return;
    this.#line(`uniform token[] blendShapes = [${shapes.map(({ name }) => `"${name}"`).join(', ')}]`);
    const weights = new Float32Array(shapes.length * times.length);
    shapes.forEach(({ node, weight, rest }, s) => {
      const track = animation.tracks.find((one) => one.node === node && one.path === 'weights');
      times.forEach((time, k) => {
        const all = new Float64Array(track ? track.values.length : 0);
        if (track) sampleTrackInto(track, time, all);
        weights[k * shapes.length + s] = track ? all[weight] : rest;
      });
    });
    this.#writeSamples('float[] blendShapeWeights', times, weights, 1);
  }

  /** Weights that drive shapes, once for all parts of a node. */
  #listShapes(): { name: string; node: number; weight: number; rest: number }[] {
    const { morphs } = this.#asset;
    const taken = new Set<string>();
    const shapes = new Map<string, { name: string; node: number; weight: number; rest: number }>();
    for (const { name, node, weight } of morphs?.targets ?? []) {
      const key = `${node} ${weight}`;
      const rest = morphs?.restWeights.find((one) => one.node === node)?.weights[weight] ?? 0;
      if (!shapes.has(key))
        shapes.set(key, { name: uniqueUsdName(name || `shape_${weight}`, taken), node, weight, rest });
    }
    return [...shapes.values()];
  }

  /** One array per time. */
  #writeSamples(head: string, times: readonly number[], values: Float32Array, size: number): void {
    const stride = values.length / times.length;
    this.#line(`${head}.timeSamples = {`);
    times.forEach((time, k) => {
      this.#line(`    ${this.#code(time)}: ${formatTuples(values.subarray(k * stride, (k + 1) * stride), size)},`);
    });
    this.#line('}');
  }

  #writeMesh(part: MeshPart, name: string, isSkinned: boolean): void {
    const { mesh, clips } = this.#asset;
    const { vertexStart, vertexCount, triangleStart, triangleCount, material } = part;
    const slice = (values: Float32Array, size: number) =>
      values.subarray(size * vertexStart, size * (vertexStart + vertexCount));
    const apis = [...(isSkinned ? ['SkelBindingAPI'] : []), ...(material === '' ? [] : ['MaterialBindingAPI'])];
    const metadata = apis.length > 0 ? [`prepend apiSchemas = [${apis.map((api) => `"${api}"`).join(', ')}]`] : [];
    const [clip] = clips;
    this.#block(
      `def Mesh "${name}"`,
      () => {
        const triangles = mesh.triangles.subarray(3 * triangleStart, 3 * (triangleStart + triangleCount));
        this.#line(`int[] faceVertexCounts = [${Array(triangleCount).fill(3).join(', ')}]`);
        this.#line(`int[] faceVertexIndices = [${Array.from(triangles, (v) => v - vertexStart).join(', ')}]`);
        this.#line(`point3f[] points = ${formatTuples(slice(mesh.positions, 3), 3)}`);
        if (clip) {
          this.#line('point3f[] points.timeSamples = {');
          for (let k = 0; k < frameCountOf(clip); k++)
            this.#line(
              `    ${this.#code(clip.times[k] - clip.times[0])}: ${formatTuples(slice(frameOf(clip, k), 3), 3)},`,
            );
          this.#line('}');
        }
        if (mesh.normals)
          this.#attribute(`normal3f[] normals = ${formatTuples(slice(mesh.normals, 3), 3)}`, PER_VERTEX);
        if (mesh.normals && clip) this.#writeNormals(clip, slice);
        this.#writeAttributes(slice);
        this.#line('uniform token subdivisionScheme = "none"');
        const bound = this.#materials.get(material);
        if (bound !== undefined) this.#line(`rel material:binding = </Looks/${bound}>`);
        if (isSkinned) this.#writeBinding(part, name);
      },
      metadata,
    );
  }

  /** Normals of every frame: those of the rest pose, turned with the triangles. */
  #writeNormals(clip: Clip, slice: (values: Float32Array, size: number) => Float32Array): void {
    this.#line('normal3f[] normals.timeSamples = {');
    clip.times.forEach((time, k) => {
      this.#line(`    ${this.#code(time - clip.times[0])}: ${formatTuples(slice(this.#normalsOf(clip, k), 3), 3)},`);
    });
    this.#line('}');
  }

  /** Normals of a frame, computed once for all parts. */
  #normalsOf(clip: Clip, k: number): Float32Array {
    const known = this.#normals[k];
    if (known) return known;
    const normals = new Float32Array(clip.mesh.positions.length);
    carryNormalsInto(clip.mesh, frameOf(clip, k), normals);
    this.#normals[k] = normals;
    return normals;
  }

  #writeAttributes(slice: (values: Float32Array, size: number) => Float32Array): void {
    for (const { name, size, values } of this.#asset.mesh.attributes) {
      const own = slice(values, size);
      const uv = /^TEXCOORD_(\d+)$/.exec(name);
      if (uv && size === 2) {
        // USD measures v from the bottom of the picture
        const turned = own.map((x, c) => (c % 2 === 1 ? 1 - x : x));
        const suffix = uv[1] === '0' ? '' : uv[1];
        this.#attribute(`texCoord2f[] primvars:st${suffix} = ${formatTuples(turned, 2)}`, PER_VERTEX);
      } else if (name === 'COLOR_0') {
        const colors = Float32Array.from(
          { length: 3 * (own.length / size) },
          (_, c) => own[Math.floor(c / 3) * size + (c % 3)],
        );
        this.#attribute(`color3f[] primvars:displayColor = ${formatTuples(colors, 3)}`, PER_VERTEX);
      }
    }
  }

  #writeBinding({ vertexStart, vertexCount }: MeshPart, name: string): void {
    const { rig, morphs } = this.#asset;
    this.#line(`rel skel:skeleton = </${this.#root}/Skeleton>`);
    if (rig) {
      const { rowStart, boneIndices, weights } = rig.skin;
      let width = 1;
      for (let i = vertexStart; i < vertexStart + vertexCount; i++)
        width = Math.max(width, rowStart[i + 1] - rowStart[i]);
      const joints = new Int32Array(width * vertexCount);
      const values = new Float32Array(width * vertexCount);
      for (let i = 0; i < vertexCount; i++) {
        const start = rowStart[vertexStart + i];
        for (let e = start; e < rowStart[vertexStart + i + 1]; e++) {
          joints[width * i + e - start] = this.#joints.jointOfBone[boneIndices[e]];
          values[width * i + e - start] = weights[e];
        }
      }
      const metadata = [`elementSize = ${width}`, ...PER_VERTEX];
      this.#attribute(`int[] primvars:skel:jointIndices = [${joints.join(', ')}]`, metadata);
      this.#attribute(`float[] primvars:skel:jointWeights = ${formatTuples(values, 1)}`, metadata);
    }
    const shapes = this.#listShapes();
    const own = (morphs?.targets ?? []).filter(
      (target) =>
        target.vertexStart <= vertexStart && target.vertexStart + target.vertexCount >= vertexStart + vertexCount,
    );
    if (own.length === 0) return;
    const names = own.map(
      ({ node, weight }) => shapes.find((shape) => shape.node === node && shape.weight === weight)?.name ?? '',
    );
    this.#line(`uniform token[] skel:blendShapes = [${names.map((one) => `"${one}"`).join(', ')}]`);
    this.#line(`rel skel:blendShapeTargets = [${names.map((one) => `</${this.#root}/${name}/${one}>`).join(', ')}]`);
    own.forEach(({ positions, vertexStart: start }, n) => {
      const offsets = positions.subarray(3 * (vertexStart - start), 3 * (vertexStart - start + vertexCount));
      const points = Array.from({ length: vertexCount }, (_, i) => i).filter(
        (i) => offsets[3 * i] !== 0 || offsets[3 * i + 1] !== 0 || offsets[3 * i + 2] !== 0,
      );
      this.#block(`def BlendShape "${names[n]}"`, () => {
        this.#line(
          `uniform vector3f[] offsets = ${formatTuples(Float32Array.from(points.flatMap((i) => [...offsets.subarray(3 * i, 3 * i + 3)])), 3)}`,
        );
        this.#line(`uniform int[] pointIndices = [${points.join(', ')}]`);
      });
    });
  }
}

/** [(a, b, c), …], quaternions with the real part first. */
function formatTuples(values: Float32Array, size: number): string {
  if (size === 1) return `[${Array.from(values, formatFloat).join(', ')}]`;
  const out: string[] = [];
  for (let o = 0; o < values.length; o += size) {
    const tuple = Array.from(values.subarray(o, o + size), formatFloat);
    if (size === 4) tuple.unshift(...tuple.splice(3));
    out.push(`(${tuple.join(', ')})`);
  }
  return `[${out.join(', ')}]`;
}

/** The shortest text that gives the same 32-bit number. */
function formatFloat(x: number): string {
  if (Number.isInteger(x) && Math.abs(x) < 1e7) return String(x);
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(x.toPrecision(digits));
    if (Math.fround(short) === x) return String(short);
  }
  return String(Number(x.toPrecision(9)));
}

function formatMatrices(matrices: Float64Array): string {
  const out: string[] = [];
  for (let o = 0; o < matrices.length; o += 16) {
    const rows = [0, 4, 8, 12].map((r) => `(${Array.from(matrices.subarray(o + r, o + r + 4)).join(', ')})`);
    out.push(`(${rows.join(', ')})`);
  }
  return `[${out.join(', ')}]`;
}
