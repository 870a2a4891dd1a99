import { SWITCH_MODELS } from '../../home/model/device.ts'
import { MODEL_REGISTERS } from './index.ts'
import type { Range, RegisterDef } from './register.ts'

const TITLES = {
  HMHH: 'A, HMHH: dimmer',
  HMHHX1: 'B, HMHHX1: single switch',
  HMHHX2: 'C, HMHHX2: module of 2 gangs',
  HMHHX3: 'D, HMHHX3: module of 3 gangs',
  HMHHX4: 'E, HMHHX4: module of 4 gangs',
  HMPH: 'P, HMPH: power switch',
  HMSH: 'S, HMSH: sense switch',
  HMTHX2: 'T, HMTHX2: shutter switch',
} as const

const rangeText = (ranges: readonly Range[]): string =>
  ranges.map(([low, high]) => (low === high ? `${low}` : `${low}-${high}`)).join(', ')

function rows(registers: readonly RegisterDef[]): string {
  const lines = registers.map(
    ({ number, name, ranges, default: standard, coding, fixed }) =>
      `| ${number} | \`${name}\` | ${rangeText(ranges)} | ${standard} | ${coding}${fixed ? ' (fixed, writes are refused)' : ''} |`,
  )
  return ['| No | Name | Values | Default | Coding |', '|---|---|---|---|---|', ...lines].join('\n')
}

/**
 * The tables of docs/hmhc-registers.md, one heading for each model and scope. The three modules differ in one register
 * alone.
 */
export function registerTables(): string {
  const parts: string[] = []
  for (const model of SWITCH_MODELS) {
    const { unit, gang } = MODEL_REGISTERS[model]
    parts.push(`### ${TITLES[model]}`, gang === null ? rows(unit) : `The module's own (scope unit):\n\n${rows(unit)}`)
    if (gang === null) continue
    if (model === 'HMHHX2')
      parts.push(`Each switch gang:\n\n${rows(gang.switch_gang)}`, `Each shutter gang:\n\n${rows(gang.shutter_gang)}`)
    else parts.push('Each switch gang and each shutter gang: as on HMHHX2.')
  }
  return parts.join('\n\n')
}

/** docs/hmhc-registers.json: the same tables for programs. */
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
