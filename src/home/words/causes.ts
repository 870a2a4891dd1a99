import type { Subject } from '../model/activity.ts'
import type { CauseView, ExposedCause } from '../record/expose-cause.ts'
import { OUTSIDE } from './names.ts'

/** A chain in one phrase: `scene Evening, run by automation Dusk, set off by motion at Hall sensor`. */
export function causeWords(cause: ExposedCause, view: CauseView): string {
  const own =
    cause.confirmedBy === undefined
      ? ownCauseWords(cause, view)
      : `${ownCauseWords(cause, view)}, confirmed by ${cause.confirmedBy}`
  return cause.by === undefined
    ? own
    : `${own}, ${cause.source === 'scene' ? 'run by' : 'set off by'} ${causeWords(cause.by, view)}`
}

function ownCauseWords(cause: ExposedCause, view: CauseView): string {
  switch (cause.source) {
    case 'automation':
    case 'schedule':
    case 'scene':
      return `${cause.source} ${cause.name}`
    case 'unit': {
      const device = cause.ref === undefined ? null : view.device(cause.ref)
      return device === null ? cause.name : `${cause.name} at ${device}`
    }
    case 'gateway':
      return cause.name === 'gateway' ? 'the gateway' : cause.name
    case 'person':
    case 'integration':
    case 'agent':
    case 'voice':
    case 'platform':
      return cause.name
  }
}

/** The subject's name as the view shows it; rules and scenes with what they are. */
export function subjectWords(subject: Subject, view: CauseView): string {
  switch (subject.kind) {
    case 'device':
      return view.device(subject.id) ?? OUTSIDE
    case 'scene':
    case 'steps':
      return `scene ${view.scene(subject.id) ?? OUTSIDE}`
    case 'automation':
      return `automation ${view.automation(subject.id) ?? OUTSIDE}`
    case 'schedule':
      return `schedule ${view.schedule(subject.id) ?? OUTSIDE}`
    case 'room':
    case 'floor':
    case 'integration':
    case 'home':
      return `the ${subject.kind}`
  }
}
