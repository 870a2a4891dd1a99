import { CliError, table, plain, ask, readText, writeNew } from '../shell/terminal.ts'
import type { CliContext } from './context.ts'
import type { CallAnswer, CallBody, Commands } from './command-group.ts'
import { importPreviewLines } from './previews.ts'

type Replacement = CallAnswer<'house.replace'>
type Place = Replacement['places'][number]
type Physical = Replacement['units'][number]['before']

interface ReplaceOptions {
  readonly dryRun: boolean
  readonly yes: boolean
}

/** `hm house replace`: replaces the unit behind an id of the house. */
function replaceCommand(house: Commands): void {
  house
    .command(
      'replace <unit> <by>',
      'give the id of a unit to another one: to the unit at an address of the bus, or to a unit of the house',
    )
    .option('--dry-run', 'only list the rules and exposures that no longer fit, and their changes', false)
    .option('--yes', 'do not ask before places are changed', false)
    .action(async (unit: string, by: string, { dryRun, yes }: ReplaceOptions) => {
      const { context } = house
      const { client, json } = context
      const address = await addressOf(by, client)
      const preview = await client.ask('house.replace', { body: { unit, address, dryRun: true } })
      if (dryRun) return context.show(preview, replacementText)
      if (preview.places.length > 0 && !yes && !(await isAgreed(preview, json)))
        throw new CliError('No change was made.')
      context.show(
        await client.ask('house.replace', { body: { unit, address, dryRun: false, ifRevision: preview.revision } }),
        replacementText,
      )
    })
}

/** The given address, or the address of another unit of the house. */
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
      `${countOf(preview.places)} no longer fit: list them with --dry-run, then change them with --yes.`,
    )
  process.stderr.write(`${replacementText(preview)}\n`)
  return /^y(es)?$/i.test((await ask('Change these places? (yes/no) ')).trim())
}

function replacementText({ dryRun, units, places, settings }: Replacement): string {
  const unheard = units.filter(({ readingsKnown }) => !readingsKnown)
  const verb = dryRun ? 'would become' : 'is now'
  return [
    ...units.map(({ id, before, after }) => `${id}: ${physicalWords(before)} ${verb} ${physicalWords(after)}.`),
    ...(places.length === 0
      ? [`All references to it fit${unheard.length === 0 ? '' : ', as far as is known'}.`]
      : [
          `${countOf(places)} ${dryRun ? 'do not fit' : 'did not fit'}:`,
          table(
            ['  WHERE', 'WHAT', dryRun ? 'PROPOSAL' : 'DONE'],
            places.map((place) => [`  ${whereWords(place)}`, place.what, proposalWords(place)]),
          ),
        ]),
    ...unheard.map(
      ({ id, name }) =>
        `${nameWords(id, name)}: the new unit has not reported readings, so triggers and conditions about them are not checked.`,
    ),
    ...units
      .filter(({ settingsKnown }) => !settingsKnown)
      .map(({ id, name }) => `${nameWords(id, name)}: the settings of the old unit are unknown, so none are written.`),
    ...(settings.length === 0
      ? []
      : [
          dryRun
            ? 'Settings that would be written to the new unit:'
            : 'Settings that are being written to the new unit (the activity shows the results):',
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

function physicalWords({ address, model, class: unitClass, gangs }: Physical): string {
  const parts = gangs.length === 0 ? '' : ` with ${gangs.length} ${gangs.length === 1 ? 'gang' : 'gangs'}`
  return `${unitClass}${parts}${model === null ? '' : ` ${model}`} at address ${address}`
}

const PARTS: Readonly<Record<Place['part'], string>> = {
  when: 'trigger',
  if: 'condition',
  then: 'step',
  steps: 'step',
  members: 'member',
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
      return `leave the ${PARTS[part]} out and turn the ${kind} off`
    case 'delete':
      return `delete the ${kind}: no ${PARTS[part]} of it is left${part === 'then' ? ' that does something' : ''}`
    case 'end':
      return 'end the confirmation'
  }
}

type HouseView = CallAnswer<'house.show'>
type GangPlacing = NonNullable<CallBody<'house.place'>['gangs']>[number]

const RELABEL_HELP = 'relabel past costs and prices with the new currency; amounts are not converted'

/** `hm house …`: the structure of the home. */
export function houseCommands(program: Commands): void {
  const house = program.group('house', 'show and change floors, rooms and units')
  house.asks('show', 'show the house with local ids, and units on the bus without a place', 'house.show', describe)
  house.command('export [file]', 'write the house to a YAML file, or print it').action(async (file?: string) => {
    const { context } = house
    const answer = await context.client.ask('house.export')
    if (file === undefined) return context.show(answer, (exported) => exported.file)
    writeNew(file, answer.file)
    context.show({ written: file }, () => `Wrote ${file}.`)
  })
  house
    .command('import <file>', 'replace the house by a YAML or JSON file')
    .option('--check', 'only check whether it could be imported', false)
    .option('--dry-run', 'check, and list additions, changes and removals', false)
    .option('--yes', 'do not ask before most of the units, rooms, scenes, groups or rules are removed', false)
    .option('--relabel-costs', RELABEL_HELP, false)
    .action(async (file: string, { check, dryRun, yes, relabelCosts }: ImportOptions) => {
      const { context } = house
      const body = { file: readText(file), check: check || dryRun, yes, ...(relabelCosts ? { relabelCosts } : {}) }
      if (!body.check && !yes) body.yes = await agreesToRemovals(body, context)
      const answer = await context.client.ask('house.import', { body })
      context.show(answer, (imported) =>
        [
          `${imported.checked ? 'This file holds' : 'Imported'} ${imported.floors} floors, ${imported.rooms} rooms, ${imported.units} units, ${imported.scenes} scenes, ${imported.groups > 0 ? `${imported.groups} groups, ` : ''}${imported.automations} automations and ${imported.schedules} schedules.`,
          ...(dryRun ? importPreviewLines(imported) : []),
          ...(imported.backup === null ? [] : [`The previous home is in the backup ${imported.backup}.`]),
          ...(imported.checked && imported.removesMost !== null
            ? [`It would remove ${imported.removesMost}: importing it needs --yes.`]
            : []),
          ...imported.warnings,
        ].join('\n'),
      )
    })
  placeCommand(house)
  replaceCommand(house)
}

interface ImportOptions {
  readonly check: boolean
  readonly dryRun: boolean
  readonly relabelCosts: boolean
  readonly yes: boolean
}

/** Asks at a terminal before most of a kind is removed; elsewhere the gateway refuses and names the flag. */
async function agreesToRemovals(
  body: { readonly file: string; readonly relabelCosts?: boolean },
  { client, json }: CliContext,
): Promise<boolean> {
  if (json || !process.stdin.isTTY) return false
  const { removesMost } = await client.ask('house.import', { body: { ...body, check: true } })
  if (removesMost === null) return false
  const answer = await ask(`This file removes ${removesMost}. A backup is made first. Import it? (yes/no) `)
  if (/^y(es)?$/i.test(answer.trim())) return true
  throw new CliError('The file was not imported.')
}

interface PlaceOptions {
  readonly id?: string
  readonly name?: string
  readonly room?: string | false
  readonly gang?: readonly string[]
  readonly light?: string
  readonly gangLight?: readonly string[]
}

function placeCommand(house: Commands): void {
  house
    .command(
      'place <unit>',
      'add a unit found on the bus (by its address), or move, rename or describe one (by its id)',
    )
    .option('--id <id>', 'the local id of a new unit')
    .option('--name <name>', 'its name')
    .option('--room <room>', 'its room')
    .option('--no-room', 'in no room')
    .option('--gang <place...>', 'rooms and names of gangs: gang=room or gang=room=name')
    .option('--light <word>', 'the switch feeds a lamp: yes, no, or unknown')
    .option('--gang-light <word...>', 'the same for gangs: gang=yes, gang=no or gang=unknown')
    .action(async (unit: string, options: PlaceOptions) => {
      const { context } = house
      const answer = await context.client.ask('house.place', { body: placing(unit, options) })
      context.show(answer, ({ unit: placed }) => `${placed.id} (${placed.name}) is in ${placed.room ?? 'no room'}.`)
    })
}

function placing(unit: string, options: PlaceOptions): CallBody<'house.place'> {
  const { id, name, room, gang = [], light, gangLight = [] } = options
  const address = /^\d+$/.test(unit) ? Number(unit) : undefined
  if (address === undefined && id !== undefined && id !== unit)
    throw new CliError(`${unit} is the id of a unit: --id ${id} is for a new unit, which is named by its address.`)
  const gangs = [...gang.map(parseGang), ...gangLight.map(parseGangLight)]
  return {
    ...(address === undefined ? { unit } : { address, ...(id === undefined ? {} : { unit: id }) }),
    ...(name === undefined ? {} : { name }),
    ...(room === undefined ? {} : { room: room === false ? null : room }),
    ...(light === undefined ? {} : { light: parseLight(light) }),
    ...(gangs.length > 0 ? { gangs } : {}),
  }
}

interface HomeOptions extends Pick<CallBody<'home.set'>, 'name' | 'timeZone' | 'currency' | 'relabelCosts'> {
  readonly latitude?: string
  readonly longitude?: string
  readonly quiet?: string
}

/** `hm home …`: name, time zone, place, currency and quiet hours. */
export function homeCommands(program: Commands): void {
  const home = program.group('home', "show and change the home's name, time zone, place, currency and quiet hours")
  const text = ({ home: info }: CallAnswer<'home.show'>): string =>
    Object.entries({ ...info, quiet: info.quiet ? `${info.quiet.from}-${info.quiet.until}` : null })
      .map(([name, value]) => `${name.padEnd(10)} ${plain(value)}`)
      .join('\n')
  home.asks('show', 'show all of these', 'home.show', text)
  home
    .command('set', 'change the given fields')
    .option('--name <name>', 'the name of the home')
    .option('--time-zone <zone>', 'for example Europe/Berlin')
    .option('--latitude <degrees>', 'for sunrise and sunset, for example 52.52')
    .option('--longitude <degrees>', 'for example 13.4')
    .option('--currency <code>', 'for example EUR')
    .option('--relabel-costs', RELABEL_HELP)
    .option('--quiet <hours>', 'daily time without normal messages, for example 22:00-07:00; off removes it')
    .action(async ({ latitude, longitude, relabelCosts, quiet, ...texts }: HomeOptions) => {
      const body = {
        ...texts,
        ...(latitude === undefined ? {} : { latitude: degrees(latitude) }),
        ...(longitude === undefined ? {} : { longitude: degrees(longitude) }),
        ...(quiet === undefined ? {} : { quiet: parseQuiet(quiet) }),
      }
      if (Object.keys(body).length === 0)
        throw new CliError('Name at least one of --name, --time-zone, --latitude, --longitude, --currency, --quiet.')
      const { context } = home
      context.show(await context.client.ask('home.set', { body: { ...body, relabelCosts } }), text)
    })
}

function lightWords({ light }: { readonly light?: boolean | undefined }): string {
  return light === undefined ? '' : light ? '  feeds a lamp' : '  feeds no lamp'
}

function degrees(text: string): number {
  const number = Number(text)
  if (!Number.isFinite(number)) throw new CliError(`"${text}" is not a number of degrees.`)
  return number
}

function parseQuiet(text: string): { readonly from: string; readonly until: string } | null {
  const [from = '', until = '', ...more] = text.split('-')
  if (text === 'off') return null
  if (until === '' || more.length > 0) throw new CliError(`"${text}" is not of the form 22:00-07:00, or off.`)
  return { from, until }
}

function parseGang(word: string): GangPlacing {
  const match = /^(\d)=([a-z0-9-]*)(?:=(.+))?$/.exec(word)
  if (!match) throw new CliError(`"${word}" is not of the form gang=room or gang=room=name; an empty room means none.`)
  return { gang: Number(match[1]), room: match[2] === '' ? null : match[2], ...(match[3] ? { name: match[3] } : {}) }
}

function parseGangLight(word: string): GangPlacing {
  const match = /^(\d)=(.+)$/.exec(word)
  if (!match) throw new CliError(`"${word}" is not of the form gang=yes, gang=no or gang=unknown.`)
  return { gang: Number(match[1]), light: parseLight(match[2] ?? '') }
}

function parseLight(word: string): boolean | null {
  if (word === 'yes') return true
  if (word === 'no') return false
  if (word === 'unknown') return null
  throw new CliError(`"${word}" is not one of yes, no and unknown.`)
}

function describe(house: HouseView): string {
  const roomsOf = (floor: string | null): HouseView['rooms'] => house.rooms.filter((room) => room.floor === floor)
  const unitsIn = (room: string | null): string[] =>
    house.units
      .filter((unit) => unit.room === room)
      .flatMap((unit) => [
        `    ${unit.id}  ${unit.name}  ${unit.class}${unit.model ? ` ${unit.model}` : ''}  address ${unit.address}${lightWords(unit)}${unit.reachable ? '' : '  UNREACHABLE'}`,
        ...unit.gangs.map(
          (gang) =>
            `      ${unit.id}:${gang.gang}  ${gang.name}  ${gang.class}${lightWords(gang)}${gang.room === unit.room ? '' : `  in ${gang.room ?? 'no room'}`}`,
        ),
      ])
  const lines = house.floors.flatMap((floor) => [
    `floor ${floor.id}  ${floor.name}`,
    ...roomsOf(floor.id).flatMap((room) => [`  room ${room.id}  ${room.name}`, ...unitsIn(room.id)]),
  ])
  return [
    ...lines,
    ...(roomsOf(null).length > 0
      ? ['on no floor', ...roomsOf(null).flatMap((room) => [`  room ${room.id}  ${room.name}`, ...unitsIn(room.id)])]
      : []),
    ...(unitsIn(null).length > 0 ? ['in no room', ...unitsIn(null)] : []),
    'scenes',
    ...house.scenes.map((scene) => `    ${scene.id}  ${scene.name}`),
    ...(house.groups.length === 0 ? [] : ['groups']),
    ...house.groups.map((group) => `    ${group.id}  ${group.name}: ${group.members.join(', ')}`),
    ...(house.unplaced.length > 0
      ? [
          'on the bus, without a place (bin/hm house place ADDRESS --room ROOM --name NAME)',
          table(
            ['    ADDRESS', 'MODEL', 'CLASS'],
            house.unplaced.map((unit) => [`    ${unit.address}`, unit.model, unit.class]),
          ),
        ]
      : []),
  ].join('\n')
}
