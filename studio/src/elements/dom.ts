// SPDX-License-Identifier: MIT
// Makes elements. Strings are inserted as text: file names are never parsed as markup.

type Child = Node | string | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

/** Makes an element; attributes that are functions are listeners ("onclick"), true gives an attribute without a value, false and undefined give none. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== undefined && child !== false));
  return element;
}

export function find<T extends HTMLElement>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

/** Downloads a file. */
export function download(name: string, bytes: Uint8Array | string | Blob, type: string): void {
  const blob = bytes instanceof Blob ? bytes : new Blob([bytes as BlobPart], { type });
  const url = URL.createObjectURL(blob);
  const link = h('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** At most one call per drawn frame. */
export function perFrame(work: () => void): () => void {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      work();
    });
  };
}

/** Drawn as paths: not every system has these characters. */
const ICONS = {
  play: 'M3 1.5v11l9-5.5z',
  pause: 'M3 2h3v10H3zM8 2h3v10H8z',
  back: 'M9.5 2v10L3 7z',
  on: 'M4.5 2v10L11 7z',
  smooth: 'M1 11C4 11 4 3 7 3s3 8 6 8v-2c-2 0-2-8-6-8S3 9 1 9z',
  edit: 'M1 13l.6-3L9.5 2.1l2.4 2.4L4 12.4zM10.2 1.4 11 .6l2.4 2.4-.8.8z',
  undo: 'M5 1 1 4.5 5 8V5.6h3a2.7 2.7 0 0 1 0 5.4H4v2h4a4.7 4.7 0 0 0 0-9.4H5z',
  redo: 'M9 1l4 3.5L9 8V5.6H6a2.7 2.7 0 0 0 0 5.4h4v2H6a4.7 4.7 0 0 1 0-9.4h3z',
  loop: 'M7 2.2V0l4 3.2-4 3.2V4.2a3.3 3.3 0 1 0 3.3 3.3h2A5.3 5.3 0 1 1 7 2.2z',
} as const;

export function icon(name: keyof typeof ICONS): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 14 14');
  svg.setAttribute('class', 'icon');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}
