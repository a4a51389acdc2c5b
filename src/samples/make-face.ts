// SPDX-License-Identifier: MIT
// A generated face: an egg with a nose, and shapes as a face tracker names them. Regions move smoothly; the jaw turns, so that its shape is not a translation.

import { cosineOf, sineOf } from '../core/math/sine.ts';
import { vertexNormalsInto } from '../core/mesh/geometry/vertex-normals.ts';
import type { Morphs } from '../core/model/deformed/morphs.ts';
import type { ShapeTrack } from '../core/model/deformed/shape-drivers.ts';
import { type Mesh, makeMesh } from '../core/model/mesh/mesh.ts';

/** A face of morph targets. Metres, y up, facing +z. */
export interface FaceSample {
  mesh: Mesh;
  morphs: Morphs;
  /** Weights over two seconds. */
  track: ShapeTrack;
}

/** A displacement of a region: a translation, and a turn about the x axis through a pivot. */
interface Region {
  name: string;
  center: readonly [number, number, number];
  radius: number;
  move: readonly [number, number, number];
  /** Radians about the x axis, at the given height and depth. */
  turn?: { angle: number; y: number; z: number };
}

const HEIGHT = 0.25;
const FRAMES = 60;
const FPS = 30;

const REGIONS: readonly Region[] = [
  {
    name: 'jawOpen',
    center: [0, -0.08, 0.05],
    radius: 0.07,
    move: [0, 0, 0],
    turn: { angle: 0.35, y: -0.02, z: -0.03 },
  },
  { name: 'mouthPucker', center: [0, -0.055, 0.08], radius: 0.03, move: [0, 0, 0.012] },
  ...both('mouthSmile', [0.03, -0.05, 0.07], 0.03, [0.008, 0.01, -0.004]),
  ...both('mouthFrown', [0.03, -0.06, 0.07], 0.025, [0.003, -0.01, 0]),
  ...both('cheekPuff', [0.045, -0.03, 0.06], 0.035, [0.006, 0, 0.008]),
  ...both('eyeBlink', [0.032, 0.025, 0.075], 0.018, [0, -0.009, 0.001]),
  ...both('browOuterUp', [0.045, 0.055, 0.065], 0.025, [0, 0.009, 0]),
  { name: 'browInnerUp', center: [0, 0.055, 0.08], radius: 0.03, move: [0, 0.01, 0.001] },
  ...both('noseSneer', [0.012, 0, 0.09], 0.018, [0.001, 0.005, -0.001]),
];

function both(name: string, center: Region['center'], radius: number, move: Region['move']): Region[] {
  return [
    { name: `${name}Left`, center, radius, move },
    { name: `${name}Right`, center: [-center[0], center[1], center[2]], radius, move: [-move[0], move[1], move[2]] },
  ];
}

/**
 * Makes the face.
 * @param rings rings of vertices from chin to crown; the face has about twice their square
 * @example
 * ```ts
 * import { makeFace } from 'ossify/sample';
 *
 * const { mesh, morphs } = makeFace(40);
 * ```
 */
export function makeFace(rings = 40): FaceSample {
  const mesh = makeHead(rings);
  const { positions } = mesh;
  const vertexCount = positions.length / 3;
  const targets = REGIONS.map((region, weight) => ({
    ...{ name: region.name, node: 0, weight, vertexStart: 0, vertexCount },
    positions: displace(positions, region),
  }));
  const morphs = { targets, restWeights: [{ node: 0, weights: new Float32Array(targets.length) }] };
  return { mesh, morphs, track: makeTrack(targets.length) };
}

/** Shapes rise and fall one after another, with overlaps. */
function makeTrack(count: number): ShapeTrack {
  const weights = new Float32Array(FRAMES * count);
  for (let k = 0; k < FRAMES; k++)
    for (let s = 0; s < count; s++) {
      const distance = Math.abs(k / (FRAMES - 1) - (s + 0.5) / count) * 5;
      weights[k * count + s] = Math.max(0, 1 - distance * distance);
    }
  return { name: 'talk', times: Float64Array.from({ length: FRAMES }, (_, k) => k / FPS), weights };
}

function makeHead(rings: number): Mesh {
  const columns = 2 * rings;
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let y = 0; y <= rings; y++) {
    const polar = (Math.PI * (y + 0.5)) / (rings + 1);
    for (let x = 0; x < columns; x++) {
      const around = (2 * Math.PI * x) / columns;
      const ring = sineOf(polar);
      const [dx, dz] = [sineOf(around) * ring, cosineOf(around) * ring];
      const height = -cosineOf(polar) * 0.5 * HEIGHT;
      const nose = 0.025 * Math.exp(-((dx / 0.15) ** 2) - ((height + 0.005) / 0.025) ** 2) * Math.max(0, dz);
      positions.push(dx * 0.08, height, dz * 0.09 + nose);
    }
  }
  for (let y = 0; y < rings; y++)
    for (let x = 0; x < columns; x++) {
      const [a, b] = [y * columns + x, y * columns + ((x + 1) % columns)];
      triangles.push(a, b, a + columns, b, b + columns, a + columns);
    }
  const mesh = makeMesh(Float32Array.from(positions), Uint32Array.from(triangles), 'face');
  mesh.normals = new Float32Array(positions.length);
  vertexNormalsInto(mesh.positions, mesh.triangles, mesh.normals);
  return mesh;
}

/** Displacements of a region: full at its center, zero beyond its radius. */
function displace(positions: Float32Array, { center, radius, move, turn }: Region): Float32Array {
  const delta = new Float32Array(positions.length);
  for (let c = 0; c < positions.length; c += 3) {
    const [x, y, z] = positions.subarray(c, c + 3);
    const ratio = Math.hypot(x - center[0], y - center[1], z - center[2]) / radius;
    if (ratio >= 1) continue;
    const amount = (1 - ratio * ratio) ** 2;
    let [dy, dz] = [move[1], move[2]];
    if (turn) {
      const [sine, cosine] = [sineOf(turn.angle), cosineOf(turn.angle)];
      const [ry, rz] = [y - turn.y, z - turn.z];
      dy += cosine * ry - sine * rz - ry;
      dz += sine * ry + cosine * rz - rz;
    }
    delta[c] = amount * move[0];
    delta[c + 1] = amount * dy;
    delta[c + 2] = amount * dz;
  }
  return delta;
}
