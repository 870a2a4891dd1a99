import { describe, expect } from 'vitest'
import { type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'

interface People {
  readonly anyone: { readonly is: string }
  readonly persons: readonly { readonly id: string; readonly name: string; readonly is: string }[]
}

let created = 0

/** A new person with a name that no other test uses. */
async function newPerson(home: TestHome): Promise<{ readonly id: string; readonly name: string }> {
  const name = `Person ${++created} via ${home.transport}`
  const { person } = await home.running.admin.call<{ person: { id: string; name: string } }>('POST', '/persons', {
    name,
  })
  return person
}

const report = (home: TestHome, id: string, body: object, { token }: TestIntegration) =>
  home.call({ method: 'PUT', path: `/v1/persons/${id}/presence`, body, token })

describe('the presence of people', () => {
  verifies(['devices.presence', '1.5.house'], 'is reported by programs, and the newest report holds', async (home) => {
    const anna = await newPerson(home)
    const phone = await home.integrate({ name: 'Phone', expose: ['nothing'], reports: [anna.id] })
    const panel = await home.integrate({ name: 'Panel', expose: ['room:hall'], people: 'each', reports: [anna.id] })
    const seen = async (): Promise<string | undefined> => {
      const { persons } = (await home.get('/v1/persons', panel.token)) as unknown as People
      return persons.find(({ id }) => id === anna.id)?.is
    }
    expect(await seen()).toBe('unknown')
    const answer = await report(home, anna.id, { is: 'home' }, phone)
    expect(answer).toMatchObject({ status: 200, body: { house: 'Sonnenwinkel', person: anna.id, is: 'home' } })
    expect(await seen()).toBe('home')
    await report(home, anna.id, { is: 'away' }, panel)
    expect(await seen()).toBe('away')
    await report(home, anna.id, { is: 'home' }, phone)
    expect(await seen()).toBe('home')
    const history = await home.running.admin.call(`GET`, `/persons/${anna.id}/presence`)
    expect(history).toMatchObject({
      presence: { is: 'home', source: 'API: Phone' },
      history: [
        { is: 'home', source: 'API: Phone' },
        { is: 'away', source: 'API: Panel' },
        { is: 'home', source: 'API: Phone' },
      ],
    })
  })

  verifies(['devices.presence-coordinates'], 'takes no coordinates, and says what to send', async (home) => {
    const anna = await newPerson(home)
    const phone = await home.integrate({ expose: ['nothing'], reports: [anna.id] })
    for (const body of [
      { lat: 52.1, lon: 9.3 },
      { is: 'home', gps_accuracy: 12 },
      { is: 'away', location: [1, 2] },
    ]) {
      const refused = await report(home, anna.id, body, phone)
      expect(refused).toMatchObject({ status: 422, body: { error: { code: 'validation' } } })
      expect(refused.text).toContain('takes no coordinates: decide in the phone or program')
      expect(refused.text).not.toContain('52.1')
    }
    expect((await report(home, anna.id, { is: 'home', at: 5 }, phone)).text).toContain('has no field')
    expect(await report(home, anna.id, { is: 'upstairs' }, phone)).toMatchObject({ status: 422 })
  })

  verifies(['devices.presence-hidden'], 'hidden people answer like an invented path and invented ids', async (home) => {
    const [anna, ben] = [await newPerson(home), await newPerson(home)]
    const hiding = await home.integrate({})
    const invented = await home.call({ method: 'GET', path: '/v1/invented', token: hiding.token })
    const listed = await home.call({ method: 'GET', path: '/v1/persons', token: hiding.token })
    expect([listed.status, listed.text]).toEqual([404, invented.text])
    const body = { is: 'home' }
    const put = await home.call({ method: 'PUT', path: '/v1/invented', body, token: hiding.token })
    expect((await report(home, anna.id, body, hiding)).text).toBe(put.text)
    const post = await home.call({ method: 'POST', path: '/v1/invented', body, token: hiding.token })
    for (const path of ['/v1/persons', `/v1/persons/${anna.id}/presence`])
      expect((await home.call({ method: 'POST', path, body, token: hiding.token })).text).toBe(post.text)

    const phone = await home.integrate({ expose: ['nothing'], reports: [anna.id] })
    const [hidden, unknown] = [await report(home, ben.id, body, phone), await report(home, 'nobodyhere', body, phone)]
    expect([hidden.status, hidden.text]).toEqual([404, unknown.text])
    const anyone = await home.integrate({ people: 'anyone' })
    expect(((await home.get('/v1/persons', anyone.token)) as unknown as People).persons).toEqual([])
    expect((await report(home, ben.id, body, anyone)).text).toBe(unknown.text)
    const family = await home.integrate({ people: 'each' })
    expect(await report(home, ben.id, body, family)).toMatchObject({
      status: 403,
      body: { error: { code: 'not_offered' } },
    })
    expect((await report(home, 'nobodyhere', body, family)).text).toBe(unknown.text)
  })

  verifies(['devices.presence-activity'], 'its changes are entries for administrators alone', async (home) => {
    const anna = await newPerson(home)
    const phone = await home.integrate({ name: 'Phone', people: 'each', reports: [anna.id] })
    await report(home, anna.id, { is: 'home' }, phone)
    const { entries } = await home.running.admin.call<{ entries: object[] }>('GET', '/activity?limit=5&kind=state')
    expect(entries[0]).toMatchObject({
      subject: 'person',
      subjectId: anna.id,
      name: anna.name,
      what: 'is home',
      cause: { source: 'integration', link: phone.link },
    })
    const { entries: own } = (await home.get('/v1/activity?limit=200', phone.token)) as {
      entries: { subject: string }[]
    }
    expect(own.filter(({ subject }) => subject === 'person')).toEqual([])
  })
})
