// SPDX-License-Identifier: MIT
// The bar of the exported page: play, frame, speed, animation and comparison.
import { h, icon } from '../elements/dom.ts';

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2];

export interface ViewerControls {
  root: HTMLElement;
  readonly speed: number;
  readonly motion: number;
  /** Which of the two models is shown. */
  readonly side: 'result' | 'reference' | 'both';
  readonly isPlaying: boolean;
  /** Shows a frame on the slider. */
  show(frame: number, frameCount: number): void;
}

export interface ViewerControlOptions {
  motions: readonly string[];
  hasReference: boolean;
  isPlaying: boolean;
  onFrame(frame: number): void;
  onMotion(): void;
  onSide(): void;
}

export function makeViewerControls(options: ViewerControlOptions): ViewerControls {
  let { isPlaying } = options;
  const slider = h('input', { type: 'range', min: 0, max: 0, value: 0, 'aria-label': 'Frame' });
  const play = h('button', { 'aria-label': 'Play or pause', id: 'play' });
  const paint = (): void => play.replaceChildren(icon(isPlaying ? 'pause' : 'play'));
  play.addEventListener('click', () => {
    isPlaying = !isPlaying;
    paint();
  });
  slider.addEventListener('input', () => {
    isPlaying = false;
    paint();
    options.onFrame(Number(slider.value));
  });
  const speed = h(
    'select',
    { 'aria-label': 'Speed', id: 'speed' },
    ...SPEEDS.map((value) => h('option', { value, selected: value === 1 }, `${value}×`)),
  );
  const motion = h(
    'select',
    { 'aria-label': 'Animation', id: 'motion', hidden: options.motions.length < 2, onchange: () => options.onMotion() },
    ...options.motions.map((name, n) => h('option', { value: n }, name)),
  );
  const side = h(
    'select',
    { 'aria-label': 'Model', id: 'side', hidden: !options.hasReference, onchange: () => options.onSide() },
    h('option', { value: 'both' }, 'Side by side'),
    h('option', { value: 'result' }, 'Result'),
    h('option', { value: 'reference' }, 'Source'),
  );
  paint();
  return {
    root: h('nav', {}, play, slider, speed, motion, side),
    get speed() {
      return Number(speed.value);
    },
    get motion() {
      return Number(motion.value || 0);
    },
    get side() {
      return options.hasReference ? (side.value as 'both') : 'result';
    },
    get isPlaying() {
      return isPlaying;
    },
    show(frame, frameCount) {
      slider.max = String(frameCount - 1);
      slider.value = String(frame);
      play.hidden = slider.hidden = frameCount < 2;
    },
  };
}
