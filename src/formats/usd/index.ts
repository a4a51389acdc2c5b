// SPDX-License-Identifier: MIT
export { checkUsdz } from './check/check-usdz.ts';
export type { UsdzFault, UsdzRule } from './check/usdz-fault.ts';
export { type UsdSceneFiles, type WriteUsdSceneOptions, writeUsdScene } from './write/write-usd-scene.ts';
export { type WriteUsdOptions, writeUsda } from './write-usda.ts';
export { writeUsdz } from './write-usdz.ts';
