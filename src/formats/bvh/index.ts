// SPDX-License-Identifier: MIT
export { readBvh, readBvhAsset } from './read-bvh.ts';
