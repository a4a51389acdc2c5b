// SPDX-License-Identifier: MIT
export { expandGlb } from './compact/expand-glb.ts';
export { writeCompactGlb } from './compact/write-compact-glb.ts';
export type { AnimationContents, Contents } from './contents/contents.ts';
export { listContents, listGlbContents } from './contents/list-contents.ts';
export { listSurfaces } from './document/list-surfaces.ts';
export { packGlb } from './document/pack-glb.ts';
export { splitGlb } from './document/split-glb.ts';
export { changeMotion, type MotionChange } from './scene/change-motion.ts';
export { changeSource } from './scene/change-source.ts';
export { listScene } from './scene/list-scene.ts';
export { listTreeOrder } from './scene/list-tree-order.ts';
export { readScene } from './scene/read-scene.ts';
export type { Scene, SceneCamera, SceneLight, SceneShape, SceneSkin, SceneTarget } from './scene/scene.ts';
export type { SmallPrecision } from './small/small-precision.ts';
export { type SmallGlb, writeSmallGlb } from './small/write-small-glb.ts';
export { writeFittedGlb } from './write/write-fitted-glb.ts';
export { type GltfFiles, writeGltfFiles } from './write/write-gltf-files.ts';
export { type GlbContent, type SkinContent, type WeightsContent, type WriteGlbOptions, writeGlb } from './write-glb.ts';
