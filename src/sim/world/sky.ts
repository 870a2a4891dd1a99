import { noiseAt } from '../model/seeded-random.ts'
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts'

const DEGREE = Math.PI / 180
/** Sun straight overhead under a clear sky. */
const NOON_LUX = 110_000

/** Weather as a pure function of time, place and seed: any moment in any order. */
export class Sky {
  readonly #seed: string
  readonly #latitude: number
  readonly #longitude: number

  constructor(seed: string, latitude: number, longitude: number) {
    this.#seed = seed
    this.#latitude = latitude
    this.#longitude = longitude
  }

  /** Degrees of the sun above the horizon; negative at night. */
  sunElevation(epochMs: number): number {
    const days = epochMs / DAY_MS - 10_957.5
    const meanAnomaly = (357.528 + 0.9856003 * days) * DEGREE
    const eclipticLongitude =
      (280.46 + 0.9856474 * days + 1.915 * Math.sin(meanAnomaly) + 0.02 * Math.sin(2 * meanAnomaly)) * DEGREE
    const obliquity = 23.439 * DEGREE
    const declination = Math.asin(Math.sin(obliquity) * Math.sin(eclipticLongitude))
    const rightAscension = Math.atan2(Math.cos(obliquity) * Math.sin(eclipticLongitude), Math.cos(eclipticLongitude))
    const siderealDegrees = 280.46062 + 360.98564737 * days + this.#longitude
    const hourAngle = siderealDegrees * DEGREE - rightAscension
    const latitude = this.#latitude * DEGREE
    return (
      Math.asin(
        Math.sin(latitude) * Math.sin(declination) + Math.cos(latitude) * Math.cos(declination) * Math.cos(hourAngle),
      ) / DEGREE
    )
  }

  /** 0 clear to 1 overcast. */
  cloud(epochMs: number): number {
    return this.#drift('cloud', epochMs, 5 * HOUR_MS)
  }

  /** Lux on open ground. */
  daylight(epochMs: number): number {
    const elevation = this.sunElevation(epochMs)
    if (elevation <= -6) return 0
    if (elevation <= 0) return 400 * ((elevation + 6) / 6) ** 3
    const clear = 400 + NOON_LUX * Math.sin(elevation * DEGREE) ** 1.2
    return clear * (1 - 0.82 * this.cloud(epochMs))
  }

  /** Degrees Celsius outside in the shade. */
  temperature(epochMs: number): number {
    const year = 365.2422 * DAY_MS
    const season = Math.cos((2 * Math.PI * (epochMs - 17 * DAY_MS)) / year) * (this.#latitude < 0 ? -1 : 1)
    const span = Math.min(12, Math.abs(this.#latitude) / 5)
    const mean = 27 - Math.abs(this.#latitude) / 3 - span * season
    const solarHour = (epochMs / HOUR_MS + this.#longitude / 15) % 24
    const day = -Math.cos((2 * Math.PI * (solarHour - 3)) / 24) * (2 + 3 * (1 - this.cloud(epochMs)))
    return mean + day + 8 * (this.#drift('warmth', epochMs, 40 * HOUR_MS) - 0.5)
  }

  /** Relative humidity outside, percent. */
  humidity(epochMs: number): number {
    return 55 + 30 * this.cloud(epochMs) + 10 * (this.#drift('damp', epochMs, 20 * HOUR_MS) - 0.5)
  }

  /** Noise from 0 to 1 that changes smoothly over `periodMs`. */
  #drift(label: string, epochMs: number, periodMs: number): number {
    const step = Math.floor(epochMs / periodMs)
    const within = epochMs / periodMs - step
    const smooth = within * within * (3 - 2 * within)
    const here = noiseAt(`${this.#seed}/${label}`, step)
    return here + (noiseAt(`${this.#seed}/${label}`, step + 1) - here) * smooth
  }
}
