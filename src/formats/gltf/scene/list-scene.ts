// SPDX-License-Identifier: MIT
// The glTF of an asset as a scene, for writers of other formats: the inverse of makeGltfSource.
import type { Document, GLTF, Skin as GltfSkin, Node } from '@gltf-transform/core';
import { IDENTITY } from '../../../core/math/mat4.ts';
import type { GltfSource } from '../../../core/model/asset.ts';
import type { Extras } from '../../../core/model/surface-look.ts';
import { meshOf } from '../document/gltf-graph.ts';
import { jsonOf } from '../document/gltf-json.ts';
import { readGltfLook } from '../document/list-surfaces.ts';
import { openGltfForReading } from '../document/open-gltf-document.ts';
import { type GltfPiece, listGltfPieces } from '../document/pieces/list-gltf-pieces.ts';
import { floatsOf } from '../document/read-accessor.ts';
import { readGltfAnimations } from '../read/read-gltf-animations.ts';
import { readGltfGeometry } from '../read/read-gltf-geometry.ts';
import { type GltfNodes, readGltfNodes } from '../read/read-gltf-nodes.ts';
import { readGltfWeights } from '../read/read-gltf-weights.ts';
import type { Scene, SceneCamera, SceneLight, SceneShape, SceneSkin, SceneTarget } from './scene.ts';

const LIGHTS = 'KHR_lights_punctual';

/** Lists all that a glTF holds. Its meshes are in the spaces of their nodes, in the numbers of the file. */
export async function listScene(source: GltfSource, log?: (message: string) => void): Promise<Scene> {
  const document = await openGltfForReading(source);
  const nodes = readGltfNodes(document);
  const json = jsonOf(source);
  const listed = document.getRoot().listNodes();
  const treeOf = (index: number): number => nodes.treeOf(listed[index]);
  return {
    nodes: nodes.tree,
    shapes: listShapes(document, nodes, json, log),
    animations: readGltfAnimations(document, nodes),
    look: readGltfLook(source),
    cameras: listCameras(json, treeOf),
    lights: listLights(json, treeOf),
    extras: new Map(nodes.list.flatMap((node, n) => (isFilled(node.getExtras()) ? [[n, node.getExtras()]] : []))),
  };
}

function listShapes(
  document: Document,
  nodes: GltfNodes,
  json: GLTF.IGLTF,
  log?: (message: string) => void,
): SceneShape[] {
  const byNode = new Map<Node, GltfPiece[]>();
  for (const piece of listGltfPieces(document, nodes, log)) {
    const own = byNode.get(piece.node);
    if (own) own.push(piece);
    else byNode.set(piece.node, [piece]);
  }
  const materials = document.getRoot().listMaterials();
  const names = new Map(
    document
      .getRoot()
      .listMeshes()
      .map((mesh, m) => [mesh, json.meshes?.[m]?.name]),
  );
  return [...byNode].map(([node, found]): SceneShape => {
    const [{ vertexStart: first, skin }] = found;
    const pieces = found.map((piece) => ({ ...piece, vertexStart: piece.vertexStart - first }));
    const mesh = meshOf(node);
    const name = names.get(mesh) || node.getName() || 'mesh';
    const { targetNames, ...extras } = mesh.getExtras() as Record<string, unknown>;
    return {
      node: nodes.treeOf(node),
      mesh: readGltfGeometry(
        document,
        pieces,
        pieces.map(() => Float64Array.from(IDENTITY)),
        name,
      ),
      materialOfPart: pieces.map(({ primitive }) => {
        const material = primitive.getMaterial();
        return material ? materials.indexOf(material) : -1;
      }),
      ...(skin ? { skin: readSkin(skin, pieces, nodes, log) } : {}),
      targets: listTargets(node, pieces, Array.isArray(targetNames) ? targetNames : []),
      ...(isFilled(extras) ? { extras } : {}),
    };
  });
}

function readSkin(
  skin: GltfSkin,
  pieces: readonly GltfPiece[],
  nodes: GltfNodes,
  log?: (message: string) => void,
): SceneSkin {
  const joints = skin.listJoints().map((node) => nodes.treeOf(node));
  const stored = skin.getInverseBindMatrices();
  const inverseBinds = new Float64Array(16 * joints.length);
  if (stored) inverseBinds.set(floatsOf(stored).subarray(0, inverseBinds.length));
  else for (let j = 0; j < joints.length; j++) inverseBinds.set(IDENTITY, 16 * j);
  const same = Uint32Array.from(joints, (_, j) => j);
  const weights = readGltfWeights(
    pieces,
    pieces.map(() => same),
    log,
  );
  return { joints, inverseBinds, weights, ...(skin.getName() ? { name: skin.getName() } : {}) };
}

function listTargets(node: Node, pieces: readonly GltfPiece[], names: readonly unknown[]): SceneTarget[] {
  const count = Math.max(...pieces.map(({ primitive }) => primitive.listTargets().length));
  const last = pieces[pieces.length - 1];
  const size = 3 * (last.vertexStart + last.vertexCount);
  const rest = [node.getWeights(), meshOf(node).getWeights()].find((list) => list.length > 0) ?? [];
  return Array.from({ length: count }, (_, t): SceneTarget => {
    const gather = (semantic: string): Float32Array | undefined => {
      const stored = pieces.map(({ primitive }) => primitive.listTargets()[t]?.getAttribute(semantic));
      if (!stored.some(Boolean)) return undefined;
      const out = new Float32Array(size);
      stored.forEach((accessor, p) => {
        if (accessor) out.set(floatsOf(accessor), 3 * pieces[p].vertexStart);
      });
      return out;
    };
    const name = names[t];
    const normals = gather('NORMAL');
    return {
      name: typeof name === 'string' ? name : `target ${t}`,
      positions: gather('POSITION') ?? new Float32Array(size),
      weight: rest[t] ?? 0,
      ...(normals ? { normals } : {}),
    };
  });
}

function listCameras(json: GLTF.IGLTF, treeOf: (index: number) => number): SceneCamera[] {
  return (json.nodes ?? []).flatMap(({ camera: index }, n): SceneCamera[] => {
    const camera = index === undefined ? undefined : json.cameras?.[index];
    if (!camera) return [];
    const own = { node: treeOf(n), name: camera.name ?? '' };
    const { perspective, orthographic } = camera;
    if (orthographic) {
      const { xmag: width, ymag: height, znear: near, zfar: far } = orthographic;
      return [{ ...own, kind: 'orthographic', width, height, near, far }];
    }
    if (!perspective) return [];
    const { yfov: fieldOfView, aspectRatio: aspect, znear: near, zfar: far } = perspective;
    return [{ ...own, kind: 'perspective', fieldOfView, aspect, near, far }];
  });
}

/** A light in the JSON of a glTF, which no schema has checked. */
type StoredLight = Partial<Record<'name' | 'type' | 'color' | 'intensity' | 'range' | 'spot', unknown>>;

function listLights(json: GLTF.IGLTF, treeOf: (index: number) => number): SceneLight[] {
  const { lights } = (json.extensions?.[LIGHTS] ?? {}) as { lights?: unknown };
  const stored = Array.isArray(lights) ? (lights as StoredLight[]) : [];
  return (json.nodes ?? []).flatMap(({ extensions }, n): SceneLight[] => {
    const { light: index } = (extensions?.[LIGHTS] ?? {}) as { light?: number };
    const light = index === undefined ? undefined : stored[index];
    if (!light) return [];
    const { name, type, color, intensity, range, spot } = light;
    const [red, green, blue] = Array.isArray(color) ? color.map((x) => numberOf(x, 1)) : [1, 1, 1];
    const { innerConeAngle, outerConeAngle } = (spot ?? {}) as Record<string, unknown>;
    return [
      {
        node: treeOf(n),
        name: typeof name === 'string' ? name : '',
        kind: type === 'directional' || type === 'spot' ? type : 'point',
        color: [red, green, blue],
        intensity: numberOf(intensity, 1),
        ...(typeof range === 'number' ? { range } : {}),
        ...(type === 'spot' ? { cone: [numberOf(innerConeAngle, 0), numberOf(outerConeAngle, Math.PI / 4)] } : {}),
      },
    ];
  });
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}

function isFilled(extras: unknown): extras is Extras {
  return typeof extras === 'object' && extras !== null && Object.keys(extras).length > 0;
}
