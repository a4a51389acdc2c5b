// SPDX-License-Identifier: MIT
import { UsageError } from '../../core/model/errors.ts';
import { splitGlb } from '../../formats/gltf/index.ts';
import { checkVrm } from '../../formats/vrm/index.ts';
import type { OutputFile } from '../engine/index.ts';

/**
 * Checks the outputs that are named as avatars (.vrm). Throws a UsageError if one holds no avatar: no program would open it.
 * @param note receives a sentence about an avatar that breaks rules of VRM
 */
export function checkAvatars(files: readonly OutputFile[], note: (sentence: string) => void): void {
  for (const { path, bytes } of files) {
    if (!/\.vrm$/i.test(path) || typeof bytes === 'string') continue;
    const faults = checkVrm(splitGlb(bytes).json as Record<string, unknown>);
    if (faults.length === 0) continue;
    const [{ rule, where, message }] = faults;
    if (rule === 'avatar')
      throw new UsageError('output', `"${path}" would hold no avatar, since the input has none; write .glb instead`);
    const count = faults.length === 1 ? 'one rule' : `${faults.length} rules`;
    note(`the avatar breaks ${count} of VRM: ${where} ${message}${faults.length > 1 ? '; …' : ''}`);
  }
}
