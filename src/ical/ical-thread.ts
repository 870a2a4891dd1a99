import { parentPort, workerData } from 'node:worker_threads'
import type { CalendarContent, CalendarTask } from '../home/ports/calendars.ts'
import { placed } from '../home/rules/time/calendar-dates.ts'
import { eventsInFile } from './events-in-file.ts'

const task = workerData as CalendarTask
const { events, leftOut } = eventsInFile(task)
parentPort?.postMessage({ events: placed(events, task), leftOut } satisfies CalendarContent, [])
