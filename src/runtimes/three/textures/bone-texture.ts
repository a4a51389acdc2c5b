// SPDX-License-Identifier: MIT
// Files of `ossify bake --as bone-texture` in three.js, for WebGLRenderer. docs/guide/textures.md describes them.
import {
  BufferAttribute as Attribute,
  type BufferAttribute,
  type BufferGeometry,
  DataTexture,
  type Material,
  NearestFilter,
  RGBAIntegerFormat,
  UnsignedShortType,
  Vector3,
  Vector4,
} from 'three';
import { InputError } from '../../../core/model/errors.ts';
import { type BoneTextureFacts, checkBoneTextureFacts } from '../check-bone-texture-facts.ts';
import { BONE_TEXTURE_GLSL } from './bone-texture.glsl.ts';
import { readPng16 } from './read-png-16.ts';

/** Plays a bone texture: clips and times are uniforms of the materials that it was applied to. */
export class BoneTexture {
  /** What the JSON file says: rows, ranges and clips. */
  readonly facts: BoneTextureFacts;
  /** Uniforms of the shader, shared by all materials. */
  readonly uniforms: Record<string, { value: unknown }>;

  private constructor(facts: BoneTextureFacts, texture: DataTexture) {
    this.facts = facts;
    const vectors = (values: number[]): Vector4[] =>
      [0, 4, 8].map((o) => new Vector4(values[o] ?? 0, values[o + 1] ?? 0, values[o + 2] ?? 0, values[o + 3] ?? 0));
    this.uniforms = {
      boneTexture: { value: texture },
      boneMin: { value: vectors(facts.min) },
      boneMax: { value: vectors(facts.max) },
      boneCenter: { value: new Vector3(...facts.center) },
      boneRows: { value: new Vector4() },
      boneMix: { value: new Vector3() },
      boneTexels: { value: facts.texelsPerBone },
    };
  }

  /**
   * Makes a player from the files of `ossify bake --as bone-texture`.
   * Throws an InputError if the JSON file is another one, or does not fit the texture.
   * @param facts the parsed JSON file
   * @param png the bytes of the texture. Browsers decode 16-bit pictures to 8 bits, so that a TextureLoader cannot be used
   */
  static async create(facts: BoneTextureFacts, png: Uint8Array): Promise<BoneTexture> {
    const { width, height, texels } = await readPng16(png);
    checkBoneTextureFacts(facts, { width, height });
    const texture = new DataTexture(texels, width, height, RGBAIntegerFormat, UnsignedShortType);
    texture.internalFormat = 'RGBA16UI';
    texture.minFilter = texture.magFilter = NearestFilter;
    texture.needsUpdate = true;
    return new BoneTexture(facts, texture);
  }

  /** Shows a clip at a time, looping. With a second clip: a blend of both, by a ratio from 0 to 1. */
  show(clip: number, seconds: number, other = clip, otherSeconds = seconds, ratio = 0): void {
    const a = this.#framesAt(clip, seconds);
    const b = this.#framesAt(other, otherSeconds);
    (this.uniforms.boneRows.value as Vector4).set(a.row, a.next, b.row, b.next);
    (this.uniforms.boneMix.value as Vector3).set(a.ratio, b.ratio, ratio);
  }

  /** Gives a geometry the attributes boneIndex and boneWeight instead of the UV sets of the file. */
  prepare(geometry: BufferGeometry): void {
    const join = (names: readonly string[], target: string): void => {
      const [a, b] = names.map((name) => findTexcoord(geometry, name));
      const values = new Float32Array(4 * a.count);
      for (let i = 0; i < a.count; i++) values.set([a.getX(i), a.getY(i), b.getX(i), b.getY(i)], 4 * i);
      for (const name of names) geometry.deleteAttribute(attributeOf(name));
      geometry.setAttribute(target, new Attribute(values, 4));
    };
    join(this.facts.joints, 'boneIndex');
    join(this.facts.weights, 'boneWeight');
  }

  /** Makes a built-in material of WebGLRenderer draw the moving shape. */
  apply(material: Material): void {
    material.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.vertexShader = `${BONE_TEXTURE_GLSL}\n${shader.vertexShader}`
        .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = ossifyNormal(normal);')
        .replace('#include <begin_vertex>', 'vec3 transformed = ossifyPosition(position);');
    };
    material.customProgramCacheKey = () => 'ossify-bone-texture';
    material.needsUpdate = true;
  }

  #framesAt(clip: number, seconds: number): { row: number; next: number; ratio: number } {
    const { clips } = this.facts;
    if (!clips[clip])
      throw new InputError('BoneTexture', `there is no clip ${clip}; the texture has ${clips.length}, from 0`);
    const { start, frames, fps } = clips[clip];
    const last = Math.max(1, frames - 1);
    const at = (((seconds * fps) % last) + last) % last;
    const frame = Math.min(Math.floor(at), frames - 1);
    return { row: start + frame, next: start + Math.min(frame + 1, frames - 1), ratio: at - frame };
  }
}

function findTexcoord(geometry: BufferGeometry, name: string): BufferAttribute {
  const found = geometry.getAttribute(attributeOf(name));
  if (!found)
    throw new InputError('BoneTexture', `the geometry has no ${name}; load the .glb file of the bone texture`);
  return found as BufferAttribute;
}

/** The name that GLTFLoader gives a UV set. */
function attributeOf(name: string): string {
  const set = Number(name.slice('TEXCOORD_'.length));
  return set < 4 ? `uv${set || ''}` : name.toLowerCase();
}
