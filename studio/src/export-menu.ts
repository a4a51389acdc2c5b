// SPDX-License-Identifier: MIT
import { download, find, h } from './dom.ts';
import type { Studio } from './studio.ts';
import { makeViewerPage, toBase64 } from './viewer-page.ts';
import type { Viewport } from './viewport.ts';

interface Entry {
  id: string;
  title: string;
  does: string;
  isUsable(): boolean;
  run(): Promise<void>;
}

export function makeExportMenu(studio: Studio, viewport: Viewport | undefined): void {
  const stem = (): string => (studio.shown?.fileName ?? 'ossify').replace(/\.[^.]*$/, '');
  const entries: Entry[] = [
    {
      id: 'glb',
      title: 'Model (.glb)',
      does: 'The shown version, measured as written',
      isUsable: () => studio.shown !== undefined,
      async run() {
        const bytes = await studio.assets.call('bytes', { version: studio.shown!.id });
        download(`${stem()}.glb`, bytes, 'model/gltf-binary');
      },
    },
    {
      id: 'report',
      title: 'Report (.json)',
      does: 'Options, errors per frame, sizes and times of the job',
      isUsable: () => studio.shown?.report !== undefined,
      async run() {
        download(`${stem()}.json`, `${JSON.stringify(studio.shown!.report, undefined, 2)}\n`, 'application/json');
      },
    },
    {
      id: 'png',
      title: 'Picture (.png)',
      does: 'The viewport as it is',
      isUsable: () => viewport !== undefined && !viewport.isCovered && studio.shown !== undefined,
      async run() {
        viewport!.draw(true);
        const blob = await new Promise<Blob | null>((resolve) => viewport!.canvas.toBlob(resolve, 'image/png'));
        if (!blob) throw new Error('the browser made no picture of the viewport');
        download(`${stem()}.png`, blob, 'image/png');
      },
    },
    {
      id: 'html',
      title: 'Viewer (.html)',
      does: 'One file that plays the shown version anywhere, offline',
      isUsable: () => studio.shown !== undefined,
      async run() {
        const bytes = await studio.assets.call('bytes', { version: studio.shown!.id });
        const response = await fetch(new URL('viewer.js', document.baseURI));
        if (!response.ok) throw new Error('the viewer did not load; load the page again');
        const page = makeViewerPage(studio.shown!.title, await response.text(), await toBase64(bytes));
        download(`${stem()}.html`, page, 'text/html');
      },
    },
  ];
  const menu = find<HTMLDetailsElement>('#export');
  const buttons = entries.map((entry) =>
    h(
      'button',
      {
        role: 'menuitem',
        'data-export': entry.id,
        onclick: () => {
          menu.open = false;
          void studio.attempt(`Exporting ${entry.title}`, entry.run);
        },
      },
      h('b', {}, entry.title),
      h('small', {}, entry.does),
    ),
  );
  find('#export .drawer').append(...buttons);
  const update = (): void =>
    entries.forEach((entry, n) => {
      buttons[n].disabled = !entry.isUsable();
    });
  studio.on(['shown', 'versions', 'view', 'crowd'], update);
  update();
  // a click outside closes the menu
  addEventListener('pointerdown', (event) => {
    for (const one of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]'))
      if (!one.contains(event.target as Node)) one.open = false;
  });
}
