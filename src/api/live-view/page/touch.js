/** @import { Connection } from './connection.js' */
/** @import { Screen } from './screen.js' */
import { modifiersOf } from './modifiers.js';

const MAX_FINGERS = 10;

/**
 * Sends what fingers do on the screen. Movements are merged for each animation frame.
 * @param {Screen} screen
 * @param {Connection} connection
 */
export function sendTouches(screen, connection) {
  /** The fingers that touch, by the browser's ids, which can be any number. @type {number[]} */
  let fingers = [];
  let animationFrame = 0;
  /** @type {TouchEvent | undefined} */
  let move;

  const flush = () => {
    cancelAnimationFrame(animationFrame);
    animationFrame = 0;
    if (move) send('move', move);
    move = undefined;
  };
  /**
   * @param {'start' | 'move' | 'end' | 'cancel'} action
   * @param {TouchEvent} event
   */
  const send = (action, event) => {
    const touches = action === 'cancel' ? [] : [...event.targetTouches].slice(0, MAX_FINGERS);
    const points = touches.map((touch) => ({ id: numberOf(touch.identifier), ...screen.toRemote(touch) }));
    connection.send({ type: 'touch', action, points, modifiers: modifiersOf(event) });
    fingers = fingers.map((id) => (touches.some(({ identifier }) => identifier === id) ? id : Number.NaN));
  };
  /** @param {number} identifier */
  const numberOf = (identifier) => {
    if (!fingers.includes(identifier)) {
      const free = fingers.findIndex(Number.isNaN);
      fingers[free < 0 ? fingers.length : free] = identifier;
    }
    return fingers.indexOf(identifier);
  };

  for (const action of /** @type {const} */ (['start', 'end', 'cancel'])) {
    screen.canvas.addEventListener(
      `touch${action}`,
      (event) => {
        // Otherwise the browser sends a mouse click after each tap.
        event.preventDefault();
        flush();
        send(action, event);
      },
      { passive: false },
    );
  }
  screen.canvas.addEventListener(
    'touchmove',
    (event) => {
      event.preventDefault();
      move = event;
      animationFrame ||= requestAnimationFrame(flush);
    },
    { passive: false },
  );
}
