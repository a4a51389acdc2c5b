// SPDX-License-Identifier: MIT
import { checkUsdz, type UsdzRule } from '../usd/index.ts';
import type { Finding } from './finding.ts';

/** Rules that hold in every package that is written here, whatever was read. */
const WRITTEN: ReadonlySet<UsdzRule> = new Set<UsdzRule>([
  ...(['package', 'compression', 'encryption', 'alignment', 'names', 'root-layer', 'file-types'] as const),
  ...(['default-prim', 'up-axis', 'unit', 'extent', 'normal-map', 'skeleton', 'mesh', 'references'] as const),
]);

/**
 * Checks a package by the rules of USDZ.
 * @param isReadable whether the package can be read, and so written again
 */
export function checkPackage(bytes: Uint8Array, isReadable: boolean): Finding[] {
  return checkUsdz(bytes).map(({ rule, severity, place, fault, remedy }) => ({
    rule: `usdz-${rule}`,
    severity,
    place: { where: place },
    fault,
    remedy,
    canFix: isReadable && WRITTEN.has(rule),
  }));
}
