/** A longer movement in CSS pixels is a swipe or drag, not a tap. */
const SLOP_PX = 10

/** Handlers of a control for a press. */
interface PressHandlers {
  /** True if sideways movement belongs to the press. Other finger movements drop the press. */
  readonly isDrag: boolean
  /** Called when the pointer is lifted deliberately. */
  readonly onRelease: () => void
  /** Called when a scroll, a second finger, a menu, a hidden tab or a lost pointer ends the press. */
  readonly onDrop: () => void
}

/** One pointer from `pointerdown` on. */
class Press {
  readonly #down: PointerEvent
  readonly #control: Element | null
  #handlers: PressHandlers | null = null
  #hasMoved = false
  /** True after a long press opened a menu: lifting the finger is no tap, but dragging still counts. */
  #hadMenu = false
  #isActive = true
  #isDropped = false
  #isOver = false

  constructor(down: PointerEvent) {
    this.#down = down
    this.#control = down.target instanceof Element ? down.target.closest('button, a, input, label, summary') : null
  }

  get isActive(): boolean {
    return this.#isActive
  }

  /** True from the drop until the pointer is lifted: its events must be ignored. */
  get isIgnored(): boolean {
    return this.#isDropped && !this.#isOver
  }

  /** True if an event belongs to this pointer. */
  owns({ pointerId }: PointerEvent): boolean {
    return pointerId === this.#down.pointerId
  }

  /**
   * True if a click must not count: its press was dropped, or its control has left the page and another one took its
   * place under the finger.
   */
  invalidates(click: PointerEvent): boolean {
    return this.owns(click) && (this.#isDropped || this.#hadMenu || this.#control?.isConnected === false)
  }

  attach(handlers: PressHandlers): void {
    this.#handlers = handlers
  }

  move({ clientX, clientY, pointerType }: PointerEvent): void {
    if (this.#hasMoved) return
    const [across, along] = [Math.abs(clientX - this.#down.clientX), Math.abs(clientY - this.#down.clientY)]
    this.#hasMoved = Math.max(across, along) > SLOP_PX
    const isSwipe = this.#handlers !== null && !(this.#handlers.isDrag && across >= along)
    if (this.#hasMoved && isSwipe && pointerType !== 'mouse') this.drop()
  }

  /** Suppresses the browser's menu for a finger that rests on a control. */
  contextMenu(event: Event): void {
    if (this.#handlers === null || this.#hasMoved || this.#down.pointerType === 'mouse') return this.drop()
    event.preventDefault()
    this.#hadMenu = this.#handlers.isDrag
  }

  release(): void {
    if (this.#hadMenu && !this.#hasMoved) this.drop()
    if (this.#isActive) {
      this.#isActive = false
      this.#handlers?.onRelease()
    }
    // A touch outlives its pointer and ends with its own event.
    if (this.#down.pointerType !== 'touch') this.end()
  }

  drop(): void {
    if (!this.#isActive) return
    this.#isActive = false
    this.#isDropped = true
    this.#handlers?.onDrop()
  }

  /** The pointer has left the screen. */
  end(): void {
    this.#isOver = true
  }
}

/** The latest press; it stays after its end, for the click that follows. */
let press: Press | null = null

/** Attaches handlers to the press of the current `pointerdown`, which the window has already seen. */
export function attachPress(handlers: PressHandlers): Press | null {
  if (press?.isActive === true) press.attach(handlers)
  return press
}

/**
 * Decides for all controls whether a press is deliberate. Browsers cancel presses for many reasons, and a scrolling
 * finger can move a slider, so controls act only on a deliberate release.
 */
export function watchPresses(): void {
  const on = <K extends keyof WindowEventMap>(name: K, listener: (event: WindowEventMap[K]) => void): void =>
    addEventListener(name, listener, { capture: true })
  on('pointerdown', (event) => {
    press?.drop()
    if (event.isPrimary) press = new Press(event)
  })
  on('pointermove', (event) => {
    if (press?.owns(event) && press.isActive) press.move(event)
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
    if (press?.isActive === true) press.contextMenu(event)
  })
  on('click', (event) => {
    if (!press?.invalidates(event)) return
    event.preventDefault()
    event.stopImmediatePropagation()
  })
  document.addEventListener('visibilitychange', () => press?.drop())
  // Not in the capture phase, which also reports every element that loses the focus.
  addEventListener('blur', () => press?.drop())
}
