import { render } from 'preact'
import { App } from './app.tsx'
import { watchPresses } from './parts/press.ts'
import { startSession } from './stores/start-session.ts'

watchPresses()
render(<App />, document.body)
void startSession()
