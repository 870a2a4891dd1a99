import type { PersonsListAnswer } from '@hm-gateway/client/src/contract.ts'
import { HomeTime } from '../../shell/home-time.ts'
import { visible } from '../../shell/terminal.ts'
import type { ClientContext } from '../home/client-context.ts'
import { theOne } from '../home/name-match.ts'

const PRESENCES: readonly string[] = ['home', 'away', 'unknown']

/** `hm people`: shows who is home; with a name only that person; with a presence behind the name, reports it. */
export async function people(context: ClientContext, words: readonly string[]): Promise<void> {
  const home = await context.open()
  const time = new HomeTime(home.house.timeZone)
  const seen = await home.ask((client) => client.call('get', '/v1/persons'))
  if (words.length === 0) return context.show(seen, () => time.explained(peopleText(seen, time)))
  const places = seen.persons.map(({ id, name }) => ({ id, name, room: null, roomId: null, floor: null }))
  const last = words.at(-1) ?? ''
  const reports = words.length > 1 && PRESENCES.includes(last)
  const { id, name } = theOne((reports ? words.slice(0, -1) : words).join(' '), places, 'person')
  if (!reports) {
    const person = seen.persons.filter((one) => one.id === id)
    return context.show({ persons: person }, () => time.explained(personLines(person, time).join('\n')))
  }
  const is = last as 'home'
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
  return [overall, ...personLines(persons, time)].join('\n')
}

function personLines(persons: PersonsListAnswer['persons'], time: HomeTime): readonly string[] {
  return persons.map(
    ({ name, is, since }) => `${visible(name)}: ${is}${since === null ? '' : ` since ${time.when(since)}`}`,
  )
}
