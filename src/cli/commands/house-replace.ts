import type { Command } from 'commander'
import type { AdminContract } from '../../admin/contract/index.ts'
import type { AnswerOf } from '../../api/client.ts'
import { CliError } from '../cli-error.ts'
import type { CliContext } from '../context.ts'
import { table } from '../print.ts'
import { asked } from '../questions.ts'

type Replacement = AnswerOf<AdminContract['house.replace']>
type Place = Replacement['places'][number]
type Physical = Replacement['units'][number]['before']

interface ReplaceOptions {
  readonly dryRun: boolean
  readonly yes: boolean
}

/** `hm house replace`: another unit of the bus behind an id of the house. */
export function replaceCommand(house: Command, context: () => CliContext): void {
  house
    .command('replace <unit> <by>')
    .description(
      'put another unit behind an id of the house: the one at an address of the bus, or another of the house',
    )
    .option('--dry-run', 'only list what no longer fits, and what is done with it', false)
    .option('--yes', 'do not ask before places are changed', false)
    .action(async (unit: string, by: string, { dryRun, yes }: ReplaceOptions) => {
      const { client, json } = context()
      const address = await addressOf(by, client)
      const preview = await client.ask('house.replace', { body: { unit, address, dryRun: true } })
      if (dryRun) return context().show(preview, describe)
      if (preview.places.length > 0 && !yes && !(await isAgreed(preview, json)))
        throw new CliError('Nothing was changed.')
      context().show(
        await client.ask('house.replace', { body: { unit, address, dryRun: false, ifRevision: preview.revision } }),
        describe,
      )
    })
}

/** An address, or that of another unit of the house. */
async function addressOf(by: string, client: CliContext['client']): Promise<number> {
  if (/^\d+$/.test(by)) return Number(by)
  const { units } = await client.ask('house.show')
  const unit = units.find(({ id }) => id === by)
  if (unit === undefined) throw new CliError(`${by} is neither an address nor the id of a unit of the house.`)
  return unit.address
}

async function isAgreed(preview: Replacement, json: boolean): Promise<boolean> {
  if (json || !process.stdin.isTTY)
    throw new CliError(
      `${countOf(preview.places)} no longer fit: look at them with --dry-run, then change them with --yes.`,
    )
  process.stderr.write(`${describe(preview)}\n`)
  return /^y(es)?$/i.test((await asked('Change these places? (yes/no) ')).trim())
}

function describe({ dryRun, units, places, settings }: Replacement): string {
  const unheard = units.filter(({ readingsKnown }) => !readingsKnown)
  const verb = dryRun ? 'would become' : 'is now'
  return [
    ...units.map(({ id, before, after }) => `${id}: ${physicalWords(before)} ${verb} ${physicalWords(after)}.`),
    ...(places.length === 0
      ? [`Everything that refers to it fits${unheard.length === 0 ? '' : ', as far as is known'}.`]
      : [
          `${countOf(places)} ${dryRun ? 'do not fit' : 'did not fit'}:`,
          table(
            ['  WHERE', 'WHAT', dryRun ? 'PROPOSAL' : 'DONE'],
            places.map((place) => [`  ${whereWords(place)}`, place.what, proposalWords(place)]),
          ),
        ]),
    ...unheard.map(
      ({ id, name }) =>
        `${nameWords(id, name)}: the new unit has not reported what it measures, so triggers and conditions about that are not checked.`,
    ),
    ...units
      .filter(({ settingsKnown }) => !settingsKnown)
      .map(
        ({ id, name }) => `${nameWords(id, name)}: the settings of the old unit are not known, so none are written.`,
      ),
    ...(settings.length === 0
      ? []
      : [
          dryRun
            ? 'Settings that would be written to the new unit:'
            : 'Settings that are being written to the new unit (the activity tells of each):',
          table(
            ['  DEVICE', 'SETTING'],
            settings.map(({ device, what }) => [`  ${device}`, what]),
          ),
        ]),
  ].join('\n')
}

function countOf(places: readonly Place[]): string {
  return places.length === 1 ? '1 place' : `${places.length} places`
}

function physicalWords({ address, model, class: its, gangs }: Physical): string {
  const parts = gangs.length === 0 ? '' : ` with ${gangs.length} ${gangs.length === 1 ? 'gang' : 'gangs'}`
  return `${its}${parts}${model === null ? '' : ` ${model}`} at address ${address}`
}

const PARTS: Readonly<Record<Place['part'], string>> = {
  when: 'trigger',
  if: 'condition',
  then: 'step',
  steps: 'step',
  light: 'light',
  expose: 'exposure',
  call: 'call',
}

/** `automation Dusk (dusk), step 2`. */
function whereWords({ kind, id, name, part, position }: Place): string {
  return `${kind} ${nameWords(id, name)}, ${PARTS[part]}${position === null ? '' : ` ${position + 1}`}`
}

function nameWords(id: string, name: string): string {
  return name === id ? id : `${name} (${id})`
}

function proposalWords({ proposal, part, kind, becomes }: Place): string {
  switch (proposal) {
    case 'change':
      return `-> ${becomes ?? ''}`
    case 'leave_out':
      return `leave the ${PARTS[part]} out`
    case 'switch_off':
      return `leave the ${PARTS[part]} out and switch the ${kind} off`
    case 'delete':
      return `delete the ${kind}: no ${PARTS[part]} of it is left${part === 'then' ? ' that does something' : ''}`
    case 'end':
      return 'end the confirmation'
  }
}
