import { Caller } from '@hm-gateway/client/src/browser.ts'
import type { AdminPaths, PushListAnswer, PushSubscription as Listed } from '../lib/admin-contract.ts'
import { words } from '../words/push.ts'
import { session } from './own-session.ts'
import { trust } from './public-facts.ts'
import { admin, sessionTransport } from './session.ts'

/** Reason why this browser cannot get messages. */
export type PushObstacle = keyof typeof words.obstacles

/** The obstacle of this browser, or null. Browsers offer push only to pages with a trusted certificate. */
export function pushObstacle(): PushObstacle | null {
  if (trust.value === 'unverified' || trust.value === 'replaced') return 'untrusted'
  if (session.value?.person === null) return 'account'
  if (!('PushManager' in globalThis) || !('Notification' in globalThis))
    return isIos() && !matchMedia('(display-mode: standalone)').matches ? 'homeScreen' : 'noPush'
  return Notification.permission === 'denied' ? 'denied' : null
}

/** True on iPhones and iPads, which call themselves Macs but have a touch screen. */
const isIos = (): boolean =>
  /iP(?:hone|ad|od)/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)

export interface Push extends PushListAnswer {
  /** The subscription of this browser, if it is the person's. */
  readonly here: Listed | null
}

/** Browsers that get messages. @throws HmError */
export async function readPush(): Promise<Push> {
  const [answer, own] = await Promise.all([admin.call('get', '/admin/v1/push'), browserSubscription()])
  const mark = own === null ? null : await markOf(own)
  return { ...answer, here: answer.subscriptions.find((listed) => listed.own && listed.mark === mark) ?? null }
}

/** Lets this browser get messages; asks the person for the permission. @throws Error with a message for the page */
export async function subscribe(key: string, names: boolean): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error(words.obstacles.denied)
  const fresh = await freshSubscription(key)
  await send(admin, fresh, names)
  await keepForWorker(fresh, key)
}

/** Changes whether the lock screen of this browser shows names. @throws HmError */
export async function showNames(names: boolean): Promise<void> {
  const own = await browserSubscription()
  if (own) await send(admin, own, names)
}

/** Ends the messages of this browser. @throws HmError */
export async function unsubscribe({ id }: Pick<Listed, 'id'>): Promise<void> {
  await admin.call('delete', '/admin/v1/push/{id}', { path: { id } })
  await (await browserSubscription())?.unsubscribe()
}

/**
 * Lets the subscription of this browser belong to the present session, so that signing out ends it. Needs no proof,
 * because it changes nothing else.
 */
export async function adoptSubscription(): Promise<void> {
  const own = await browserSubscription()
  if (own === null) return
  const caller = new Caller<AdminPaths>(sessionTransport)
  const [{ subscriptions }, mark] = await Promise.all([caller.call('get', '/admin/v1/push'), markOf(own)])
  const here = subscriptions.find((listed) => listed.own && listed.mark === mark)
  if (here?.current === false) await send(caller, own, here.names)
}

async function browserSubscription(): Promise<PushSubscription | null> {
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis)) return null
  const registration = await navigator.serviceWorker.getRegistration('/console/')
  return (await registration?.pushManager.getSubscription()) ?? null
}

/** A subscription with the key of this home; one with another key is of no use. */
async function freshSubscription(applicationServerKey: string): Promise<PushSubscription> {
  const { pushManager } = await navigator.serviceWorker.ready
  const before = await pushManager.getSubscription()
  if (before !== null && base64url(before.options.applicationServerKey) !== applicationServerKey)
    await before.unsubscribe()
  try {
    return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  } catch (error) {
    throw new Error(words.failed, { cause: error })
  }
}

async function send(caller: Caller<AdminPaths>, subscription: PushSubscription, names: boolean): Promise<void> {
  await caller.call('post', '/admin/v1/push', { body: { ...addressOf(subscription), names } })
}

const addressOf = (subscription: PushSubscription): { endpoint: string; p256dh: string; auth: string } => ({
  endpoint: subscription.endpoint,
  p256dh: base64url(subscription.getKey('p256dh')),
  auth: base64url(subscription.getKey('auth')),
})

/** Keeps address and key for the worker, which renews the address (console/worker.js). */
async function keepForWorker(subscription: PushSubscription, key: string): Promise<void> {
  const { endpoint, auth } = addressOf(subscription)
  const cache = await caches.open('push')
  await cache.put('/console/push', new Response(JSON.stringify({ endpoint, auth, key })))
}

async function markOf({ endpoint }: PushSubscription): Promise<string> {
  return base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(endpoint)))
}

function base64url(bytes: ArrayBuffer | null): string {
  const letters = Array.from(new Uint8Array(bytes ?? new ArrayBuffer(0)), (byte) => String.fromCodePoint(byte))
  return btoa(letters.join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
