// SPDX-License-Identifier: MIT
import type { JsonObject } from '../../../deformers/layout/index.ts';

const EXTENSION = 'KHR_animation_pointer';
const MOTION = /^\/nodes\/(0|[1-9]\d*)\/(translation|rotation|scale|weights)$/;

/**
 * Makes plain channels of pointers to the translation, the rotation, the scale or the morph weights of a node: they mean the same. Returns their number. The JSON is not
 * checked yet, so every access is guarded. Changed in place.
 */
export function resolveNodePointersInto(json: unknown): number {
  let count = 0;
  for (const animation of listOf(json, 'animations'))
    for (const { target } of listOf(animation, 'channels')) {
      if (!isObject(target) || target.path !== 'pointer' || !isObject(target.extensions)) continue;
      const { [EXTENSION]: own, ...others } = target.extensions;
      const [, node, path] = MOTION.exec(String(isObject(own) ? own.pointer : '')) ?? [];
      if (path === undefined) continue;
      Object.assign(target, { node: Number(node), path });
      if (Object.keys(others).length > 0) target.extensions = others;
      else delete target.extensions;
      count++;
    }
  return count;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function listOf(parent: unknown, name: string): JsonObject[] {
  const list = isObject(parent) ? parent[name] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}
