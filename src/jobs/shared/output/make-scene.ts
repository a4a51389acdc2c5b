// SPDX-License-Identifier: MIT
import type { Asset } from '../../../core/model/asset.ts';
import type { Animation, Track } from '../../../core/model/clip/animation.ts';
import type { SkinCorrection } from '../../../core/model/deformed/skin-correction.ts';
import { UsageError } from '../../../core/model/errors.ts';
import { listScene, type Scene, type SceneShape } from '../../../formats/gltf/index.ts';
import { reindexScene } from '../../../formats/targets/index.ts';

/**
 * The scene of a GLB that was read back, for writers of other formats. Corrective shapes are displacements before the skin, as morph targets are: those formats get
 * them as morph targets with animated weights.
 */
export async function makeScene({ source, correction }: Asset, log?: (message: string) => void): Promise<Scene> {
  if (!source) throw new UsageError('output', 'the result has no scene to write');
  const scene = await listScene(source, log);
  return correction && correction.rank > 0 ? addCorrection(scene, correction, log) : scene;
}

function addCorrection(scene: Scene, correction: SkinCorrection, log?: (message: string) => void): Scene {
  const starts: number[] = [];
  let vertexCount = 0;
  for (const { mesh } of scene.shapes) {
    starts.push(vertexCount);
    vertexCount += mesh.positions.length / 3;
  }
  const isCorrected = scene.shapes.map(({ skin, targets }) => skin !== undefined && targets.length === 0);
  if (scene.shapes.some(({ targets }) => targets.length > 0))
    log?.('meshes with morph targets get no corrective shapes, which only glTF holds beside them');
  const nodes = scene.shapes.flatMap(({ node }, s) => (isCorrected[s] ? [node] : []));
  return {
    ...scene,
    shapes: scene.shapes.map((shape, s) =>
      isCorrected[s] ? withTargets(shape, correction, starts[s], vertexCount) : shape,
    ),
    animations: scene.animations.map((animation) => withWeights(animation, correction, nodes)),
  };
}

function withTargets(shape: SceneShape, correction: SkinCorrection, start: number, vertexCount: number): SceneShape {
  const size = shape.mesh.positions.length;
  const cut = (basis: Float32Array, r: number): Float32Array =>
    basis.subarray(3 * (r * vertexCount + start), 3 * (r * vertexCount + start) + size);
  const { rank, basis, normals, normalRank } = correction;
  return {
    ...shape,
    targets: Array.from({ length: rank }, (_, r) => ({
      name: `correction ${r}`,
      positions: cut(basis, r),
      // normals with coefficients of their own are no part of a morph target
      ...(normals && normalRank === 0 ? { normals: cut(normals.basis, r) } : {}),
      weight: 0,
    })),
  };
}

function withWeights(animation: Animation, { tracks }: SkinCorrection, nodes: readonly number[]): Animation {
  const track = tracks.find(({ name }) => name === animation.name);
  if (!track) return animation;
  const times = Float32Array.from(track.times);
  const added = nodes.map(
    (node): Track => ({ node, path: 'weights', interpolation: 'LINEAR', times, values: track.values }),
  );
  return { ...animation, tracks: [...animation.tracks, ...added] };
}

/** A quarter turn about z: the x axis becomes the y axis. */
const X_TO_Y = [0, 0, Math.SQRT1_2, Math.SQRT1_2];

/** A scene whose x axis points up, below a first node that turns it: its y axis points up. */
export function turnScene(scene: Scene): Scene {
  const below = Array.from(scene.nodes.parents, (parent, node) => ({ node, parent: parent + 1 }));
  const { nodes, ...rest } = reindexScene(scene, [{ name: 'axes', parent: -1 }, ...below]);
  const rotations = nodes.rotations.slice();
  rotations.set(X_TO_Y);
  return { ...rest, nodes: { ...nodes, rotations } };
}
