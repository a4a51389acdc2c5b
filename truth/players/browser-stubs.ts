// SPDX-License-Identifier: MIT
// Loaders of three.js make image elements and read the size of the window. Images are not played, so an element that never loads is enough.

/** Gives loaders the parts of a browser that they touch in Node. */
export function stubBrowser(): void {
  const element = { addEventListener: () => undefined, removeEventListener: () => undefined, style: {} };
  const page = { createElementNS: () => ({ ...element }), createElement: () => ({ ...element }) };
  const parts: Record<string, unknown> = {
    ...{ document: page, window: globalThis, self: globalThis, innerWidth: 1, innerHeight: 1 },
  };
  for (const [name, value] of Object.entries(parts))
    if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value, configurable: true });
}
