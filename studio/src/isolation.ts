// SPDX-License-Identifier: MIT

/** Set in the session once the page was loaded again, so that it happens once. */
const KEY = 'ossify-isolated';

/** On hosts without headers, where the page names a service worker for it: installs that worker, and loads the page again through it. */
export async function startIsolation(): Promise<void> {
  const address = document.querySelector<HTMLMetaElement>('meta[name="ossify-isolate"]')?.content;
  if (!address || crossOriginIsolated || !isSecureContext || !navigator.serviceWorker) return;
  try {
    if (sessionStorage.getItem(KEY)) return;
    await navigator.serviceWorker.register(new URL(address, document.baseURI));
    await navigator.serviceWorker.ready;
    sessionStorage.setItem(KEY, 'yes');
    location.reload();
  } catch {
    // without it, everything runs on one thread
  }
}
