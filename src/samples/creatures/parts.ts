// SPDX-License-Identifier: MIT
import { cosineOf, sineOf } from '../../core/math/sine.ts';
import type { Mesh, MeshPart } from '../../core/model/mesh/mesh.ts';
import { makeSkin } from '../../core/model/skin/skin.ts';
import {
  type BonePlan,
  type BoneTurn,
  makeBlendClip,
  makePlanMotion,
  makePlanSkeleton,
  type Vector,
} from '../rigs/bones.ts';
import { phaseOf, type SampleBody, type SampleOptions } from '../sample.ts';

interface Piece {
  name: string;
  bone: string;
  shape: 'box' | 'ball' | 'gem';
  center: Vector;
  /** Full lengths along x, y, z. */
  size: Vector;
  material: keyof typeof COLORS;
}

const COLORS: Record<string, Vector> = {
  paint: [0.9, 0.42, 0.2],
  steel: [0.62, 0.66, 0.7],
  dark: [0.24, 0.27, 0.32],
  lamp: [0.98, 0.83, 0.35],
  glass: [0.25, 0.6, 0.85],
};

const BONES: BonePlan[] = [
  { name: 'Body', parent: -1, head: [0, 0.9, 0] },
  { name: 'Head', parent: 0, head: [0, 1.4, 0] },
  { name: 'ArmL', parent: 0, head: [0.34, 1.28, 0] },
  { name: 'HandL', parent: 2, head: [0.38, 0.96, 0] },
  { name: 'ArmR', parent: 0, head: [-0.34, 1.28, 0] },
  { name: 'HandR', parent: 4, head: [-0.38, 0.96, 0] },
  { name: 'LegL', parent: 0, head: [0.15, 0.82, 0] },
  { name: 'FootL', parent: 6, head: [0.15, 0.46, 0] },
  { name: 'LegR', parent: 0, head: [-0.15, 0.82, 0] },
  { name: 'FootR', parent: 8, head: [-0.15, 0.46, 0] },
  { name: 'Drone', parent: -1, head: [0.55, 1.75, 0] },
];

/** A robot of boxes with hard edges, balls for head and joints with a UV seam, and a gem that hovers beside it. */
export function makeParts(options: Required<SampleOptions>): SampleBody {
  const { frames } = options;
  const { mesh, boneOfVertex } = makeRobot(options.resolution);
  const skin = makeSkin(boneOfVertex, new Float32Array(boneOfVertex.length).fill(1), 1);
  const motion = makePlanMotion('march', BONES, frames, (j, k) => turnOf(BONES[j].name, phaseOf(k, frames)));
  return {
    clip: makeBlendClip(mesh, skin, motion),
    skeleton: makePlanSkeleton(BONES),
    skin,
    motion,
    isExact: true,
  };
}

function listPieces(): Piece[] {
  const pieces: Piece[] = [
    { name: 'torso', bone: 'Body', shape: 'box', center: [0, 1.13, 0], size: [0.5, 0.44, 0.3], material: 'paint' },
    { name: 'hips', bone: 'Body', shape: 'box', center: [0, 0.84, 0], size: [0.4, 0.1, 0.24], material: 'dark' },
    { name: 'panel', bone: 'Body', shape: 'box', center: [0, 1.16, 0.16], size: [0.24, 0.16, 0.04], material: 'glass' },
    { name: 'neck', bone: 'Head', shape: 'box', center: [0, 1.375, 0], size: [0.1, 0.07, 0.1], material: 'dark' },
    { name: 'head', bone: 'Head', shape: 'ball', center: [0, 1.56, 0], size: [0.36, 0.34, 0.34], material: 'steel' },
    {
      name: 'visor',
      bone: 'Head',
      shape: 'box',
      center: [0, 1.58, 0.145],
      size: [0.22, 0.07, 0.06],
      material: 'glass',
    },
    { name: 'lamp', bone: 'Head', shape: 'ball', center: [0, 1.78, 0], size: [0.09, 0.09, 0.09], material: 'lamp' },
  ];
  for (const side of [1, -1]) {
    const s = side > 0 ? 'L' : 'R';
    const add = (name: string, bone: string, shape: Piece['shape'], center: Vector, size: Vector, material: string) =>
      pieces.push({
        name: name + s,
        bone: bone + s,
        shape,
        center: [side * center[0], center[1], center[2]],
        size,
        material,
      });
    add('shoulder', 'Arm', 'ball', [0.34, 1.28, 0], [0.2, 0.2, 0.2], 'dark');
    add('arm', 'Arm', 'box', [0.37, 1.11, 0], [0.13, 0.26, 0.14], 'paint');
    add('elbow', 'Hand', 'ball', [0.38, 0.96, 0], [0.12, 0.12, 0.12], 'dark');
    add('hand', 'Hand', 'box', [0.38, 0.78, 0], [0.15, 0.28, 0.16], 'steel');
    add('thigh', 'Leg', 'box', [0.15, 0.64, 0], [0.16, 0.3, 0.17], 'paint');
    add('knee', 'Foot', 'ball', [0.15, 0.46, 0], [0.14, 0.14, 0.14], 'dark');
    add('shank', 'Foot', 'box', [0.15, 0.25, 0], [0.18, 0.3, 0.19], 'steel');
    add('foot', 'Foot', 'box', [0.15, 0.05, 0.05], [0.2, 0.1, 0.34], 'dark');
  }
  pieces.push({
    name: 'drone',
    bone: 'Drone',
    shape: 'gem',
    center: [0.55, 1.75, 0],
    size: [0.12, 0.18, 0.12],
    material: 'lamp',
  });
  return pieces;
}

/** Marching on the spot: opposite arms and legs, knees and elbows that bend one way only. */
function turnOf(bone: string, phase: number): BoneTurn {
  const side = bone.endsWith('L') ? 1 : -1;
  const swing = sineOf(phase) * side;
  switch (bone.replace(/[LR]$/, '')) {
    case 'Body':
      return { shift: [0, 0.03 * cosineOf(2 * phase) - 0.03, 0], y: 0.06 * sineOf(phase) };
    case 'Head':
      return { y: 0.35 * sineOf(phase - 0.6) };
    case 'Arm':
      return { x: 0.6 * swing, z: 0.08 * side };
    case 'Hand':
      return { x: -0.45 - 0.35 * -swing };
    case 'Leg':
      return { x: -0.55 * swing };
    case 'Foot':
      return { x: 0.75 * Math.max(0, sineOf(phase + 0.9) * side) ** 2 };
    default:
      return { y: phase, shift: [0, 0.05 * sineOf(2 * phase), 0] };
  }
}

interface Draft {
  positions: number[];
  normals: number[];
  uvs: number[];
  colors: number[];
  triangles: number[];
}

function makeRobot(resolution: number): { mesh: Mesh; boneOfVertex: number[] } {
  const pieces = listPieces();
  // Every face and ball has the same vertex spacing; a second attempt corrects for the duplicated vertices along seams.
  let area = 0;
  for (const { size } of pieces) area += 2 * (size[0] * size[1] + size[1] * size[2] + size[2] * size[0]);
  const spacing = Math.sqrt(area / resolution);
  const count = cutRobot(pieces, spacing).boneOfVertex.length;
  return cutRobot(pieces, spacing * Math.sqrt(count / resolution));
}

function cutRobot(pieces: Piece[], spacing: number): { mesh: Mesh; boneOfVertex: number[] } {
  const draft: Draft = { positions: [], normals: [], uvs: [], colors: [], triangles: [] };
  const parts: MeshPart[] = [];
  const boneOfVertex: number[] = [];
  for (const piece of pieces) {
    const vertexStart = draft.positions.length / 3;
    const triangleStart = draft.triangles.length / 3;
    if (piece.shape === 'box') addBox(draft, piece, spacing);
    else if (piece.shape === 'ball') addBall(draft, piece, spacing);
    else addGem(draft, piece);
    const vertexCount = draft.positions.length / 3 - vertexStart;
    const bone = BONES.findIndex((b) => b.name === piece.bone);
    for (let n = 0; n < vertexCount; n++) {
      boneOfVertex.push(bone);
      draft.colors.push(...COLORS[piece.material], 1);
    }
    const triangleCount = draft.triangles.length / 3 - triangleStart;
    const { name, material } = piece;
    parts.push({ name, vertexStart, vertexCount, triangleStart, triangleCount, material: String(material) });
  }
  const mesh: Mesh = {
    name: 'parts',
    positions: Float32Array.from(draft.positions),
    triangles: Uint32Array.from(draft.triangles),
    normals: Float32Array.from(draft.normals),
    attributes: [
      { name: 'TEXCOORD_0', size: 2, values: Float32Array.from(draft.uvs) },
      { name: 'COLOR_0', size: 4, values: Float32Array.from(draft.colors) },
    ],
    parts,
  };
  return { mesh, boneOfVertex };
}

/** Six faces with vertices, normals and a third by a half of the texture each. */
function addBox(draft: Draft, piece: Piece, spacing: number): void {
  for (let face = 0; face < 6; face++) {
    const axis = face >> 1,
      sign = face & 1 ? 1 : -1;
    const u = (axis + 1) % 3,
      v = (axis + 2) % 3;
    const columns = Math.max(1, Math.round(piece.size[u] / spacing)),
      rows = Math.max(1, Math.round(piece.size[v] / spacing));
    const start = draft.positions.length / 3;
    for (let row = 0; row <= rows; row++) {
      for (let column = 0; column <= columns; column++) {
        const p = [0, 0, 0],
          n = [0, 0, 0];
        p[axis] = sign * 0.5;
        p[u] = column / columns - 0.5;
        p[v] = row / rows - 0.5;
        n[axis] = sign;
        draft.positions.push(...p.map((x, c) => piece.center[c] + x * piece.size[c]));
        draft.normals.push(...n);
        draft.uvs.push((axis + 0.02 + (0.96 * column) / columns) / 3, ((face & 1) + 0.02 + (0.96 * row) / rows) / 2);
      }
    }
    addGridTriangles(draft, start, columns, rows, sign < 0);
  }
}

/** Meridians and parallels; the first meridian is duplicated, and each pole has one vertex per meridian. */
function addBall(draft: Draft, piece: Piece, spacing: number): void {
  const around = Math.max(6, Math.round((Math.PI * piece.size[0]) / spacing));
  const along = Math.max(3, Math.round((0.5 * Math.PI * piece.size[1]) / spacing));
  const start = draft.positions.length / 3;
  for (let row = 0; row <= along; row++) {
    const polar = (Math.PI * row) / along;
    // Exactly zero at the poles, so that their copies coincide.
    const ring = row === 0 || row === along ? 0 : sineOf(polar);
    for (let column = 0; column <= around; column++) {
      const angle = (2 * Math.PI * (column % around)) / around;
      const n = [ring * cosineOf(angle), -cosineOf(polar), -ring * sineOf(angle)];
      const p = n.map((x, c) => piece.center[c] + 0.5 * x * piece.size[c]);
      const scaled = n.map((x, c) => x / piece.size[c]);
      const length = Math.hypot(...scaled);
      draft.positions.push(...p);
      draft.normals.push(...scaled.map((x) => x / length));
      draft.uvs.push(column / around, 1 - row / along);
    }
  }
  addGridTriangles(draft, start, around, along, false);
}

/** Triangles of a grid, without degenerate ones at the poles. */
function addGridTriangles(draft: Draft, start: number, columns: number, rows: number, isFlipped: boolean): void {
  const isPoint = (i: number, j: number): boolean =>
    [0, 1, 2].every((c) => draft.positions[3 * i + c] === draft.positions[3 * j + c]);
  const add = (a: number, b: number, c: number): void => {
    if (isPoint(a, b) || isPoint(b, c) || isPoint(c, a)) return;
    draft.triangles.push(a, isFlipped ? c : b, isFlipped ? b : c);
  };
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const a = start + row * (columns + 1) + column,
        b = a + columns + 1;
      add(a, a + 1, b + 1);
      add(a, b + 1, b);
    }
  }
}

/** An octahedron with flat faces. */
function addGem(draft: Draft, piece: Piece): void {
  for (let octant = 0; octant < 8; octant++) {
    const signs = [octant & 1 ? 1 : -1, octant & 2 ? 1 : -1, octant & 4 ? 1 : -1];
    const isFlipped = signs[0] * signs[1] * signs[2] < 0;
    const start = draft.positions.length / 3;
    const normal = signs.map((s, c) => s / piece.size[c]);
    const length = Math.hypot(...normal);
    for (let axis = 0; axis < 3; axis++) {
      draft.positions.push(...piece.center.map((x, c) => x + (c === axis ? 0.5 * signs[c] * piece.size[c] : 0)));
      draft.normals.push(...normal.map((x) => x / length));
      draft.uvs.push(axis === 1 ? 1 : 0, axis === 2 ? 1 : 0);
    }
    draft.triangles.push(start, start + (isFlipped ? 2 : 1), start + (isFlipped ? 1 : 2));
  }
}
