// SPDX-License-Identifier: MIT
// The formats that are read, and those of frames that are written, a row each. Readers and writers are loaded when a file needs them.

import { frameCountOf, frameOf, frameRateOf } from '../../core/model/clip/clip.ts';
import { writeObj } from '../meshes/index.ts';
import type { AssetFormat, FramesFormat } from '../shared/index.ts';
import { listSequencePaths, listWithMesh, meshBeside } from './frame-files.ts';

export const ASSET_FORMATS: readonly AssetFormat[] = [
  {
    name: 'gltf',
    label: 'glTF',
    kind: 'scene',
    hasUnits: true,
    start: /^(glTF|(\xef\xbb\xbf)?\s*\{)/,
    extensions: ['glb', 'gltf', 'vrm'],
    load: async () => (await import('../gltf/read-gltf.ts')).readGltf,
    loadScene: async () => (await import('../gltf/read-gltf.ts')).readGltfScene,
  },
  {
    name: 'fbx',
    label: 'FBX',
    kind: 'scene',
    hasUnits: true,
    start: /^(Kaydara FBX Binary|; FBX)/,
    extensions: ['fbx'],
    load: async () => (await import('../fbx/read-fbx.ts')).readFbx,
    loadScene: async () => (await import('../fbx/read-fbx.ts')).readFbxScene,
    loadPoints: async () => (await import('../fbx/read-fbx.ts')).readFbxPoints,
  },
  {
    name: 'usd',
    label: 'USD',
    kind: 'scene',
    hasUnits: true,
    start: /^(PXR-USDC|(\xef\xbb\xbf)?#usda |PK)/,
    extensions: ['usd', 'usda', 'usdc', 'usdz'],
    load: async () => (await import('../usd/read-usd.ts')).readUsd,
    loadScene: async () => (await import('../usd/read-usd.ts')).readUsdStage,
  },
  {
    name: 'abc',
    label: 'Alembic',
    kind: 'scene',
    hasUnits: false,
    start: /^(Ogawa|\x89HDF)/,
    extensions: ['abc'],
    load: async () => (await import('../alembic/read-abc.ts')).readAbc,
    loadFrame: async () => (await import('../alembic/read-abc.ts')).scanAbc,
    frames: {
      timing: 'exact',
      listPaths: (path) => [path],
      async load() {
        const { writeAbc } = await import('../alembic/write/write-abc.ts');
        return (clip, path) => [{ path, bytes: writeAbc(clip) }];
      },
    },
  },
  {
    name: 'bvh',
    label: 'BVH',
    kind: 'scene',
    hasUnits: false,
    start: /^\s*HIERARCHY\s/,
    extensions: ['bvh'],
    load: async () => (await import('../bvh/read-bvh.ts')).readBvhAsset,
    loadScene: async () => (await import('../bvh/read-bvh.ts')).readBvh,
  },
  {
    name: 'obj',
    label: 'OBJ',
    kind: 'mesh',
    extensions: ['obj'],
    load: async () => (await import('../meshes/scan-obj.ts')).scanObj,
    frames: {
      timing: 'none',
      listPaths: listSequencePaths,
      load: async () => (clip, path) =>
        listSequencePaths(path, frameCountOf(clip)).map((name, k) => ({
          path: name,
          bytes: writeObj({ ...clip.mesh, positions: frameOf(clip, k), normals: undefined }),
        })),
    },
  },
  {
    name: 'ply',
    label: 'PLY',
    kind: 'mesh',
    start: /^ply\s/,
    extensions: ['ply'],
    load: async () => (await import('../meshes/scan-ply.ts')).scanPly,
  },
  {
    name: 'stl',
    label: 'STL',
    kind: 'mesh',
    isSoup: true,
    start: /^solid\s/,
    extensions: ['stl'],
    load: async () => (await import('../meshes/scan-stl.ts')).scanStl,
  },
  {
    name: 'pc2',
    label: 'PC2',
    kind: 'cache',
    start: /^POINTCACHE2/,
    extensions: ['pc2'],
    load: async () => (await import('../caches/read-pc2.ts')).readPc2,
    frames: {
      timing: 'none',
      listPaths: listWithMesh,
      async load() {
        const { writePc2 } = await import('../caches/write-pc2.ts');
        return (clip, path) => [
          { path, bytes: writePc2(clip, { fps: frameRateOf(clip.times) }) },
          meshBeside(clip, path),
        ];
      },
    },
  },
  {
    name: 'mdd',
    label: 'MDD',
    kind: 'cache',
    extensions: ['mdd'],
    load: async () => (await import('../caches/read-mdd.ts')).readMdd,
    frames: {
      timing: 'loose',
      listPaths: listWithMesh,
      async load() {
        const { writeMdd } = await import('../caches/write-mdd.ts');
        return (clip, path) => [{ path, bytes: writeMdd(clip) }, meshBeside(clip, path)];
      },
    },
  },
];

/** The formats that frames of positions are written to, by extension with its dot. */
export const FRAMES_FORMATS: ReadonlyMap<string, FramesFormat> = new Map(
  ASSET_FORMATS.flatMap(({ extensions, frames }) =>
    frames ? extensions.map((extension) => [`.${extension}`, frames] as const) : [],
  ),
);
