// SPDX-License-Identifier: MIT
// Light and dark colours of the page: those of the system, or those that were chosen.

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'ossify-theme';

export function themeOf(): Theme {
  const stored = readStored();
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** Applies a theme; 'themechange' is sent to the window. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // a page without storage forgets it
  }
  dispatchEvent(new Event('themechange'));
}

export function startTheme(): void {
  const theme = themeOf();
  if (theme !== 'system') document.documentElement.dataset.theme = theme;
  matchMedia('(prefers-color-scheme: light)').addEventListener('change', () => dispatchEvent(new Event('themechange')));
}

/** A colour of the page in the present scheme, for canvases. */
export function colorOf(name: `--${string}`): string {
  // a property that depends on the scheme has no value of its own: an element that uses it does
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.documentElement.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function readStored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
