import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { proves } from '#support/gateway/verifies.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { silentLog } from '../lib/log.ts'
import { type Failed, FailedStarts, linuxKills, MemoryEnds, START_MS } from './failed-starts.ts'

/** A machine on which the gateway starts, ends without a word, and starts again. */
class Machine {
  readonly #folder = tempFolder()
  readonly clock = new ManualClock()
  boot: string | null = 'first'
  kills: number | null = 3
  starts = this.start()

  start(): FailedStarts {
    const { boot } = this
    const mark = join(this.#folder, 'opening.json')
    const memory = new MemoryEnds({ mark, report: this.#report, boot, reportTo: () => {}, kills: () => this.kills })
    this.starts = new FailedStarts(join(this.#folder, 'failed-starts.json'), silentLog, this.clock, memory)
    return this.starts
  }

  open(): void {
    this.starts.opens()
    this.starts.opened()
  }

  report(trigger = 'OOMError'): void {
    writeFileSync(this.#report, JSON.stringify({ header: { trigger } }))
  }

  get isReported(): boolean {
    return existsSync(this.#report)
  }

  failed(): Failed | null {
    return this.start().read()
  }

  get #report(): string {
    return join(this.#folder, 'full-heap.json')
  }
}

const FULL = 'the gateway ran out of memory'
const KILLED = 'the system ended the gateway for lack of memory'

proves('administration.safe-mode', 'an opening that a full heap ended counts, once', () => {
  const machine = new Machine()
  for (const count of [1, 2]) {
    machine.starts.opens()
    machine.report()
    expect(machine.failed()).toEqual({ count, reason: FULL })
    expect([machine.failed(), machine.isReported]).toEqual([{ count, reason: FULL }, false])
  }
})

proves(
  'administration.safe-mode',
  'an opening during which the system ended a process for lack of memory counts',
  () => {
    const machine = new Machine()
    machine.open()
    machine.kills = 4
    expect(machine.failed()).toEqual({ count: 1, reason: KILLED })
    machine.open()
    machine.clock.advance(START_MS - 1)
    machine.kills = 5
    expect(machine.failed()).toEqual({ count: 2, reason: KILLED })
  },
)

proves('administration.safe-mode', 'an end for another reason, later or with the machine, does not count', () => {
  const ends: readonly ((machine: Machine) => void)[] = [
    // By a person, or a supervisor.
    () => {},
    (machine) => machine.report('Signal'),
    // With the machine, whose count begins anew.
    (machine) => Object.assign(machine, { boot: 'second', kills: 9 }),
    (machine) => Object.assign(machine, { boot: null, kills: 9 }),
    (machine) => Object.assign(machine, { kills: null }),
    // In order, whatever ended later.
    (machine) => (machine.starts.stops(), (machine.kills = 4)),
    // After the opening had lasted.
    (machine) => (machine.clock.advance(START_MS), (machine.kills = 4)),
    (machine) => (machine.clock.advance(START_MS), machine.report()),
  ]
  for (const end of ends) {
    const machine = new Machine()
    machine.open()
    end(machine)
    expect(machine.failed(), String(end)).toBeNull()
  }
})

proves('administration.safe-mode', 'an opening that failed by itself counts no second time', () => {
  const machine = new Machine()
  machine.starts.opens()
  machine.starts.failed(new Error('a defect'))
  machine.kills = 4
  expect(machine.failed()).toEqual({ count: 1, reason: 'a defect' })
})

proves('administration.safe-mode', 'Linux says how many processes it has ended for lack of memory', () => {
  const kills = linuxKills()
  if (process.platform === 'linux') expect(kills).toBeGreaterThanOrEqual(0)
  else expect(kills).toBeNull()
})
