// SPDX-License-Identifier: MIT
// A shape as a Mesh prim: points, faces, primvars, subsets of parts, binding and blend shapes.

import { IDENTITY } from '../../../../core/math/mat4.ts';
import { measureBounds } from '../../../../core/mesh/geometry/bounds.ts';
import type { MeshAttribute } from '../../../../core/model/mesh/mesh.ts';
import type { SceneShape, SceneTarget } from '../../../gltf/index.ts';
import { makeUsdDraft, relationOf, type UsdDraftPrim, type UsdDraftProperty, uniformOf } from '../usd-draft.ts';
import { takeUsdName } from '../usd-names.ts';
import type { UsdBinding } from './make-usd-joints.ts';

/** What a mesh refers to. */
export interface UsdMeshLinks {
  /** Path of the mesh. */
  path: string;
  /** Paths of the materials of the scene. */
  materials: readonly string[];
  /** Whether any of its materials is drawn from both sides. */
  isDoubleSided: boolean;
  /** Path of the skeleton, if the mesh follows it, and its joints. */
  skeleton?: string;
  joints?: readonly string[];
  binding?: UsdBinding;
  /** Names of its morph targets on the stage. */
  blendShapes?: readonly string[];
}

/** Completes a Mesh prim. */
export function fillUsdMesh(prim: UsdDraftPrim, shape: SceneShape, links: UsdMeshLinks): void {
  const { mesh } = shape;
  const triangleCount = mesh.triangles.length / 3;
  const { min, max } = measureBounds(mesh.positions);
  prim.properties.push(
    { name: 'extent', type: 'float3[]', value: Float32Array.of(...min, ...max) },
    { name: 'faceVertexCounts', type: 'int[]', value: new Int32Array(triangleCount).fill(3) },
    { name: 'faceVertexIndices', type: 'int[]', value: Int32Array.from(mesh.triangles) },
    { name: 'points', type: 'point3f[]', value: mesh.positions },
  );
  if (mesh.normals)
    prim.properties.push({ name: 'normals', type: 'normal3f[]', value: mesh.normals, interpolation: 'vertex' });
  prim.properties.push(...mesh.attributes.flatMap(listPrimvars));
  prim.properties.push(uniformOf('subdivisionScheme', 'token', 'none'));
  if (links.isDoubleSided) prim.properties.push(uniformOf('doubleSided', 'bool', true));
  const apis = [...(prim.apis ?? [])];
  if (bindMaterials(prim, shape, links)) apis.push('MaterialBindingAPI');
  if (links.binding) {
    apis.push('SkelBindingAPI');
    bindJoints(prim, shape, links);
    addBlendShapes(prim, shape.targets, links);
  }
  if (apis.length > 0) prim.apis = apis;
}

/** UVs and colours by the names that USD has for them; v is measured from the bottom there. Other attributes keep their names. */
function listPrimvars({ name, size, values }: MeshAttribute): UsdDraftProperty[] {
  const primvar = (as: string, type: string, own: Float32Array): UsdDraftProperty => ({
    ...{ name: `primvars:${as}`, type: `${type}[]`, value: own },
    interpolation: 'vertex',
  });
  const uv = /^TEXCOORD_(\d+)$/.exec(name);
  if (uv && size === 2) {
    const turned = values.map((x, c) => (c % 2 === 1 ? 1 - x : x));
    return [primvar(uv[1] === '0' ? 'st' : `st${uv[1]}`, 'texCoord2f', turned)];
  }
  if (name === 'COLOR_0' && size >= 3) {
    const count = values.length / size;
    const colors = new Float32Array(3 * count);
    const alphas = new Float32Array(count).fill(1);
    for (let i = 0; i < count; i++) {
      colors.set(values.subarray(size * i, size * i + 3), 3 * i);
      if (size === 4) alphas[i] = values[4 * i + 3];
    }
    const hasAlpha = alphas.some((x) => x !== 1);
    return [
      primvar('displayColor', 'color3f', colors),
      ...(hasAlpha ? [primvar('displayOpacity', 'float', alphas)] : []),
    ];
  }
  if (name === 'TANGENT' && size === 4) return [primvar('tangents', 'float4', values)];
  const type = ['', 'float', 'float2', 'float3', 'float4'][size];
  return type ? [primvar(name.replace(/[^A-Za-z0-9_]/g, '_'), type, values)] : [];
}

/** Binds the material of a mesh, or those of its parts. Returns whether it has any. */
function bindMaterials(prim: UsdDraftPrim, { mesh, materialOfPart }: SceneShape, { materials }: UsdMeshLinks): boolean {
  const materialOf = (p: number): string | undefined => materials[materialOfPart?.[p] ?? -1];
  if (mesh.parts.length === 1) {
    const material = materialOf(0);
    if (material !== undefined) prim.properties.push(relationOf('material:binding', material));
    return material !== undefined;
  }
  prim.properties.push(uniformOf('subsetFamily:materialBind:familyType', 'token', 'partition'));
  const taken = new Set(prim.children.map(({ name }) => name));
  mesh.parts.forEach(({ name, triangleStart, triangleCount }, p) => {
    const indices = Int32Array.from({ length: triangleCount }, (_, f) => triangleStart + f);
    const material = materialOf(p);
    const subset = makeUsdDraft('GeomSubset', takeUsdName(name || `part ${p}`, taken), [
      uniformOf('elementType', 'token', 'face'),
      uniformOf('familyName', 'token', 'materialBind'),
      { name: 'indices', type: 'int[]', value: indices },
      ...(material === undefined ? [] : [relationOf('material:binding', material)]),
    ]);
    if (subset.name !== name && name !== '') subset.displayName = name;
    if (material !== undefined) subset.apis = ['MaterialBindingAPI'];
    prim.children.push(subset);
  });
  return false;
}

/** Binds a mesh to joints: to those of its skin in their order, if they are not all of the skeleton. */
function bindJoints(
  prim: UsdDraftPrim,
  { mesh, skin }: SceneShape,
  { binding, skeleton = '', joints: paths = [] }: UsdMeshLinks,
): void {
  if (!binding) return;
  const isWhole = paths.length === binding.joints.length && binding.joints.every((joint, s) => joint === s);
  const vertexCount = mesh.positions.length / 3;
  const { rowStart, boneIndices, weights } = skin?.weights ?? {
    rowStart: Uint32Array.from({ length: vertexCount + 1 }, (_, i) => i),
    boneIndices: new Uint32Array(vertexCount),
    weights: new Float32Array(vertexCount).fill(1),
  };
  let width = 1;
  for (let i = 0; i < vertexCount; i++) width = Math.max(width, rowStart[i + 1] - rowStart[i]);
  const joints = new Int32Array(width * vertexCount);
  const values = new Float32Array(width * vertexCount);
  for (let i = 0; i < vertexCount; i++)
    for (let e = rowStart[i]; e < rowStart[i + 1]; e++) {
      joints[width * i + e - rowStart[i]] = boneIndices[e];
      values[width * i + e - rowStart[i]] = weights[e];
    }
  const each = { interpolation: 'vertex', elementSize: width };
  prim.properties.push(
    relationOf('skel:skeleton', skeleton),
    ...(isWhole
      ? []
      : [
          uniformOf(
            'skel:joints',
            'token[]',
            binding.joints.map((joint) => paths[joint]),
          ),
        ]),
    { name: 'primvars:skel:jointIndices', type: 'int[]', value: joints, ...each },
    { name: 'primvars:skel:jointWeights', type: 'float[]', value: values, ...each },
  );
  if (binding.geomBind.some((x, c) => x !== IDENTITY[c]))
    prim.properties.push({ name: 'primvars:skel:geomBindTransform', type: 'matrix4d', value: binding.geomBind });
}

function addBlendShapes(prim: UsdDraftPrim, targets: readonly SceneTarget[], links: UsdMeshLinks): void {
  const { path, blendShapes: tokens = [] } = links;
  if (tokens.length === 0) return;
  const taken = new Set(prim.children.map(({ name }) => name));
  const names = tokens.map((token) => takeUsdName(token, taken));
  prim.properties.push(
    uniformOf('skel:blendShapes', 'token[]', tokens),
    relationOf('skel:blendShapeTargets', ...names.map((name) => `${path}/${name}`)),
  );
  targets.forEach(({ name, positions, normals }, t) => {
    const moved: number[] = [];
    for (let i = 0; i < positions.length / 3; i++)
      if ([0, 1, 2].some((c) => positions[3 * i + c] !== 0 || (normals && normals[3 * i + c] !== 0))) moved.push(i);
    const gather = (values: Float32Array): Float32Array =>
      Float32Array.from({ length: 3 * moved.length }, (_, c) => values[3 * moved[Math.floor(c / 3)] + (c % 3)]);
    const shape = makeUsdDraft('BlendShape', names[t], [
      uniformOf('offsets', 'vector3f[]', gather(positions)),
      ...(normals ? [uniformOf('normalOffsets', 'vector3f[]', gather(normals))] : []),
      uniformOf('pointIndices', 'int[]', Int32Array.from(moved)),
    ]);
    if (name !== names[t]) shape.displayName = name;
    prim.children.push(shape);
  });
}
