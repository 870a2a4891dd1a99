import type { JSX } from 'preact'
import type { HomeDevice } from '@hm-gateway/client/src/browser.ts'
import { localIdOf } from '../../lib/addresses.ts'
import type { IntentsShowAnswer, SettingInWords } from '../../lib/admin-contract.ts'
import { Problem } from '../../parts/action.tsx'
import { Age, Card, Chip } from '../../parts/page.tsx'
import { localDevices } from '../../stores/local-devices.ts'
import { useHappened, useReading } from '../../stores/reading.ts'
import { admin } from '../../stores/session.ts'
import { words } from '../../words/device.ts'
import { capital, words as frame } from '../../words/frame.ts'

/** What the unit is set to, in words, and the schedules that it keeps itself, as they were last read. */
export function SettingsCard({ device: { id } }: { readonly device: HomeDevice }): JSX.Element {
  const read = () => admin.call('get', '/admin/v1/devices/{id}/intents', { path: { id: localIdOf(id) } })
  const { value, error, again } = useReading(read, id, useHappened(id))
  return (
    <>
      {value?.intents.length !== 0 && (
        <Card id="settings" title={words.settings} beside={value && <ReadAt settings={value.intents} />}>
          {error !== null && <Problem error={error} onAgain={again} />}
          {value === null && error === null && <p class="wait">{frame.loading}</p>}
          {value !== null && <Settings settings={value.intents} />}
        </Card>
      )}
      {value !== null && <OwnSchedules page={id} {...value} />}
    </>
  )
}

interface OwnSchedulesProps extends Pick<IntentsShowAnswer, 'schedules' | 'schedulesAsOf'> {
  /** Whose page it is. */
  readonly page: string
}

/** Nothing where the unit keeps none. */
function OwnSchedules({ page, schedules, schedulesAsOf }: OwnSchedulesProps): JSX.Element | null {
  if (schedules.length === 0) return null
  return (
    <Card
      title={words.ownSchedules}
      beside={
        schedulesAsOf !== null && (
          <span class="hint">
            {words.read} <Age at={schedulesAsOf} />
          </span>
        )
      }
    >
      <p class="hint">{words.ownSchedulesAbout}</p>
      <ul class="links">
        {schedules.map(({ slot, enabled, gang, words: said }) => (
          <li key={slot}>
            <span>{gangWords(page, gang, said)}</span> {!enabled && <Chip>{words.switchedOff}</Chip>}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** A module keeps those of its gangs: `Porch lamp: turn on at 18:30`. On the page of the gang itself that is plain. */
function gangWords(page: string, gang: number | null, said: string): string {
  const [unit] = localIdOf(page).split(':')
  const moved = gang === null ? undefined : localDevices.value.get(`${unit}:${gang}`)
  return moved === undefined || moved.id === page ? capital(said) : words.scheduleOf(moved.name, said)
}

/** All of them are at least as new as the oldest. */
function ReadAt({ settings }: { settings: readonly SettingInWords[] }): JSX.Element | null {
  const times = settings.flatMap(({ asOf }) => asOf ?? [])
  if (times.length === 0) return null
  return (
    <span class="hint">
      {words.read} <Age at={Math.min(...times)} />
    </span>
  )
}

/** What programs may change comes first; the rest is an electrician's, and folded. */
function Settings({ settings }: { settings: readonly SettingInWords[] }): JSX.Element {
  const ofUnit = settings.filter(({ access }) => access === 'read_only')
  return (
    <>
      <SettingsTable settings={settings.filter(({ access }) => access !== 'read_only')} />
      {ofUnit.length > 0 && (
        <details>
          <summary>
            {words.ofUnit} ({ofUnit.length})
          </summary>
          <SettingsTable settings={ofUnit} />
        </details>
      )}
    </>
  )
}

/** Between a number and what it counts no line ends. */
const BEFORE_UNIT = /(?<=\d) (?=\p{L}|[°%µ])/gu

function SettingsTable({ settings }: { settings: readonly SettingInWords[] }): JSX.Element | null {
  if (settings.length === 0) return null
  return (
    <table class="settings">
      <thead class="unseen">
        <tr>
          <th scope="col">{words.setting}</th>
          <th scope="col">{words.value}</th>
        </tr>
      </thead>
      <tbody>
        {settings.map(({ intent, title, words: value, guidance }) => (
          <tr key={intent}>
            <th scope="row">
              {title}
              {guidance !== undefined && <small class="hint">{guidance}</small>}
            </th>
            <td>{value?.replaceAll(BEFORE_UNIT, '\u00a0') ?? words.neverConfirmed}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
