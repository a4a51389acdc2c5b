// SPDX-License-Identifier: MIT
import { addInnerShapes, addLegacyObjects } from './fbx-legacy.ts';
import {
  type FbxNode,
  type FbxTree,
  type FbxValue,
  findFbxChild,
  listFbxChildren,
  numberOfFbx,
  textOfFbx,
} from './fbx-node.ts';
import { FBX_ROOT, type FbxCollection, type FbxObject, idOf, makeFbxObject, readProperties } from './fbx-object.ts';

/** One end of a connection, and the property that it is connected to, '' for the object itself. */
export interface FbxLink {
  object: FbxObject;
  property: string;
}

export interface FbxObjects {
  version: number;
  objects: FbxObject[];
  get(id: string): FbxObject | undefined;
  /** What is connected to an object, in the order of the file; '0' is the scene. */
  childrenOf(id: string): readonly FbxLink[];
  /** What an object is connected to. */
  parentsOf(id: string): readonly FbxLink[];
  settings: FbxObject;
  ticksPerSecond: number;
  /** The program that wrote the file, '' if it is not stated. */
  creator: string;
}

/** Time units per second, and those that a header may choose since FBX 7.7. */
const TICKS = 46_186_158_000;
const TICKS_OF_HEADER = 141_120_000;
const OLD_TICKS_CODE = 127;

/** Lists the objects of an FBX with their properties and connections. FBX 6 files get the objects that FBX 7 would store. */
export function listFbxObjects(tree: FbxTree): FbxObjects {
  const top = (name: string): FbxNode | undefined => tree.nodes.find((node) => node.name === name);
  const templates = readTemplates(top('Definitions'));
  const objects = new Map<string, FbxObject>();
  const children = new Map<string, FbxLink[]>();
  const parents = new Map<string, FbxLink[]>();
  const collection: FbxCollection = {
    objects,
    connect(child, parent, property = '') {
      const below = objects.get(child);
      if (!below) return;
      addTo(children, parent, { object: below, property });
      const above = objects.get(parent);
      if (above) addTo(parents, child, { object: above, property });
    },
  };
  for (const node of top('Objects')?.children ?? []) {
    const object = makeFbxObject(node, templates.get(node.name));
    if (object && !objects.has(object.id)) objects.set(object.id, object);
  }
  const isLegacy = tree.version < 7000;
  if (isLegacy) addLegacyObjects(collection, tree);
  else
    for (const object of [...objects.values()])
      if (object.kind === 'Geometry') addInnerShapes(collection, object, object.id);
  for (const { values } of top('Connections')?.children ?? []) {
    const [kind, child, parent, property] = values;
    if (kind !== 'OO' && kind !== 'OP') continue;
    const to = idOf(parent);
    collection.connect(
      idOf(child),
      isLegacy && to === 'Model::Scene' ? FBX_ROOT : to,
      kind === 'OP' && typeof property === 'string' ? property : '',
    );
  }
  const settingsNode = top('GlobalSettings') ?? findFbxChild(top('Objects'), 'GlobalSettings');
  return {
    version: tree.version,
    objects: [...objects.values()],
    get: (id) => objects.get(id),
    childrenOf: (id) => children.get(id) ?? [],
    parentsOf: (id) => parents.get(id) ?? [],
    settings: {
      id: '',
      kind: 'GlobalSettings',
      name: '',
      type: '',
      node: settingsNode ?? { name: 'GlobalSettings', values: [], children: [] },
      properties: readProperties(settingsNode),
    },
    ticksPerSecond: readTicks(top('FBXHeaderExtension'), tree.version),
    creator: String(top('Creator')?.values[0] ?? textOfFbx(top('FBXHeaderExtension'), 'Creator')),
  };
}

/** Default properties by kind of object. */
function readTemplates(definitions: FbxNode | undefined): Map<string, Map<string, FbxValue[]>> {
  const templates = new Map<string, Map<string, FbxValue[]>>();
  for (const type of listFbxChildren(definitions, 'ObjectType')) {
    const [kind] = type.values;
    const template = findFbxChild(type, 'PropertyTemplate');
    if (typeof kind === 'string' && template) templates.set(kind, readProperties(template));
  }
  return templates;
}

function readTicks(header: FbxNode | undefined, version: number): number {
  const headerVersion = numberOfFbx(findFbxChild(header, 'FBXHeaderVersion')?.values[0]) ?? 0;
  const code = numberOfFbx(findFbxChild(findFbxChild(header, 'OtherFlags'), 'TCDefinition')?.values[0]);
  if (headerVersion < 1004 || code === undefined) return version < 8000 ? TICKS : TICKS_OF_HEADER;
  return code === OLD_TICKS_CODE ? TICKS : TICKS_OF_HEADER;
}

function addTo(map: Map<string, FbxLink[]>, key: string, link: FbxLink): void {
  const list = map.get(key);
  if (list) list.push(link);
  else map.set(key, [link]);
}
