import type { Command, Outcome, OwnSchedule, RegisterPair, State, UnitInfo } from '../bus-types.ts'

/** A unit as its adapter sees it over the air. */
export interface RadioUnit {
  readonly address: number
  readonly info: Omit<UnitInfo, 'reachable'>
  /** Radio hops between adapter and unit, 1 or more. */
  readonly hops: number
  /** Whether anything would come back: false without mains, or when it is made silent. */
  readonly answers: boolean
  /** Sleeps between its reports; the adapter answers for it. */
  readonly sleeps: boolean
  hasGang(gang: number | null): boolean
  states(): readonly { readonly gang: number | null; readonly state: State }[]
  /** Carries out one operation; `done` gets the outcome, later where something has to move first. */
  execute(gang: number | null, command: Command, done: (outcome: Outcome) => void): void
  readRegisters(gang: number | null, numbers: readonly number[]): readonly RegisterPair[]
  /** Writes all or nothing; null when it was done. */
  writeRegisters(
    gang: number | null,
    registers: readonly RegisterPair[],
  ): { readonly detail: 'out_of_range' | 'no_register' | 'read_only'; readonly number: number } | null
  schedules(): readonly OwnSchedule[]
  /** Units of 10 ms between gangs that one group frame turns on. */
  readonly switchOnSpeed: number
}

/** The network that an adapter serves. */
export interface RadioNetwork {
  /** In the order of addresses. */
  readonly units: readonly RadioUnit[]
  unit(address: number): RadioUnit | undefined
  setClock(epochSeconds: number, offsetMinutes: number): void
}
