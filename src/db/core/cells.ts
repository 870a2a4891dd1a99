import { GANG_CLASSES, OTHER_MODELS, SWITCH_MODELS, UNIT_CLASSES } from '../../home/model/device.ts'
import type { Cell } from './cell.ts'
import { FORMS } from './forms.ts'
import { BY_ID, GANG_KEY, identified, keyOf, NAMED, named, NAMED_TABLES, revised, RULE_KEY } from './named-cells.ts'

const TAKEN_OUT = 'it was taken out'
const AUTHOR = ['author_integration = @author_integration', 'author_link = @author_link']
const NO_LEAVE = `knobs = json_set(@knobs, '$.allow_unlock', 'off')`

const fits =
  (form: { safeParse(value: unknown): { readonly success: boolean } }) =>
  (value: unknown): boolean =>
    form.safeParse(value).success
const oneOf =
  (words: readonly string[]) =>
  (value: unknown): boolean =>
    words.some((word) => word === value)
const within =
  (most: number) =>
  (value: unknown): boolean =>
    typeof value === 'number' && Math.abs(value) <= most

/** A run says nothing that an older copy could: a step that it had not made yet would be made twice. */
const run = (column: string, sound: Cell['sound']): Cell => ({
  table: 'rule_runs',
  key: BY_ID,
  column,
  sound,
  mended: [],
  otherwise: 'removed',
  words: ['run', 'it ended'],
})

const place = (table: string, column: string, sound: Cell['sound'], otherwise: string, key = BY_ID): Cell => ({
  table,
  key,
  column,
  plain: true,
  sound,
  mended: [`${column} = @${column}`],
  otherwise,
  words: [table.replace(/s$/, ''), otherwise === 'removed' ? TAKEN_OUT : 'it was set to what holds where nobody says'],
})

/** By a wrong door an agent would come in where it was not let in. */
const door = (table: string, key: string, mended: readonly string[], words: Cell['words']): Cell => ({
  table,
  key: [key],
  column: 'door',
  plain: true,
  sound: fits(FORMS.door),
  mended,
  otherwise: 'removed',
  words,
})

const ADDRESS_MAX = 65_279
const SHA256_BYTES = 32
const GANGS: readonly number[] = [0, 1, 2, 3]

/**
 * Every cell of core.db whose content is more than a text or number by itself. A cell may be empty where its column
 * allows that.
 */
export const CELLS: readonly Cell[] = [
  place('home', 'time_zone', (value, _row, forms) => forms.timeZone(value), `time_zone = 'UTC'`, ['one']),
  place('home', 'latitude', within(90), 'latitude = NULL', ['one']),
  place('home', 'longitude', within(180), 'longitude = NULL', ['one']),
  place('home', 'currency', (value) => /^[A-Z]{3}$/.test(String(value)), `currency = 'EUR'`, ['one']),
  named('home', ['one'], `'Home'`, 'home'),
  ...NAMED_TABLES.map((table) => named(table, keyOf(table), `'${NAMED[table]}'`, NAMED[table])),
  named('gangs', GANG_KEY, `'Gang ' || (gang + 1)`, 'gang'),
  named('integrations', BY_ID, `'Integration'`, 'integration'),
  {
    table: 'units',
    key: BY_ID,
    column: 'address',
    plain: true,
    sound: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= ADDRESS_MAX,
    mended: [],
    otherwise: `address = (SELECT min(free.address) + 1 FROM (SELECT 0 AS address UNION SELECT address FROM units) AS free
      WHERE free.address BETWEEN 0 AND ${ADDRESS_MAX} AND free.address + 1 NOT IN (SELECT address FROM units))`,
    words: ['unit', 'it has an address that no other has: put it right in the house file'],
  },
  place('scenes', 'icon', (value, _row, forms) => forms.name(value), 'icon = NULL'),
  {
    table: 'credentials',
    key: ['link'],
    column: 'secret_sha256',
    plain: true,
    sound: (value) => value instanceof Uint8Array && value.length === SHA256_BYTES,
    mended: ['secret_sha256 = @secret_sha256'],
    otherwise: `secret_sha256 = zeroblob(${SHA256_BYTES})`,
    words: ['credential', 'nobody can use it any more: revoke it and make a new one'],
  },
  revised('scenes'),
  revised('rules'),
  place('units', 'class', oneOf(UNIT_CLASSES), 'removed'),
  place('units', 'model', oneOf([...SWITCH_MODELS, ...OTHER_MODELS]), 'model = NULL'),
  place('gangs', 'class', oneOf(GANG_CLASSES), 'removed', GANG_KEY),
  {
    table: 'scenes',
    key: BY_ID,
    column: 'steps',
    sound: (value, _row, forms) => forms.sceneSteps(value),
    mended: ['steps = @steps', ...AUTHOR],
    otherwise: 'removed',
    words: ['scene', TAKEN_OUT],
  },
  {
    table: 'scenes',
    key: BY_ID,
    column: 'edits',
    sound: fits(FORMS.edits),
    mended: [],
    otherwise: `edits = json_array(json_object('devices', NULL, 'count', max(1, revision)))`,
    words: ['scene', 'each of its edits counts for everybody'],
  },
  {
    table: 'integrations',
    key: BY_ID,
    column: 'knobs',
    sound: fits(FORMS.knobs),
    // A leave that was taken back after the copy must not come back with it.
    mended: [NO_LEAVE],
    otherwise: `knobs = '{}', enabled = 0`,
    words: ['integration', 'it was disabled, and its knobs are those of a new one'],
  },
  {
    table: 'rules',
    key: RULE_KEY,
    column: 'definition',
    sound: (value, { kind }, forms) => forms.definition(kind === 'schedule' ? 'schedule' : 'automation', value),
    mended: ['definition = @definition', ...AUTHOR],
    otherwise: 'removed',
    words: ['rule', TAKEN_OUT],
  },
  run('steps', (value, _row, forms) => forms.runSteps(value)),
  run('cause', fits(FORMS.cause)),
  run('principals', fits(FORMS.principals)),
  run('failures', fits(FORMS.failures)),
  {
    table: 'tariff',
    key: ['one'],
    column: 'content',
    sound: (value, _row, forms) => forms.tariff(value),
    mended: ['content = @content'],
    otherwise: 'removed',
    words: ['tariff', `${TAKEN_OUT}, and costs are unknown`],
  },
  {
    table: 'agent_requests',
    key: ['request'],
    column: 'suggested',
    sound: fits(FORMS.scope),
    mended: [],
    otherwise: 'suggested = NULL',
    words: ['request of an agent', 'what the agent would like is not known any more'],
  },
  {
    table: 'agent_requests',
    key: ['request'],
    column: 'decided_by',
    sound: fits(FORMS.cause),
    mended: [],
    otherwise: 'removed',
    words: ['request of an agent', 'the agent has to ask again'],
  },
  door('agent_requests', 'request', [], ['request of an agent', 'the agent has to ask again']),
  door('credentials', 'link', ['door = @door'], ['credential of a hosted agent', 'the agent has to ask again']),
  {
    table: 'confirmations',
    key: BY_ID,
    column: 'decided_by',
    sound: fits(FORMS.cause),
    mended: [],
    otherwise: 'removed',
    words: ['confirmation', 'the agent has to ask again'],
  },
  {
    table: 'activity_outbox',
    key: BY_ID,
    column: 'draft',
    sound: fits(FORMS.draft),
    mended: [],
    otherwise: 'removed',
    words: ['activity entry', TAKEN_OUT],
  },
  {
    table: 'idempotency_keys',
    key: ['link', 'key'],
    column: 'headers',
    sound: fits(FORMS.headers),
    mended: [],
    // The write was made; sent again it must not be made once more.
    otherwise: 'status = NULL, headers = NULL, body = NULL',
    words: ['answer to a write', 'its outcome is unknown to whoever sends it again'],
  },
  // Last: what else is mended of a row finds it by its id.
  ...NAMED_TABLES.map(identified),
  {
    table: 'gangs',
    key: GANG_KEY,
    column: 'gang',
    plain: true,
    sound: (value) => GANGS.some((gang) => gang === value),
    mended: [],
    otherwise: `gang = coalesce((SELECT min(value) FROM json_each('${JSON.stringify(GANGS)}')
      WHERE value NOT IN (SELECT other.gang FROM gangs AS other WHERE other.unit = gangs.unit)), gang)`,
    words: ['gang', 'it has the lowest number that is free on its module'],
  },
]
