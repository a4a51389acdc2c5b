// SPDX-License-Identifier: MIT
// EXT_mesh_gpu_instancing: a node draws its mesh once per row of the attributes TRANSLATION, ROTATION and SCALE, each below the transform of the node. No other format
// has rows of transforms, so every instance becomes a node below it, with the same mesh.
import type { GLTF } from '@gltf-transform/core';
import type { GltfSource } from '../../../core/model/asset.ts';
import { checkDecodedBytes, fail, indexField, objectField } from '../../../deformers/layout/index.ts';
import { jsonAccessor } from '../document/gltf-json.ts';
import { openGltfForReading } from '../document/open-gltf-document.ts';
import { floatsOf } from '../document/read-accessor.ts';

export const INSTANCING = 'EXT_mesh_gpu_instancing';

/** The attributes that place an instance, with the field of a node that each becomes. */
const PLACES = [
  ['TRANSLATION', 'translation', 'VEC3'],
  ['ROTATION', 'rotation', 'VEC4'],
  ['SCALE', 'scale', 'VEC3'],
] as const;

/** Bytes of a node in memory: a compressed row takes less than one in a file. */
const NODE_BYTES = 2000;

/** Accessor indices by attribute. */
type Attributes = Readonly<Record<string, number>>;

/**
 * Replaces instances of a checked JSON by nodes. Animated morph weights move every instance. The JSON is changed in place.
 * @param fileBytes stored bytes, which bound the number of instances
 */
export async function expandInstancesInto(
  json: GLTF.IGLTF,
  resources: GltfSource['resources'],
  fileBytes: number,
  log?: (message: string) => void,
): Promise<void> {
  const { nodes = [] } = json;
  const found = nodes.flatMap((node, n) => {
    const attributes = readAttributes(json, node, n);
    return attributes ? [{ node, n, attributes }] : [];
  });
  for (const list of ['extensionsUsed', 'extensionsRequired'] as const)
    if (json[list]) json[list] = json[list].filter((name) => name !== INSTANCING);
  if (found.length === 0) return;
  const rows = found.map(({ attributes }) => jsonAccessor(json, Object.values(attributes)[0]).count);
  checkDecodedBytes(NODE_BYTES * rows.reduce((sum, count) => sum + count, 0), fileBytes);
  const floats = await readFloats(
    json,
    resources,
    new Set(found.flatMap(({ attributes }) => Object.values(attributes))),
  );
  let count = 0;
  for (const { node, n, attributes } of found) {
    const first = nodes.length;
    for (const instance of listInstances(json, node, attributes, floats)) nodes.push(instance);
    const added = Array.from({ length: nodes.length - first }, (_, i) => first + i);
    node.children = [...(node.children ?? []), ...added];
    delete node.mesh;
    delete node.weights;
    shareWeightChannels(json, n, added);
    count += added.length;
  }
  log?.(`${countOf(count, 'instance')} of ${countOf(found.length, 'node')} (${INSTANCING}) read as nodes`);
}

/** The attributes of a node with instances, whose extension is removed. Nodes without a mesh draw nothing, and skins are not instanced. */
function readAttributes(json: GLTF.IGLTF, node: GLTF.INode, n: number): Attributes | undefined {
  const { [INSTANCING]: own, ...others } = node.extensions ?? {};
  if (own === undefined) return undefined;
  if (Object.keys(others).length > 0) node.extensions = others;
  else delete node.extensions;
  if (node.mesh === undefined || node.skin !== undefined) return undefined;
  const where = `nodes[${n}].extensions.${INSTANCING}`;
  const attributes = objectField(objectField(own, where).attributes, `${where}.attributes`);
  const count = json.accessors?.length ?? 0;
  const known = PLACES.flatMap(([name, , type]) => {
    if (attributes[name] === undefined) return [];
    const index = indexField(attributes[name], count, `${where}.attributes.${name}`, 'accessors');
    const accessor = jsonAccessor(json, index);
    if (accessor.type !== type) fail('syntax', `${where}: ${name} is ${accessor.type} and not ${type}`);
    if (accessor.bufferView === undefined)
      fail('limit', `${where}: ${name} has ${accessor.count} elements without data`);
    return [[name, index] as const];
  });
  const counts = new Set(known.map(([, index]) => jsonAccessor(json, index).count));
  if (counts.size > 1) fail('mismatch', `${where}: the attributes have different numbers of instances`);
  return known.length > 0 ? Object.fromEntries(known) : undefined;
}

/** The numbers of some accessors: sparse and compressed ones are decoded by the reader of documents. */
async function readFloats(
  { asset, buffers, bufferViews, accessors = [], extensionsUsed, extensionsRequired }: GLTF.IGLTF,
  resources: GltfSource['resources'],
  wanted: ReadonlySet<number>,
): Promise<Map<number, Float32Array>> {
  const indices = [...wanted];
  const part: GLTF.IGLTF = {
    ...{ asset, buffers, bufferViews, extensionsUsed, extensionsRequired },
    accessors: indices.map((index) => structuredClone(accessors[index])),
  };
  const document = await openGltfForReading({ json: { ...part }, resources });
  const read = document.getRoot().listAccessors();
  return new Map(indices.map((index, n) => [index, floatsOf(read[n])]));
}

function* listInstances(
  json: GLTF.IGLTF,
  { name, mesh, weights }: GLTF.INode,
  attributes: Attributes,
  floats: ReadonlyMap<number, Float32Array>,
): Generator<GLTF.INode> {
  const { count } = jsonAccessor(json, Object.values(attributes)[0]);
  for (let i = 0; i < count; i++) {
    const instance: GLTF.INode = { ...(name ? { name: `${name} ${i + 1}` } : {}), mesh };
    if (weights) instance.weights = [...weights];
    for (const [attribute, field, type] of PLACES) {
      const values = floats.get(attributes[attribute]);
      const size = type === 'VEC4' ? 4 : 3;
      const own = values ? [...values.subarray(size * i, size * (i + 1))] : undefined;
      if (!own) continue;
      if (!own.every(Number.isFinite))
        fail('value', `an instance of ${name ?? 'a node'} has a place that is not finite`);
      if (size === 3) instance[field] = own;
      else if (own.some((x) => x !== 0)) instance[field] = own.map((x) => x / Math.hypot(...own));
    }
    yield instance;
  }
}

/** Channels of the morph weights of a node become those of its instances. */
function shareWeightChannels(json: GLTF.IGLTF, node: number, instances: readonly number[]): void {
  for (const animation of json.animations ?? [])
    animation.channels = animation.channels.flatMap((channel) =>
      channel.target.node === node && channel.target.path === 'weights'
        ? instances.map((instance) => ({ ...channel, target: { ...channel.target, node: instance } }))
        : [channel],
    );
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
