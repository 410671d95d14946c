import type { Session } from '../../fetch/browser/chromium/cdp.ts';
import type { ControlMessage } from '../../schemas/live-view.ts';

type MessageOf<Type> = Extract<ControlMessage, { type: Type }>;
/** Messages of a viewer that are input by mouse, keyboard or touch. */
export type InputMessage = MessageOf<'mouse' | 'wheel' | 'touch' | 'key' | 'text' | 'composition'>;

/**
 * While this many commands wait for a page that does not react, further movements, or all input, is dropped.
 */
const MAX_WAITING_MOVES = 50;
const MAX_WAITING = 500;

/**
 * Passes input of viewers to one tab, in its order. Most messages do not wait until the page has handled the
 * one before it. Movements of the mouse are merged while the page handles one of them, so that a click never
 * waits behind many, and while it handles a press: Chromium forgets a drag whose first movement it gets
 * before the response to the press.
 */
export class Input {
  readonly #session: Session;
  /** Commands that the page has not handled yet. */
  readonly #waiting = new Map<Promise<void>, InputMessage>();
  #nextMove: InputMessage | undefined;
  #mayDrag = false;

  constructor(session: Session) {
    this.#session = session;
  }

  /**
   * Whether a press that the page has not handled yet may move the focus, so that typing has to wait for it.
   */
  get mayMoveFocus(): boolean {
    return this.#isWaitingFor(isPress);
  }

  /** Whether the page may begin to drag something, because the mouse moves with a button pressed. */
  get mayDrag(): boolean {
    return this.#mayDrag;
  }

  /** Resolves when the page has handled all input so far. */
  async handled(): Promise<void> {
    await Promise.all(this.#waiting.keys());
  }

  /**
   * Resolves when Chromium knows whether the page has begun to drag something. A release before that would be
   * a plain one to Chromium, and the page would wait for a drop that never comes.
   */
  async dragBegun(): Promise<void> {
    try {
      // The newest movement is sent only when those before it have been handled.
      while (this.#waiting.size) await this.handled();
      // Chromium may hear of the drag after the response to its movement, but before the response to a
      // script.
      await this.#session.send('Runtime.evaluate', { expression: '0' });
    } finally {
      this.#mayDrag = false;
    }
  }

  /**
   * Passes an input event on to the page. Of movements that come faster than the page handles them, only the
   * last one counts.
   */
  dispatch(message: InputMessage): void {
    if (message.type === 'mouse' && message.action === 'move') {
      this.#nextMove = message;
      this.#mayDrag ||= message.buttons !== 0;
      this.#moveWhenHandled();
      return;
    }
    this.#move();
    if (message.type === 'mouse' && message.action === 'up') this.#mayDrag = false;
    if (this.#waiting.size < (message.type === 'wheel' ? MAX_WAITING_MOVES : MAX_WAITING))
      void this.#send(message);
  }

  /** Sends the newest movement, unless the page still handles one, or a press. */
  #moveWhenHandled(): void {
    if (!this.#isWaitingFor((message) => message.type === 'mouse' && message.action !== 'up')) this.#move();
  }

  /** Sends the newest movement, if it has not been sent. */
  #move(): void {
    const move = this.#nextMove;
    this.#nextMove = undefined;
    if (move && this.#waiting.size < MAX_WAITING_MOVES) void this.#send(move);
  }

  async #send(message: InputMessage): Promise<void> {
    const handled = dispatch(this.#session, message).then(
      () => undefined,
      // The tab was closed or has crashed, or nothing has the focus. The viewer sees that in the tab itself.
      () => undefined,
    );
    this.#waiting.set(handled, message);
    await handled;
    this.#waiting.delete(handled);
    this.#moveWhenHandled();
  }

  #isWaitingFor(matches: (message: InputMessage) => boolean): boolean {
    return [...this.#waiting.values()].some(matches);
  }
}

const isPress = (message: InputMessage) =>
  message.type === 'touch' || (message.type === 'mouse' && message.action !== 'move');

function dispatch(session: Session, message: InputMessage): Promise<unknown> {
  switch (message.type) {
    case 'mouse':
      return session.send('Input.dispatchMouseEvent', toMouseEvent(message));
    case 'wheel': {
      const { type: _, ...wheel } = message;
      return session.send('Input.dispatchMouseEvent', { type: 'mouseWheel', ...wheel });
    }
    case 'touch':
      return session.send('Input.dispatchTouchEvent', toTouchEvent(message));
    case 'key':
      return session.send('Input.dispatchKeyEvent', toKeyEvent(message));
    case 'text':
      return session.send('Input.insertText', { text: message.text });
    case 'composition': {
      const { text } = message;
      const end = text.length;
      return session.send('Input.imeSetComposition', { text, selectionStart: end, selectionEnd: end });
    }
  }
}

const MOUSE_EVENTS = { down: 'mousePressed', up: 'mouseReleased', move: 'mouseMoved' } as const;

function toMouseEvent({ type: _, action, ...rest }: MessageOf<'mouse'>) {
  return { type: MOUSE_EVENTS[action], ...rest };
}

/** Only starts and moves have points, so a finger that leaves others behind is a move without it. */
function toTouchEvent({ action, points, modifiers }: MessageOf<'touch'>) {
  const touchPoints = action === 'cancel' ? [] : points;
  const isLast = touchPoints.length === 0;
  const type = action === 'cancel' ? 'touchCancel' : isLast ? 'touchEnd' : TOUCH_EVENTS[action];
  return { type, touchPoints, modifiers } as const;
}

const TOUCH_EVENTS = { start: 'touchStart', move: 'touchMove', end: 'touchMove' } as const;

function toKeyEvent({ type: _, action, keyCode, repeat, ...rest }: MessageOf<'key'>) {
  const { key, code, location, modifiers, text, commands } = rest;
  const common = { key, code, location, modifiers, windowsVirtualKeyCode: keyCode };
  if (action === 'up') return { type: 'keyUp', ...common } as const;
  return {
    type: text ? 'keyDown' : 'rawKeyDown',
    ...common,
    autoRepeat: repeat,
    isKeypad: location === 3,
    ...(text && { text }),
    ...(commands && { commands }),
  } as const;
}
