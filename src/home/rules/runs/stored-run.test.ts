import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ANNA, off, on, RulesHome } from '#support/homes/rules-home.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { CoreDb } from '../../../db/core/core-db.ts'
import { DISK_WAIT_MS_MAX } from './stored-run.ts'

const MINUTE = 60_000
const SECOND = 1_000

/** A home whose disk stores nothing until `sync` is called. */
function onSlowDisk(build: (home: RulesHome) => void): { readonly home: RulesHome; readonly sync: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const core = new CoreDb(join(tempFolder(), 'core.db'), { syncFile: () => promise })
  onTestFinished(() => core.close())
  const home = new RulesHome({ core })
  build(home)
  home.rules.start()
  return { home, sync: resolve }
}

describe('a slow disk', () => {
  it('delays the steps of a timed run until its claim is stored', async () => {
    const { home, sync } = onSlowDisk((it) => it.schedule({ at: { time: '12:01' } }))
    await home.pass(MINUTE + SECOND)
    expect(home.devices).toEqual([])
    sync()
    await home.pass(0)
    expect(home.devices).toEqual(['lamp'])
  })

  it('delays a trigger with a long hold until it is stored', async () => {
    const { home, sync } = onSlowDisk((it) =>
      it.automation({ when: [{ device: 'hall', state: 'on', is: true, for: 120 }], then: [off('hall')] }),
    )
    home.power('hall', false)
    home.power('hall', true)
    await home.pass(2 * MINUTE + SECOND)
    expect(home.devices).toEqual([])
    sync()
    await home.pass(0)
    expect(home.devices).toEqual(['hall'])
  })

  it('delays no run that needs no storage', async () => {
    const { home } = onSlowDisk((it) => {
      it.scene('stored', [on('a'), { delay: 5 }])
      it.scene('short', [on('b')])
    })
    home.rules.scenes.run('stored', ANNA, 'person')
    home.rules.scenes.run('short', ANNA, 'person')
    await home.pass(SECOND)
    expect(home.devices).toEqual(['b'])
  })

  it('starts no run that was stopped meanwhile', async () => {
    const { home, sync } = onSlowDisk((it) => it.scene('stored', [on('a'), { delay: 5 }]))
    const { runId } = home.rules.scenes.run('stored', ANNA, 'person')!
    await home.pass(SECOND)
    home.rules.runs.stop(runId, ANNA)
    sync()
    await home.pass(MINUTE)
    expect(home.devices).toEqual([])
  })

  it('stops no run by hanging', async () => {
    const { home } = onSlowDisk((it) => it.scene('stored', [on('a'), { delay: 5 }, on('b')]))
    home.rules.scenes.run('stored', ANNA, 'person')
    await home.pass(DISK_WAIT_MS_MAX - 1)
    expect(home.devices).toEqual([])
    await home.pass(1)
    expect(home.devices).toEqual(['a'])
    await home.pass(5 * SECOND + DISK_WAIT_MS_MAX)
    expect(home.devices).toEqual(['a', 'b'])
  })
})
