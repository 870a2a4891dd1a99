import type { Status } from '../../admin-contract.ts'
import { words } from '../../words/system.ts'

/** Fewer requests without a valid credential in a day are no trouble: browsers and phones try what they find. */
const FAILED_MIN = 20

/** What a person should look at, each a sentence with what to do. */
export function troublesOf({ units, history, disk, failedAuthentications, relay, ...now }: Status): readonly string[] {
  const told: readonly (string | false)[] = [
    disk.state !== 'ok' && words.diskTroubles[disk.state],
    now.socketElsewhere !== null && words.socketElsewhere(now.socketElsewhere),
    units.link !== 'up' && words.lineTrouble(units.link),
    units.unreachable.length > 0 && words.unitsSilent(units.unreachable.length),
    units.withoutPlace > 0 && words.unitsWithoutPlace(units.withoutPlace),
    units.otherClass.length > 0 && words.unitsOfOtherClass(units.otherClass.length),
    failedAuthentications >= FAILED_MIN && words.manyTurnedAway(failedAuthentications),
    history.damaged !== null && words.historyDamaged(history.damaged),
    history.failed > 0 && words.historyFailed(history.failed),
    relay.trouble !== null && words.relayTrouble(relay.trouble),
  ]
  return told.filter((each) => each !== false)
}
