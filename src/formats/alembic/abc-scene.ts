// SPDX-License-Identifier: MIT
import { IDENTITY, multiply } from '../../core/math/mat4.ts';
import { listFrameTimes, placeOf } from './abc-time.ts';
import { type AbcTransform, listChanging, localTransformAt, readAbcTransform } from './abc-transform.ts';
import type { AbcArchive, AbcObject } from './archive/abc-archive.ts';
import { type AbcProperty, isConstant, readNumbers } from './archive/abc-property.ts';

/** A mesh of an archive. */
export interface AbcMesh {
  /** Name of the object: that of its transform if the mesh is the only object there. */
  name: string;
  positions: AbcProperty;
  faceIndices: AbcProperty;
  faceCounts: AbcProperty;
  /** The other properties of its geometry: uv, N, .arbGeomParams. */
  geometry: ReadonlyMap<string, AbcProperty>;
  /** Name and property .faces of each face set. */
  faceSets: { name: string; faces: AbcProperty }[];
  /** Transforms from the root to the mesh. */
  transforms: AbcTransform[];
}

/** Objects that are not read, one and several. */
const OTHER_KINDS: Record<string, readonly [string, string]> = {
  ...{ Camera: ['camera', 'cameras'], Curve: ['set of curves', 'sets of curves'], Light: ['light', 'lights'] },
  ...{ Points: ['set of points', 'sets of points'], NuPatch: ['NURBS patch', 'NURBS patches'] },
};

const MESH_SCHEMAS = /^AbcGeom_(PolyMesh|SubD)_/;

/** Lists the meshes that are visible at some time. */
export function listAbcMeshes(archive: AbcArchive, log?: (message: string) => void): AbcMesh[] {
  const { objects } = archive;
  const childCounts = new Uint32Array(objects.length);
  for (const { parent, schema } of objects) if (parent >= 0 && !isFaceSet(schema)) childCounts[parent]++;
  const transforms = objects.map((object) => readAbcTransform(archive, object));
  const faceSets = listFaceSets(archive);
  const meshes: AbcMesh[] = [];
  const kinds = new Map<string, number>();
  let hiddenCount = 0;
  for (const [index, object] of objects.entries()) {
    const kind = /^AbcGeom_([A-Za-z]+)_v/.exec(object.schema)?.[1];
    if (kind && kind !== 'Xform' && kind !== 'FaceSet') kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (!MESH_SCHEMAS.test(object.schema)) continue;
    const geometry = object.properties.get('.geom')?.list() ?? new Map<string, AbcProperty>();
    const [positions, faceIndices, faceCounts] = ['P', '.faceIndices', '.faceCounts'].map((name) => geometry.get(name));
    if (!isSampled(positions) || !isSampled(faceIndices) || !isSampled(faceCounts)) continue;
    const chain = listChain(objects, index);
    archive.file.spend(8 * chain.length);
    const { parent } = object;
    const isOnly = parent >= 0 && transforms[parent] !== undefined && childCounts[parent] === 1;
    const name = isOnly ? objects[parent].name : object.name;
    const { isEverVisible, isEverHidden } = findVisibility(
      archive,
      chain.map((n) => objects[n]),
    );
    if (!isEverVisible) log?.(`"${name}" is hidden and left out`);
    else if (isEverHidden) log?.(`"${name}" is hidden at times; it is read as visible throughout`);
    if (!isEverVisible) {
      hiddenCount++;
      continue;
    }
    meshes.push({
      name,
      positions,
      faceIndices,
      faceCounts,
      geometry,
      faceSets: faceSets.get(index) ?? [],
      transforms: chain.flatMap((n) => transforms[n] ?? []).reverse(),
    });
  }
  const others = [...kinds].filter(([kind]) => kind in OTHER_KINDS);
  const listed = others.map(([kind, count]) => `${count} ${OTHER_KINDS[kind][count === 1 ? 0 : 1]}`);
  if (meshes.length > 0 && listed.length > 0) log?.(`only meshes are read; left out: ${listed.join(', ')}`);
  if (meshes.length > 0) return meshes;
  if (hiddenCount > 0) throw archive.file.fault('empty', 'all its meshes are hidden');
  const found = [...kinds.keys()].sort().join(', ');
  throw archive.file.fault('empty', `it has no mesh${found === '' ? '' : `; its objects are: ${found}`}`);
}

/** The properties of a mesh that change over time. */
export function listMoving({ positions, faceCounts, faceIndices, transforms }: AbcMesh): AbcProperty[] {
  const own = [positions, faceCounts, faceIndices].filter((property) => !isConstant(property));
  return [...own, ...transforms.flatMap((transform) => listChanging(transform))];
}

/** The matrix from a mesh to the world, 16 numbers, column-major. */
export function worldMatrixAt(archive: AbcArchive, mesh: AbcMesh, time: number): Float64Array {
  const world = Float64Array.from(IDENTITY);
  for (const transform of mesh.transforms) {
    const local = localTransformAt(archive, transform, time);
    if (!local.inherits) world.set(IDENTITY);
    multiply(world, local.matrix, world);
  }
  return world;
}

function isSampled(property: AbcProperty | undefined): property is AbcProperty {
  return property?.kind === 'array' && property.sampleCount > 0;
}

function isFaceSet(schema: string): boolean {
  return schema.startsWith('AbcGeom_FaceSet_');
}

/** An object and its parents up to the root. */
function listChain(objects: readonly AbcObject[], index: number): number[] {
  const chain: number[] = [];
  for (let n = index; n >= 0; n = objects[n].parent) chain.push(n);
  return chain;
}

function listFaceSets(archive: AbcArchive): Map<number, AbcMesh['faceSets']> {
  const sets = new Map<number, AbcMesh['faceSets']>();
  for (const { name, parent, schema, properties } of archive.objects) {
    if (!isFaceSet(schema)) continue;
    const faces = properties.get('.faceset')?.list().get('.faces');
    if (!isSampled(faces)) continue;
    const list = sets.get(parent) ?? [];
    list.push({ name, faces });
    sets.set(parent, list);
  }
  return sets;
}

/**
 * The property "visible" is 1, 0 or -1: as the parent. The nearest object that is not -1 counts.
 * @param chain the object and its parents up to the root
 */
function findVisibility(archive: AbcArchive, chain: AbcObject[]): { isEverVisible: boolean; isEverHidden: boolean } {
  const properties = chain.flatMap((object) => {
    const property = object.properties.get('visible');
    return property?.kind === 'scalar' && property.sampleCount > 0 ? [property] : [];
  });
  const isVisibleAt = (time: number): boolean => {
    for (const property of properties) {
      const [value] = readNumbers(archive.file, property, placeOf(archive, property, time).index, Int32Array);
      if (value === 0 || value === 1) return value === 1;
    }
    return true;
  };
  const times = [...listFrameTimes(archive, properties)];
  const visible = (times.length > 0 ? times : [0]).map(isVisibleAt);
  return { isEverVisible: visible.includes(true), isEverHidden: visible.includes(false) };
}
