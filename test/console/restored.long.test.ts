// @module-tag long
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { CHROMIUM, openBrowser } from '#support/console/browser.ts'
import { NEWER, remadeBackup } from '#support/faults/remade-backup.ts'
import { freePort } from '#support/free-port.ts'
import { callerOver } from '#support/gateway/caller-over.ts'
import { GatewayProcess } from '#support/gateway/gateway-process.ts'
import { tempFolder } from '#support/temp-folder.ts'

const hasBrowser = CHROMIUM !== null
if (!hasBrowser) console.log('browser: skipped, 1 test of a restore (HM_CHROMIUM names a Chromium)')

const PASSWORD = 'correct horse battery'

test.skipIf(!hasBrowser)(
  'the gateway restores an uploaded file and restarts; the page and a pinned client continue',
  async () => {
    const folder = tempFolder()
    const env = { HM_PORT: String(await freePort()) }
    const gateway = await GatewayProcess.start({ dataDir: join(folder, 'home'), env })
    onTestFinished(async () => void (await gateway.kill()))
    const { admin } = gateway
    await admin.call('POST', '/persons', { name: 'Anna', password: PASSWORD })
    const file = join(folder, 'home.hmb')
    await admin.call('POST', '/backups/write', { file, encrypted: false })
    await admin.call('POST', '/integrations', { name: 'Since then' })

    const browser = await openBrowser(gateway, join(folder, 'browser'))
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    const dialog = page.getByRole('dialog')
    const { links } = await admin.call<{ links: string[] }>('POST', '/links', { person: 'Anna' })
    await page.goto(`https://localhost:${gateway.port}/console/system/backup#${links[0]?.split('#')[1] ?? ''}`)
    const look = async (path: string): Promise<void> => {
      await page.getByRole('button', { name: 'Restore from a file…' }).click()
      const chosen = { name: 'home.hmb', mimeType: 'application/octet-stream', buffer: readFileSync(path) }
      await dialog.getByLabel('Backup (.hmb)').setInputFiles(chosen)
      await dialog.getByRole('button', { name: 'Upload and open' }).click()
    }
    await look(await remadeBackup(file, NEWER['schemas.core']))
    await dialog.getByText('This backup was made by a newer hm-gateway').waitFor()
    expect(await dialog.getByRole('button', { name: 'Restore this backup' }).count()).toBe(0)

    await dialog.getByLabel('Close').click()
    await look(file)
    const name = dialog.getByLabel(/^To restore, type the name of this home: /)
    await name.fill('Sonnenwinkel')
    await dialog.getByRole('button', { name: 'Restore this backup' }).click()
    await dialog.getByText('This page continues by itself.').waitFor()
    await dialog.waitFor({ state: 'detached', timeout: 120_000 })
    await page.getByRole('navigation', { name: 'Places' }).or(page.getByLabel('Password')).first().waitFor()
    const { integrations } = await admin.call<{ integrations: { name: string }[] }>('GET', '/integrations')
    expect(integrations.map((integration) => integration.name)).toEqual(['Demo'])
    // The client trusts only its first CA.
    await using pinned = callerOver('http', { url: gateway.url, ca: gateway.ca, token: gateway.token! })
    expect((await pinned.call({ method: 'GET', path: '/v1/house' })).status).toBe(200)
    expect((await gateway.kill('SIGTERM')).code).toBe(0)
  },
)
