// SPDX-License-Identifier: MIT
export { type FbxContent, WRITE_FBX_DEFAULTS, type WriteFbxOptions, writeFbx } from './write/write-fbx.ts';
