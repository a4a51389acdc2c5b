// SPDX-License-Identifier: MIT
export { checkFile, type FileToCheck } from './check-file.ts';
export { describePlace, type Finding, type Place, type Severity } from './finding.ts';
export { type FixedAsset, fixAsset } from './fix-asset.ts';
export type { ReaderRemark } from './list-reader-findings.ts';
