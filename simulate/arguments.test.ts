import { CommanderError } from 'commander'
import { describe, expect, test } from 'vitest'
import { type Arguments, readArguments } from './arguments.ts'

const DEFAULTS: Arguments = {
  seeds: { first: 1, last: 20 },
  days: 2,
  plant: undefined,
  workers: 2,
  acts: undefined,
  verbose: false,
}

function outcomeOf(args: readonly string[]): { readonly code: number | null; readonly text: string } {
  let text = ''
  try {
    const write = (part: string): void => {
      text += part
    }
    readArguments(args, { writeOut: write, writeErr: write })
    return { code: null, text }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { code: error.exitCode, text }
  }
}

describe('the arguments of simulated homes', () => {
  test.each<readonly [args: readonly string[], expected: Partial<Arguments>]>([
    [[], {}],
    [['--seeds', '7', '--verbose'], { seeds: { first: 7, last: 7 }, verbose: true }],
    [['--seeds', '3..5', '--days', '1', '--workers', '1'], { seeds: { first: 3, last: 5 }, days: 1, workers: 1 }],
    [['--seeds', '7..7', '--acts', '4,12'], { seeds: { first: 7, last: 7 }, acts: [4, 12] }],
    [['--seeds', '7', '--acts', ''], { seeds: { first: 7, last: 7 }, acts: [] }],
    [['--plant', 'not-synced'], { plant: 'not-synced' }],
  ])('are parsed: %j', (args, expected) => {
    expect(readArguments(args)).toEqual({ ...DEFAULTS, ...expected })
  })

  const ofOption = (option: string, value: string, why: string): string =>
    `error: option '${option}' argument '${value}' is invalid. ${why}\n`
  const ONE_SEED = 'error: --acts and --verbose need a single seed, for example --seeds 7.\n'

  test.each<readonly [args: readonly string[], sentence: string]>([
    [['--workers', '0'], ofOption('--workers <n>', '0', 'It takes a whole number from 1 on.')],
    [['--days', '0'], ofOption('--days <n>', '0', 'It takes a whole number from 1 on.')],
    [['--seeds', '5..2'], ofOption('--seeds <range>', '5..2', 'The first seed lies after the last.')],
    [['--seeds', 'x'], ofOption('--seeds <range>', 'x', 'It takes 7, or 1..100.')],
    [['--seeds', '1..2..3'], ofOption('--seeds <range>', '1..2..3', 'It takes 7, or 1..100.')],
    [['--seeds', '7', '--acts', '4,x'], ofOption('--acts <list>', '4,x', 'It takes numbers, as in 42,94,95.')],
    [['--seeds', '1..2', '--acts', '4'], ONE_SEED],
    [['--verbose'], ONE_SEED],
    [['--sedes', '1'], "error: unknown option '--sedes'\n(Did you mean --seeds?)\n"],
  ])('is refused in a sentence, with exit code 2: %j', (args, sentence) => {
    expect(outcomeOf(args)).toEqual({ code: 2, text: sentence })
  })

  test('an unknown defect is refused with the names of all', () => {
    expect(outcomeOf(['--plant', 'none'])).toEqual({ code: 2, text: expect.stringContaining('changes-in-pieces') })
  })

  test('--help ends with 0', () => {
    expect(outcomeOf(['--help'])).toEqual({ code: 0, text: expect.stringContaining('--seeds <range>') })
  })
})
