// SPDX-License-Identifier: MIT
// Options for common uses. A preset sets only options that a job has.
import type { Json } from '../../../src/entry/index.ts';

export interface Preset {
  id: string;
  title: string;
  does: string;
  /** Options by job; '*' for all jobs. */
  values: Readonly<Record<string, Record<string, Json>>>;
}

export const PRESETS: readonly Preset[] = [
  {
    id: 'web',
    title: 'Web',
    does: 'Four rigid bones per vertex, in few bytes: plays in every viewer',
    values: {
      '*': { influences: 4, quantize: true, meshopt: true },
      decompose: { transforms: 'rigid', bones: 30 },
      compress: { influences: 8, virtualBones: 200 },
    },
  },
  {
    id: 'mobile',
    title: 'Mobile',
    does: 'Two bones per vertex and few bones, in few bytes',
    values: {
      '*': { influences: 2, quantize: true, meshopt: true },
      decompose: { transforms: 'rigid', bones: 16 },
      skeleton: { bones: 16 },
      compress: { influences: 4, virtualBones: 100 },
      convert: { helpers: 2 },
    },
  },
  {
    id: 'film',
    title: 'Film preview',
    does: 'Many bones that stretch, with corrective shapes',
    values: {
      '*': { influences: 8 },
      decompose: { transforms: 'affine', bones: 80, corrections: 5 },
      compress: { influences: 8, virtualBones: 500 },
      convert: { helpers: 16, transforms: 'similarity' },
    },
  },
];

/** The values of a preset for a job with these options. */
export function valuesOf(preset: Preset, job: string, keys: readonly string[]): Record<string, Json> {
  const all = { ...preset.values['*'], ...preset.values[job] };
  return Object.fromEntries(Object.entries(all).filter(([key]) => keys.includes(key)));
}
