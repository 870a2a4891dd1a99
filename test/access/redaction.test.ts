import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'vitest'
import { type Access, TestSocket, UpgradeRefused } from '#support/gateway/callers.ts'
import { rawRequest, exchangeBytes } from '#support/gateway/raw-client.ts'
import { type RecordingLog, recordingLog } from '#support/recording-log.ts'
import { TestGateway } from '#support/gateway/test-gateway.ts'
import { proves } from '#support/gateway/verifies.ts'

/** A well-formed secret that belongs to no credential. */
const CANARY = 'Canary0Canary1Canary2Canary3Canary4Canary5C'

interface Scene {
  readonly door: Access
  readonly running: TestGateway
  readonly log: RecordingLog
  /** A valid token, and an invalid one with the canary as its secret. */
  readonly valid: string
  readonly invalid: string
  readonly integration: string
}

async function setUp(): Promise<Scene> {
  const log = recordingLog()
  const running = await TestGateway.open({ log, rateLimit: { perSecond: 1_000, burst: 1_000 } })
  const { integration } = (await running.admin.call('POST', '/integrations', {
    name: 'Watched',
    settings: { structural: 'on' },
  })) as { integration: { id: string } }
  const { token } = (await running.admin.call('POST', '/keys', { integration: integration.id })) as { token: string }
  const door = { url: running.url, ca: readFileSync(running.gateway.caFile, 'utf8'), token }
  return {
    door,
    running,
    log,
    valid: token,
    invalid: `${token.slice(0, token.lastIndexOf('.'))}.${CANARY}`,
    integration: integration.id,
  }
}

/** Sends both tokens in every part of a request, and returns all response bodies. */
async function sendEverywhere(scene: Scene): Promise<string[]> {
  const { door, valid } = scene
  const json = { 'content-type': 'application/json' }
  const signed = { ...json, authorization: `Bearer ${valid}` }
  const answers: string[] = []
  for (const token of [valid, scene.invalid]) {
    const device = `/v1/devices/${encodeURIComponent(`${scene.running.gateway.serial}:${scene.integration}:hall-light`)}`
    const responses = await Promise.all([
      rawRequest(door, { path: '/v1/house', headers: { authorization: `Bearer ${token}` } }),
      rawRequest(door, { path: `/v1/house?token=${token}` }),
      rawRequest(door, { path: `/v1/house?token=${token}`, headers: signed }),
      rawRequest(door, { path: `/v1/stream?token=${token}` }),
      rawRequest(door, { path: `/elsewhere/${token}?token=${token}` }),
      rawRequest(door, { path: `/v1/devices/${token}`, headers: signed }),
      rawRequest(door, { path: `/v1/%zz?${token}`, headers: signed }),
      rawRequest(door, { path: '/v1/house', headers: { authorization: token } }),
      rawRequest(door, {
        path: '/v1/house',
        headers: {
          authorization: `Basic ${token}`,
          cookie: `token=${token}`,
          'user-agent': token,
          referer: `https://x/?token=${token}`,
          'x-token': token,
        },
      }),
      rawRequest(door, { path: '/v1/house', headers: { ...signed, host: token } }),
      rawRequest(door, { path: '/v1/house', headers: { ...signed, origin: `https://${token}` } }),
      rawRequest(door, { method: 'POST', path: `${device}/control`, headers: signed, body: `{"op": "${token}"}` }),
      rawRequest(door, {
        method: 'POST',
        path: `${device}/control`,
        headers: signed,
        body: `{"op": "set_power", "args": {"on": "${token}"}}`,
      }),
      rawRequest(door, {
        method: 'POST',
        path: `${device}/control`,
        headers: signed,
        body: `{"token": "${token}", broken`,
      }),
      rawRequest(door, {
        method: 'POST',
        path: `${device}/control`,
        headers: { ...signed, 'content-type': `text/${CANARY}` },
        body: token,
      }),
      rawRequest(door, {
        method: 'POST',
        path: `${device}/control`,
        headers: signed,
        body: token.padEnd(300_000, token),
      }),
      rawRequest(door, { method: 'PATCH', path: device, headers: signed, body: JSON.stringify({ name: { token } }) }),
    ])
    answers.push(...responses.map(({ text }) => text))
    answers.push(
      await exchangeBytes(door, `GET /v1/house?token=${token} HTTP/1.1\r\nHost: localhost\r\nbroken ${token}\r\n\r\n`),
    )
    answers.push(await exchangeBytes(door, `${token}\r\n\r\n`))
    answers.push(...(await overTheStream(scene, token)))
  }
  return answers
}

async function overTheStream({ door, valid }: Scene, token: string): Promise<string[]> {
  const answers: string[] = []
  try {
    ;(await TestSocket.open({ ...door, token: null }, {}, `?token=${token}`)).close()
  } catch (error) {
    if (!(error instanceof UpgradeRefused)) throw error
    answers.push(error.answer.text)
  }
  const socket = await TestSocket.open({ ...door, token: valid })
  const messages = [
    { method: 'GET', path: `/v1/house?token=${token}` },
    { method: 'GET', path: '/v1/house', query: { token } },
    { method: 'GET', path: `/v1/${token}` },
    { subscribe: [`device:${token}`] },
    { subscribe: [token] },
    { method: 'POST', path: '/v1/explain', body: { device: token } },
    { method: 'GET', path: '/v1/house', body: token },
  ]
  for (const [index, message] of messages.entries())
    answers.push(await socket.ask(`m${index}`, { id: `m${index}`, ...message }))
  socket.socket.send(`{"token": "${token}", broken`)
  socket.socket.send(Buffer.from(token))
  await socket.ask('last', { id: 'last', method: 'GET', path: '/v1/about' })
  socket.close()
  await socket.ended
  return answers
}

function filesOf(folder: string): { path: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }))
}

/** Response during a defect, a missing table. The clock stands still, so that no timer meets the defect. */
function failedText({ running, door, valid }: Scene): Promise<string> {
  const { core, history } = running.gateway.stores
  history.writer.flush()
  return running.still(async () => {
    core.db.exec('ALTER TABLE integrations RENAME TO elsewhere')
    core.change(() => {})
    const failed = await rawRequest(door, { path: '/v1/house', headers: { authorization: `Bearer ${valid}` } })
    core.db.exec('ALTER TABLE elsewhere RENAME TO integrations')
    expect(failed.status).toBe(500)
    return failed.text
  })
}

proves(
  'credentials.log',
  'no token reaches the log, a file or an answer from any part of a request, even after an internal error',
  async () => {
    const scene = await setUp()
    await using running = scene.running
    const secret = scene.valid.slice(scene.valid.lastIndexOf('.') + 1)
    const leaks = (text: string): boolean => text.includes(secret) || text.includes(CANARY)

    const answers = await sendEverywhere(scene)
    answers.push(await failedText(scene))

    expect(answers.filter(leaks)).toEqual([])
    expect(answers.length).toBeGreaterThan(50)
    expect(
      filesOf(running.dataDir)
        .filter(({ text }) => leaks(text))
        .map(({ path }) => path),
    ).toEqual([])
    await running.stop()
    const files = filesOf(running.dataDir)
    expect(files.map(({ path }) => path.slice(running.dataDir.length + 1))).toEqual(
      expect.arrayContaining(['core.db', 'history.db']),
    )
    expect(files.filter(({ text }) => leaks(text)).map(({ path }) => path)).toEqual([])
    const logged = inspect(scene.log.lines, {
      depth: null,
      maxStringLength: null,
      maxArrayLength: null,
      showHidden: true,
    })
    expect(scene.log.sentences('error')).toContain('A request failed.')
    expect(leaks(logged)).toBe(false)
  },
)
