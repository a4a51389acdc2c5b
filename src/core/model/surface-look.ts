// SPDX-License-Identifier: MIT
// How the surface of a file looks, as plain data: materials of metal and roughness, with their images as stored.

/** Custom properties, as JSON. */
export type Extras = Readonly<Record<string, unknown>>;

/** A map of a material: an image and how it is laid on the surface. */
export interface SurfaceMap {
  /** Index into the images. */
  image: number;
  /** Set of UVs: TEXCOORD_n. */
  uv: number;
  /** Sampling outside the image, across and down. */
  wrap: readonly [SurfaceWrap, SurfaceWrap];
  /** Whether pixels are shown as squares. */
  isNearest: boolean;
  /** KHR_texture_transform: offset, rotation in radians, scale. */
  offset: readonly [number, number];
  rotation: number;
  scale: readonly [number, number];
}

/** How a map is sampled outside its image. */
export type SurfaceWrap = 'repeat' | 'mirror' | 'clamp';

/** A material. Colours are in linear light. */
export interface SurfaceMaterial {
  name: string;
  /** Red, green, blue, alpha. */
  color: readonly [number, number, number, number];
  metallic: number;
  roughness: number;
  emissive: readonly [number, number, number];
  alpha: 'opaque' | 'mask' | 'blend';
  /** Alpha below which a masked surface is not drawn. */
  cutoff: number;
  isDoubleSided: boolean;
  isUnlit: boolean;
  normalScale: number;
  occlusionStrength: number;
  colorMap?: SurfaceMap;
  metallicRoughnessMap?: SurfaceMap;
  normalMap?: SurfaceMap;
  occlusionMap?: SurfaceMap;
  emissiveMap?: SurfaceMap;
  /** Custom properties. */
  extras?: Extras;
}

/** An image as stored in the file. */
export interface SurfaceImage {
  /** MIME type, '' if the file does not state it. */
  type: string;
  bytes: Uint8Array;
  /** Name of the image, or of the file that it came from. */
  name?: string;
}

/** The materials of a mesh and their images. */
export interface SurfaceLook {
  materials: SurfaceMaterial[];
  images: SurfaceImage[];
  /** partCount: index into the materials; -1 for none */
  materialOfPart: number[];
}
