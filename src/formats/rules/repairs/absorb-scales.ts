// SPDX-License-Identifier: MIT
import type { Animation, Track } from '../../../core/model/clip/animation.ts';
import type { Mesh } from '../../../core/model/mesh/mesh.ts';
import type { NodeTree } from '../../../core/model/skin/node-tree.ts';
import type { Scene, SceneShape, SceneSkin } from '../../gltf/index.ts';

/** Difference of the scales of three axes, relative, below which a scale is the same along all of them. */
const SAME_SCALE = 1e-5;

type Axes = [number, number, number];

/** Whether a scale has one size along all axes. Some axes may be mirrored. */
export function isSimilarity([x, y, z]: ArrayLike<number> & Iterable<number>): boolean {
  const [a, b, c] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  return a > 0 && Math.abs(b - a) <= SAME_SCALE * a && Math.abs(c - a) <= SAME_SCALE * a;
}

/**
 * Removes scales and mirrors of nodes without moving a vertex: they go down to the children, whose translations are scaled, and end in inverse bind matrices and
 * in the vertices of rigid meshes. Scales that differ by axis stay where they are, and end what comes from above.
 * @param isStart whether the scale of a node is removed
 */
export function absorbScales(scene: Scene, isStart: (node: number) => boolean): Scene {
  const { parents, scales } = scene.nodes;
  /** What comes from above, and what goes down, by node. */
  const from: Axes[] = [];
  const to: Axes[] = [];
  for (let n = 0; n < parents.length; n++) {
    const above: Axes = parents[n] < 0 ? [1, 1, 1] : to[parents[n]];
    const own: Axes = [scales[3 * n], scales[3 * n + 1], scales[3 * n + 2]];
    const isMoved = above.some((x) => x !== 1);
    // one size for all axes, so that it can pass rotations; the rounding stays in the node
    const size = (Math.abs(own[0]) + Math.abs(own[1]) + Math.abs(own[2])) / 3;
    const product = own.map((x, c) => Math.sign(x) * size * above[c]) as Axes;
    from.push(above);
    to.push((isMoved || isStart(n)) && isSimilarity(own) ? product : [1, 1, 1]);
  }
  return {
    ...scene,
    nodes: placeNodes(scene.nodes, from, to),
    shapes: scene.shapes.map((shape) => placeShape(shape, to)),
    animations: scene.animations.map((animation) => placeTracks(animation, from, to)),
  };
}

function placeNodes(nodes: NodeTree, from: readonly Axes[], to: readonly Axes[]): NodeTree {
  const translations = nodes.translations.slice();
  const rotations = nodes.rotations.slice();
  const scales = nodes.scales.slice();
  from.forEach((above, n) => {
    for (let c = 0; c < 3; c++) {
      translations[3 * n + c] *= above[c];
      scales[3 * n + c] *= above[c] / to[n][c];
    }
    turn(rotations, 4 * n, above);
  });
  return { ...nodes, translations, rotations, scales };
}

/** Mirrors a rotation on both sides: its axis is a pseudovector. */
function turn(values: Float64Array | Float32Array, o: number, [x, y, z]: Axes): void {
  const hand = Math.sign(x * y * z);
  values[o] *= hand * Math.sign(x);
  values[o + 1] *= hand * Math.sign(y);
  values[o + 2] *= hand * Math.sign(z);
}

function placeShape(shape: SceneShape, to: readonly Axes[]): SceneShape {
  if (shape.skin) return { ...shape, skin: placeBinds(shape.skin, to) };
  const scale = to[shape.node];
  if (scale.every((x) => x === 1)) return shape;
  const hand = Math.sign(scale[0] * scale[1] * scale[2]);
  const signs = scale.map(Math.sign) as Axes;
  return {
    ...shape,
    mesh: placeMesh(shape.mesh, scale, signs, hand),
    targets: shape.targets.map((target) => ({
      ...target,
      positions: scaleRows(target.positions, scale),
      ...(target.normals ? { normals: scaleRows(target.normals, signs) } : {}),
    })),
  };
}

function placeMesh(mesh: Mesh, scale: Axes, signs: Axes, hand: number): Mesh {
  const triangles = mesh.triangles.slice();
  if (hand < 0)
    for (let c = 0; c < triangles.length; c += 3)
      [triangles[c + 1], triangles[c + 2]] = [triangles[c + 2], triangles[c + 1]];
  return {
    ...mesh,
    triangles,
    positions: scaleRows(mesh.positions, scale),
    ...(mesh.normals ? { normals: scaleRows(mesh.normals, signs) } : {}),
    attributes: mesh.attributes.map((attribute) =>
      attribute.name === 'TANGENT' && attribute.size === 4
        ? { ...attribute, values: scaleRows(attribute.values, [...signs, hand]) }
        : attribute,
    ),
  };
}

function scaleRows(values: Float32Array, factors: readonly number[]): Float32Array {
  return values.map((x, c) => x * factors[c % factors.length]);
}

function placeBinds(skin: SceneSkin, to: readonly Axes[]): SceneSkin {
  const inverseBinds = skin.inverseBinds.slice();
  skin.joints.forEach((joint, j) => {
    for (let c = 0; c < 16; c++) if (c % 4 < 3) inverseBinds[16 * j + c] *= to[joint][c % 4];
  });
  return { ...skin, inverseBinds };
}

function placeTracks(animation: Animation, from: readonly Axes[], to: readonly Axes[]): Animation {
  const place = (track: Track): Track => {
    const above = from[track.node];
    const below = to[track.node];
    if (track.path === 'translation') return { ...track, values: scaleRows(track.values, above) };
    if (track.path === 'scale')
      return {
        ...track,
        values: scaleRows(
          track.values,
          above.map((x, c) => x / below[c]),
        ),
      };
    if (track.path !== 'rotation') return track;
    const values = track.values.slice();
    for (let o = 0; o < values.length; o += 4) turn(values, o, above);
    return { ...track, values };
  };
  return { ...animation, tracks: animation.tracks.map(place) };
}
