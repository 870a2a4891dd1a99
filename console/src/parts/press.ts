/** Movement in CSS pixels from which a finger swipes or drags and no longer taps. */
const SLOP_PX = 10

/** How a control uses a press. */
interface PressUse {
  /** Sideways movement of a finger is part of the press; any other movement of a finger drops it. */
  readonly isDrag: boolean
  /** The pointer was lifted deliberately. */
  readonly onRelease: () => void
  /** The press came to nothing: a scroll, a second finger, a menu, a hidden tab or a lost pointer ended it. */
  readonly onDrop: () => void
}

/** One pointer from the moment that it goes down. */
class Press {
  readonly #down: PointerEvent
  readonly #control: Element | null
  #use: PressUse | null = null
  #hasMoved = false
  /** A menu opened under the resting finger: lifting it is no tap, dragging it still counts. */
  #hadMenu = false
  #isOn = true
  #isDropped = false
  #isOver = false

  constructor(down: PointerEvent) {
    this.#down = down
    this.#control = down.target instanceof Element ? down.target.closest('button, a, input, label, summary') : null
  }

  get isOn(): boolean {
    return this.#isOn
  }

  /** Nothing that the pointer does until it is lifted counts. */
  get isIgnored(): boolean {
    return this.#isDropped && !this.#isOver
  }

  /** Whether an event is of the same pointer. */
  owns({ pointerId }: PointerEvent): boolean {
    return pointerId === this.#down.pointerId
  }

  /**
   * Whether a click is the browser's conclusion from a press that does not count, or of a control that is gone: the
   * click would be of the one that took its place under the finger.
   */
  voids(click: PointerEvent): boolean {
    return this.owns(click) && (this.#isDropped || this.#hadMenu || this.#control?.isConnected === false)
  }

  usedBy(use: PressUse): void {
    this.#use = use
  }

  move({ clientX, clientY, pointerType }: PointerEvent): void {
    if (this.#hasMoved) return
    const [across, along] = [Math.abs(clientX - this.#down.clientX), Math.abs(clientY - this.#down.clientY)]
    this.#hasMoved = Math.max(across, along) > SLOP_PX
    const isSwipe = this.#use !== null && !(this.#use.isDrag && across >= along)
    if (this.#hasMoved && isSwipe && pointerType !== 'mouse') this.drop()
  }

  /** A finger that rests on a control opens no menu of the browser. */
  menu(event: Event): void {
    if (this.#use === null || this.#hasMoved || this.#down.pointerType === 'mouse') return this.drop()
    event.preventDefault()
    this.#hadMenu = this.#use.isDrag
  }

  release(): void {
    if (this.#hadMenu && !this.#hasMoved) this.drop()
    if (this.#isOn) {
      this.#isOn = false
      this.#use?.onRelease()
    }
    // Touches go on after their pointer is gone: their end is an event of its own.
    if (this.#down.pointerType !== 'touch') this.end()
  }

  drop(): void {
    if (!this.#isOn) return
    this.#isOn = false
    this.#isDropped = true
    this.#use?.onDrop()
  }

  /** The pointer has left the screen. */
  end(): void {
    this.#isOver = true
  }
}

/** The last press, also after its end. */
let press: Press | null = null

/** Begins to follow the press that `pointerdown` told of; the events of a control are handled after the window's. */
export function usePress(use: PressUse): Press | null {
  if (press?.isOn === true) press.usedBy(use)
  return press
}

/**
 * The one place that decides whether a pointer means what it does. Browsers take a press away for many reasons, and
 * sliders move with a finger that only wants to scroll: no control hears of a press before it is released on purpose.
 */
export function watchPresses(): void {
  const on = <K extends keyof WindowEventMap>(name: K, listener: (event: WindowEventMap[K]) => void): void =>
    addEventListener(name, listener, { capture: true })
  on('pointerdown', (event) => {
    press?.drop()
    if (event.isPrimary) press = new Press(event)
  })
  on('pointermove', (event) => {
    if (press?.owns(event) && press.isOn) press.move(event)
  })
  on('pointerup', (event) => {
    if (press?.owns(event)) press.release()
  })
  for (const lost of ['pointercancel', 'lostpointercapture'] as const)
    on(lost, (event) => {
      if (press?.owns(event)) press.drop()
    })
  for (const ended of ['touchend', 'touchcancel'] as const)
    on(ended, ({ touches }) => {
      if (touches.length === 0) press?.end()
    })
  on('keydown', () => press?.end())
  on('contextmenu', (event) => {
    if (press?.isOn === true) press.menu(event)
  })
  on('click', (event) => {
    if (!press?.voids(event)) return
    event.preventDefault()
    event.stopImmediatePropagation()
  })
  document.addEventListener('visibilitychange', () => press?.drop())
  // In the capture phase the window would hear of every element that loses the focus.
  addEventListener('blur', () => press?.drop())
}
