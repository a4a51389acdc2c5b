// SPDX-License-Identifier: MIT
// Numbers that are animated by KHR_animation_pointer.
import type { Document, GLTF } from '@gltf-transform/core';
import type { AnimatedProperty } from '../../../core/model/clip/animated-property.ts';
import type { Interpolation } from '../../../core/model/clip/animation.ts';
import { floatsOf } from '../document/read-accessor.ts';

/** A channel that animates a property by its pointer. */
export interface PointerChannel {
  animation: GLTF.IAnimation;
  pointer: string;
  /** Indices of accessors. */
  input: number;
  output: number;
  interpolation: Interpolation;
  /** Numbers in the file. */
  rest: number[];
}

const EXTENSION = 'KHR_animation_pointer';
/** Properties that are motion and not inputs. */
const MOTION = /^\/nodes\/\d+\/(translation|rotation|scale|weights)(\/|$)/;
/** Maximum number of properties, and of components of one. */
const MAX_PROPERTIES = 256;
const MAX_COMPONENTS = 16;

/** Lists the channels of a checked JSON, before channels that move no node are removed. */
export function listGltfPointers(json: GLTF.IGLTF): PointerChannel[] {
  return (json.animations ?? []).flatMap((animation) =>
    (animation.channels ?? []).flatMap(({ target, sampler }) => {
      const { pointer } = (target.extensions?.[EXTENSION] ?? {}) as { pointer?: unknown };
      if (typeof pointer !== 'string' || !pointer.startsWith('/') || MOTION.test(pointer)) return [];
      const { input, output, interpolation = 'LINEAR' } = animation.samplers[sampler];
      return [
        {
          animation,
          pointer,
          input,
          output,
          interpolation: interpolation as Interpolation,
          rest: restOf(json, pointer),
        },
      ];
    }),
  );
}

/** Reads the keys of pointers. Channels whose numbers of times and values do not match are ignored with a warning. */
export function readGltfProperties(
  document: Document,
  json: GLTF.IGLTF,
  channels: readonly PointerChannel[],
  log?: (message: string) => void,
): AnimatedProperty[] {
  const accessors = document.getRoot().listAccessors();
  const animations = json.animations ?? [];
  const found = new Map<string, AnimatedProperty>();
  const names = new Set<string>();
  for (const { animation, pointer, input, output, interpolation, rest } of channels) {
    const place = animations.indexOf(animation);
    if (place < 0) continue;
    const [times, values] = [floatsOf(accessors[input]), floatsOf(accessors[output])];
    const perKey = interpolation === 'CUBICSPLINE' ? 3 : 1;
    const size = values.length / (perKey * times.length);
    const isAscending = times.every((time, k) => Number.isFinite(time) && (k === 0 || time > times[k - 1]));
    if (!(Number.isInteger(size) && size >= 1 && size <= MAX_COMPONENTS) || !isAscending) {
      log?.(`the keys of "${pointer}" are ignored: their times and values do not match`);
      continue;
    }
    if (!values.every(Number.isFinite)) {
      log?.(`the keys of "${pointer}" are ignored: a value is not finite`);
      continue;
    }
    for (let c = 0; c < size; c++) {
      const key = `${pointer} ${c}`;
      if (!found.has(key) && found.size >= MAX_PROPERTIES) continue;
      const own = values.filter((_, e) => e % size === c);
      const property = found.get(key) ?? {
        name: nameOf(pointer, size > 1 ? c : undefined, names),
        ...{ pointer: size > 1 ? `${pointer}/${c}` : pointer, rest: rest[c] ?? own[perKey === 3 ? 1 : 0] },
        tracks: animations.map(() => undefined),
      };
      names.add(property.name);
      property.tracks[place] = { node: -1, path: 'weights', interpolation, times, values: own };
      found.set(key, property);
    }
  }
  return [...found.values()];
}

/** The numbers that a pointer refers to; empty if there are none. */
function restOf(json: GLTF.IGLTF, pointer: string): number[] {
  let at: unknown = json;
  for (const part of pointer.slice(1).split('/')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, unescapePart(part))) return [];
    at = (at as Record<string, unknown>)[unescapePart(part)];
  }
  const list = Array.isArray(at) ? at : [at];
  return list.every((x) => typeof x === 'number' && Number.isFinite(x)) ? list : [];
}

function nameOf(pointer: string, component: number | undefined, names: ReadonlySet<string>): string {
  const last = unescapePart(pointer.slice(pointer.lastIndexOf('/') + 1)).slice(0, 100) || 'property';
  const plain = component === undefined ? last : `${last} ${component}`;
  let name = plain;
  for (let n = 2; names.has(name); n++) name = `${plain} ${n}`;
  return name;
}

/** RFC 6901. */
function unescapePart(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
