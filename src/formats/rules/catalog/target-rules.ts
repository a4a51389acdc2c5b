// SPDX-License-Identifier: MIT
import { worldsOfNodes } from '../../../core/model/skin/worlds-of-nodes.ts';
import type { Scene } from '../../gltf/index.ts';
import type { Setting, Target } from '../../targets/index.ts';
import type { Fault, Rule } from '../rule.ts';
import { readImageHeader } from './read-image-header.ts';
import { listJoints, listRoots, listSkeletonNodes, measureShear, nodeName, shapeName } from './scene-facts.ts';

/** Difference of a scale from one, and of a rotation from none, that is no rounding. */
const ERROR = 1e-3;

/** Makes the rules of a target of its table of settings. */
export function makeTargetRules(target: Target): Rule[] {
  const { title, root, scale, names, influences, bones, takes, images, imageSize } = target;
  const make = <T>(
    id: string,
    setting: Setting<T> | undefined,
    check: (scene: Scene, value: T, added?: number) => Fault[],
  ): Rule[] =>
    setting
      ? [
          {
            id: `${target.name}-${id}`,
            severity: 'warning',
            title: `${title}: ${setting.reason}`,
            remedy: lower(setting.reason),
            check: ({ scene, added }) => check(scene, setting.value, added),
          },
        ]
      : [];
  return [
    ...make('root', root, checkRoot),
    ...make('scale', scale, checkScale),
    ...make('names', names, checkNames),
    ...make('influences', influences, checkInfluences),
    ...make('bones', bones, checkBones),
    ...make('takes', takes, checkTakes),
    ...make('images', images, checkImages),
    ...make('image-size', imageSize, checkImageSize),
  ];
}

/** A reason as the end of a sentence. */
const lower = (reason: string): string => {
  const text = reason.replace(/\.$/, '');
  return /^[A-Z][a-z]/.test(text) && !/^(Unreal|Unity|Godot|Blender|Quick|WebP|UniVRM|Interchange)/.test(text)
    ? `${text[0].toLowerCase()}${text.slice(1)}`
    : text;
};

function checkRoot(scene: Scene, name: string, added?: number): Fault[] {
  const { nodes } = scene;
  const tops = listRoots(nodes, added);
  const roots = [...new Set([...listJoints(scene)].map((joint) => tops[joint]))];
  if (roots.length > 1) {
    const listed = roots.slice(0, 4).map((n) => nodeName(nodes, n));
    const more = roots.length > 4 ? ', …' : '';
    const fault = `the skeletons have ${roots.length} roots: ${listed.join(', ')}${more}`;
    return [{ place: { node: listed[0] }, fault, severity: 'error' }];
  }
  return roots.flatMap((n): Fault[] => {
    const place = { node: nodeName(nodes, n) };
    const turned = nodes.rotations.subarray(4 * n, 4 * n + 3).some((x) => Math.abs(x) > ERROR);
    return [
      ...(nodes.names[n] === name ? [] : [{ place, fault: `the root of the skeleton is not named ${name}` }]),
      ...(turned ? [{ place, fault: 'the root of the skeleton is turned at rest' }] : []),
    ];
  });
}

function checkScale(scene: Scene, _one: 'one', added?: number): Fault[] {
  const { nodes } = scene;
  const scaled = [...listSkeletonNodes(scene)].filter(
    (n) => n !== added && nodes.scales.subarray(3 * n, 3 * n + 3).some((x) => Math.abs(x - 1) > ERROR),
  );
  if (scaled.length === 0) return [];
  const place = { joint: nodeName(nodes, scaled[0]), count: scaled.length };
  return [{ place, fault: `${scaled.length} nodes of the skeleton are scaled at rest, this first` }];
}

function checkNames(
  { nodes, animations }: Scene,
  { refused, characters, longest }: { refused: RegExp; characters: string; longest: number },
): Fault[] {
  const isRefused = new RegExp(refused.source, refused.flags.replace('g', ''));
  const byteLength = (name: string): number => new TextEncoder().encode(name).length;
  const listed = [
    ...nodes.names.map((name) => ({ name, place: { node: name } })),
    ...animations.map(({ name }) => ({ name, place: { animation: name } })),
  ];
  const wrong = listed.flatMap(({ name, place }): Fault[] => {
    if (isRefused.test(name)) return [{ place, fault: `its name has one of the characters ${characters}` }];
    return byteLength(name) > longest ? [{ place, fault: `its name has more than ${longest} bytes` }] : [];
  });
  const [first] = wrong;
  return wrong.length < 2
    ? wrong
    : [
        {
          place: { ...first.place, count: wrong.length },
          fault: `${first.fault}, and ${wrong.length - 1} others have`,
        },
      ];
}

function checkInfluences(scene: Scene, most: number): Fault[] {
  return scene.shapes.flatMap((shape): Fault[] => {
    const rows = shape.skin?.weights.rowStart;
    if (!rows) return [];
    const counts = [...rows.keys()].slice(0, -1).map((i) => rows[i + 1] - rows[i]);
    const vertex = counts.findIndex((count) => count > most);
    if (vertex < 0) return [];
    const count = counts.filter((own) => own > most).length;
    const fault = `${count} vertices follow more than ${most} joints, up to ${counts.reduce((a, b) => Math.max(a, b))}`;
    return [{ place: { mesh: shapeName(scene, shape), vertex, count }, fault }];
  });
}

function checkBones(scene: Scene, kind: 'rigid' | 'similarity' | 'affine'): Fault[] {
  if (kind === 'affine') return [];
  const { nodes } = scene;
  const worlds = worldsOfNodes(nodes);
  const wrong = [...listJoints(scene)].filter((n) => {
    const scales = nodes.scales.subarray(3 * n, 3 * n + 3);
    return measureShear(worlds, 16 * n) > ERROR || (kind === 'rigid' && scales.some((x) => Math.abs(x - 1) > ERROR));
  });
  if (wrong.length === 0) return [];
  const place = { joint: nodeName(nodes, wrong[0]), count: wrong.length };
  const what = kind === 'rigid' ? 'sheared or scaled' : 'sheared';
  return [{ place, fault: `${wrong.length} joints are ${what} at rest, this first` }];
}

function checkTakes({ animations }: Scene, takes: 'all' | 'one'): Fault[] {
  if (takes === 'all' || animations.length < 2) return [];
  return [{ place: { animation: animations[1].name || '1' }, fault: `the file has ${animations.length} animations` }];
}

function checkImages({ look: { images } }: Scene, types: readonly string[]): Fault[] {
  return images.flatMap(({ bytes, name }, n): Fault[] => {
    const { type } = readImageHeader(bytes);
    return type === '' || types.includes(type) ? [] : [{ place: { image: name || String(n) }, fault: `it is ${type}` }];
  });
}

function checkImageSize({ look: { images } }: Scene, most: number): Fault[] {
  return images.flatMap(({ bytes, name }, n): Fault[] => {
    const { width, height } = readImageHeader(bytes);
    if (Math.max(width, height) <= most) return [];
    return [{ place: { image: name || String(n) }, fault: `it has ${width} x ${height} pixels, more than ${most}` }];
  });
}
