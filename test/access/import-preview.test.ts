// @module-tag repeated
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect } from 'vitest'
import { parse } from 'yaml'
import { hm } from '#support/gateway/cli.ts'
import { visibleIds, previewedIds, type PreviewedThing } from '#support/gateway/visible-ids.ts'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { power, RuleCalls } from '#support/gateway/rule-calls.ts'
import { times } from '#support/long.ts'
import { tempFolder } from '#support/temp-folder.ts'

const verifies = verifiesIn(() => ({}))

interface Part {
  id: string
  name: string
  room?: string | null
  [field: string]: unknown
}
/** A house file, parsed. */
interface File {
  home: Record<string, unknown>
  floors: Part[]
  rooms: Part[]
  units: Part[]
  scenes: Part[]
  automations?: Part[]
  schedules?: Part[]
}
interface Answer {
  readonly differences: readonly { readonly change: string; readonly kind: string; readonly id: string }[]
  readonly integrations: readonly (Readonly<Record<'appears' | 'disappears', readonly PreviewedThing[]>> & {
    id: string
  })[]
}

const part = (list: Part[], id: string): Part => list.find((entry) => entry.id === id)!
const without = (list: Part[], id: string): Part[] => list.filter((entry) => entry.id !== id)

const EDITS: Readonly<Record<string, (file: File) => void>> = {
  renameUnit: ({ units }) => void (part(units, 'study-light').name = 'Desk light'),
  moveUnit: ({ units }) => void (part(units, 'guest-light').room = 'study'),
  moveOut: ({ units }) => void (part(units, 'study-desk').room = null),
  dropUnit: (file) => void (file.units = without(file.units, 'house-meter')),
  addUnit: ({ units }) =>
    void units.push({ id: 'lamp', name: 'Lamp', address: 200, model: 'HMHHX1', class: 'light_switch', room: 'study' }),
  addRoom: ({ rooms }) => void rooms.push({ id: 'attic', name: 'Attic' }),
  dropScene: (file) => void (file.scenes = without(file.scenes, 'dinner')),
  renameScene: ({ scenes }) => void (part(scenes, 'movie-night').name = 'Films'),
  dropRule: (file) => void (file.schedules = []),
  renameRule: ({ automations }) => void (automations![0]!.name = 'Renamed'),
  renameHome: ({ home }) => void (home['name'] = 'Elsewhere'),
  reverse: ({ units }) => void units.reverse(),
}

const exported = async (home: TestHome): Promise<string> =>
  (await home.running.admin.call<{ file: string }>('GET', '/house/file')).file

/** A file without its revisions, because a thing that returns after its removal has a higher one. */
const unrevised = (file: string): string => file.replaceAll(/(?<=^ +revision: )\d+$/gm, 'any')

/** Differences between two files, as `change kind id`. */
function differences(before: File, after: File): string[] {
  const lists = (file: File): [string, Part][] =>
    (['floor', 'room', 'unit', 'scene', 'automation', 'schedule'] as const)
      .flatMap((kind) =>
        (file[`${kind}s`] ?? []).map((entry): [string, Part] => [`${kind} ${entry.id}`, { ...entry, revision: 0 }]),
      )
      .concat([['home home', file.home as Part]])
  const [old, now] = [new Map(lists(before)), new Map(lists(after))]
  const changed = ([key, entry]: [string, Part]): string[] => {
    const known = old.get(key)
    if (!known) return [`added ${key}`]
    return JSON.stringify(known) === JSON.stringify(entry) ? [] : [`changed ${key}`]
  }
  const removed = [...old.keys()].filter((key) => !now.has(key)).map((key) => `removed ${key}`)
  return [...[...now].flatMap(changed), ...removed].toSorted()
}

async function integrationsWithRules(home: TestHome): Promise<readonly TestIntegration[]> {
  const rules = { automations: 'on', schedules: 'on' }
  const some = await home.integrate({ expose: ['room:study', 'room:guest-room', 'scene:dinner'], settings: rules })
  const then = [power(home, 'guest-light', true)]
  await new RuleCalls(home, 'automation').create({ name: 'Guest', when: [{ time: '07:00' }], then })
  await new RuleCalls(home, 'schedule').create({ name: 'Guest', at: { time: '07:00' }, then })
  return [home.main, some]
}

describe('the dry run of an import', () => {
  verifies(
    'administration.import-preview',
    'predicts the effect of the import for any difference',
    { tags: ['long'] },
    async (home) => {
      const { admin } = home.running
      const integrations = await integrationsWithRules(home)
      const original = await exported(home)
      await fc.assert(
        fc.asyncProperty(fc.subarray(Object.keys(EDITS)), async (edits) => {
          await admin.call('PUT', '/house/file', { file: original })
          const imported = await exported(home)
          expect(unrevised(imported)).toBe(unrevised(original))
          const file = parse(original) as File
          for (const edit of edits) EDITS[edit]!(file)
          const body = { file: JSON.stringify(file) }
          const visibleToAll = async (): Promise<(readonly string[])[]> =>
            Promise.all(integrations.map((integration) => visibleIds(home, integration)))
          const before = await visibleToAll()
          const dry = await admin.call<Answer>('PUT', '/house/file', { ...body, check: true })
          expect(await exported(home)).toBe(imported)
          await admin.call('PUT', '/house/file', body)
          const previewed = dry.differences.map(({ change, kind, id }) => `${change} ${kind} ${id}`).toSorted()
          expect(previewed).toEqual(differences(parse(imported) as File, parse(await exported(home)) as File))
          const after = await visibleToAll()
          for (const [index, { id }] of integrations.entries()) {
            const { appears = [], disappears = [] } =
              dry.integrations.find((integration) => integration.id === id) ?? {}
            const [old, now] = [before[index]!, after[index]!]
            expect(previewedIds(appears)).toEqual(now.filter((visible) => !old.includes(visible)))
            expect(previewedIds(disappears)).toEqual(old.filter((visible) => !now.includes(visible)))
          }
        }),
        { numRuns: times(1, 60) },
      )
      await admin.call('PUT', '/house/file', { file: original })
    },
  )

  verifies('administration.import-preview', 'is printed in plain words by hm, with --dry-run', async (home) => {
    const some = await home.integrate({ name: 'Panel', expose: ['room:study'] })
    const original = await exported(home)
    const file = parse(original) as File
    for (const edit of ['renameUnit', 'moveOut', 'addRoom', 'dropScene'] as const) EDITS[edit]!(file)
    const path = join(tempFolder(), 'house.json')
    const run = async (text: string): Promise<string[]> => {
      writeFileSync(path, text)
      const { out } = await hm(home.running.dataDir, 'house', 'import', path, '--dry-run')
      return out.trimEnd().split('\n')
    }
    expect((await run(original)).at(-1)).toBe('It equals the present home: an import would change nothing.')
    const lines = (await run(JSON.stringify(file))).slice(1)
    expect(lines.slice(0, 7)).toEqual([
      'Added',
      '  room  attic  Attic',
      'Changed',
      '  unit  study-light  Desk light   name',
      '  unit  study-desk   Desk socket  room',
      'Removed',
      '  scene  dinner  Dinner',
    ])
    expect(lines.slice(lines.indexOf('Disappears for Panel'))).toContain('  unit  study-desk  Desk socket')
    expect(await exported(home)).toBe(original)
    await home.change(some, { enabled: false })
  })
})
