// SPDX-License-Identifier: MIT
import { checkVrm0 } from './check-vrm0.ts';
import { checkNodesAndMaterials, checkSpringBones, checkVrm1 } from './check-vrm1.ts';
import { fieldOf, isObject } from './json-walk.ts';
import { isAvatarExtension } from './move-avatar.ts';
import { VrmCheck, type VrmFault } from './vrm-faults.ts';

export type { VrmFault } from './vrm-faults.ts';

/**
 * Checks the avatar of a glTF against the rules of VRM 0.0 and 1.0 (vrm-c/vrm-specification): schemas of their extensions, indices, the bones that a humanoid needs
 * and their order, and springs. Empty if the avatar is sound. A file without an avatar has one fault.
 * @param json the JSON of the glTF
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises';
 * import { checkVrm, readAsset } from 'ossify';
 *
 * const { source } = await readAsset([{ name: 'hero.vrm', bytes: await readFile('hero.vrm') }]);
 * console.log(checkVrm(source!.json));
 * ```
 */
export function checkVrm(json: Record<string, unknown>): VrmFault[] {
  const check = new VrmCheck(json);
  const extensions = fieldOf(json, 'extensions');
  const used: readonly unknown[] = Array.isArray(json.extensionsUsed) ? json.extensionsUsed : [];
  for (const name of Object.keys(extensions))
    if (isAvatarExtension(name) && !used.includes(name)) check.add('used', 'extensionsUsed', `does not list ${name}`);
  const { VRM: old, VRMC_vrm: avatar, VRMC_springBone: springs } = extensions;
  if (isObject(old)) checkVrm0(check, old);
  if (isObject(avatar)) checkVrm1(check, avatar);
  if (!isObject(old) && !isObject(avatar))
    check.add('avatar', 'extensions', 'has neither VRM nor VRMC_vrm: the file holds no avatar');
  if (isObject(springs)) checkSpringBones(check, springs);
  checkNodesAndMaterials(check);
  return check.faults;
}
