// SPDX-License-Identifier: MIT
// A service worker for hosts that cannot send headers: it adds those that allow shared memory, so that jobs run on several threads.
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  const { request } = event;
  // requests to other hosts, and requests for the browser's cache alone, are not changed
  if (new URL(request.url).origin !== location.origin || request.cache === 'only-if-cached') return;
  event.respondWith(
    fetch(request).then((response) => {
      if (response.status === 0) return response;
      const headers = new Headers(response.headers);
      headers.set('Cross-Origin-Opener-Policy', 'same-origin');
      headers.set('Cross-Origin-Embedder-Policy', 'require-corp');
      headers.set('Cross-Origin-Resource-Policy', 'same-origin');
      return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
    }),
  );
});
