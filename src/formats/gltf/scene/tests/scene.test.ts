// SPDX-License-Identifier: MIT
import { validateBytes } from 'gltf-validator';
import { describe, expect, it } from 'vitest';
import type { Asset } from '../../../../core/model/asset.ts';
import { makeMesh } from '../../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../../core/model/skin/skin.ts';
import type { SurfaceMaterial } from '../../../../core/model/surface-look.ts';
import { listSurfaces } from '../../document/list-surfaces.ts';
import { writeFittedGlb } from '../../write/write-fitted-glb.ts';
import { writeGlb } from '../../write-glb.ts';
import { listScene } from '../list-scene.ts';
import { readScene } from '../read-scene.ts';
import type { Scene } from '../scene.ts';

/** A PNG of one grey pixel. */
const PNG = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=='),
  (c) => c.charCodeAt(0),
);

const material = (name: string, more: Partial<SurfaceMaterial> = {}): SurfaceMaterial => ({
  name,
  color: [1, 0.5, 0.25, 1],
  metallic: 0,
  roughness: 0.5,
  emissive: [0, 0, 0],
  alpha: 'opaque',
  cutoff: 0.5,
  isDoubleSided: false,
  isUnlit: false,
  normalScale: 1,
  occlusionStrength: 1,
  ...more,
});

const map = {
  image: 0,
  uv: 1,
  wrap: ['clamp', 'repeat'],
  isNearest: true,
  offset: [0, 0],
  rotation: 0,
  scale: [2, 1],
} as const;

/** Two quads below a node, one skinned to two joints, with all that a scene can hold. */
function makeScene(): Scene {
  const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0);
  const flat = makeMesh(positions, Uint32Array.of(0, 1, 2, 0, 2, 3), 'flat');
  const uvs = Float32Array.of(0, 0, 1, 0, 1, 1, 0, 1);
  flat.attributes = [
    { name: 'TEXCOORD_0', size: 2, values: uvs },
    { name: 'TEXCOORD_1', size: 2, values: uvs.map((x) => x / 2) },
    { name: 'COLOR_0', size: 4, values: new Float32Array(16).fill(0.5) },
    { name: 'COLOR_1', size: 3, values: new Float32Array(12).fill(0.25) },
  ];
  const bent = makeMesh(positions.slice(), Uint32Array.of(0, 1, 2, 0, 2, 3), 'bent');
  const move = new Float32Array(12);
  move[3] = 0.5;
  const names = ['top', 'flat node', 'skinned', 'hip', 'knee', 'eye', 'lamp'];
  const count = names.length;
  const nodes = {
    names,
    parents: Int32Array.of(-1, 0, 0, 0, 3, 0, 0),
    translations: new Float64Array(3 * count),
    rotations: Float64Array.from({ length: 4 * count }, (_, c) => (c % 4 === 3 ? 1 : 0)),
    scales: new Float64Array(3 * count).fill(1),
  };
  nodes.translations[13] = 1;
  const inverseBinds = new Float64Array(32);
  for (let c = 0; c < 32; c += 5) if (c < 16) inverseBinds[c] = inverseBinds[c + 16] = 1;
  inverseBinds[16 + 13] = -1;
  return {
    nodes,
    shapes: [
      { node: 1, mesh: flat, materialOfPart: [1], targets: [], extras: { made: 'here' } },
      {
        node: 2,
        mesh: bent,
        materialOfPart: [0],
        skin: { joints: [3, 4], inverseBinds, weights: makeSkin([0, 0, 1, 1], [1, 1, 1, 1], 1) },
        targets: [
          { name: 'wide', positions: move, weight: 0.25 },
          { name: 'tongueOut', positions: new Float32Array(12), weight: 0 },
        ],
      },
    ],
    animations: [
      {
        name: 'go',
        duration: 1,
        tracks: [
          {
            node: 4,
            path: 'translation',
            interpolation: 'STEP',
            times: Float32Array.of(0, 1),
            values: Float32Array.of(0, 1, 0, 0, 2, 0),
          },
          {
            node: 2,
            path: 'weights',
            interpolation: 'LINEAR',
            times: Float32Array.of(0, 1),
            values: Float32Array.of(0, 0, 1, 0),
          },
          {
            node: 2,
            path: 'translation',
            interpolation: 'LINEAR',
            times: Float32Array.of(0),
            values: Float32Array.of(9, 9, 9),
          },
        ],
      },
    ],
    look: {
      materials: [
        material('skin', { colorMap: map, occlusionMap: map, emissive: [2, 1, 0], extras: { shader: 'toon' } }),
        material('cloth', { alpha: 'mask', cutoff: 0.25, isUnlit: true }),
      ],
      images: [{ type: 'image/png', bytes: PNG, name: 'grey' }],
    },
    cameras: [{ node: 5, name: 'view', kind: 'perspective', fieldOfView: 0.75, aspect: 1.5, near: 0.125, far: 50 }],
    lights: [{ node: 6, name: 'spot', kind: 'spot', color: [1, 0.5, 0], intensity: 40, cone: [0.25, 0.5] }],
    extras: new Map([[4, { limit: 30, sockets: ['a'] }]]),
  };
}

const sourceOf = ({ source }: Asset) => {
  if (!source) throw new Error('no source');
  return source;
};

describe('a scene of another format', () => {
  it('becomes an asset whose glTF holds all of it without faults', async () => {
    const asset = await readScene(makeScene(), 1000, { name: 'made' });
    const { issues } = await validateBytes(await writeGlb(asset));
    expect(issues.messages.filter(({ severity }: { severity: number }) => severity < 2)).toEqual([]);
    expect(asset.nodes.names.sort()).toEqual(makeScene().nodes.names.sort());
    expect(listSurfaces(asset)?.materials.map(({ name }) => name)).toEqual(['skin', 'cloth']);
    expect(asset.mesh.attributes.map(({ name }) => name).sort()).toEqual([
      'COLOR_0',
      'COLOR_1',
      'TEXCOORD_0',
      'TEXCOORD_1',
    ]);
  });

  it('is listed again as it was', async () => {
    const given = makeScene();
    const back = await listScene(sourceOf(await readScene(given, 1000, { name: 'made' })));
    const nodeOf = (name: string): number => back.nodes.names.indexOf(name);
    expect(back.look.materials).toEqual(given.look.materials.map((one) => expect.objectContaining(one)));
    expect(back.look.images).toEqual(given.look.images);
    expect(back.cameras).toEqual([{ ...given.cameras?.[0], node: nodeOf('eye') }]);
    expect(back.lights).toEqual([{ ...given.lights?.[0], node: nodeOf('lamp') }]);
    expect(back.extras).toEqual(new Map([[nodeOf('knee'), given.extras?.get(4)]]));
    const [flat, bent] = ['flat', 'bent'].map((name) => back.shapes.find(({ mesh }) => mesh.name === name));
    expect(flat?.extras).toEqual({ made: 'here' });
    expect(flat?.materialOfPart).toEqual([1]);
    expect(bent?.targets).toEqual(given.shapes[1].targets);
    expect(bent?.skin?.joints).toEqual([nodeOf('hip'), nodeOf('knee')]);
    expect(bent?.skin?.inverseBinds).toEqual(given.shapes[1].skin?.inverseBinds);
    expect(back.nodes.names[bent?.node ?? 0]).toBe('skinned');
    const [{ tracks }] = back.animations;
    expect(tracks.map(({ path, interpolation }) => `${path} ${interpolation}`)).toEqual([
      'translation STEP',
      'weights LINEAR',
    ]);
  });

  it('draws a skinned shape through a root where its node has children', async () => {
    const scene = makeScene();
    scene.nodes.parents[5] = 2;
    const asset = await readScene(scene, 1000, { name: 'made' });
    const { issues } = await validateBytes(await writeGlb(asset));
    expect(issues.messages.filter(({ severity }: { severity: number }) => severity < 2)).toEqual([]);
    expect(asset.nodes.names.length).toBe(scene.nodes.names.length + 1);
  });

  it('is a valid glTF when it is written as it is', async () => {
    const { source } = await readScene(makeScene(), 1000, { name: 'made' });
    if (!source) throw new Error('a scene has a source');
    const { issues } = await validateBytes(writeFittedGlb(await listScene(source), source));
    expect(issues.messages.filter(({ severity }: { severity: number }) => severity < 2)).toEqual([]);
  });

  it('tells materials of one name apart', async () => {
    const scene = makeScene();
    scene.look.materials[1].name = 'skin';
    const look = listSurfaces(await readScene(scene, 1000, { name: 'made' }));
    expect(look?.materials.map(({ name }) => name)).toEqual(['skin', 'skin 2']);
    expect(look?.materialOfPart.sort()).toEqual([0, 1]);
  });
});
