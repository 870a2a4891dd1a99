// Loaded into a gateway by `--import`. Shortens timers of a minute to a second, so that every timer that touches the
// data folder meets a fault within a short test. A stop still has its ten seconds.
const LONG_MS = 10_001
const FASTER = 60

const later = globalThis.setTimeout
globalThis.setTimeout = Object.assign(
  (run, ms = 0, ...args) => later(run, ms >= LONG_MS ? ms / FASTER : ms, ...args),
  later,
)
