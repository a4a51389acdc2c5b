// SPDX-License-Identifier: MIT
import { download, find } from '../elements/dom.ts';
import { makeMenu } from '../elements/menu.ts';
import { drawLegend } from '../overlays/legend.ts';
import type { Studio } from '../state/studio.ts';
import { makeViewerPage, toBase64 } from '../viewer/viewer-page.ts';
import type { Viewport } from '../viewport/viewport.ts';

/** An entry whose work is awaited. */
interface Entry {
  id: string;
  title: string;
  does: string;
  isUsable(): boolean;
  run(): Promise<void>;
}

export function makeExportMenu(studio: Studio, viewport: Viewport | undefined, more: readonly Entry[]): void {
  const stem = (): string => (studio.shown?.fileName ?? 'ossify').replace(/\.[^.]*$/, '');
  const hasShown = (): boolean => studio.shown !== undefined;
  const exportViewer = async (hasSource: boolean): Promise<void> => {
    const pack = async (version: number): Promise<string> => toBase64(await studio.assets.call('bytes', { version }));
    const response = await fetch(new URL('viewer.js', document.baseURI));
    if (!response.ok) throw new Error('the viewer did not load; load the page again');
    const { title, id } = studio.shown!;
    const script = await response.text();
    const source = hasSource ? await pack(studio.reference!.id) : undefined;
    download(`${stem()}.html`, makeViewerPage({ title, script, model: await pack(id), source }), 'text/html');
    studio.unsaved.delete(id);
  };
  const entries: Entry[] = [
    {
      id: 'glb',
      title: 'Model (.glb)',
      does: 'The shown version, measured as written',
      isUsable: hasShown,
      async run() {
        const { id } = studio.shown!;
        download(`${stem()}.glb`, await studio.assets.call('bytes', { version: id }), 'model/gltf-binary');
        studio.unsaved.delete(id);
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
      does: 'The viewport as it is, with the scale of its colours',
      isUsable: () => viewport !== undefined && !viewport.isCovered && hasShown(),
      async run() {
        download(`${stem()}.png`, await takePicture(studio, viewport!), 'image/png');
      },
    },
    {
      id: 'html',
      title: 'Viewer (.html)',
      does: 'One file that plays the shown version anywhere, offline',
      isUsable: hasShown,
      run: () => exportViewer(false),
    },
    {
      id: 'html-pair',
      title: 'Viewer with the source (.html)',
      does: 'The same, side by side with what it is compared with',
      isUsable: () => studio.result !== undefined && studio.state.view !== 'reference',
      run: () => exportViewer(true),
    },
    ...more,
  ];
  const { update } = makeMenu(
    find<HTMLDetailsElement>('#export'),
    entries.map((entry) => ({
      ...entry,
      attribute: 'data-export',
      run: () => void studio.attempt(`Exporting ${entry.title}`, entry.run),
    })),
  );
  studio.on(['shown', 'versions', 'view', 'crowd', 'pose'], update);
  update();
}

/** The viewport with the legend of a heat map. */
async function takePicture(studio: Studio, viewport: Viewport): Promise<Blob> {
  viewport.draw(true);
  const { canvas } = viewport;
  const picture = document.createElement('canvas');
  Object.assign(picture, { width: canvas.width, height: canvas.height });
  const context = picture.getContext('2d')!;
  context.drawImage(canvas, 0, 0);
  drawLegend(context, studio, viewport.painter, canvas.width / Math.max(1, canvas.clientWidth));
  const blob = await new Promise<Blob | null>((resolve) => picture.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('the browser made no picture of the viewport');
  return blob;
}
