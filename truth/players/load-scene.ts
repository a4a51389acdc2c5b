// SPDX-License-Identifier: MIT
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { type AnimationClip, Group, SkinnedMesh, Texture } from 'three';
import { FBXLoader } from 'three/addons/loaders/FBXLoader.js';
import { GLTFLoader, type GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { USDLoader } from 'three/addons/loaders/USDLoader.js';
import { stubBrowser } from './browser-stubs.ts';
import { listFbxContents } from './fbx-contents.ts';
import { nameAnimatedPrims } from './name-animated-prims.ts';
import type { PlayedScene, Role } from './played-scene.ts';
import { countVertices, ThreeScene } from './three-scene.ts';
import { needsUsdPlayer, UsdScene } from './usd-scene.ts';
import { UsdStage } from './usd-stage.ts';

/** Loads a file as a page of three.js does. */
export async function loadScene(name: string, bytes: Uint8Array, role: Role): Promise<PlayedScene> {
  stubBrowser();
  const buffer = bytes.slice().buffer;
  const extension = name.toLowerCase().replace(/^.*\./, '');
  if (extension === 'glb' || extension === 'gltf' || extension === 'vrm') return loadGlb(buffer, role);
  if (extension === 'fbx') return loadFbx(buffer);
  if (/^usd[acz]?$/.test(extension)) return loadUsd(buffer, role);
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
      countsOf: countVertices,
      inventory: { uvSets, textures: json.images?.length ?? 0 },
    },
  });
}

function loadFbx(buffer: ArrayBuffer): PlayedScene {
  const group: Group = new FBXLoader().parse(buffer, '');
  // the loader returns the top node of a file that has one: it counts as a node of the scene
  const scene = new Group().add(group);
  const { colourSets, tangents, extras } = listFbxContents(new Uint8Array(buffer));
  return new ThreeScene(scene, group.animations, {
    inventory: { ...(colourSets > 0 ? { colourSets } : {}), ...(tangents > 0 ? { tangents } : {}), extras },
    // the loader keeps the first four weights, and copies the bones that several meshes share
    countsOf: (meshes) => ({
      influences: countVertices(meshes).influences,
      joints: new Set(
        meshes.flatMap((mesh) => (mesh instanceof SkinnedMesh ? mesh.skeleton.bones.map(({ name }) => name) : [])),
      ).size,
    }),
    metresPerUnit: (group.userData.unitScaleFactor ?? 1) / 100,
  });
}

function loadUsd(buffer: ArrayBuffer, role: Role): PlayedScene {
  const group: Group = new USDLoader().parse(buffer);
  const stage = new UsdStage(new Uint8Array(buffer));
  nameAnimatedPrims(group, group.animations, stage);
  const bound = stage.boundJointCount();
  const groups = groupClips(group.animations, stage);
  const scene = new ThreeScene(group, group.animations, {
    ...{ groups, metresPerUnit: 1, scale: group.scale.x, jointNames: stage.jointNames() },
    inventory: stage.inventory(role),
    ...(bound === undefined ? {} : { countsOf: () => ({ joints: bound }) }),
  });
  return needsUsdPlayer(stage) ? new UsdScene(stage, scene.inventory) : scene;
}

/** What the stage plays, which is one clip per skeleton and one of transforms, then the animations that no skeleton is bound to. */
function groupClips(animations: readonly AnimationClip[], stage: UsdStage): AnimationClip[][] {
  const nameOf = (path: string): string => path.split('/').at(-1) ?? '';
  const ofType = (type: string) => stage.prims.filter((prim) => stage.typeOf(prim) === type);
  const bound = ofType('Skeleton').flatMap((prim) => stage.targets(prim, 'skel:animationSource').map(nameOf));
  const free = ofType('SkelAnimation')
    .map(nameOf)
    .filter((name) => !bound.includes(name));
  const played = animations.filter(({ name }) => !free.includes(name));
  const others = animations.filter(({ name }) => free.includes(name)).map((clip) => [clip]);
  return [...(played.length > 0 ? [played] : []), ...others];
}
