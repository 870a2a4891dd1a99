// @module-tag repeated
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { type Access, HttpCaller, type RawAnswer, TestSocket } from '#support/gateway/callers.ts'
import { idPlaces } from '#support/gateway/id-places.ts'
import { rulesOf, VISIBLE } from '#support/gateway/foreign-ids.ts'
import { rawRequest } from '#support/gateway/raw-client.ts'
import { LONG } from '#support/long.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ofTwoHomes } from '#support/relay/of-two-homes.ts'
import { crossed, expectNothingOf } from '#support/relay/crossed.ts'
import { ownName } from '#support/relay/end-to-end.ts'
import { HOUSE, type Household } from '#support/relay/two-homes.ts'

const NOBODY = 'aaaaaaaaaaaa'
const NOBODYS_SECRET = 'A'.repeat(43)

const bare = ({ status, text }: RawAnswer): { status: number; text: string } => ({ status, text })

/** Ids of Anna's home, and unknown ones of the same form. */
async function idsOf({ home }: Household) {
  const rules = await rulesOf(home)
  const own = (kind: keyof typeof rules | keyof typeof VISIBLE): string =>
    kind === 'run' || kind === 'message'
      ? rules[kind].visible
      : home.id(
          kind === 'group' || kind === 'automation' || kind === 'schedule' ? rules[kind].visible : VISIBLE[kind][0]!,
        )
  const invented = (id: string): string =>
    id.includes(':') ? `${NOBODY}:${randomUUID()}:${id.split(':').slice(2).join(':')}` : randomUUID()
  return { own, invented }
}

ofTwoHomes('programs', (homes) => {
  proves('relay.two-homes', 'see an id of the other home as unknown, on every path', { tags: ['long'] }, async () => {
    const { olga, ways } = homes()
    const around = {
      device: olga.home.id('hall-light'),
      scene: olga.home.id('scene:dinner'),
      group: olga.home.id('group:x'),
      automation: olga.home.id('automation:x'),
      schedule: olga.home.id('schedule:x'),
    }
    const { own, invented } = await idsOf(homes().anna)
    const all = idPlaces().flatMap((place) => place.kinds.map((kind) => ({ place, kind })))
    expect(all.length).toBeGreaterThan(60)
    await Promise.all(
      ways.map(async ({ name, caller }, turn) => {
        // Each place uses one of the paths, and all of them in the long tests.
        for (const { place, kind } of all.filter((_each, at) => LONG || at % ways.length === turn)) {
          const ids = [own(kind), invented(own(kind))]
          const [theirs, none] = await Promise.all(
            ids.map(async (id) =>
              bare(await caller.call(place.request(place.withWrongBody ? encodeURIComponent(id) : id, around))),
            ),
          )
          expect(theirs, `${place.name} ${kind} ${name}`).toEqual(none)
          expectNothingOf(homes().anna, theirs!.text)
        }
      }),
    )
  })

  proves(
    'relay.two-homes',
    'have no credential with a token whose part belongs to the other home',
    { tags: ['long'] },
    async () => {
      const { olga, anna } = homes()
      const [mine, theirs] = [olga.home.main, anna.home.main]
      const wrong = [
        crossed(mine.token, { gateway: anna.serial }),
        crossed(mine.token, { gateway: anna.serial, integration: theirs.id }),
        crossed(mine.token, { integration: theirs.id }),
        crossed(theirs.token, { gateway: olga.serial }),
        crossed(theirs.token, { integration: mine.id }),
        crossed(anna.access, { gateway: olga.serial }),
        crossed(olga.access, { gateway: anna.serial }),
      ]
      const places = [olga.node, anna.node].map((node) => node.access(null))
      for (const token of wrong)
        for (const place of places) {
          await using caller = new HttpCaller({ ...place, token })
          const answer = await caller.call({ method: 'GET', path: '/v1/house' })
          expect(answer).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } })
          expectNothingOf(anna, answer.text)
          const socket = TestSocket.open({ ...place, token })
          await expect(socket).rejects.toMatchObject({ answer: { status: 401 } })
        }
      // Each token is valid at its own home, through the same address.
      for (const place of places) {
        await using caller = new HttpCaller(place)
        for (const [{ token }, house] of [
          [mine, 'Sonnenwinkel'],
          [theirs, HOUSE],
        ] as const)
          expect((await caller.call({ method: 'GET', path: '/v1/house', token })).body).toMatchObject({ house })
      }
    },
  )

  proves(
    'relay.two-homes',
    'get nothing end to end from a home with a token of the other, complete or partial',
    { tags: ['long'] },
    async () => {
      const { olga, anna } = homes()
      for (const [one, other] of [
        [olga, anna],
        [anna, olga],
      ] as const)
        for (const { url } of [olga.node, anna.node]) {
          const door = { ...one.home.access(null), url, serverName: ownName(one.home) }
          await using caller = new HttpCaller(door)
          const responseTo = async (token: string) =>
            bare(await caller.call({ method: 'GET', path: '/v1/house', token }))
          const invented = await responseTo(one.home.main.token.replace(/[^.]+$/, NOBODYS_SECRET))
          expect(invented.status).toBe(401)
          for (const token of [
            other.home.main.token,
            other.access,
            other.refresh,
            crossed(other.home.main.token, { gateway: one.serial }),
            crossed(other.home.main.token, { gateway: one.serial, integration: one.home.main.id }),
          ]) {
            expect(await responseTo(token)).toEqual(invented)
            await expect(TestSocket.open({ ...door, token })).rejects.toMatchObject({ answer: { status: 401 } })
          }
        }
    },
  )

  proves('relay.two-homes', 'reach no home by another’s name, end to end', async () => {
    const { olga, anna } = homes()
    const inside = { ...olga.home.access(null), url: anna.node.url, serverName: ownName(olga.home) }
    const path = '/v1/house'
    const headers = { host: ownName(anna.home), authorization: `Bearer ${anna.home.main.token}` }
    const refused = await rawRequest(inside, { method: 'GET', path, headers })
    expect([refused.status, refused.text.includes('misdirected_request')]).toEqual([421, true])
    // The name leads to Anna's gateway, which has another certificate.
    await using mistaken = new HttpCaller({ ...inside, serverName: ownName(anna.home) })
    await expect(mistaken.call({ method: 'GET', path, token: olga.home.main.token })).rejects.toThrow('certificate')
  })

  proves('relay.two-homes', 'receive events only of their own home', async () => {
    const { olga, anna, ways } = homes()
    const accesses = new Set(ways.map(({ access }) => access))
    const sockets = await Promise.all([...accesses].map((access) => TestSocket.open(access)))
    for (const socket of sockets) {
      socket.hasten = (work) => olga.home.running.hasten(work)
      expect(await socket.subscribe(['*'])).toMatchObject({ status: 200 })
    }
    for (const { home } of [anna, olga]) {
      const turned = async (on: boolean) =>
        home.call({
          method: 'POST',
          path: home.at('hall-light', '/control'),
          body: { op: 'set_power', args: { on } },
        })
      await turned(true)
      await turned(false)
    }
    for (const socket of sockets) {
      await socket.event(({ device }) => device === olga.home.id('hall-light'))
      expectNothingOf(anna, ...socket.events.map((event) => JSON.stringify(event)))
      socket.close()
    }
  })

  proves('relay.two-homes', 'repeat only their own requests, with any idempotency key', async () => {
    const { olga, anna } = homes()
    const body = { name: 'Evening', steps: [] }
    const made: string[] = []
    for (const place of [olga.node, anna.node].map((node) => node.access(null)))
      for (const { home, serial } of [olga, anna]) {
        const { token } = home.main
        await using caller = new HttpCaller({ ...(place satisfies Access), token })
        const answer = await caller.call({ method: 'POST', path: '/v1/scenes', body, key: 'the-same' })
        expect(answer.status).toBe(201)
        expect(answer.text).toContain(serial)
        made.push(answer.text)
      }
    expect([made[2], made[3], made[0] === made[1]]).toEqual([made[0], made[1], false])
  })
})
