// SPDX-License-Identifier: MIT
import { listHumanBones } from './human-bones.ts';
import { fieldOf, type Json } from './json-walk.ts';

/** The node of a human bone of an avatar, such as 'hips'; undefined if the glTF holds no avatar or the avatar has no such bone. */
export function findHumanNode(gltf: Json, bone: string): number | undefined {
  const extensions = fieldOf(gltf, 'extensions');
  for (const [name, version] of [
    ['VRMC_vrm', 1],
    ['VRM', 0],
  ] as const) {
    if (!(name in extensions)) continue;
    const node = listHumanBones(fieldOf(extensions, name), version).find((one) => one.name === bone)?.node;
    if (typeof node === 'number' && Number.isInteger(node) && node >= 0) return node;
  }
  return undefined;
}
