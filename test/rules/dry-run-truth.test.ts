// @module-tag repeated
import * as fc from 'fast-check'
import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, type TestIntegration, verifiesIn } from '#support/gateway/harness.ts'
import { times } from '#support/long.ts'

const verifies = verifiesIn(() => ({}), { over: 'http' })

type Refused = { readonly code: string; readonly message: string } | null
interface Trial {
  readonly refused: Refused
  readonly steps: readonly { readonly refused: Refused }[]
}

/** A step for each possible refusal, and some that succeed. */
const STEPS = [
  ['study-light', { op: 'set_power', args: { on: true } }],
  ['studio-light', { op: 'set_brightness', args: { bri: 40 } }],
  ['entrance-panel:1', { op: 'set_power', args: { on: false } }],
  // It is silent and therefore skipped.
  ['guest-light', { op: 'set_power', args: { on: true } }],
  // It feeds no climate load.
  ['washing-machine', { op: 'set_temp', args: { temp: 21 } }],
  ['driveway-gate', { op: 'open' }],
  ['driveway-gate', { op: 'stop' }],
] as const
const SILENT = 83

const steps = fc.array(fc.oneof(fc.constantFrom(...STEPS), fc.constant(null)), { minLength: 1, maxLength: 5 })

function post(home: TestHome, path: string, who: TestIntegration, body?: object): Promise<RawAnswer> {
  return home.call({ method: 'POST', path, token: who.token, ...(body === undefined ? {} : { body }) })
}

/** Removes the remaining pause of a silent unit, which changes with each second. */
const timeless = (trial: unknown): string =>
  JSON.stringify(trial, (key, value: unknown) => (key === 'retryAfter' ? 0 : value))

const errorOf = ({ body }: RawAnswer): unknown => (body as { error?: unknown }).error ?? null

/** Runs a scene to its end and returns the result of each step: the code of its error, or null. */
async function run(home: TestHome, scene: string, who: TestIntegration): Promise<(string | null)[]> {
  const local = scene.split(':').at(-1)
  const ended = new Promise<void>((resolve) => {
    const stop = home.running.gateway.home.events.on((event) => {
      if (event.kind !== 'scene' || event.scene !== local || event.running) return
      stop()
      resolve()
    })
  })
  const answer = await post(home, `/v1/scenes/${encodeURIComponent(scene)}/run`, who)
  if (answer.status !== 200) throw new Error(answer.text)
  await home.running.hasten(ended)
  const { runId } = (answer.body as { run: { runId: string } }).run
  const { run: finished } = (await home.get(`/v1/runs/${runId}`, who.token)) as {
    run: { steps: { error?: { code: string } }[] }
  }
  return finished.steps.map(({ error }) => error?.code ?? null)
}

/** Makes a light silent until the gateway pauses it. */
async function silence(home: TestHome): Promise<void> {
  home.running.sim.silence(SILENT)
  const body = { op: 'set_power', args: { on: true } }
  for (let tries = 0; tries < 3; tries += 1) await post(home, home.at('guest-light', '/control'), home.main, body)
}

describe("a dry run's prediction", () => {
  verifies(
    'automations.dry-run-true',
    'matches the result of saving and running at the simulated house',
    async (home) => {
      const careful = await home.integrate({ settings: { allow_unlock: 'off' } })
      await silence(home)
      await fc.assert(
        fc.asyncProperty(steps, fc.boolean(), async (chosen, mayOpen) => {
          const who = mayOpen ? home.main : careful
          const body = {
            name: 'Tried',
            steps: chosen.map((choice) =>
              choice === null ? { delay: 0.1 } : { device: home.id(choice[0], who), ...choice[1] },
            ),
          }
          const saved = await post(home, '/v1/scenes', who, body)
          const draft = (await post(home, '/v1/scenes/try', who, body)).body as Trial
          expect(draft.refused).toEqual(errorOf(saved))
          if (draft.refused) return
          const { id } = (saved.body as { scene: { id: string } }).scene
          const stored = (await post(home, `/v1/scenes/${encodeURIComponent(id)}/try`, who)).body
          expect(timeless(stored)).toEqual(timeless(draft))
          expect(await run(home, id, who)).toEqual(draft.steps.map(({ refused }) => refused?.code ?? null))
        }),
        { numRuns: times(2, 60) },
      )
      home.running.sim.silence(SILENT, false)
    },
  )
})
