// SPDX-License-Identifier: MIT

/** A remark of the Khronos validator. */
export interface ValidatorRemark {
  severity: 'error' | 'warning' | 'information' | 'hint';
  message: string;
  /** Place in the file. */
  pointer: string;
}

const SEVERITIES = ['error', 'warning', 'information', 'hint'] as const;
const MAX_REMARKS = 200;

/** Checks a GLB with the Khronos validator, which is loaded for it. */
export async function validateModel(bytes: Uint8Array): Promise<ValidatorRemark[]> {
  const { validateBytes } = await import('gltf-validator');
  const { issues } = await validateBytes(bytes, { maxIssues: MAX_REMARKS });
  return issues.messages.map(({ severity, message, pointer = '' }) => ({
    ...{ severity: SEVERITIES[severity] ?? 'hint', message, pointer },
  }));
}
