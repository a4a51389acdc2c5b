// SPDX-License-Identifier: MIT
// The formats that are read, a row each. Readers are loaded when a file needs them.

import type { AssetFormat } from '../shared/index.ts';

export const ASSET_FORMATS: readonly AssetFormat[] = [
  {
    name: 'gltf',
    label: 'glTF',
    kind: 'scene',
    hasUnits: true,
    start: /^(glTF|(\xef\xbb\xbf)?\s*\{)/,
    extensions: ['glb', 'gltf', 'vrm'],
    load: async () => (await import('../gltf/read-gltf.ts')).readGltf,
  },
  {
    name: 'fbx',
    label: 'FBX',
    kind: 'scene',
    hasUnits: true,
    start: /^(Kaydara FBX Binary|; FBX)/,
    extensions: ['fbx'],
    load: async () => (await import('../fbx/read-fbx.ts')).readFbx,
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
  },
  {
    name: 'obj',
    label: 'OBJ',
    kind: 'mesh',
    extensions: ['obj'],
    load: async () => (await import('../meshes/scan-obj.ts')).scanObj,
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
  },
  {
    name: 'mdd',
    label: 'MDD',
    kind: 'cache',
    extensions: ['mdd'],
    load: async () => (await import('../caches/read-mdd.ts')).readMdd,
  },
];
