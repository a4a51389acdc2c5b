// SPDX-License-Identifier: MIT

/** Codecs of --for size. */
export const SIZE_CODECS = ['auto', 'draco', 'meshopt', 'ossify'] as const;
export type SizeCodec = (typeof SIZE_CODECS)[number];
