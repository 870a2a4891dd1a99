import { administrationEntry } from '../auth/credentials/pending-revocations.ts'
import type { ExposedHouses } from '../exposure/exposed-houses.ts'
import { isMessageVisible } from '../exposure/visible-messages.ts'
import type { House } from '../home/house/house.ts'
import { MessageBoard } from '../home/messages/messages.ts'
import { placeIn, Tells } from '../home/messages/tells.ts'
import { Webhooks } from '../home/messages/webhooks.ts'
import { WebPush } from '../home/messages/web-push.ts'
import { checkedPost } from '../lib/checked-post.ts'
import { resolvedByDns } from '../lib/checked-request.ts'
import type { AccessParts } from './access.ts'
import type { GatewayOptions } from './options.ts'
import type { Stores } from './stores.ts'

interface MessagesGround {
  readonly house: House
  readonly messages: MessageBoard
}

export function boardOf(
  { clock, random, log }: GatewayOptions,
  { messages: store }: Stores,
  house: House,
): MessageBoard {
  return new MessageBoard({ store, clock, random, log, home: () => house.info })
}

/** Sends the messages of rules. */
export function tellerOf({
  house,
  messages,
  ...parts
}: MessagesGround & Pick<ConstructorParameters<typeof Tells>[0], 'rule' | 'mayTell' | 'activity' | 'clock'>): Tells {
  return new Tells({
    ...parts,
    post: (draft) => messages.post(draft),
    place: placeIn(house),
    timeZone: () => house.info.timeZone,
  })
}

export function webhooksOf(
  { clock, random, log, relayClock = clock, outsideNetwork }: GatewayOptions,
  { webhooks: store, webhookDeliveries: deliveries, core: work, serial: gateway }: Stores,
  { house, messages }: MessagesGround,
): Webhooks {
  return new Webhooks({
    ...{ store, deliveries, work, messages, clock, random, log },
    from: () => ({ gateway, home: house.info.name }),
    post: (post) => checkedPost(post, { clock: relayClock, ...outsideNetwork }),
    entry: (what, cause) => administrationEntry(clock, what, cause),
  })
}

interface PushGround {
  readonly stores: Stores
  readonly home: MessagesGround
  readonly access: Pick<AccessParts, 'changes' | 'times'>
  readonly views: ExposedHouses
}

/** Messages to browsers of persons, who get what their messages page shows. */
export function openPush(
  { clock, random, log, relayClock = clock, outsideNetwork }: GatewayOptions,
  { stores, home: { house, messages }, access: { changes, times }, views }: PushGround,
): Disposable & { readonly push: WebPush } {
  const { push: store, pushDeliveries: deliveries, core: work, persons, integrations, revocations } = stores
  const network = { clock: relayClock, resolve: resolvedByDns, ...outsideNetwork, isPublic: true }
  const push = new WebPush({
    ...{ store, deliveries, work, messages, clock, random, log },
    home: () => house.info.name,
    post: (post) => checkedPost(post, network),
    isLive: ({ id, person, session }) =>
      persons.get(person) !== undefined && !revocations.has(session) && !revocations.has(id),
    ended: (id) => revocations.add([id]),
    sees: (id, { message, isLast }) => {
      const person = persons.get(id)
      if (person === undefined || person.integration === null) return person !== undefined
      const record = integrations.get(person.integration)
      if (isLast || record?.enabled !== true || times.closedNow(record) !== null) return false
      return isMessageVisible(message, views.of(record))
    },
    entry: (what, cause) => administrationEntry(clock, what, cause),
  })
  const unsubscribe = changes.on(() => push.recheck())
  const close = (): void => {
    unsubscribe()
    push.stop()
  }
  return { push, [Symbol.dispose]: close }
}
