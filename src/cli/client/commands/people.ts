import type { PersonsListAnswer } from '@hm-gateway/client/src/contract.ts'
import { HomeTime } from '../../shell/home-time.ts'
import { visible } from '../../shell/terminal.ts'
import type { ClientContext } from '../home/client-context.ts'
import { theOne } from '../home/name-match.ts'

/** `hm people`: shows who is home; with a name and a presence, reports it. */
export async function people(context: ClientContext, words: readonly string[]): Promise<void> {
  const home = await context.open()
  const time = new HomeTime(home.house.timeZone)
  const seen = await home.ask((client) => client.call('get', '/v1/persons'))
  if (words.length === 0) return context.show(seen, () => time.explained(peopleText(seen, time)))
  const places = seen.persons.map(({ id, name }) => ({ id, name, room: null, roomId: null, floor: null }))
  const { id, name } = theOne(words.slice(0, -1).join(' '), places, 'person')
  const is = words.at(-1) as 'home'
  const path = { id }
  const reported = await home.ask((client) => client.call('put', '/v1/persons/{id}/presence', { path, body: { is } }))
  context.show(reported, () => `${visible(name)}: ${reported.is}.`)
}

function peopleText({ anyone, persons }: PersonsListAnswer, time: HomeTime): string {
  const words = {
    home: 'Somebody is home.',
    away: 'Everybody is away.',
    unknown: 'It is unknown whether anyone is home.',
  }
  const overall = words[anyone.is as keyof typeof words] ?? anyone.is
  const lines = persons.map(
    ({ name, is, since }) => `${visible(name)}: ${is}${since === null ? '' : ` since ${time.when(since)}`}`,
  )
  return [overall, ...lines].join('\n')
}
