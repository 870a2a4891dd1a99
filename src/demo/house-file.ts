import type { SimModel } from '../sim/house-plan.ts'

/** The names and places that belong to a plan, in the house-file format; matches it by address. */
export interface HouseFile {
  readonly home: {
    readonly name: string
    readonly timeZone?: string
    readonly latitude: number
    readonly longitude: number
    readonly currency: string
  }
  readonly floors: readonly { readonly id: string; readonly name: string }[]
  readonly rooms: readonly { readonly id: string; readonly name: string; readonly floor?: string }[]
  readonly units: readonly HouseFileUnit[]
  readonly scenes: readonly HouseFileScene[]
}

export interface HouseFileUnit {
  readonly id: string
  readonly name: string
  readonly address: number
  readonly model: SimModel
  readonly class: string
  readonly room?: string
  readonly gangs?: readonly {
    readonly gang: number
    readonly name: string
    readonly class: string
    readonly room?: string
  }[]
}

export type HouseFileStep =
  | { readonly device: string; readonly op: string; readonly args?: Readonly<Record<string, unknown>> }
  | { readonly delay: number }

export interface HouseFileScene {
  readonly id: string
  readonly name: string
  readonly icon?: string
  readonly floor?: string
  readonly room?: string
  readonly steps: readonly HouseFileStep[]
}
