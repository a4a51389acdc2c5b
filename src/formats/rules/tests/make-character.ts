// SPDX-License-Identifier: MIT
// A small character with all that rules look at: it breaks none of them.

import type { Track } from '../../../core/model/clip/animation.ts';
import { type Mesh, makeMesh } from '../../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../../core/model/skin/skin.ts';
import type { SurfaceMaterial } from '../../../core/model/surface-look.ts';
import type { Scene, SceneSkin } from '../../gltf/index.ts';

/** A PNG of one grey pixel. */
export const PNG = Uint8Array.from(
  atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=='),
  (c) => c.charCodeAt(0),
);

/** Name, parent and place of each joint, metres. */
const JOINTS = [
  ['root', -1, 0, 0, 0],
  ['hips', 0, 0, 0.9, 0],
  ['spine', 1, 0, 1.2, 0],
  ['head', 2, 0, 1.6, 0],
  ['foot_l', 1, 0.15, 0.1, 0],
  ['foot_r', 1, -0.15, 0.1, 0],
  ['arm_l', 2, 0.3, 1.4, 0],
] as const;

const PLACES: readonly (readonly number[])[] = JOINTS.map(([, , ...place]) => place);
const NODES = [...JOINTS.map(([name]) => name), 'body node', 'eyes node', 'hat node'];
export const [BODY, EYES, HAT] = [JOINTS.length, JOINTS.length + 1, JOINTS.length + 2];
const [HEAD, SEGMENTS, RINGS] = [3, 8, 12];

const material = (name: string, image: number): SurfaceMaterial => ({
  ...{ name, color: [1, 0.5, 0.25, 1], metallic: 0, roughness: 0.5, emissive: [0, 0, 0], alpha: 'opaque', cutoff: 0.5 },
  ...{ isDoubleSided: false, isUnlit: false, normalScale: 1, occlusionStrength: 1 },
  colorMap: {
    ...{ image, uv: 0, wrap: ['repeat', 'repeat'], isNearest: false },
    ...{ offset: [0, 0], rotation: 0, scale: [1, 1] },
  },
});

/** A tube along y, open at both ends. */
function makeTube(name: string, [x0, y0, y1, radius]: readonly number[], rings: number): Mesh {
  const positions: number[] = [];
  const normals: number[] = [];
  const uvs: number[] = [];
  const tangents: number[] = [];
  for (let r = 0; r <= rings; r++)
    for (let s = 0; s <= SEGMENTS; s++) {
      const angle = (2 * Math.PI * s) / SEGMENTS;
      const [c, d] = [Math.cos(angle), Math.sin(angle)];
      positions.push(x0 + radius * c, y0 + ((y1 - y0) * r) / rings, -radius * d);
      normals.push(c, 0, -d);
      tangents.push(-d, 0, -c, 1);
      uvs.push(s / SEGMENTS, r / rings);
    }
  const triangles: number[] = [];
  for (let r = 0; r < rings; r++)
    for (let s = 0; s < SEGMENTS; s++) {
      const a = r * (SEGMENTS + 1) + s;
      const b = a + SEGMENTS + 1;
      triangles.push(a, a + 1, b, a + 1, b + 1, b);
    }
  const mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), name);
  mesh.normals = Float32Array.from(normals);
  mesh.attributes = [
    { name: 'TEXCOORD_0', size: 2, values: Float32Array.from(uvs) },
    { name: 'TANGENT', size: 4, values: Float32Array.from(tangents) },
  ];
  return mesh;
}

/** Weights of the two nearest joints, by distance. */
function bind(mesh: Mesh): SceneSkin {
  const bones: number[] = [];
  const weights: number[] = [];
  for (let o = 0; o < mesh.positions.length; o += 3) {
    const near = JOINTS.flatMap(([, , x, y, z], j) => {
      const way = [x, y, z].map((own, c) => own - mesh.positions[o + c]);
      return j === 0 ? [] : [{ j, distance: Math.hypot(...way) }];
    }).sort((a, b) => a.distance - b.distance);
    for (const { j, distance } of near.slice(0, 2)) {
      bones.push(j);
      weights.push(1 / (0.01 + distance));
    }
  }
  return { joints: JOINTS.map((_, j) => j), inverseBinds: listBinds(), weights: makeSkin(bones, weights, 2) };
}

function listBinds(): Float64Array {
  const binds = new Float64Array(16 * JOINTS.length);
  JOINTS.forEach(([, , ...place], j) => {
    for (let c = 0; c < 16; c += 5) binds[16 * j + c] = 1;
    place.forEach((x, c) => {
      binds[16 * j + 12 + c] = -x;
    });
  });
  return binds;
}

function makeTrack(node: number, path: Track['path'], times: number[], values: number[]): Track {
  const own = { times: Float32Array.from(times), values: Float32Array.from(values) };
  return { node, path, interpolation: 'LINEAR', ...own };
}

/** A turn about z as a quaternion. */
const turn = (degrees: number): number[] => {
  const half = (degrees * Math.PI) / 360;
  return [0, 0, Math.sin(half), Math.cos(half)];
};

/** Makes the character: two skinned meshes and a rigid one, materials with textures, morph targets, a skin and two animations. */
export function makeCharacter(): Scene {
  const body = makeTube('body', [0, 0, 1.7, 0.2], RINGS);
  const eyes = makeTube('eyes', [0, 1.62, 1.68, 0.22], 1);
  const hat = makeTube('hat', [0, 0.1, 0.2, 0.25], 2);
  const bulge = body.positions.map((x, c) => (c % 3 === 1 || body.positions[c - (c % 3) + 1] < 1.5 ? 0 : 0.1 * x));
  const lift = body.positions.map((_, c) => (c % 3 === 1 ? 0.05 * (1 + Math.sin(c)) : 0));
  const count = NODES.length;
  const translations = new Float64Array(3 * count);
  JOINTS.forEach(([, parent, ...place], j) => {
    const above = parent < 0 ? [0, 0, 0] : PLACES[parent];
    place.forEach((x, c) => {
      translations[3 * j + c] = x - above[c];
    });
  });
  return {
    nodes: {
      names: [...NODES],
      parents: Int32Array.from([...JOINTS.map(([, parent]) => parent), -1, -1, HEAD]),
      translations,
      rotations: Float64Array.from({ length: 4 * count }, (_, c) => (c % 4 === 3 ? 1 : 0)),
      scales: new Float64Array(3 * count).fill(1),
    },
    shapes: [
      {
        ...{ node: BODY, mesh: body, materialOfPart: [0], skin: bind(body) },
        targets: [
          { name: 'smile', positions: bulge, weight: 0 },
          { name: 'blink', positions: lift, weight: 0 },
        ],
      },
      { node: EYES, mesh: eyes, materialOfPart: [1], skin: bind(eyes), targets: [] },
      { node: HAT, mesh: hat, materialOfPart: [1], targets: [] },
    ],
    animations: [
      {
        ...{ name: 'walk', duration: 1 },
        tracks: [
          makeTrack(0, 'translation', [0, 1], [0, 0, 0, 0, 0, 0.5]),
          makeTrack(1, 'rotation', [0, 0.5, 1], [...turn(0), ...turn(20), ...turn(0)]),
          makeTrack(3, 'rotation', [0, 0.5, 1], [...turn(0), ...turn(-30), ...turn(10)]),
          makeTrack(BODY, 'weights', [0, 0.5, 1], [0, 0, 1, 0.5, 0, 1]),
        ],
      },
      { name: 'wave', duration: 0.5, tracks: [makeTrack(6, 'rotation', [0, 0.5], [...turn(0), ...turn(80)])] },
    ],
    look: {
      materials: [material('skin', 0), material('cloth', 1)],
      images: [
        { type: 'image/png', bytes: PNG, name: 'skin' },
        { type: 'image/png', bytes: PNG.slice(), name: 'cloth' },
      ],
    },
  };
}
