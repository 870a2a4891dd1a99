import type { HomeInfo, Scene, Unit } from '../../../src/home/model/house.ts'

/** A home in Berlin without coordinates. */
export const homeInfo = (more: Partial<HomeInfo> = {}): HomeInfo => ({
  name: 'Home',
  timeZone: 'Europe/Berlin',
  latitude: null,
  longitude: null,
  currency: 'EUR',
  ...more,
})

/** A dimmer in no room. */
export const unitOf = (id: string, address: number, more: Partial<Unit> = {}): Unit => ({
  id,
  name: id,
  address,
  model: 'HMHH',
  class: 'light_dimmer',
  room: null,
  position: address,
  gangs: [],
  ...more,
})

/** A new, empty scene without edits. */
export const sceneOf = (id: string, more: Partial<Scene> = {}): Scene => ({
  id,
  name: id,
  icon: null,
  floor: null,
  room: null,
  steps: [],
  revision: 1,
  edits: [{ devices: null, count: 1 }],
  origin: null,
  author: null,
  position: 0,
  ...more,
})
