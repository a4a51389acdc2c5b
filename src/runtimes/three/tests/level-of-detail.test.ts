// SPDX-License-Identifier: MIT
// A file with MSFT_lod through three's own loader, on a renderer without WebGPU.
import { OrthographicCamera, PerspectiveCamera, type SkinnedMesh } from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { clone as cloneWithBones } from 'three/addons/utils/SkeletonUtils.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Asset } from '../../../core/model/asset.ts';
import { packGlb } from '../../../formats/gltf/document/pack-glb.ts';
import { splitGlb } from '../../../formats/gltf/document/split-glb.ts';
import { readGltf } from '../../../formats/gltf/read-gltf.ts';
import { writeGlb } from '../../../formats/gltf/write-glb.ts';
import { makeSample } from '../../../samples/make-sample.ts';
import { LevelOfDetail } from '../level-of-detail.ts';
import { ossifyPlugin } from '../load/ossify-plugin.ts';

let file: Uint8Array<ArrayBuffer>;
let asset: Asset;

beforeAll(async () => {
  const { clip, skeleton, skin, motion } = makeSample('creature', { resolution: 200, frames: 4 });
  const none = new Float64Array(0);
  const nodes = { names: [], parents: new Int32Array(0), translations: none, rotations: none, scales: none };
  const bare: Asset = { name: 'creature', mesh: clip.mesh, nodes, animations: [], clips: [], up: 'y', byteLength: 0 };
  const model = { kind: 'skin' as const, mesh: clip.mesh, skeleton: skeleton!, skin: skin!, motions: [motion!] };
  asset = await readGltf(await writeGlb(bare, { kind: 'skin', model }));
  // the first triangles are enough of a level here
  const levels = [100, 20].map((count) => {
    const corners = asset.mesh.triangles.slice(0, 3 * count);
    const vertices = Uint32Array.from(new Set(corners)).sort();
    const positions = Float32Array.from(vertices).fill(0);
    return {
      vertices,
      positions: Float32Array.from(
        { length: 3 * positions.length },
        (_, c) => asset.mesh.positions[3 * vertices[Math.floor(c / 3)] + (c % 3)],
      ),
      triangles: corners.map((i) => vertices.indexOf(i)),
    };
  });
  file = await writeGlb(asset, { kind: 'levels', levels, coverage: [0.4, 0.1, 0] });
});

const load = async (bytes = file, warnings: string[] = []): Promise<GLTF> => {
  const warn = (text: string) => warnings.push(text);
  const loader = new GLTFLoader().register(ossifyPlugin({} as never, { warn }));
  return loader.parseAsync(bytes.buffer as ArrayBuffer, '');
};

const findLevels = ({ scene }: Pick<GLTF, 'scene'>): LevelOfDetail => {
  scene.updateMatrixWorld(true);
  let found: LevelOfDetail | undefined;
  scene.traverse((object) => {
    if (object instanceof LevelOfDetail) found = object;
  });
  expect(found).toBeDefined();
  return found!;
};

const seenFrom = (distance: number): PerspectiveCamera => {
  const camera = new PerspectiveCamera(60, 1, 0.1, 10_000);
  camera.position.z = distance;
  camera.updateMatrixWorld(true);
  return camera;
};

describe('LevelOfDetail', () => {
  it('is made from MSFT_lod; all levels share the bones of the file', async () => {
    const lod = findLevels(await load());
    expect(lod.levels).toHaveLength(3);
    expect(lod.coverage).toEqual([0.4, 0.1, 0]);
    const meshes = lod.levels.map(({ object }) => object as SkinnedMesh);
    expect(meshes.map(({ geometry }) => geometry.index!.count / 3)).toEqual([asset.mesh.triangles.length / 3, 100, 20]);
    for (const { skeleton } of meshes) expect(skeleton.bones).toEqual(meshes[0].skeleton.bones);
  });

  it('draws one level, by its size on the screen, and does not flicker at a threshold', async () => {
    const lod = findLevels(await load());
    const levelAt = (distance: number): number => {
      lod.update(seenFrom(distance));
      expect(lod.levels.filter(({ object }) => object.visible)).toHaveLength(1);
      return lod.getCurrentLevel();
    };
    expect(levelAt(1)).toBe(0);
    expect(levelAt(1000)).toBe(2);
    expect(levelAt(1)).toBe(0);
    // the distance at which it covers a little more than the first threshold
    let distance = 1;
    while (lod.measureCoverage(seenFrom(distance)) > 0.41) distance *= 1.01;
    expect(levelAt(distance)).toBe(0);
    expect(levelAt(1.1 * distance)).toBe(1);
    expect(levelAt(distance)).toBe(1);
    expect(levelAt(0.8 * distance)).toBe(0);
    const flat = new OrthographicCamera(-1, 1, 1, -1);
    expect(lod.measureCoverage(flat)).toBeCloseTo(lod.measureCoverage(flat.translateZ(9)), 6);
  });

  it('is cloned with its bones', async () => {
    const { scene } = await load();
    const copy = findLevels({ scene: cloneWithBones(scene) as never });
    expect(copy.coverage).toEqual([0.4, 0.1, 0]);
    expect(copy.levels).toHaveLength(3);
    copy.update(seenFrom(1000));
    expect(copy.getCurrentLevel()).toBe(2);
  });

  it('leaves a file without levels, with a warning, if its references are wrong', async () => {
    for (const ids of [[999], ['x'], [0]]) {
      const { json, binary } = splitGlb(file) as unknown as {
        json: { nodes: { extensions?: { MSFT_lod?: { ids: unknown } } }[] };
        binary: Uint8Array;
      };
      for (const { extensions } of json.nodes) if (extensions?.MSFT_lod) extensions.MSFT_lod.ids = ids;
      const warnings: string[] = [];
      const { scene } = await load(packGlb(json as never, binary as never), warnings);
      scene.traverse((object) => {
        expect(object).not.toBeInstanceOf(LevelOfDetail);
      });
      expect(warnings.join()).toMatch(/without levels of detail/);
    }
  });
});
