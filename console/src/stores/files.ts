import { proved, refusalOf } from './proof.ts'
import { headers, signed } from './session.ts'

/** So long the browser may take to begin with a file that was handed to it. */
const HANDED_MS = 60_000

/**
 * Has the browser save a file of the gateway under its name, once the person has shown lately that it is them.
 *
 * @throws Error, the gateway's sentence
 */
export async function download(path: string, name: string): Promise<void> {
  const first = await take(path)
  const sentence = first.status === 403 ? await sentenceIn(first) : null
  const answer = sentence !== null && (await proved(signed, sentence)) ? await take(path) : first
  if (!answer.ok) throw new Error(sentence !== null && answer === first ? sentence : await sentenceIn(answer))
  const address = URL.createObjectURL(await answer.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), HANDED_MS)
}

const take = (path: string): Promise<Response> =>
  fetch(path, { headers: headers(), cache: 'no-store', credentials: 'same-origin', redirect: 'error' })

async function sentenceIn(answer: Response): Promise<string> {
  const { status } = answer
  const text = await answer.text()
  return refusalOf({ status, text })?.message ?? String(status)
}
