import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { storedHouse } from '#support/homes/stored-house.ts'
import { ExposedHouse } from '../exposure/exposed-house.ts'
import { GroupMembers } from '../exposure/group-members.ts'
import { DEFAULT_KNOBS } from '../exposure/knobs.ts'
import { CACHED_LISTS_BYTES_MAX, CachedLists, type EndpointList, partOfList } from './cached-lists.ts'

interface Item {
  readonly id: string
}

const info = { name: 'H', timeZone: 'UTC', latitude: null, longitude: null, currency: 'EUR' }
const house = storedHouse({ info, floors: [], rooms: [], units: [], scenes: [], groups: [] })

function viewOf(id: string): ExposedHouse {
  const integration = { id, name: id, enabled: true, exposure: { expose: 'All' }, knobs: DEFAULT_KNOBS, createdAt: 0 }
  const members = new GroupMembers(house, { get: () => undefined })
  return new ExposedHouse(house, integration as ConstructorParameters<typeof ExposedHouse>[1], 'gateway', members)
}

/** Items of some kilobytes each; `made` counts how many were written. */
function listing(ids: readonly string[], bytesEach = 2_000) {
  const made: string[] = []
  const running = new Set<string>()
  let items: readonly Item[] = ids.map((id) => ({ id }))
  const list = (): EndpointList<Item> => ({
    name: 'scenes',
    items,
    fieldsOf: (item) => (made.push(item.id), { ...item, text: 'x'.repeat(bytesEach) }),
    now: ({ id }) => ['running', running.has(id)],
  })
  const replace = (id: string): void => {
    items = items.map((item) => (item.id === id ? { id } : item))
  }
  const remove = (id: string): void => {
    items = items.filter((item) => item.id !== id)
  }
  return { list, made, running, replace, remove }
}

function itemsIn({ prebuilt }: { readonly prebuilt: Buffer }): readonly (Item & { readonly running: boolean })[] {
  const { house: name, scenes } = JSON.parse(prebuilt.toString()) as { house: string; scenes: never[] }
  expect(name).toBe('H')
  return scenes
}

test('an unchanged list is reused, with its gzip', () => {
  const [lists, view] = [new CachedLists(), viewOf('me')]
  const { list, made } = listing(['a', 'b', 'c'])
  const first = lists.of(view, list())
  expect(itemsIn(first)).toMatchObject([{ id: 'a', running: false }, { id: 'b' }, { id: 'c' }])
  expect(lists.of(view, list())).toBe(first)
  expect(made).toEqual(['a', 'b', 'c'])
})

test('the gzip has the same bytes', async () => {
  const { prebuilt, gzipped } = new CachedLists().of(viewOf('me'), listing(['a', 'b', 'c']).list())
  expect(gunzipSync((await gzipped?.gzip()) ?? '')).toEqual(prebuilt)
})

test('only changed parts of a list are serialised again', () => {
  const [lists, view] = [new CachedLists(), viewOf('me')]
  const { list, made, running, replace, remove } = listing(['a', 'b', 'c'])
  const first = lists.of(view, list())
  running.add('b')
  const second = lists.of(view, list())
  expect(itemsIn(second).map((item) => item.running)).toEqual([false, true, false])
  expect(second.etag).not.toBe(first.etag)
  expect(made.splice(0)).toHaveLength(3)
  replace('c')
  expect(itemsIn(lists.of(view, list()))).toHaveLength(3)
  expect(made.splice(0)).toEqual(['c'])
  remove('c')
  expect(itemsIn(lists.of(view, list())).map(({ id }) => id)).toEqual(['a', 'b'])
})

test('each integration, and each view of it, has its own lists', () => {
  const lists = new CachedLists()
  const { list, made } = listing(['a'])
  const views = [viewOf('me'), viewOf('other'), viewOf('me')]
  const results = views.map((view) => lists.of(view, list()))
  expect(new Set(results).size).toBe(3)
  expect(made).toEqual(['a', 'a', 'a'])
})

test('all lists together stay within their limit: the least recently used is made again', () => {
  const lists = new CachedLists()
  const { list, made } = listing(['a'], CACHED_LISTS_BYTES_MAX / 3)
  const [one, two, three] = [viewOf('one'), viewOf('two'), viewOf('three')] as const
  for (const view of [one, two, one, three]) lists.of(view, list())
  expect(made.splice(0)).toHaveLength(3)
  for (const view of [one, three]) lists.of(view, list())
  expect(made.splice(0)).toHaveLength(0)
  lists.of(two, list())
  expect(made.splice(0)).toHaveLength(1)
})

test('a list above the limit is still returned', () => {
  const [lists, view] = [new CachedLists(), viewOf('me')]
  const { list } = listing(['a', 'b'], CACHED_LISTS_BYTES_MAX)
  expect(itemsIn(lists.of(view, list()))).toHaveLength(2)
})

test('forgotten lists of one integration are made again, but no lists of another', () => {
  const lists = new CachedLists()
  const { list, made } = listing(['a'])
  const [me, other] = [viewOf('me'), viewOf('other')]
  const first = lists.of(other, list())
  lists.of(me, list())
  lists.forget('me')
  expect(lists.of(other, list())).toBe(first)
  lists.of(me, list())
  expect(made).toHaveLength(3)
})

test('a part of a list is parsed alone, with the same items at any begin and end', () => {
  const ids = ['ä', 'b', '}', '"],[', '日本', 'f']
  for (const some of [ids, ids.slice(0, 1), []]) {
    const cache = new CachedLists().of(viewOf('Ünit'), listing(some, 3).list())
    const whole = JSON.parse(cache.prebuilt.toString()) as { house: string; scenes: readonly unknown[] }
    for (let from = 0; from <= some.length + 1; from++)
      for (let to = from; to <= some.length + 2; to++)
        expect(JSON.parse(partOfList(cache.prebuilt, cache.items ?? [], from, to))).toEqual({
          house: whole.house,
          scenes: whole.scenes.slice(from, to),
        })
  }
})
