import { MODEL_LETTERS, SWITCH_MODELS } from '../../home/model/device.ts'
import { MODEL_REGISTERS, type ValueRange, type RegisterDef } from './models.ts'

const rangeText = (ranges: readonly ValueRange[]): string =>
  ranges.map(([low, high]) => (low === high ? `${low}` : `${low}-${high}`)).join(', ')

interface Row {
  readonly register: RegisterDef
  letters: string
  readonly gangs: Set<string>
}

/** The registers of all models by number; equal ones share a row. */
function rows(): readonly Row[] {
  const found = new Map<string, Row>()
  const rowOf = (register: RegisterDef): Row => {
    const key = JSON.stringify(register)
    const row = found.get(key) ?? { register, letters: '', gangs: new Set() }
    found.set(key, row)
    return row
  }
  for (const model of SWITCH_MODELS) {
    const { unit, gang } = MODEL_REGISTERS[model]
    for (const register of unit) rowOf(register).letters += MODEL_LETTERS[model]
    if (gang === null) continue
    for (const register of gang.switch_gang) rowOf(register).gangs.add('switch')
    for (const register of gang.shutter_gang) rowOf(register).gangs.add('shutter')
  }
  return [...found.values()].toSorted((one, other) => one.register.number - other.register.number)
}

function holders({ letters, gangs }: Row): string {
  const which = gangs.size === 2 ? 'gangs' : [...gangs].map((gang) => `${gang} gangs`).join()
  return [letters, which].filter((part) => part !== '').join(', ')
}

/** The table of docs/hmhc-registers.md. Registers that differ only in their default share a line. */
export function registerTables(): string {
  const lines = new Map<string, [Row, ...Row[]]>()
  for (const row of rows()) {
    const key = JSON.stringify({ ...row.register, default: null })
    const line = lines.get(key)
    if (line) line.push(row)
    else lines.set(key, [row])
  }
  const cells = [...lines.values()].map((line) => lineOf(line))
  return ['| No | Name | Values | Default | Held by | Coding |', '|---|---|---|---|---|---|', ...cells].join('\n')
}

function lineOf(line: readonly [Row, ...Row[]]): string {
  const { number, name, ranges, coding, fixed } = line[0].register
  const defaults = line.map(({ register }) => register.default).join('; ')
  const note = fixed ? ' (fixed, writes are refused)' : ''
  return `| ${number} | \`${name}\` | ${rangeText(ranges)} | ${defaults} | ${line.map(holders).join('; ')} | ${coding}${note} |`
}

/** docs/hmhc-registers.json: the same registers, model by model, for programs. */
export function registerJson(): string {
  const list = (registers: readonly RegisterDef[]): string =>
    `[\n${registers.map((def) => `        ${JSON.stringify(def)}`).join(',\n')}\n      ]`
  const models = SWITCH_MODELS.map((model) => {
    const { unit, gang } = MODEL_REGISTERS[model]
    const scopes = gang === null ? { unit } : { unit, ...gang }
    return `    "${model}": {\n${Object.entries(scopes)
      .map(([scope, registers]) => `      "${scope}": ${list(registers)}`)
      .join(',\n')}\n    }`
  })
  return `{\n  "models": {\n${models.join(',\n')}\n  }\n}\n`
}
