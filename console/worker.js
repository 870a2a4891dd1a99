// Browsers register this worker only over a verified connection, which proves the trust in the certificate
// (docs/console.md#trust). It also shows an offline page while the gateway is unreachable. It caches only that page and
// its style sheet, and never an answer of the gateway.

const CACHE = 'offline'
const OFFLINE = '/console/offline.html'
const STYLE = '/console/{{style}}'
/** Longest wait for a page before the gateway counts as unreachable. */
const ANSWER_MS = 10_000
/** The trust page stays with the browser, whose certificate warning leads to the solution. */
const TRUST = '/console/trust'

globalThis.addEventListener('install', (event) => {
  event.waitUntil(Promise.all([cacheOfflinePage(), globalThis.skipWaiting()]))
})

globalThis.addEventListener('activate', (event) => event.waitUntil(globalThis.clients.claim()))

globalThis.addEventListener('fetch', (event) => {
  const { mode, destination, url } = event.request
  if (mode === 'navigate' && !new URL(url).pathname.startsWith(TRUST))
    event.respondWith(Promise.race([fetch(event.request), timeout()]).catch(() => caches.match(OFFLINE)))
  else if (destination === 'style') event.respondWith(fetch(event.request).catch(() => caches.match(url)))
})

const timeout = () => new Promise((_, reject) => setTimeout(reject, ANSWER_MS))

async function cacheOfflinePage() {
  await caches.delete(CACHE)
  const cache = await caches.open(CACHE)
  await cache.addAll([OFFLINE, STYLE])
}
