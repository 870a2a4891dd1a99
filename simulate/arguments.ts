import { parseArgs } from 'node:util'

/** What a batch of runs is asked for with. */
export interface Arguments {
  readonly seeds: { readonly first: number; readonly last: number }
  readonly days: number
  /** Name of a planted defect. */
  readonly plant: string | undefined
  readonly workers: number
  /** Indices of the acts that are made; all where it is not given. */
  readonly acts: readonly number[] | undefined
  /** Whether every line of each run is printed. */
  readonly verbose: boolean
}

const OPTIONS = {
  seeds: { type: 'string', default: '1..20' },
  days: { type: 'string', default: '2' },
  plant: { type: 'string' },
  workers: { type: 'string', default: '2' },
  acts: { type: 'string' },
  verbose: { type: 'boolean', default: false },
} as const

/** @throws Error with a sentence for what is not understood. */
export function readArguments(args: readonly string[]): Arguments {
  const { values } = parseArgs({ args: [...args], options: OPTIONS, strict: true })
  const [first, last] = values.seeds.split('..').map(whole)
  if (first === undefined) throw new Error('--seeds takes 7, or 1..100.')
  return {
    seeds: { first, last: last ?? first },
    days: whole(values.days),
    plant: values.plant,
    workers: whole(values.workers),
    acts: values.acts?.split(',').filter(Boolean).map(whole),
    verbose: values.verbose,
  }
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${text} is no whole number.`)
  return Number(text)
}
