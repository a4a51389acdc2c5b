// SPDX-License-Identifier: MIT

export interface GraphicsWatch {
  onLost(sentence: string): void;
  onBack(sentence: string): void;
}

/** Tells when the browser loses the graphics card of a canvas, and when it is back. The renderer uploads everything again by itself; models are not on the card. */
export function watchGraphics(canvas: HTMLCanvasElement, { onLost, onBack }: GraphicsWatch): void {
  canvas.addEventListener('webglcontextlost', (event) => {
    // without this it never comes back
    event.preventDefault();
    onLost(
      'The browser lost the graphics card: it was reset, or another page took it. Models are kept, and are drawn again when it is back. If that takes long, save the project and reload the page.',
    );
  });
  canvas.addEventListener('webglcontextrestored', () => onBack('The graphics card is back.'));
}
