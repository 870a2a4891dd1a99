import { parse } from 'yaml'
import type { TestHome } from './harness.ts'

type Running = Pick<TestHome, 'running'>

export interface FileUnit {
  readonly id: string
  address: number
  model?: string | null
  class?: string
  gangs?: { gang: number; name: string; class?: string }[]
}

export interface HouseFile {
  units: FileUnit[]
  [section: string]: unknown
}

/** The house file of a running home, as `bin/hm house export` writes it. */
export async function houseFile({ running: { admin } }: Running): Promise<HouseFile> {
  return parse((await admin.call<{ file: string }>('GET', '/house/file')).file) as HouseFile
}

/** Imports a house file, as `bin/hm house import` does. */
export async function importHouse({ running: { admin } }: Running, file: HouseFile): Promise<void> {
  await admin.call('PUT', '/house/file', { file: JSON.stringify(file), yes: true })
}

/** Imports the house with some units changed, as an administrator edits the file. */
export async function changeUnits(home: Running, changes: Readonly<Record<string, Partial<FileUnit>>>): Promise<void> {
  const file = await houseFile(home)
  for (const [id, change] of Object.entries(changes)) {
    const unit = file.units.find((listed) => listed.id === id)
    if (unit === undefined) throw new Error(`The house file has no unit ${id}.`)
    Object.assign(unit, change)
  }
  await importHouse(home, file)
}
