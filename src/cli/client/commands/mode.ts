import type { ModeGetAnswer } from '@hm-gateway/client/src/contract.ts'
import { HomeTime } from '../../shell/home-time.ts'
import { visible } from '../../shell/terminal.ts'
import type { ClientContext } from '../home/client-context.ts'
import { theOne } from '../home/name-match.ts'
import { faint } from '../words/state-words.ts'

export interface ModeOptions {
  /** A time, or a span from now. */
  readonly until?: string
}

/** `hm mode`: shows the mode of the home; with a name, sets it. */
export async function mode(context: ClientContext, name: readonly string[], { until }: ModeOptions): Promise<void> {
  const home = await context.open()
  const time = new HomeTime(home.house.timeZone)
  const held = await home.ask((client) => client.call('get', '/v1/mode'))
  if (name.length === 0) return context.show(held, () => modesText(held, time))
  const places = held.modes.map(({ id, name: its }) => ({ id, name: its, room: null, roomId: null, floor: null }))
  const { id } = theOne(name.join(' '), places, 'mode')
  const end = until === undefined ? null : time.ahead(until, Date.now())
  const now = await home.ask((client) => client.call('put', '/v1/mode', { body: { mode: id, until: end } }))
  context.show(now, () => time.explained(heldText(now, time)))
}

function heldText({ name, until }: ModeGetAnswer, time: HomeTime): string {
  return `The mode is ${visible(name)}${until === null ? '' : ` until ${time.when(until)}`}.`
}

function modesText(held: ModeGetAnswer, time: HomeTime): string {
  const others = held.modes.filter(({ id }) => id !== held.mode).map(({ name }) => visible(name))
  return time.explained([heldText(held, time), faint(`Others: ${others.join(', ')}.`)].join('\n'))
}
