// SPDX-License-Identifier: MIT
export { type WriteUsdOptions, writeUsda } from './write-usda.ts';
export { writeUsdz } from './write-usdz.ts';
