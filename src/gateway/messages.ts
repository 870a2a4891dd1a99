import { administrationEntry } from '../auth/credentials/pending-revocations.ts'
import type { House } from '../home/house/house.ts'
import { MessageBoard } from '../home/messages/messages.ts'
import { placeIn, Tells } from '../home/messages/tells.ts'
import { Webhooks } from '../home/messages/webhooks.ts'
import { WebPush } from '../home/messages/web-push.ts'
import { checkedPost } from '../lib/checked-post.ts'
import { resolvedByDns } from '../lib/checked-request.ts'
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

export function pushOf(
  { clock, random, log, relayClock = clock, outsideNetwork }: GatewayOptions,
  { push: store, pushDeliveries: deliveries, core: work, persons, revocations }: Stores,
  { house, messages }: MessagesGround,
): WebPush {
  const network = { clock: relayClock, resolve: resolvedByDns, ...outsideNetwork, isPublic: true }
  return new WebPush({
    ...{ store, deliveries, work, messages, clock, random, log },
    home: () => house.info.name,
    post: (post) => checkedPost(post, network),
    isLive: ({ person, session }) => persons.get(person) !== undefined && !revocations.has(session),
    // Every person is an administrator.
    sees: () => true,
    entry: (what, cause) => administrationEntry(clock, what, cause),
  })
}
