// SPDX-License-Identifier: MIT
export { buildId } from './build-id.ts';
export { listInputFiles, matchesPattern } from './list-input-files.ts';
export { makeDiskIo } from './make-disk-io.ts';
export { makeFolder, removeFolders } from './make-folder.ts';
export { openFiles } from './open-files.ts';
export { version } from './package-version.ts';
export { describeReadError, readBytes } from './read-bytes.ts';
export { makeResourceReader } from './resource-folder.ts';
export {
  addTemporary,
  dropTemporary,
  hasTemporaries,
  nameTemporary,
  removeTemporaries,
  sweepTemporaries,
} from './temporary-files.ts';
export { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folders.ts';
export { checkOutputs, describeWriteError, writeOutputs } from './write-output.ts';
