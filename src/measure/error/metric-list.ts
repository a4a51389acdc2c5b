// SPDX-License-Identifier: MIT
import type { ErrorReport } from './measure-error.ts';

type Scalar = { [K in keyof ErrorReport]: ErrorReport[K] extends number ? K : never }[keyof ErrorReport];

/** The metrics of reports, in order. docs/reference/metrics.md defines them. */
export const METRICS = [
  {
    key: 'eRms',
    label: 'E_RMS',
    unit: '',
    note: '1000 x rms per coordinate, smallest enclosing ball scaled to radius 1',
  },
  { key: 'distortion', label: 'distortion', unit: '%', note: 'of the motion about its time average (Karni-Gotsman)' },
  { key: 'rmse', label: 'RMSE', unit: 'length', note: 'root mean square distance' },
  { key: 'rmsePercent', label: 'RMSE %', unit: '%', note: 'the same, of the box diagonal' },
  { key: 'p99', label: 'p99', unit: 'length', note: '99 % of the distances are below this' },
  { key: 'max', label: 'max', unit: 'length', note: 'largest distance of any vertex in any frame' },
  { key: 'normalDegrees', label: 'normals', unit: 'degrees', note: 'root mean square angle between vertex normals' },
  { key: 'rmseOfHeight', label: 'RMSE/height', unit: '%', note: 'RMSE of the height' },
  { key: 'maxOfHeight', label: 'max/height', unit: '%', note: 'max of the height' },
] as const satisfies readonly { key: Scalar; label: string; unit: string; note: string }[];

/** The unit of a metric for people: lengths are in metres if that is the unit of the file, otherwise in file units. */
export function unitOf(unit: string, metresPerUnit: number | undefined): string {
  if (unit !== 'length') return unit;
  return metresPerUnit === 1 ? 'm' : 'file units';
}
