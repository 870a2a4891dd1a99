import type { Page } from 'playwright-core'
import type { ConsoleView, PageFacts } from './console-view.ts'
import { dropStream, holdCommands } from './connection-faults.ts'

type First = NonNullable<ConsoleView['first']>

const DEVICES = {
  dimmer: 'Ceiling light',
  switch: 'Hall light',
  module: 'Entrance panel',
  gang: 'Porch lamp',
  socket: 'Dishwasher',
  heater: 'Towel heater',
  shutter: 'Garden shutter',
  curtain: 'Curtain',
  lock: 'Front door',
  gate: 'Driveway gate',
  ac: 'Air conditioner',
  sensor: 'Living room climate',
  door: 'Terrace door',
  meter: 'Base circuit meter',
  remote: 'Television and stereo',
} as const

const inDialog = (page: Page): Promise<void> => page.getByRole('dialog').waitFor()

/** Presses a button and waits for its dialog. */
const opens =
  (button: string): First =>
  async (page) => {
    await page.getByRole('button', { name: button, exact: true }).first().click()
    await inDialog(page)
  }

const path = (name: string, at: string, first?: First): ConsoleView => ({
  name,
  at: ({ origin }) => `${origin}/console/${at}`,
  ...(first ? { first } : {}),
})

const ofIntegration = (name: string, first?: First): ConsoleView => ({
  name,
  at: ({ origin, integration }) => `${origin}/console/access/${integration}`,
  ...(first ? { first } : {}),
})

function dangerous(view: ConsoleView): ConsoleView {
  return { ...view, isDangerous: true }
}

const floor =
  (name: string): First =>
  (page) =>
    page.getByRole('tab', { name }).click()

/** Connects a program and shows its secrets. */
const connected =
  (program: string, make: string): First =>
  async (page, facts) => {
    await opens('Connect a program')(page, facts)
    await page.getByRole('radio', { name: new RegExp(`^${program}`) }).check()
    await page.getByRole('button', { name: make }).click()
    await page.getByRole('button', { name: 'I have stored it' }).waitFor()
  }

/** Views of an administrator. */
const ADMINISTRATOR_VIEWS: readonly ConsoleView[] = [
  path('home', ''),
  path('home-mode', '', (page) => page.locator('.mode summary').click()),
  path('home-people', '', async (page) => {
    await page.locator('.people > summary').click()
    await page.locator('.changes > summary').first().click()
  }),
  path('home-first-floor', '', floor('First floor')),
  path('home-garden', '', floor('Garden')),
  path('home-search', '', async (page) => {
    await page.getByRole('tablist').waitFor()
    await page.keyboard.press('/')
    await inDialog(page)
    await page.getByRole('searchbox').fill('light')
  }),
  path('home-days', '', async (page) => {
    await page.getByRole('radio', { name: 'Last 14 days' }).check()
    await page.getByText('Show as a table').click()
    await page.getByRole('columnheader', { name: 'Day' }).waitFor()
  }),
  {
    ...path('home-pending', '', async (page) => {
      await holdCommands(page)
      await page.getByRole('switch', { name: 'Floor lamp' }).click()
      await page.getByText('sending: On').waitFor()
    }),
    waits: true,
  },
  path('home-offline', '', dropStream),
  path('home-person', '', (page) => page.getByRole('button', { name: /^You are/ }).click()),
  ...Object.entries(DEVICES).map(([name, device]) => ({
    name: `device-${name}`,
    at: ({ origin, devices }: PageFacts) =>
      `${origin}/console/device/${encodeURIComponent(devices.get(device) ?? device)}`,
  })),
  path('device-removed', 'device/a%3Ab%3Ac'),
  path('activity', 'activity'),
  path('activity-why', 'activity?kind=state', async (page) => {
    await page.getByRole('button', { name: 'Why?' }).first().click()
    await page.locator('.reasons:not([hidden]) a').waitFor()
  }),
  path('activity-unfolded', 'activity?kind=detection', (page) =>
    page
      .getByRole('button', { name: / times since / })
      .first()
      .click(),
  ),
  path('activity-nothing', 'activity?kind=refused&room=shower-room'),
  path('rooms', 'rooms'),
  path('access', 'access'),
  path('access-new', 'access', opens('New integration')),
  path('access-removed', 'access/int_removed'),
  ofIntegration('integration'),
  ofIntegration('integration-unsaved', async (page) => {
    await page.getByRole('treeitem', { name: 'First floor' }).locator('.box').first().click()
    await page.getByRole('button', { name: 'Add hours' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor()
  }),
  ofIntegration('integration-conflict', async (page, { savedElsewhere }) => {
    await page.getByRole('radio', { name: 'Yes', exact: true }).check()
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await savedElsewhere()
    await page.getByRole('button', { name: 'Keep both changes' }).waitFor()
  }),
  ofIntegration('integration-preview', opens('Preview')),
  ofIntegration('integration-rename', opens('Rename')),
  ofIntegration('integration-delete', opens('Delete')),
  ofIntegration('integration-notice', (page) => page.getByRole('switch', { name: 'Enabled' }).click()),
  ofIntegration('connect', opens('Connect a program')),
  dangerous(ofIntegration('connect-key', connected('Code', 'Create a key'))),
  dangerous(
    ofIntegration('connect-qr', async (page, facts) => {
      await connected('Code', 'Create a key')(page, facts)
      await page.getByText('as a QR code').click()
      await page.getByRole('img', { name: 'QR code' }).waitFor()
    }),
  ),
  dangerous(ofIntegration('connect-home-assistant', connected('Home Assistant', 'Create a key'))),
  dangerous(ofIntegration('connect-agent', connected('Claude', 'Create a credential'))),
  path('messages', 'messages'),
  path('calendars', 'calendars'),
  path('calendar-address', 'calendars', opens('Add a calendar')),
  path('calendar-file', 'calendars', async (page, facts) => {
    await opens('Add a calendar')(page, facts)
    await page.getByRole('dialog').getByRole('combobox').selectOption('file')
  }),
  path('calendar-dates', 'calendars', async (page, facts) => {
    await opens('Add a calendar')(page, facts)
    await page.getByRole('dialog').getByRole('combobox').selectOption('dates')
  }),
  path('approvals', 'approvals'),
  path('approvals-dialog', 'system', opens('Look')),
  path('approvals-opening', 'approvals', async (page, { opening }) => {
    await opening()
    await page.getByRole('article', { name: /Front door/ }).waitFor()
  }),
  path('system', 'system'),
  path('system-parts', 'system', async (page) => {
    // Desktops show them side by side.
    const list = page.locator('.partlist summary')
    if (await list.isVisible()) await list.click()
  }),
  path('system-backup', 'system/backup', async (page) => {
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page
      .getByRole('button', { name: /^Restore the backup of/ })
      .first()
      .waitFor()
  }),
  path('system-phrase', 'system/backup', async (page) => {
    await page.getByRole('button', { name: /^Create a (recovery|new) phrase…$/ }).click()
    await page.getByRole('button', { name: 'Print' }).waitFor()
  }),
  path('system-restore', 'system/backup', async (page) => {
    await page
      .getByRole('button', { name: /^Restore the backup of/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Restore this backup' }).waitFor()
  }),
  path('system-certificates', 'system/certificates'),
  path('system-new-ca', 'system/certificates', opens('New CA…')),
  path('system-persons', 'system/persons'),
  path('system-add-person', 'system/persons', async (page, facts) => {
    await opens('Add a person')(page, facts)
    await page.getByRole('radio', { name: 'Guest' }).check()
    await page.getByRole('button', { name: 'Add hours' }).click()
    await page.getByRole('tree').waitFor()
  }),
  path('system-add-tablet', 'system/persons', opens('Add a wall tablet')),
  path('system-password', 'system/persons', opens('New password')),
  path('system-passkey', 'system/persons', opens('Add a passkey')),
  dangerous(path('system-link', 'system/persons', opens('Create a link'))),
  path('system-remove-person', 'system/persons', opens('Remove')),
  path('system-sessions', 'system/sessions'),
  path('system-relay', 'system/relay'),
  path('system-failures', 'system/failures', (page) => page.locator('tbody tr').first().waitFor()),
  path('system-operators', 'system/operators', (page) => page.getByText('Prometheus').waitFor()),
  path('system-make-token', 'system/operators', opens('Create a token')),
  dangerous(
    path('system-token', 'system/operators', async (page, facts) => {
      await opens('Create a token')(page, facts)
      await page.getByLabel('Name', { exact: true }).fill('Grafana')
      await page.getByRole('dialog').locator('[type=submit]').click()
      await page.getByRole('dialog').locator('.secret').waitFor()
    }),
  ),
  path('system-offline', 'system', dropStream),
  path('system-restore-file', 'system/backup', opens('Restore from a file…')),
  path('system-about', 'system/about'),
  path('system-log', 'system/log', (page) => page.locator('.log li').first().waitFor()),
  path('trust', 'trust'),
  ...['iPhone, iPad', 'Android', 'Mac', 'Windows', 'Firefox'].map((device, at) =>
    path(`trust-${at + 1}`, 'trust', (page) => page.getByRole('radio', { name: device, exact: true }).check()),
  ),
  { ...path('no-page', 'invented'), tells: ['404'] },
  path('go-nowhere', 'go/of-a-newer-client'),
]

const unfold =
  (title: string): First =>
  (page) =>
    page.getByText(title, { exact: true }).click()

/** Views of a member, without what only administrators see. */
const MEMBER_VIEWS: readonly ConsoleView[] = [path('member-home', ''), path('member-me', 'me')]

/** Views without a session. */
const STRANGER_VIEWS: readonly ConsoleView[] = [
  path('sign-in', ''),
  path('sign-in-link', '', unfold('I have a one-time link')),
  {
    name: 'sign-in-address',
    // With an expired link, at a numeric address, where passkeys do not work.
    tells: ['401'],
    at: ({ byAddress }) => `${byAddress}/console/#${'x'.repeat(24)}`,
    first: (page) => page.getByRole('alert').waitFor(),
  },
  path('trust-stranger', 'trust'),
]

/** Views of a session by link without an account, in a new home. */
const NAMELESS_VIEWS: readonly ConsoleView[] = [
  path('first-home', ''),
  path('first-access', 'access'),
  path('first-approvals', 'approvals'),
  path('first-persons', 'system/persons'),
  path('first-name', 'system/persons', opens('Create account')),
]

/** Views of an administrator who dismissed the certificate warning. */
const UNVERIFIED_VIEWS: readonly ConsoleView[] = [
  path('unverified-home', ''),
  path('unverified-certificates', 'system/certificates'),
  path('unverified-trust', 'trust'),
].map((view) => ({
  ...view,
  // The refused service worker, whose message does not always have a reason.
  tells: ['error occurred when fetching the script'],
  first: (page) => page.getByText('Not verified').first().waitFor({ state: 'attached' }),
}))

/** Views of a home with problems. */
const TROUBLED_VIEWS: readonly ConsoleView[] = [
  path('troubled-home', '', async (page) => {
    await page.locator('.attention a').first().waitFor()
    await page.locator('.banner.alarm').first().waitFor()
  }),
  {
    name: 'troubled-alarm',
    at: ({ origin, devices }) =>
      `${origin}/console/device/${encodeURIComponent(devices.get('Living room climate') ?? '')}`,
    first: (page) => page.locator('.measures .alarm').waitFor(),
  },
  path('troubled-system', 'system', (page) => page.getByRole('heading', { name: 'Needs attention' }).waitFor()),
  {
    name: 'troubled-device',
    at: ({ origin, devices }) => `${origin}/console/device/${encodeURIComponent(devices.get('Hall light') ?? '')}`,
    first: (page) => page.getByText('Check its power').waitFor(),
  },
  // With a person who has neither a password nor a passkey.
  path('troubled-persons', 'system/persons'),
]

/** Adds a person, which asks for the administrator's password. */
const openProof: First = async (page, facts) => {
  await opens('Add a person')(page, facts)
  await page.getByLabel('Name', { exact: true }).fill('Ben')
  await page.getByRole('dialog').getByRole('button', { name: 'Add a person' }).click()
  await page.getByRole('button', { name: 'Continue' }).waitFor()
}

/** Views of a session that needs a fresh proof. */
const STALE_VIEWS: readonly ConsoleView[] = [
  { ...path('proof', 'system/persons', openProof), tells: ['403'] },
  {
    ...path('proof-wrong', 'system/persons', async (page, facts) => {
      await openProof(page, facts)
      await page.getByLabel('Password', { exact: true }).fill('wrong wrong')
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByText('This is not your password').waitFor()
    }),
    tells: ['403', '401'],
  },
]

/** Views by kind of viewer. */
export const VIEWS_OF = {
  administrator: ADMINISTRATOR_VIEWS,
  member: MEMBER_VIEWS,
  stranger: STRANGER_VIEWS,
  unverified: UNVERIFIED_VIEWS,
  newcomer: [path('sign-in-new', '', unfold('The gateway is new'))],
  nameless: NAMELESS_VIEWS,
  troubled: TROUBLED_VIEWS,
  stale: STALE_VIEWS,
} as const satisfies Readonly<Record<string, readonly ConsoleView[]>>
export type ViewerKind = keyof typeof VIEWS_OF
