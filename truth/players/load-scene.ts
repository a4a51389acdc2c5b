// SPDX-License-Identifier: MIT
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { Group, Texture } from 'three';
import { FBXLoader } from 'three/addons/loaders/FBXLoader.js';
import { GLTFLoader, type GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { USDLoader } from 'three/addons/loaders/USDLoader.js';
import { stubBrowser } from './browser-stubs.ts';
import type { PlayedScene } from './played-scene.ts';
import { ThreeScene } from './three-scene.ts';
import { needsUsdPlayer, UsdScene } from './usd-scene.ts';
import { UsdStage } from './usd-stage.ts';

/** Which weights of a vertex are played: those of three.js, or, for a source, all. */
export type Role = 'source' | 'result';

/** Loads a file as a page of three.js does. */
export async function loadScene(name: string, bytes: Uint8Array, role: Role): Promise<PlayedScene> {
  stubBrowser();
  const buffer = bytes.slice().buffer;
  const extension = name.toLowerCase().replace(/^.*\./, '');
  if (extension === 'glb' || extension === 'gltf' || extension === 'vrm') return loadGlb(buffer, role);
  if (extension === 'fbx') return loadFbx(buffer);
  if (/^usd[acz]?$/.test(extension)) return loadUsd(buffer);
  throw new Error(`${name}: three.js has no loader for it`);
}

async function loadGlb(buffer: ArrayBuffer, role: Role): Promise<PlayedScene> {
  const loader = new GLTFLoader().setMeshoptDecoder(MeshoptDecoder);
  loader.register((parser: GLTFParser) => ({
    name: 'images-are-not-played',
    loadTexture: async (index: number) => {
      const texture = new Texture();
      texture.source.uuid = `image ${parser.json.textures[index].source ?? `of texture ${index}`}`;
      return texture;
    },
  }));
  const gltf = await loader.parseAsync(buffer, '');
  const { json } = gltf.parser;
  const uvSets = Math.max(
    0,
    ...(json.meshes ?? []).flatMap(({ primitives }: { primitives: { attributes: object }[] }) =>
      primitives.map(({ attributes }) => Object.keys(attributes).filter((key) => key.startsWith('TEXCOORD_')).length),
    ),
  );
  return new ThreeScene(gltf.scene, gltf.animations, {
    ...{
      allInfluences: role === 'source',
      metresPerUnit: 1,
      inventory: { uvSets, textures: json.images?.length ?? 0 },
    },
  });
}

function loadFbx(buffer: ArrayBuffer): PlayedScene {
  const group: Group = new FBXLoader().parse(buffer, '');
  // the loader returns the top node of a file that has one: it counts as a node of the scene
  return new ThreeScene(new Group().add(group), group.animations, {
    metresPerUnit: (group.userData.unitScaleFactor ?? 1) / 100,
  });
}

function loadUsd(buffer: ArrayBuffer): PlayedScene {
  const group: Group = new USDLoader().parse(buffer);
  const scene = new ThreeScene(group, group.animations, { together: true, metresPerUnit: 1, scale: group.scale.x });
  const stage = new UsdStage(new Uint8Array(buffer));
  return needsUsdPlayer(stage) ? new UsdScene(stage, scene.inventory) : scene;
}
