import type { Adapter, AdapterPayload } from 'oidc-provider'
import { z } from 'zod'

/** An entry of the engine as the store keeps it. */
export const Payload = z.record(z.string(), z.unknown())
export type Payload = z.infer<typeof Payload>

/** An adapter whose operations do nothing. */
export class NoOperations implements Adapter {
  async upsert(_id: string, _payload: AdapterPayload, _expiresIn?: number): Promise<void> {}
  async find(_id: string): Promise<AdapterPayload | undefined> {
    return undefined
  }
  async findByUid(_uid: string): Promise<undefined> {}
  async findByUserCode(_code: string): Promise<undefined> {}
  async consume(_id: string): Promise<void> {}
  async destroy(_id: string): Promise<void> {}
  async revokeByGrantId(_grantId: string): Promise<void> {}
}
