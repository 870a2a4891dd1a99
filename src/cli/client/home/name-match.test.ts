import { describe, expect, test } from 'vitest'
import { type Named, distinctName, fullName, matchesOf, theOne } from './name-match.ts'

const named = (
  id: string,
  name: string,
  room: string | null,
  { class: of = 'light_switch', floor = null }: Partial<Named> = {},
): Named => ({ id, name, room, roomId: room, floor, class: of })
const HOME = [
  named('1', 'Hall light', 'Hall'),
  named('2', 'Lamp', 'Küche'),
  named('3', 'Lamp', 'Study'),
  named('4', 'Lamp two', 'Study'),
  named('5', 'Cooler', 'Study', { class: 'ac' }),
  named('6', 'Twin', 'Attic'),
  named('7', 'Twin', 'Attic'),
  named('8', 'Mirror', 'Bath', { floor: 'Ground floor' }),
  named('9', 'Mirror', 'Bath', { floor: 'Top floor' }),
]
const ids = (typed: string): string =>
  matchesOf(typed, HOME)
    .map(({ id }) => id)
    .join()

describe('the match of a name', () => {
  test.each([
    ['hall light', '1'],
    ['HALL: light', '1'],
    ['light', '1'],
    ['hall li', '1'],
    ['kuche lamp', '2'],
    ['Küche/Lamp', '2'],
    ['study lamp', '3'],
    ['lamp t', '4'],
    ['lamp', '2,3'],
    ['ac', '5'],
    ['study ac', '5'],
    ['3', '3'],
    ['the study lamp', '3'],
    ['bath mirror', '8,9'],
    ['top floor bath mirror', '9'],
    ['ground mirror', '8'],
    ['', ''],
    ['…', ''],
    ['cellar', ''],
  ])('"%s"', (typed, expected) => {
    expect(ids(typed)).toBe(expected)
  })

  test('is first a likely thing, then any other thing', () => {
    const isLamp = ({ room }: Named): boolean => room === 'Study'
    expect(theOne('lamp', HOME, 'device', isLamp).id).toBe('3')
    expect(theOne('hall', HOME, 'device', isLamp).id).toBe('1')
  })

  test('is the exact name, also if another thing is likelier', () => {
    const isOther = ({ id }: Named): boolean => id === '4'
    expect(theOne('Study Lamp', HOME, 'device', isOther).id).toBe('3')
    expect(theOne('study la', HOME, 'device', isOther).id).toBe('4')
  })

  test('is ambiguous by floors if names and rooms are equal', () => {
    expect(() => theOne('mirror', HOME, 'device')).toThrow(
      '"mirror" may be Ground floor Bath Mirror, Top floor Bath Mirror: add the room or the floor, or use the id.',
    )
    expect(distinctName(HOME)(HOME[8]!)).toBe('Top floor Bath Mirror')
  })

  test('is ambiguous by ids if names and rooms are equal', () => {
    expect(() => theOne('twin', HOME, 'device')).toThrow('"twin" may be Attic Twin (6), Attic Twin (7): add the room')
  })

  test.each(['hallx', 'hakl', 'hlal', 'all'])('is suggested for %s, which is no name', (typed) => {
    expect(() => theOne(typed, HOME, 'device')).toThrow('Did you mean Hall light?')
  })

  test('names the room once', () => {
    expect(HOME.slice(0, 2).map(fullName)).toEqual(['Hall light', 'Küche Lamp'])
  })
})
