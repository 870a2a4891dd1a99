import { MODEL_LETTERS, SWITCH_MODELS } from '../../home/model/device.ts'
import { MODEL_REGISTERS, type Range, type RegisterDef } from './models.ts'

const rangeText = (ranges: readonly Range[]): string =>
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

/** The table of docs/hmhc-registers.md. */
export function registerTables(): string {
  const lines = rows().map((row) => {
    const { number, name, ranges, default: standard, coding, fixed } = row.register
    const note = fixed ? ' (fixed, writes are refused)' : ''
    return `| ${number} | \`${name}\` | ${rangeText(ranges)} | ${standard} | ${holders(row)} | ${coding}${note} |`
  })
  return ['| No | Name | Values | Default | Held by | Coding |', '|---|---|---|---|---|---|', ...lines].join('\n')
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
