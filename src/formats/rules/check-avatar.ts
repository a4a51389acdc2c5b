// SPDX-License-Identifier: MIT
import { checkVrm } from '../vrm/index.ts';
import type { Finding } from './finding.ts';

const REMEDIES: Readonly<Record<string, string>> = {
  avatar: 'export it as VRM, with a humanoid, from UniVRM or the VRM add-on of Blender',
  'bone-required': 'assign the bone to a joint',
  'bone-name': 'use the names of the specification',
  'bone-unique': 'assign each joint to one bone',
  'bone-parent': 'place the joint below that of the bone above it',
  'bone-scale': 'apply the scale to the mesh',
  meta: 'fill it in: programs show it to users',
};

/** Checks the avatar of a glTF by the rules of VRM. */
export function checkAvatar(json: Readonly<Record<string, unknown>>): Finding[] {
  return checkVrm({ ...json }).map(({ rule, where, message }) => ({
    rule: `vrm-${rule}`,
    severity: 'error',
    place: { where },
    fault: message,
    remedy: REMEDIES[rule] ?? 'correct the avatar in the program that wrote it',
    canFix: false,
  }));
}
