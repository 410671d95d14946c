import type { Connection } from './connection.ts';
import { modifiersOf } from './modifiers.ts';
import type { Screen } from './screen.ts';

const MAX_FINGERS = 10;

/** Sends what fingers do on the screen. Movements are merged for each animation frame. */
export function sendTouches(screen: Screen, connection: Connection): void {
  /** The fingers that touch, by the browser's ids, which can be any number. */
  let fingers: number[] = [];
  let animationFrame = 0;
  let move: TouchEvent | undefined;

  const flush = () => {
    cancelAnimationFrame(animationFrame);
    animationFrame = 0;
    if (move) send('move', move);
    move = undefined;
  };
  const send = (action: 'start' | 'move' | 'end' | 'cancel', event: TouchEvent) => {
    const touches = action === 'cancel' ? [] : [...event.targetTouches].slice(0, MAX_FINGERS);
    const points = touches.map((touch) => ({ id: numberOf(touch.identifier), ...screen.toRemote(touch) }));
    connection.send({ type: 'touch', action, points, modifiers: modifiersOf(event) });
    fingers = fingers.map((id) => (touches.some(({ identifier }) => identifier === id) ? id : Number.NaN));
  };
  const numberOf = (identifier: number) => {
    if (!fingers.includes(identifier)) {
      const free = fingers.findIndex(Number.isNaN);
      fingers[free < 0 ? fingers.length : free] = identifier;
    }
    return fingers.indexOf(identifier);
  };

  for (const action of ['start', 'end', 'cancel'] as const) {
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
