import { signal } from '@preact/signals'
import type { HttpAnswer, Transport } from '../../../client/src/browser.ts'

const PROOF = '/admin/v1/session/proof'

/** A change that waits for a password. */
export interface ProofWanted {
  /** Why; the gateway's own sentence. */
  readonly sentence: string
  /** Shows the password. Answers with the gateway's sentence where it is not right, and null once it is. */
  readonly give: (password: string) => Promise<string | null>
  readonly giveUp: () => void
}

/** What asks for a password now; the dialog of it is in the frame of every page. */
export const proofWanted = signal<ProofWanted | null>(null)

/**
 * Requests that are refused until the person shows the password again (403 `sign_in_again`) wait for it and are sent
 * again; whoever gives up gets the refusal.
 */
export function proving(transport: Transport): Transport {
  return {
    ...transport,
    request: async (request) => {
      const answer = await transport.request(request)
      const refusal = refusalOf(answer)
      if (refusal?.code !== 'sign_in_again') return answer
      return (await proof(transport, refusal.message)) ? transport.request(request) : answer
    },
  }
}

function proof(transport: Transport, sentence: string): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isProven: boolean): void => {
      proofWanted.value = null
      resolve(isProven)
    }
    proofWanted.value?.giveUp()
    proofWanted.value = {
      sentence,
      giveUp: () => end(false),
      give: async (password) => {
        const body = JSON.stringify({ password })
        const headers = { 'content-type': 'application/json' }
        const answer = await transport.request({ method: 'POST', path: PROOF, headers, body, signal: undefined })
        if (answer.status < 300) end(true)
        return refusalOf(answer)?.message ?? null
      },
    }
  })
}

function refusalOf({ status, text }: HttpAnswer): { readonly code: string; readonly message: string } | null {
  if (status < 400) return null
  try {
    const { error } = JSON.parse(text) as { readonly error: { readonly code: string; readonly message: string } }
    return error
  } catch {
    return { code: 'unknown', message: String(status) }
  }
}
