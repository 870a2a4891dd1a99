// Browsers register this worker only over a verified connection, which proves the trust in the certificate
// (docs/console.md#trust). It shows messages (docs/messages.md#web-push), and an offline page while the gateway is
// unreachable. It caches that page, its style sheet and its own push address, and never an answer of the gateway.

const CACHE = 'offline'
const OFFLINE = '/console/offline.html'
const STYLE = '/console/{{style}}'
/** Longest wait for a page before the gateway counts as unreachable. */
const ANSWER_MS = 10_000
/** The trust page stays with the browser, whose certificate warning leads to the solution. */
const TRUST = '/console/trust'

const MESSAGES = '/console/messages'
const ICON = '/console/icon.png'
/** Path of renewals, under which the page keeps this browser's address (console/src/stores/push.ts). */
const PUSH = '/console/push'
const PUSH_CACHE = 'push'
const UNREADABLE = { title: 'Look at your home', tag: 'home', alarm: false }

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

globalThis.addEventListener('push', (event) => event.waitUntil(showMessage(event.data)))

globalThis.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openMessages())
})

globalThis.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renewSubscription()))

/** Shows a notification for every message: iOS ends the subscription otherwise. */
async function showMessage(data) {
  const { title, body, tag, alarm } = { ...UNREADABLE, ...contentOf(data) }
  const options = {
    ...(body === undefined ? {} : { body }),
    tag,
    renotify: true,
    requireInteraction: alarm,
    icon: ICON,
  }
  await globalThis.registration.showNotification(title, options)
}

function contentOf(data) {
  try {
    return data.json()
  } catch {
    return null
  }
}

async function openMessages() {
  const [page] = await globalThis.clients.matchAll({ type: 'window' })
  if (page === undefined) return globalThis.clients.openWindow(MESSAGES)
  await page.focus()
  return page.navigate(MESSAGES)
}

/** Tells the gateway the new address of this browser; the secret of the old one is the proof. */
async function renewSubscription() {
  const cache = await caches.open(PUSH_CACHE)
  const stored = await cache.match(PUSH)
  if (stored === undefined) return
  const { key, ...old } = await stored.json()
  const { pushManager } = globalThis.registration
  const fresh = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  const { endpoint, keys } = fresh.toJSON()
  const body = JSON.stringify({ old, endpoint, ...keys })
  const answer = await fetch(PUSH, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  if (answer.ok) await cache.put(PUSH, new Response(JSON.stringify({ endpoint, auth: keys.auth, key })))
}

const timeout = () => new Promise((_, reject) => setTimeout(reject, ANSWER_MS))

async function cacheOfflinePage() {
  await caches.delete(CACHE)
  const cache = await caches.open(CACHE)
  await cache.addAll([OFFLINE, STYLE])
}
