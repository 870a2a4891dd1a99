import type { TestHome, TestIntegration } from './harness.ts'
import { RuleCalls } from './rule-calls.ts'
import { houseOf, localIdsOf } from './house-answer.ts'

interface Calendars {
  readonly calendars: readonly { readonly id: string }[]
}

/** A thing in the previews for administrators. */
export interface PreviewedThing {
  readonly kind: string
  readonly id: string
}

/** Every id that an integration's programs can see, with rules, the mode, people and calendars, as sorted local ids. */
export async function visibleIds(home: TestHome, who: TestIntegration): Promise<readonly string[]> {
  const { integration } = await home.get('/v1/integration', who.token)
  const { settings } = integration as { settings: Readonly<Record<string, string>> }
  const rules = (['automation', 'schedule'] as const).map(async (kind) =>
    settings[`${kind}s`] === 'on'
      ? (await new RuleCalls(home, kind, who).list()).map(({ id }) => id.split(':').slice(2).join(':'))
      : [],
  )
  const { status } = await home.call({ method: 'GET', path: '/v1/mode', token: who.token })
  const mode = status === 200 ? ['mode:'] : []
  const seen = await home.call({ method: 'GET', path: '/v1/persons', token: who.token })
  const { persons } = seen.body as { persons?: readonly { id: string }[] }
  const people =
    seen.status === 200 ? ['anyone', ...(persons ?? []).map(({ id }) => id)].map((id) => `person:${id}`) : []
  const { calendars } = (await home.get('/v1/calendars', who.token)) as unknown as Calendars
  const dates = calendars.map(({ id }) => `calendar:${id}`)
  const others = [...(await Promise.all(rules)).flat(), ...mode, ...people, ...dates]
  return [...localIdsOf(await houseOf(home, who)), ...others].toSorted()
}

/** The service's ids of previewed things; a whole module has none. */
export function previewedIds(things: readonly PreviewedThing[]): readonly string[] {
  return things
    .filter(({ kind }) => kind !== 'whole_module')
    .map(({ kind, id }) => (['unit', 'module', 'gang'].includes(kind) ? id : `${kind}:${id}`))
    .toSorted()
}
