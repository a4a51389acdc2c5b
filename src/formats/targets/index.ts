// SPDX-License-Identifier: MIT
export { cutSkin } from './cut-influences.ts';
export { fitMeshes, fitScene } from './fit-scene.ts';
export { listSettings, type SettingRow } from './list-settings.ts';
export { type ImageFacts, measureImage } from './measure-image.ts';
export { reindexScene } from './nodes/reindex-scene.ts';
export { placeScene, type ScenePlace } from './place-scene.ts';
export { splitTakes, type Take } from './split-takes.ts';
export type { NameRule, Setting, StoredForm, Target, TargetName } from './target.ts';
export { TARGET_NAMES, TARGETS } from './targets.ts';
