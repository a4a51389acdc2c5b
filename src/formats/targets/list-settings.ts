// SPDX-License-Identifier: MIT
import type { Setting, Target } from './target.ts';

/** A setting of a target as text. */
export interface SettingRow {
  /** What is set: 'influences'. */
  name: string;
  value: string;
  reason: string;
  source?: string;
}

/** The settings of a target in a fixed order, for help pages and documentation. */
export function listSettings(target: Target): SettingRow[] {
  const {
    formats,
    up,
    metresPerUnit,
    root,
    scale,
    names,
    influences,
    bones,
    takes,
    textures,
    images,
    imageSize,
    keys,
    stored,
  } = target;
  const row = <T>(name: string, setting: Setting<T> | undefined, textOf: (value: T) => string): SettingRow[] =>
    setting
      ? [
          {
            name,
            value: textOf(setting.value),
            reason: setting.reason,
            ...(setting.source ? { source: setting.source } : {}),
          },
        ]
      : [];
  const list = (values: readonly string[]): string => values.join(', ') || 'none';
  return [
    ...row('formats', formats, list),
    ...row('up axis', up, (axis) => axis),
    ...row('unit', metresPerUnit, (unit) => (unit === 0.01 ? 'centimetres' : unit === 1 ? 'metres' : `${unit} m`)),
    ...row('root', root, (name) => `one bone "${name}", unrotated`),
    ...row('scale', scale, () => 'one, moved into the mesh'),
    ...row(
      'names',
      names,
      ({ characters, longest }) =>
        `unique, ${characters === '' ? '' : `without ${characters}, `}at most ${longest} bytes`,
    ),
    ...row('influences', influences, (most) => `at most ${most}`),
    ...row(
      'bones',
      bones,
      (kind) => ({ rigid: 'rigid', similarity: 'without shear', affine: 'any, also with shear' })[kind],
    ),
    ...row('animations', takes, (kind) => (kind === 'one' ? 'one per file of FBX and USD' : 'all in one file')),
    ...row('textures', textures, (place) => (place === 'embed' ? 'in the file' : 'beside the file')),
    ...row('images', images, (types) =>
      list(types.map((type) => ({ 'image/png': 'PNG', 'image/jpeg': 'JPEG', 'image/webp': 'WebP' })[type] ?? type)),
    ),
    ...row('image size', imageSize, (size) => `at most ${size} x ${size}`),
    ...row('keys', keys, (kind) => (kind === 'keep' ? 'as they are' : 'one per frame')),
    ...row('compression', stored, (forms) =>
      list(forms.map((form) => ({ quantize: '--quantize', meshopt: '--meshopt', draco: 'Draco' })[form])),
    ),
  ];
}
