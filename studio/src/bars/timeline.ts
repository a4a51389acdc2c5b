// SPDX-License-Identifier: MIT
// Play, stop and step; the frames that have arrived, and the range that is played.
import { h, icon, perFrame } from '../elements/dom.ts';
import type { Studio } from '../state/studio.ts';
import { SPEEDS } from '../viewer/viewer-controls.ts';
import { loopRangeOf, stepFrame, togglePlay } from './clock.ts';
import { makeErrorPlot } from './error-plot.ts';

export function makeTimeline(studio: Studio, root: HTMLElement): void {
  const play = h(
    'button',
    { id: 'play', title: 'Play (Space)', 'aria-label': 'Play', onclick: () => togglePlay(studio) },
    icon('play'),
  );
  const loop = h(
    'button',
    { title: 'Loop', 'aria-label': 'Loop', onclick: () => studio.set({ isLooping: !studio.state.isLooping }, 'frame') },
    icon('loop'),
  );
  const smooth = h(
    'button',
    {
      title: 'Interpolate between frames',
      'aria-label': 'Interpolate between frames',
      id: 'interpolate',
      onclick: () => studio.set({ isInterpolated: !studio.state.isInterpolated }, 'frame'),
    },
    icon('smooth'),
  );
  const slider = h('input', {
    type: 'range',
    min: 0,
    step: 1,
    value: 0,
    'aria-label': 'Frame',
    oninput: () => {
      studio.state.isPlaying = false;
      studio.setFrame(Number(slider.value));
    },
  });
  const buffered = h('div', { id: 'buffered', 'aria-hidden': 'true' });
  const range = h('div', { id: 'loop-range', 'aria-hidden': 'true' });
  const speed = h(
    'select',
    { title: 'Speed', 'aria-label': 'Speed', onchange: () => studio.set({ speed: Number(speed.value) }, 'frame') },
    ...SPEEDS.map((value) => h('option', { value, selected: value === 1 }, `${value}×`)),
  );
  const motion = h('select', {
    title: 'Animation',
    'aria-label': 'Animation',
    onchange: () => studio.setMotion(Number(motion.value)),
  });
  const clock = h('output');
  const plot = h('div', { id: 'plot' });
  const step = (by: number) => () => stepFrame(studio, by);
  root.append(
    h(
      'div',
      { class: 'transport' },
      h('button', { title: 'One frame back (←)', 'aria-label': 'One frame back', onclick: step(-1) }, icon('back')),
      play,
      h('button', { title: 'One frame on (→)', 'aria-label': 'One frame on', onclick: step(1) }, icon('on')),
      loop,
      smooth,
      h('div', { class: 'track' }, buffered, range, slider),
      clock,
      makeLoopFields(studio),
      speed,
      motion,
    ),
    plot,
  );
  makeErrorPlot(studio, plot);

  const update = perFrame(() => {
    const { state, shown, frameCount } = studio;
    const times = shown?.motions[state.motion]?.times;
    slider.max = String(Math.max(0, frameCount - 1));
    slider.value = String(state.frame);
    slider.disabled = frameCount < 2;
    play.replaceChildren(icon(state.isPlaying ? 'pause' : 'play'));
    play.setAttribute('aria-label', state.isPlaying ? 'Pause' : 'Play');
    play.disabled = frameCount < 2;
    loop.setAttribute('aria-pressed', String(state.isLooping));
    smooth.setAttribute('aria-pressed', String(state.isInterpolated));
    speed.value = String(state.speed);
    clock.textContent = times ? `${state.frame} / ${frameCount - 1} · ${times[state.frame]?.toFixed(2) ?? '0'} s` : '';
    const [first, last] = loopRangeOf(studio);
    const whole = Math.max(1, frameCount - 1);
    range.hidden = first === 0 && last === whole;
    range.style.left = `${(100 * first) / whole}%`;
    range.style.right = `${100 - (100 * last) / whole}%`;
  });
  /** Frames that both shown versions have. */
  const updateBuffered = perFrame(() => {
    const { motion: index } = studio.state;
    const versions = [studio.reference, studio.result].filter((one) => one !== undefined);
    const count = Math.max(1, studio.frameCount);
    const bars = versions.flatMap((version, n) =>
      studio.frames.rangesOf(version.id, index).map(([first, end]) => {
        const bar = h('i');
        bar.style.cssText = `left:${(100 * first) / count}%;width:${(100 * (end - first)) / count}%;top:${(100 * n) / versions.length}%;height:${100 / versions.length}%`;
        return bar;
      }),
    );
    buffered.replaceChildren(...bars);
  });
  const updateMotions = (): void => {
    const motions = studio.shown?.motions ?? [];
    motion.replaceChildren(...motions.map(({ name }, n) => h('option', { value: n }, name)));
    motion.value = String(studio.state.motion);
    motion.hidden = motions.length < 2;
  };
  studio.on(['frame', 'shown'], update);
  studio.on(['frames', 'shown'], updateBuffered);
  studio.on(['shown'], updateMotions);
  updateMotions();
  update();
}

/** First and last frame of the loop: set to the shown frame by a click, and cleared by another. */
function makeLoopFields(studio: Studio): HTMLElement {
  const make = (key: 'loopStart' | 'loopEnd', label: string, title: string) => {
    const button = h(
      'button',
      {
        title,
        'aria-label': title,
        class: 'mark',
        onclick: () =>
          studio.set({ [key]: studio.state[key] === studio.state.frame ? -1 : studio.state.frame }, 'frame'),
      },
      label,
    );
    studio.on(['frame', 'shown'], () => button.setAttribute('aria-pressed', String(studio.state[key] >= 0)));
    return button;
  };
  return h(
    'span',
    { class: 'row', role: 'group', 'aria-label': 'Loop range' },
    make('loopStart', '[', 'Start the loop at this frame (I); again at the same frame: from the first'),
    make('loopEnd', ']', 'End the loop at this frame (U); again at the same frame: at the last'),
  );
}
