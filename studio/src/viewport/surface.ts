// SPDX-License-Identifier: MIT
// The materials of a file for the renderer.
import { DoubleSide, FrontSide, type Material, MeshBasicMaterial, MeshStandardMaterial, type Texture } from 'three';
import type { SurfaceMap, SurfaceMaterial } from '../../../src/entry/index.ts';
import type { LookView } from '../messages/views.ts';
import type { TextureStore } from './textures/texture-store.ts';

export interface Surface {
  /** By material of the file, and one more for parts without material. */
  materials: Material[];
  dispose(): void;
}

const BARE: SurfaceMaterial = {
  name: '',
  color: [0.8, 0.8, 0.8, 1],
  metallic: 0,
  roughness: 0.8,
  emissive: [0, 0, 0],
  alpha: 'opaque',
  cutoff: 0.5,
  isDoubleSided: true,
  isUnlit: false,
  normalScale: 1,
  occlusionStrength: 1,
};

export interface SurfaceOptions {
  textures: TextureStore;
  /** Light around the model. */
  environment: Texture;
  /** Called when a texture has arrived. */
  onReady(): void;
}

/** Makes the materials of a file. Their textures arrive later. */
export function makeSurface(look: LookView, { textures, environment, onReady }: SurfaceOptions): Surface {
  const made: Texture[] = [];
  const list = [...look.materials, BARE].map((material) => {
    const own = material.isUnlit ? new MeshBasicMaterial() : new MeshStandardMaterial();
    own.name = material.name;
    own.color.setRGB(material.color[0], material.color[1], material.color[2]);
    own.opacity = material.color[3];
    own.transparent = material.alpha === 'blend';
    own.depthWrite = material.alpha !== 'blend';
    own.alphaTest = material.alpha === 'mask' ? material.cutoff : 0;
    own.side = material.isDoubleSided ? DoubleSide : FrontSide;
    own.vertexColors = look.colors !== undefined;
    const add = (key: string, map: SurfaceMap | undefined, isColor = false): void => {
      if (!map || map.uv >= look.uvs.length) return;
      const texture = textures.make(look.images[map.image], map, isColor, (ready) => {
        // a map without pixels would be black, so it is set when it is decoded
        Object.assign(own, { [key]: ready });
        own.needsUpdate = true;
        onReady();
      });
      made.push(texture);
    };
    add('map', material.colorMap, true);
    if (own instanceof MeshStandardMaterial) {
      own.envMap = environment;
      own.metalness = material.metallic;
      own.roughness = material.roughness;
      own.emissive.setRGB(...material.emissive);
      own.normalScale.setScalar(material.normalScale);
      own.aoMapIntensity = material.occlusionStrength;
      add('metalnessMap', material.metallicRoughnessMap);
      add('roughnessMap', material.metallicRoughnessMap);
      add('normalMap', material.normalMap);
      add('aoMap', material.occlusionMap);
      add('emissiveMap', material.emissiveMap, true);
    }
    return own;
  });
  return {
    materials: list,
    dispose() {
      for (const one of [...list, ...made]) one.dispose();
    },
  };
}
