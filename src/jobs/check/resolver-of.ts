// SPDX-License-Identifier: MIT
import type { Asset } from '../../core/model/asset.ts';

/** Files beside a glTF, as its reader got them. Undefined for other formats. */
export function resolverOf(asset: Asset | undefined): ((uri: string) => Promise<Uint8Array>) | undefined {
  const resources = asset?.source?.resources;
  if (!resources) return undefined;
  return async (uri) => {
    const bytes = [uri, decode(uri)].map((name) => (Object.hasOwn(resources, name) ? resources[name] : undefined));
    const found = bytes.find((one) => one !== undefined);
    if (!found) throw new Error(`"${uri}" was not read`);
    return found;
  };
}

function decode(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}
