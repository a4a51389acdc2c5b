// SPDX-License-Identifier: MIT
import type { MeshLevel } from '../../core/model/mesh/mesh-level.ts';
import type { Method } from '../../core/options/method.ts';
import { checkLevelOptions, LEVEL_OPTIONS } from './options.ts';
import type { LevelInput } from './solve.ts';

/** Poses in which written levels are measured. */
export const MEASURED_POSES = 48;

/** Bytes per vertex and pose: its quadric (80) and its map (48). */
const POSE_BYTES = 128;

/** Levels of detail: fewer triangles, and fewer bones. */
export const levelsMethod = {
  name: 'lod',
  summary: 'levels of detail, chosen by the motion of the surface',
  options: LEVEL_OPTIONS,
  capabilities: { goals: ['max'], keeps: ['skeleton', 'weights'], noise: false, corrections: false },
  check: checkLevelOptions,
  plan: ({ poses }, _, { vertexCount }) => ({
    strategy: 'whole',
    reads: 'clip',
    bytes: Math.max(2, poses) * vertexCount * POSE_BYTES,
  }),
  load: () => import('./solve.ts'),
} satisfies Method<typeof LEVEL_OPTIONS, LevelInput, MeshLevel[]>;
