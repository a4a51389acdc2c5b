// SPDX-License-Identifier: MIT
import type uPlot from 'uplot';

let loading: Promise<typeof uPlot> | undefined;

/** Loads the plots when the first is drawn. */
export function loadPlot(): Promise<typeof uPlot> {
  guardLanguage();
  loading ??= import('uplot').then((module) => module.default);
  return loading;
}

/** uPlot formats numbers in the language of the browser while it loads, and fails if that is no language tag: "en-US@posix" under a POSIX locale. */
function guardLanguage(): void {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
}
