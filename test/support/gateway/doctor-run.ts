import { expect } from 'vitest'
import type { ClientUser } from './client-user.ts'

interface DoctorRun {
  readonly code: number
  readonly state: string
  readonly findings: readonly { readonly link: string; readonly state: string; readonly what: string }[]
}

/** What the doctor ends with, and what it says is broken or is to be known. */
export async function runDoctor(user: ClientUser, ...words: readonly string[]): Promise<DoctorRun> {
  const { code, out } = await user.run('doctor', ...words, '--json')
  return { code, ...(JSON.parse(out) as Omit<DoctorRun, 'code'>) }
}

/** One link as broken, with words that name the cause. */
export const brokenLink = (link: string, what: RegExp): object => ({
  link,
  state: 'broken',
  what: expect.stringMatching(what) as string,
})
