import { readdirSync } from 'node:fs'
import { expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import type { ConsoleSecrets, ConsoleVisitor } from '#support/gateway/console-visitor.ts'
import type { TestGateway } from '#support/gateway/test-gateway.ts'

const BROUGHT = '/admin/v1/brought-backups'

/** An administrator at the console who uploads a backup. */
export class BackupUploader {
  readonly #visitor: ConsoleVisitor
  readonly #secrets: ConsoleSecrets

  constructor(visitor: ConsoleVisitor, secrets: ConsoleSecrets) {
    this.#visitor = visitor
    this.#secrets = secrets
  }

  ask(method: string, path: string, body?: unknown): Promise<RawAnswer> {
    return this.#visitor.as(this.#secrets, method, `${BROUGHT}${path}`, body)
  }

  async begin(bytes: number): Promise<string> {
    const begun = await this.ask('POST', '', { bytes })
    expect(begun).toMatchObject({ status: 200, body: { pieceBytes: 262_144 } })
    return (begun.body as { id: string }).id
  }

  add(id: string, from: number, piece: Buffer): Promise<RawAnswer> {
    return this.ask('PUT', `/${id}`, { from, piece: piece.toString('base64') })
  }

  /** Uploads the whole file in pieces. */
  async upload(file: Buffer, pieceBytes = 262_144): Promise<string> {
    const id = await this.begin(file.length)
    for (let from = 0; from < file.length; from += pieceBytes)
      expect(await this.add(id, from, file.subarray(from, from + pieceBytes))).toMatchObject({
        status: 200,
        body: { received: Math.min(file.length, from + pieceBytes) },
      })
    return id
  }

  look(id: string, more: object = {}): Promise<RawAnswer> {
    return this.ask('POST', `/${id}/restore`, { check: true, ...more })
  }
}

/** The uploaded files in the data folder. */
export const uploadedFiles = (running: TestGateway): string[] =>
  readdirSync(running.dataDir, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('uploaded.hmb'))

/** A refusal whose sentence matches. */
export const refusalMatching = (message: RegExp, status = 422, code = 'validation') => ({
  status,
  body: { error: { code, message: expect.stringMatching(message) } },
})
