// SPDX-License-Identifier: MIT
import type { Object3D } from 'three';
import type { GLTF, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { faultOf } from '../../core/model/errors.ts';
import { plainText, quoteName } from '../../core/model/plain-text.ts';
import { LevelOfDetail } from './level-of-detail.ts';
import { listOf } from './load/load-extension.ts';

/** A node of the JSON, as far as it is read here. Nothing in it is checked. */
interface LevelNode {
  extensions?: { MSFT_lod?: { ids?: unknown } };
  extras?: { MSFT_screencoverage?: unknown };
}

/** Maximum levels of a node. */
const MAX_LEVELS = 16;
/** Ratio of the coverages of two levels in files without MSFT_screencoverage. */
const DEFAULT_STEP = 0.4;

/**
 * Replaces the nodes of a loaded file that have levels (MSFT_lod) by LevelOfDetail objects. The nodes of the levels are loaded here, and share the bones of
 * the file. A node whose levels cannot be loaded is left unchanged, with a warning. Changed in place.
 */
export async function addLevelsOfDetail(gltf: GLTF, parser: GLTFParser, warn: (text: string) => void): Promise<void> {
  const nodes = listOf<LevelNode | null>(parser.json.nodes);
  const found: { object: Object3D; node: LevelNode; ids: number[] }[] = [];
  for (const scene of gltf.scenes)
    scene.traverse((object) => {
      const node = nodes[parser.associations.get(object)?.nodes ?? -1];
      const ids = node?.extensions?.MSFT_lod?.ids;
      if (!node || !Array.isArray(ids) || ids.length === 0 || found.some((one) => one.object === object)) return;
      found.push({ object, node, ids: ids.slice(0, MAX_LEVELS) });
    });
  for (const { object, node, ids } of found) {
    const { parent } = object;
    if (!parent) continue;
    try {
      if (!ids.every((id) => Number.isInteger(id) && id >= 0 && id < nodes.length))
        throw new Error('MSFT_lod refers to nodes that do not exist');
      const levels: Object3D[] = await Promise.all(ids.map((id) => parser.getDependency('node', id)));
      if (levels.some((level) => level.parent !== null)) throw new Error('a level is part of the scene');
      const place = parent.children.indexOf(object);
      const group = new LevelOfDetail([object, ...levels], listCoverage(node, levels.length + 1));
      parent.add(group);
      parent.children.splice(place, 0, ...parent.children.splice(-1));
    } catch (error) {
      warn(`${quoteName(object.name)} is shown without levels of detail: ${plainText(faultOf(error))}`);
    }
  }
}

/** Least coverage of each level: the numbers of the file if they fall, else falling by a constant ratio. */
function listCoverage({ extras }: LevelNode, count: number): number[] {
  const given = extras?.MSFT_screencoverage;
  const isUsable =
    Array.isArray(given) &&
    given.length >= count - 1 &&
    given.every((x, n) => typeof x === 'number' && x >= 0 && x <= 1 && (n === 0 || x <= given[n - 1]));
  return Array.from({ length: count }, (_, n) => (isUsable ? (given[n] ?? 0) : DEFAULT_STEP ** (n + 1)));
}
