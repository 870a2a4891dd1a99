import { type AddressInfo, connect as opened, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../client/src/node.ts'
import { freePort } from '#support/free-port.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'
import { SilentListener } from '#support/silent-listener.ts'

async function oneHome(): Promise<TestHome> {
  const home = await TestHome.open('http', ONE_UNIT)
  onTestFinished(() => home[Symbol.asyncDispose]())
  return home
}

async function silent(count: number): Promise<readonly SilentListener[]> {
  const all = await Promise.all(Array.from({ length: count }, () => SilentListener.open()))
  onTestFinished(async () => {
    await Promise.all(all.map((address) => address[Symbol.asyncDispose]()))
  })
  return all
}

/** The address of a way to the home that tells of each connection. */
async function tellingWay(home: TestHome, tell: () => void): Promise<string> {
  const port = Number(new URL(home.running.url).port)
  const server = createServer((socket) => {
    tell()
    const there = opened(port, '127.0.0.1')
    // If one side ends, the other ends too.
    socket.pipe(there).on('error', () => socket.destroy())
    there.pipe(socket).on('error', () => there.destroy())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const takenBy = (all: readonly SilentListener[]): number[] => all.map(({ taken }) => taken)

proves(
  'client.addresses',
  'is not held up by addresses that are silent, and keeps to the one that answers',
  { tags: ['long'] },
  async () => {
    const home = await oneHome()
    const dead = await silent(3)
    const givenUpCounts: number[] = []
    const way = await tellingWay(home, () => givenUpCounts.push(...dead.map(({ givenUp }) => givenUp)))
    const url = [...dead.map((address) => address.url), way]
    const client = await connect({ url, token: home.main.token, ca: home.ca })
    expect((await client.house()).house).not.toBe('')
    // The gateway was probed beside the dead addresses, not after their timeout.
    expect(givenUpCounts.slice(0, 3)).toEqual([0, 0, 0])
    const taken = takenBy(dead)
    expect(taken).toEqual([1, 1, 1])
    await client.house()
    const followed = client.follow(['state'])
    expect((await followed.next()).value).toMatchObject({ event: 'connection', connected: true })
    await followed.return()
    expect(takenBy(dead)).toEqual(taken)
  },
)

proves('client.addresses', 'begins where the CA was found', async () => {
  const home = await oneHome()
  const dead = await silent(3)
  const url = [...dead.map((address) => address.url), home.running.url]
  const client = await connect({ url, token: home.main.token, fingerprint: home.running.gateway.fingerprint })
  const taken = takenBy(dead)
  await client.house()
  expect(takenBy(dead)).toEqual(taken)
})

test('the first item of a follower is right, in any order of addresses', { tags: ['long'] }, async () => {
  const home = await oneHome()
  const [dead] = await silent(1)
  const nobody = ['https://hm-nowhere.invalid:8490', `https://127.0.0.1:${await freePort()}`, dead!.url]
  for (const address of nobody) {
    const client = await connect({ url: [address, home.running.url], token: home.main.token, ca: home.ca })
    const followed = client.follow(['state'])
    expect((await followed.next()).value).toMatchObject({ event: 'connection', connected: true })
    await followed.return()
  }
})
