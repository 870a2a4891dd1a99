import { onTestFinished } from 'vitest'
import { TestGateway, type TestGatewayOptions } from '#support/gateway/test-gateway.ts'

/** The fields of `GET /admin/v1/backups` that tests read. */
export interface BackupsAnswer {
  readonly state: {
    readonly last: { name: string } | null
    readonly error: { what: string } | null
    readonly nextAt: number
    readonly working: boolean
  }
  readonly backups: readonly {
    readonly name: string
    readonly encrypted: boolean
    readonly why: string
    readonly contents: { readonly home: string; readonly counts: object } | null
    readonly unreadable: string | null
  }[]
}

/** Opens a gateway for one test. */
export async function openedGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const running = await TestGateway.open({ settled: false, ...options })
  onTestFinished(() => running[Symbol.asyncDispose]())
  return running
}

export const listBackups = (running: TestGateway): Promise<BackupsAnswer> =>
  running.admin.call<BackupsAnswer>('GET', '/backups')

/** Sets a recovery phrase, as the console does. */
export async function setRecoveryPhrase(running: TestGateway): Promise<string> {
  const { words, asked: places } = await running.admin.call<{ words: string[]; asked: number[] }>(
    'POST',
    '/backups/phrase',
  )
  await running.admin.call('POST', '/backups/phrase/confirm', { words: places.map((place) => words[place - 1]) })
  return words.join(' ')
}
