import { expect } from 'vitest'
import type { ClientUser } from './client-user.ts'

interface DoctorRun {
  readonly code: number
  readonly state: string
  readonly findings: readonly { readonly link: string; readonly state: string; readonly what: string }[]
}

/** Exit code, state and findings of the doctor. */
export async function runDoctor(user: ClientUser, ...words: readonly string[]): Promise<DoctorRun> {
  const { code, out } = await user.run('doctor', ...words, '--json')
  return { code, ...(JSON.parse(out) as Omit<DoctorRun, 'code'>) }
}

/** A finding that reports a link as broken, with matching words. */
export const brokenLink = (link: string, what: RegExp): object => ({
  link,
  state: 'broken',
  what: expect.stringMatching(what) as string,
})
