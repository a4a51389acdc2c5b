// SPDX-License-Identifier: MIT
// FBX 6 keeps the geometry and the blend shapes of a model inside the model, identifies objects by name, and lists animations as takes: per
// model, channels in channels (Transform, T, X). This adds the objects and connections that FBX 7 stores for the same.
import { type FbxNode, type FbxTree, findFbxChild, listFbxChildren } from './fbx-node.ts';
import { type FbxCollection, type FbxObject, makeFbxObject, propertyOf } from './fbx-object.ts';

const PROPERTY_OF_CHANNEL = new Map([
  ['T', 'Lcl Translation'],
  ['R', 'Lcl Rotation'],
  ['S', 'Lcl Scaling'],
]);

/** Adds the objects of an FBX 6 file that FBX 7 would store apart. */
export function addLegacyObjects(collection: FbxCollection, tree: FbxTree): void {
  for (const model of [...collection.objects.values()]) {
    if (model.kind !== 'Model' || !findFbxChild(model.node, 'Vertices')) continue;
    const geometry = `Geometry::${model.id}`;
    add(collection, geometry, 'Geometry', model.name, 'Mesh', model.node);
    collection.connect(geometry, model.id);
    addInnerShapes(collection, model, geometry);
  }
  const takes = tree.nodes.find(({ name }) => name === 'Takes');
  for (const take of listFbxChildren(takes, 'Take')) addTake(collection, take);
}

/** Adds the blend shapes that an object holds inside: models of FBX 6, and geometries of some files of FBX 7.1. */
export function addInnerShapes(collection: FbxCollection, owner: FbxObject, geometry: string): void {
  const shapes = listFbxChildren(owner.node, 'Shape');
  if (shapes.length === 0) return;
  const deformer = `BlendShape::${owner.id}`;
  add(collection, deformer, 'Deformer', owner.name, 'BlendShape', emptyNode());
  collection.connect(deformer, geometry);
  for (const shape of shapes) {
    const [name] = shape.values;
    if (typeof name !== 'string') continue;
    const channel = channelOf(owner.id, name);
    add(collection, channel, 'Deformer', name, 'BlendShapeChannel', emptyNode());
    const percent = propertyOf(owner, name);
    if (percent) collection.objects.get(channel)?.properties.set('DeformPercent', percent);
    add(collection, `Shape::${channel}`, 'Geometry', name, 'Shape', shape);
    collection.connect(channel, deformer);
    collection.connect(`Shape::${channel}`, channel);
  }
}

function addTake(collection: FbxCollection, take: FbxNode): void {
  const [name] = take.values;
  if (typeof name !== 'string') return;
  const stack = `AnimStack::${name}`;
  const layer = `AnimLayer::${name}`;
  add(collection, stack, 'AnimationStack', name, '', emptyNode());
  add(collection, layer, 'AnimationLayer', name, '', emptyNode());
  collection.connect(layer, stack);
  for (const target of listFbxChildren(take, 'Model')) {
    const model = makeFbxObject(target)?.id;
    if (model === undefined || !collection.objects.has(model)) continue;
    for (const channel of listFbxChildren(target, 'Channel')) {
      const [property] = channel.values;
      if (typeof property !== 'string') continue;
      if (property !== 'Transform') {
        const shape = channelOf(model, property);
        if (collection.objects.has(shape)) addCurves(collection, layer, shape, 'DeformPercent', channel);
        continue;
      }
      for (const part of listFbxChildren(channel, 'Channel')) {
        const full = PROPERTY_OF_CHANNEL.get(String(part.values[0]));
        if (full) addCurves(collection, layer, model, full, part);
      }
    }
  }
}

/** Adds a curve node for a property, with its curve, or one curve per axis. */
function addCurves(collection: FbxCollection, layer: string, target: string, property: string, channel: FbxNode): void {
  const id = `AnimCurveNode::${layer}::${target}::${property}`;
  add(collection, id, 'AnimationCurveNode', property, '', emptyNode());
  collection.connect(id, layer);
  collection.connect(id, target, property);
  const axes = findFbxChild(channel, 'Key') ? [channel] : listFbxChildren(channel, 'Channel');
  const own = collection.objects.get(id);
  for (const axis of axes) {
    const name = axis === channel ? property : String(axis.values[0]);
    const start = findFbxChild(axis, 'Default')?.values;
    if (start) own?.properties.set(`d|${name}`, start);
    if (!findFbxChild(axis, 'Key')) continue;
    add(collection, `AnimCurve::${id}::${name}`, 'AnimationCurve', name, '', axis);
    collection.connect(`AnimCurve::${id}::${name}`, id, `d|${name}`);
  }
}

function channelOf(model: string, shape: string): string {
  return `BlendShapeChannel::${model}::${shape}`;
}

function add({ objects }: FbxCollection, id: string, kind: string, name: string, type: string, node: FbxNode): void {
  if (!objects.has(id)) objects.set(id, { id, kind, name, type, node, properties: new Map() });
}

function emptyNode(): FbxNode {
  return { name: '', values: [], children: [] };
}
