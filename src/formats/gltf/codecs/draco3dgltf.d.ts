// SPDX-License-Identifier: MIT
// Types of Google's Draco decoder, a package without types, as far as it is used.
declare module 'draco3dgltf/draco_decoder_gltf_nodejs.js' {
  /** An object in the memory of the module. */
  interface DracoObject {
    ptr: number;
  }
  export interface DracoMesh extends DracoObject {
    num_points(): number;
    num_faces(): number;
  }
  interface DracoAttribute extends DracoObject {
    num_components(): number;
  }
  interface DracoDecoder extends DracoObject {
    DecodeBufferToMesh(buffer: DracoObject, mesh: DracoMesh): { ok(): boolean };
    GetAttributeByUniqueId(mesh: DracoMesh, id: number): DracoAttribute;
    GetTrianglesUInt32Array(mesh: DracoMesh, byteLength: number, at: number): boolean;
    GetAttributeDataArrayForAllPoints(
      mesh: DracoMesh,
      attribute: DracoAttribute,
      type: number,
      byteLength: number,
      at: number,
    ): boolean;
  }
  export interface DracoModule {
    Decoder: new () => DracoDecoder;
    DecoderBuffer: new () => DracoObject & { Init(bytes: Uint8Array, byteLength: number): void };
    Mesh: new () => DracoMesh;
    /** The memory; another array after it has grown. */
    HEAPU8: Uint8Array;
    DT_INT8: number;
    DT_UINT8: number;
    DT_INT16: number;
    DT_UINT16: number;
    DT_UINT32: number;
    DT_FLOAT32: number;
    destroy(object: DracoObject): void;
    _malloc(byteLength: number): number;
    _free(at: number): void;
  }
  const createDecoderModule: (options: { wasmBinary?: Uint8Array | ArrayBuffer }) => Promise<DracoModule>;
  export default createDecoderModule;
}

declare module 'draco3dgltf/draco_encoder_gltf_nodejs.js' {
  interface DracoObject {
    ptr: number;
  }
  interface DracoMeshBuilder extends DracoObject {
    AddFacesToMesh(mesh: DracoObject, faceCount: number, faces: Uint32Array): boolean;
    AddFloatAttribute(mesh: DracoObject, type: number, count: number, size: number, values: Float32Array): number;
    AddUInt8Attribute(mesh: DracoObject, type: number, count: number, size: number, values: Uint8Array): number;
    AddInt8Attribute(mesh: DracoObject, type: number, count: number, size: number, values: Int8Array): number;
    AddUInt16Attribute(mesh: DracoObject, type: number, count: number, size: number, values: Uint16Array): number;
    AddInt16Attribute(mesh: DracoObject, type: number, count: number, size: number, values: Int16Array): number;
    AddUInt32Attribute(mesh: DracoObject, type: number, count: number, size: number, values: Uint32Array): number;
  }
  interface DracoExpertEncoder extends DracoObject {
    SetEncodingMethod(method: number): void;
    SetSpeedOptions(encoding: number, decoding: number): void;
    SetTrackEncodedProperties(isTracked: boolean): void;
    SetAttributeQuantization(id: number, bits: number): void;
    SetAttributeExplicitQuantization(id: number, bits: number, size: number, origin: number[], range: number): void;
    EncodeToDracoBuffer(deduplicate: boolean, bytes: DracoBytes): number;
  }
  interface DracoBytes extends DracoObject {
    GetValue(index: number): number;
    size(): number;
  }
  export interface DracoEncoderModule {
    MeshBuilder: new () => DracoMeshBuilder;
    Mesh: new () => DracoObject;
    ExpertEncoder: new (mesh: DracoObject) => DracoExpertEncoder;
    DracoInt8Array: new () => DracoBytes;
    MESH_EDGEBREAKER_ENCODING: number;
    POSITION: number;
    NORMAL: number;
    COLOR: number;
    TEX_COORD: number;
    GENERIC: number;
    destroy(object: DracoObject): void;
  }
  const createEncoderModule: (options: { wasmBinary?: Uint8Array | ArrayBuffer }) => Promise<DracoEncoderModule>;
  export default createEncoderModule;
}

declare module 'draco3dgltf' {
  const draco: { createEncoderModule(): Promise<unknown> };
  export default draco;
}
