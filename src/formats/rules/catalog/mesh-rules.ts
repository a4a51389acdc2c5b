// SPDX-License-Identifier: MIT
import { shadeMesh } from '../../../core/mesh/geometry/shade-mesh.ts';
import type { SurfaceMaterial } from '../../../core/model/surface-look.ts';
import type { Scene, SceneShape } from '../../gltf/index.ts';
import type { Fault, Rule } from '../rule.ts';
import { gatherShape } from './gather-shape.ts';
import { shapeName } from './scene-facts.ts';

/** Triangles with two corners that are one vertex, or two vertices that are at one place in every pose. */
function listClosed(shape: SceneShape): number[] {
  const { triangles } = shape.mesh;
  const found: number[] = [];
  for (let t = 0; t < triangles.length / 3; t++) {
    const [a, b, c] = triangles.subarray(3 * t, 3 * t + 3);
    if (areOne(shape, a, b) || areOne(shape, b, c) || areOne(shape, c, a)) found.push(t);
  }
  return found;
}

function areOne({ mesh, skin, targets }: SceneShape, a: number, b: number): boolean {
  if (a === b) return true;
  const isSame = (values: Float32Array): boolean =>
    values[3 * a] === values[3 * b] &&
    values[3 * a + 1] === values[3 * b + 1] &&
    values[3 * a + 2] === values[3 * b + 2];
  if (!isSame(mesh.positions) || !targets.every(({ positions }) => isSame(positions))) return false;
  if (!skin) return true;
  const { rowStart, boneIndices, weights } = skin.weights;
  const count = rowStart[a + 1] - rowStart[a];
  if (count !== rowStart[b + 1] - rowStart[b]) return false;
  for (let e = 0; e < count; e++) {
    const [p, q] = [rowStart[a] + e, rowStart[b] + e];
    if (boneIndices[p] !== boneIndices[q] || weights[p] !== weights[q]) return false;
  }
  return true;
}

const closed: Rule = {
  id: 'triangle-degenerate',
  severity: 'note',
  title: 'Triangles have three corners',
  remedy: 'remove them: they are never seen, and have no normal',
  check({ scene }) {
    return scene.shapes.flatMap((shape): Fault[] => {
      const found = listClosed(shape);
      if (found.length === 0) return [];
      const place = { mesh: shapeName(scene, shape), vertex: shape.mesh.triangles[3 * found[0]], count: found.length };
      const fault = `${found.length === 1 ? '1 triangle has' : `${found.length} triangles have`} two corners at one place`;
      return [{ place, fault }];
    });
  },
  fix({ scene }) {
    return {
      ...scene,
      shapes: scene.shapes.map((shape) => {
        const found = listClosed(shape);
        if (found.length === 0) return shape;
        const kept = new Uint8Array(shape.mesh.triangles.length / 3).fill(1);
        for (const t of found) kept[t] = 0;
        return gatherShape(shape, kept, new Uint8Array(shape.mesh.positions.length / 3).fill(1));
      }),
    };
  },
};

/** vertexCount, 1 for corners of triangles */
function markUsed({ mesh }: SceneShape): Uint8Array {
  const used = new Uint8Array(mesh.positions.length / 3);
  for (const vertex of mesh.triangles) used[vertex] = 1;
  return used;
}

const unusedVertices: Rule = {
  id: 'vertex-unused',
  severity: 'note',
  title: 'Every vertex belongs to a triangle',
  remedy: 'remove them',
  check({ scene }) {
    return scene.shapes.flatMap((shape): Fault[] => {
      const used = markUsed(shape);
      const vertex = used.indexOf(0);
      if (vertex < 0) return [];
      const count = used.reduce((sum, one) => sum + 1 - one, 0);
      const fault = count === 1 ? '1 vertex belongs to no triangle' : `${count} vertices belong to no triangle`;
      return [{ place: { mesh: shapeName(scene, shape), vertex, count }, fault }];
    });
  },
  fix({ scene }) {
    return {
      ...scene,
      shapes: scene.shapes.map((shape) => {
        const used = markUsed(shape);
        return used.includes(0)
          ? gatherShape(shape, new Uint8Array(shape.mesh.triangles.length / 3).fill(1), used)
          : shape;
      }),
    };
  },
};

const noNormals: Rule = {
  id: 'normal-missing',
  severity: 'note',
  title: 'Meshes have normals',
  remedy: 'compute smooth ones; without them players shade every triangle flat',
  check({ scene }) {
    return scene.shapes.flatMap((shape): Fault[] =>
      shape.mesh.normals || shape.mesh.triangles.length === 0
        ? []
        : [{ place: { mesh: shapeName(scene, shape) }, fault: 'it has no normals' }],
    );
  },
  fix({ scene }) {
    return { ...scene, shapes: scene.shapes.map((shape) => ({ ...shape, mesh: shadeMesh(shape.mesh, 'smooth') })) };
  },
};

const MAPS = ['colorMap', 'metallicRoughnessMap', 'normalMap', 'occlusionMap', 'emissiveMap'] as const;

/** The sets of UVs that the maps of a material read. */
function listSets(material: SurfaceMaterial | undefined): number[] {
  return [...new Set(MAPS.flatMap((key) => material?.[key]?.uv ?? []))];
}

/** Whether a part of a mesh has a set of UVs, and more than one of them. */
function describeUvs({ mesh }: SceneShape, p: number, set: number): 'none' | 'one point' | 'some' {
  const values = mesh.attributes.find(({ name }) => name === `TEXCOORD_${set}`)?.values;
  const { vertexStart, vertexCount } = mesh.parts[p];
  if (!values) return 'none';
  const own = values.subarray(2 * vertexStart, 2 * (vertexStart + vertexCount));
  if (own.every((x) => x === 0)) return 'none';
  return own.every((x, c) => x === own[c % 2]) ? 'one point' : 'some';
}

function listUvFaults(scene: Scene, wanted: 'none' | 'one point', fault: string): Fault[] {
  return scene.shapes.flatMap((shape) =>
    shape.mesh.parts.flatMap(({ triangleCount }, p): Fault[] => {
      const material = scene.look.materials[shape.materialOfPart?.[p] ?? -1];
      if (triangleCount === 0) return [];
      return listSets(material).flatMap((set): Fault[] => {
        if (describeUvs(shape, p, set) !== wanted) return [];
        const place = { mesh: shapeName(scene, shape), part: p, material: material.name };
        return [{ place, fault: fault.replace('#', String(set)) }];
      });
    }),
  );
}

const noUvs: Rule = {
  id: 'uv-missing',
  severity: 'warning',
  title: 'Parts with textures have UVs',
  remedy: 'unwrap the mesh, or take the texture from the material: it is drawn in one colour',
  check: ({ scene }) => listUvFaults(scene, 'none', 'its texture reads UV set #, which is missing or zero'),
};

const oneUv: Rule = {
  id: 'uv-point',
  severity: 'note',
  title: 'Textures are spread over their parts',
  remedy: 'leave it if the texture is a palette',
  check: ({ scene }) => listUvFaults(scene, 'one point', 'all its UVs of set # are one point of the texture'),
};

/** Rules about meshes. Triangles are removed before the vertices that are left without one. */
export const MESH_RULES: readonly Rule[] = [closed, unusedVertices, noNormals, noUvs, oneUv];
