// @module-tag repeated
import { expect } from 'vitest'
import { openapiDocument } from '../../src/documents/openapi.ts'
import { FORMS } from '../../src/home/rules/forms.ts'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { houseFile, importHouse } from '#support/gateway/house-file.ts'
import { type TestHome, type TestIntegration, verifies, verifiesAlone } from '#support/gateway/harness.ts'
import { RuleCalls, statusAndCode } from '#support/gateway/rule-calls.ts'
import { proves } from '#support/gateway/verifies.ts'
import { casesOf } from '#support/long.ts'

/**
 * Every form in every field that takes it, by the example in the metadata of its schema: a new form is tested here
 * without a further line. `PREFIXES` has the fields with local ids, `LOCAL_KEYS` those whose ids have no prefix in `/v1`.
 */
const KINDS = casesOf(['automation', 'schedule'] as const, 2)
/** Schedules have the conditions and steps of automations: `npm test` tries them in automations. */
const KINDS_OF = { when: ['automation'], at: ['schedule'], if: KINDS, then: KINDS } as const
const ROWS = (['when', 'at', 'if', 'then'] as const).flatMap((field) =>
  KINDS_OF[field].flatMap((kind) =>
    FORMS[field].map((form) => ({ kind, field, where: `${kind} ${form.form}`, ...form })),
  ),
)
type Row = (typeof ROWS)[number]
const LOCAL_KEYS: readonly string[] = ['calendar']
const PREFIXES: Readonly<Record<string, string>> = { device: '', scene: 'scene:', room: 'room:', rule: '' }

/** The example with the ids that an integration sees. */
function inHome(home: TestHome, example: object, who: TestIntegration = home.main): object {
  return JSON.parse(JSON.stringify(example), (key, value: unknown) => {
    const prefix = PREFIXES[key]
    return prefix === undefined || typeof value !== 'string' ? value : home.id(prefix + value, who)
  }) as object
}

/** The example with names of nothing. */
function invented(example: object): object {
  const named = JSON.parse(JSON.stringify(example), (key, value: unknown) =>
    key in PREFIXES || LOCAL_KEYS.includes(key) ? 'invented' : value,
  ) as object
  if (!('mode' in named)) return named
  return { ...named, mode: Array.isArray(named.mode) ? ['invented'] : 'invented' }
}

/** True if a part names something in the home. */
const hasReference = (example: object): boolean => JSON.stringify(example) !== JSON.stringify(invented(example))

/** Adds the rule that an example names; the demo home of tests has none. */
async function withNamedRule(home: TestHome): Promise<void> {
  const file = await houseFile(home)
  const automations = (file.automations ?? []) as readonly Rule[]
  const named = { id: NAMED_RULE, name: 'Named', enabled: false, when: [{ time: '03:00' }], if: [], mode: 'single' }
  if (automations.some(({ id }) => id === NAMED_RULE)) return
  await importHouse(home, {
    ...file,
    automations: [...automations, { ...named, then: [{ device: 'hall-light', op: 'set_power', args: { on: true } }] }],
  })
}
const NAMED_RULE = 'curtain-at-dusk'

/** A field of a rule that holds this part. */
const holding = (field: string, part: object): object => (field === 'at' ? part : [part])

/** A switched-off rule with one part, whose other parts name nothing. */
function bodyOf({ kind, field }: Row, part: object): object {
  const times = kind === 'schedule' ? { at: { time: '03:00' } } : { when: [{ time: '03:00' }] }
  return { name: 'Form', enabled: false, ...times, then: [{ delay: 1 }], [field]: holding(field, part) }
}

/** The dry run of a stored rule, or of a draft. */
function triedIn({ home, kind }: RuleCalls, id: string | null, draft: object): Promise<RawAnswer> {
  const path = `/v1/${kind}s/${id === null ? '' : `${encodeURIComponent(id)}/`}try`
  return home.call({ method: 'POST', path, ...(id === null && { body: draft }) })
}

verifies('automations.forms', 'every form is created, read, edited and tried as it was sent', async (home) => {
  await withNamedRule(home)
  await home.change(home.main, { people: 'anyone' })
  for (const row of ROWS) {
    const { kind, field, where } = row
    const part = inHome(home, row.example)
    const rules = new RuleCalls(home, kind)
    const made = await rules.create(bodyOf(row, part))
    expect(made, where).toMatchObject({ revision: 1, [field]: holding(field, part) })
    expect(await rules.get(made.id)).toEqual(made)
    const edited = await rules.edit(made.id, { name: 'Other', [field]: holding(field, part), ifRevision: 1 })
    expect(edited, where).toEqual({ ...made, name: 'Other', revision: 2 })
    for (const id of casesOf([null, made.id], 2)) {
      const tried = await triedIn(rules, id, bodyOf(row, part))
      expect(tried, `${where} ${tried.text}`).toMatchObject({ status: 200, body: { refused: null } })
      if (field === 'if')
        expect(tried.body, where).toMatchObject({ if: [{ condition: part, holds: expect.any(Boolean) as boolean }] })
      if (field === 'then') expect(tried.body, where).toMatchObject({ steps: [{ step: part }] })
    }
  }
})

verifies(
  ['automations.forms', 'automations.pointer'],
  'every form is refused with a wrong field, and with a hidden thing as with an invented one',
  async (home) => {
    await withNamedRule(home)
    const none = await home.integrate({
      expose: ['unit:studio-light'],
      settings: { automations: 'on', schedules: 'on' },
    })
    for (const row of ROWS) {
      const { kind, field, where, example } = row
      const rules = new RuleCalls(home, kind)
      const wrong = await rules.send('POST', undefined, bodyOf(row, { ...inHome(home, example), colour: 1 }))
      expect([where, ...statusAndCode(wrong)], wrong.text).toEqual([where, 422, 'validation'])
      expect(wrong.body, where).toMatchObject({ error: { at: field === 'at' ? '/at' : `/${field}/0` } })
      if (!hasReference(example)) continue
      const made = await rules.create(bodyOf(row, inHome(home, example)))
      const theirs = rules.as(none)
      expect([where, ...statusAndCode(await theirs.send('GET', theirs.mine(made.id)))]).toEqual([
        where,
        404,
        'not_found',
      ])
      const [hidden, unknown] = [example, invented(example)].map((named) => bodyOf(row, inHome(home, named, none)))
      const refused = await theirs.send('POST', undefined, hidden)
      expect([where, ...statusAndCode(refused)]).toEqual([where, 404, 'not_found'])
      expect(refused.body, where).toEqual((await theirs.send('POST', undefined, unknown)).body)
    }
  },
)

type Rule = Readonly<Record<string, unknown>> & { readonly id: string }

/** A rule of each of these rows, by its local id. */
async function madeIn(home: TestHome, rows: readonly Row[]): Promise<ReadonlyMap<string, Row>> {
  await withNamedRule(home)
  await home.change(home.main, { people: 'anyone' })
  const made = new Map<string, Row>()
  for (const row of rows) {
    const { id } = await new RuleCalls(home, row.kind).create(bodyOf(row, inHome(home, row.example)))
    made.set(id.split(':').at(-1) ?? '', row)
  }
  return made
}

verifiesAlone()('automations.forms-kept', 'every form is in the house file as its example', async (home) => {
  const rows = casesOf(ROWS, 3)
  const made = await madeIn(home, rows)
  const formsInFile = async (): Promise<unknown> => {
    const { automations = [], schedules = [] } = await houseFile(home)
    return [...(automations as Rule[]), ...(schedules as Rule[])]
      .filter(({ id }) => made.has(id))
      .map((rule) => [made.get(rule.id)!.where, rule[made.get(rule.id)!.field]])
  }
  const file = await houseFile(home)
  const before = await formsInFile()
  expect(before).toHaveLength(rows.length)
  expect(before).toEqual(
    expect.arrayContaining(rows.map(({ where, field, example }) => [where, holding(field, example)])),
  )
  await importHouse(home, file)
  expect(await houseFile(home)).toEqual(file)
  await importHouse(home, { ...file, automations: [], schedules: [] })
  expect(await formsInFile()).toEqual([])
  await importHouse(home, file)
  expect(await formsInFile()).toEqual(before)
})

verifies('automations.forms-kept', 'every form has words of its own', async (home) => {
  const words = new Map<string, string>()
  for (const [id, { kind, field, where }] of await madeIn(home, ROWS)) {
    const { [kind]: rule } = await home.running.admin.call<Record<string, Rule>>('GET', `/${kind}s/${id}`)
    const sentence = [rule?.[field]].flat().join()
    expect(sentence, where).toMatch(/^[A-Za-z0-9(][^{}[\]]{2,150}$/)
    expect(sentence, where).not.toMatch(/undefined|null|NaN/)
    expect(words.get(`${kind} ${field} ${sentence}`), where).toBeUndefined()
    words.set(`${kind} ${field} ${sentence}`, where)
  }
})

proves('automations.forms', 'the documents show the sentence and the example of every form', () => {
  const { schemas } = (openapiDocument() as unknown as { components: { schemas: Record<string, object> } }).components
  for (const { form, description, example } of ROWS)
    expect(schemas[form], form).toMatchObject({ description, examples: [example] })
})
