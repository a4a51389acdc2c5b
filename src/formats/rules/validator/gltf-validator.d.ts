// SPDX-License-Identifier: MIT
// Types of the Khronos validator, a development dependency without types, as far as the tests use it.
declare module 'gltf-validator' {
  interface ValidatorMessage {
    code: string;
    message: string;
    /** 0 error, 1 warning, 2 information, 3 hint */
    severity: number;
    pointer?: string;
  }
  export function validateBytes(
    bytes: Uint8Array,
    options?: { maxIssues?: number; externalResourceFunction?: (uri: string) => Promise<Uint8Array> },
  ): Promise<{ issues: { messages: ValidatorMessage[] } }>;
}
