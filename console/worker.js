// That a browser takes this says that it has verified the gateway's certificate (docs/console.md#trust). Besides it
// shows a page that says so while the gateway cannot be reached. It keeps that page and its style, and nothing else:
// no request of a page passes through it, and no answer of the gateway is ever kept.

const KEPT = 'offline'
const OFFLINE = '/console/offline.html'
const STYLE = '/console/{{style}}'
/** Longest wait for a page before the gateway counts as unreachable. */
const ANSWER_MS = 10_000
/** Of this page the browser itself shows what is wrong with the certificate, and it is the way out. */
const TRUST = '/console/trust'

globalThis.addEventListener('install', (event) => {
  event.waitUntil(Promise.all([keep(), globalThis.skipWaiting()]))
})

globalThis.addEventListener('activate', (event) => event.waitUntil(globalThis.clients.claim()))

globalThis.addEventListener('fetch', (event) => {
  const { mode, destination, url } = event.request
  if (mode === 'navigate' && !new URL(url).pathname.startsWith(TRUST))
    event.respondWith(Promise.race([fetch(event.request), late()]).catch(() => caches.match(OFFLINE)))
  else if (destination === 'style') event.respondWith(fetch(event.request).catch(() => caches.match(url)))
})

const late = () => new Promise((_, reject) => setTimeout(reject, ANSWER_MS))

async function keep() {
  await caches.delete(KEPT)
  const cache = await caches.open(KEPT)
  await cache.addAll([OFFLINE, STYLE])
}
