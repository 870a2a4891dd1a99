import type { JSX } from 'preact'
import { useLocation } from 'preact-iso/router'
import type { AdminMessage } from '../lib/admin-contract.ts'
import { acknowledge, bannerMessages } from '../stores/messages.ts'
import { type Alarm, alarms } from '../stores/readings.ts'
import { localDeviceOf, localIdOf } from '../lib/page-paths.ts'
import { words } from '../words/messages.ts'
import { useAction } from './action.tsx'
import { Button, Icon } from './page.tsx'

const MESSAGES = '/console/messages'

/** The newest message on every page; alarms that still last have a banner of their own. */
export function MessagesBanner(): JSX.Element {
  const { path } = useLocation()
  const messages = bannerMessages.value.filter((message) => alarmOf(message) === undefined)
  const first = messages.find(({ urgency }) => urgency === 'alarm') ?? messages[0]
  return (
    <div role="alert">
      {path !== MESSAGES && first !== undefined && (
        <div class={`banner message ${first.ended === null ? first.urgency : 'over'}`}>
          <Icon name="alert" />
          <p>
            <a href={first.go ?? MESSAGES} dir="auto">
              {first.title}
            </a>{' '}
            {messages.length > 1 && <a href={MESSAGES}>{words.more(messages.length - 1)}</a>}
          </p>
          <AcknowledgeButton message={first} />
        </div>
      )}
    </div>
  )
}

/** Button that acknowledges a message; afterwards its text is the error, if there was one. */
export function AcknowledgeButton({ message }: { readonly message: AdminMessage }): JSX.Element {
  const action = useAction(() => acknowledge(message))
  return <Button label={action.message ?? words.acknowledge} action={action} />
}

/** The unacknowledged message of a current alarm. */
export const messageOf = ({ id, kind }: Alarm): AdminMessage | undefined =>
  bannerMessages.value.find((message) => message.kind === kind && isAbout(message, id))

const alarmOf = (message: AdminMessage): Alarm | undefined =>
  alarms.value.find(({ id, kind }) => kind === message.kind && isAbout(message, id))

/** Administrators get local ids of devices, members those of their own view. */
const isAbout = ({ device }: AdminMessage, id: string): boolean =>
  device !== null && localDeviceOf(device) === localIdOf(id)
