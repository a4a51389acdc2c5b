// SPDX-License-Identifier: MIT
import type { GLTF } from '@gltf-transform/core';
import type { GltfSource } from '../../../core/model/asset.ts';
import { TYPE_SIZE } from '../check/check-gltf-data.ts';
import { jsonAccessor, jsonOf, makeSource } from '../document/gltf-json.ts';

/** The resource of changed numbers. A name that starts with two underscores is not written back as a URI by glTF-Transform. */
const RESOURCE = '__changed';

/** Changes of the numbers of a source. The source is not changed: it may share the caller's bytes. */
export class SourcePatch {
  readonly json: GLTF.IGLTF;
  readonly #source: GltfSource;
  readonly #parts: (Float32Array | Uint16Array)[] = [];
  readonly #views: GLTF.IBufferView[] = [];
  #byteLength = 0;
  #isChanged = false;

  constructor(source: GltfSource) {
    this.#source = source;
    this.json = { ...jsonOf(source) };
  }

  /** Replaces the numbers of an accessor by floats, or by whole numbers such as joints. */
  replace(index: number, values: Float32Array | Uint16Array): void {
    const { sparse: _, normalized: __, min: ___, max: ____, ...rest } = jsonAccessor(this.json, index);
    const accessors = [...(this.json.accessors ?? [])];
    accessors[index] = { ...rest, ...this.#store(rest.type, values) };
    this.json.accessors = accessors;
  }

  /** Adds an accessor of floats and returns its index. */
  add(type: GLTF.AccessorType, values: Float32Array): number {
    this.json.accessors = [...(this.json.accessors ?? []), { type, ...this.#store(type, values) }];
    return this.json.accessors.length - 1;
  }

  /** Replaces the animations. */
  setAnimations(animations: GLTF.IAnimation[]): void {
    this.#isChanged = true;
    this.json.animations = animations;
    if (animations.length === 0) delete this.json.animations;
  }

  /** Replaces the nodes, and the list of those that scenes draw. */
  setNodes(nodes: GLTF.INode[], scenes: GLTF.IScene[]): void {
    this.#isChanged = true;
    this.json.nodes = nodes;
    this.json.scenes = scenes;
  }

  /** Replaces the skins. */
  setSkins(skins: GLTF.ISkin[]): void {
    this.#isChanged = true;
    this.json.skins = skins;
  }

  /** The changed source; undefined if nothing was changed. */
  finish(): GltfSource | undefined {
    if (!this.#isChanged) return undefined;
    if (this.#byteLength === 0) return makeSource(this.json, this.#source.resources);
    const bytes = new Uint8Array(this.#byteLength);
    let offset = 0;
    for (const part of this.#parts) {
      bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), offset);
      offset += part.byteLength;
    }
    const { resources } = this.#source;
    // a source may be changed several times
    let uri = `${RESOURCE}.bin`;
    for (let n = 2; uri in resources; n++) uri = `${RESOURCE}${n}.bin`;
    const buffers = [...(this.json.buffers ?? []), { uri, byteLength: bytes.length }];
    const bufferViews = [...(this.json.bufferViews ?? []), ...this.#views];
    return makeSource({ ...this.json, buffers, bufferViews }, { ...resources, [uri]: bytes });
  }

  #store(
    type: string,
    values: Float32Array | Uint16Array,
  ): Pick<GLTF.IAccessor, 'bufferView' | 'byteOffset' | 'componentType' | 'count'> {
    this.#isChanged = true;
    const buffer = this.json.buffers?.length ?? 0;
    const view = { buffer, byteOffset: this.#byteLength, byteLength: values.byteLength };
    this.#parts.push(values);
    this.#byteLength += values.byteLength;
    const bufferView = (this.json.bufferViews?.length ?? 0) + this.#views.push(view) - 1;
    const componentType = values instanceof Float32Array ? 5126 : 5123;
    return { bufferView, byteOffset: 0, componentType, count: values.length / TYPE_SIZE[type] };
  }
}
