import type { Connection } from './connection.ts';
import { modifiersOf } from './modifiers.ts';
import type { Screen } from './screen.ts';

const BUTTONS = ['left', 'middle', 'right', 'back', 'forward'] as const;
/** Height of a line in pixels, for wheels that count lines. */
const LINE_HEIGHT = 16;

/**
 * Sends what the mouse does on the screen. Movements and turns of the wheel are merged for each animation
 * frame.
 * @param onPress called when a button is pressed
 */
export function sendMouse(screen: Screen, connection: Connection, onPress: () => void): void {
  const { canvas } = screen;
  let animationFrame = 0;
  let move: MouseEvent | undefined;
  let wheel: WheelEvent | undefined;
  let delta = { x: 0, y: 0 };
  let isDragging = false;

  const flush = () => {
    cancelAnimationFrame(animationFrame);
    animationFrame = 0;
    if (move) send('move', move);
    if (wheel) {
      const { x: deltaX, y: deltaY } = delta;
      connection.send({
        type: 'wheel',
        ...screen.toRemote(wheel),
        deltaX,
        deltaY,
        modifiers: modifiersOf(wheel),
      });
    }
    move = wheel = undefined;
    delta = { x: 0, y: 0 };
  };
  const flushSoon = () => {
    animationFrame ||= requestAnimationFrame(flush);
  };
  const send = (action: 'down' | 'up' | 'move', event: MouseEvent) => {
    connection.send({
      type: 'mouse',
      action,
      ...screen.toRemote(event),
      modifiers: modifiersOf(event),
      button: action === 'move' ? pressedButton(event.buttons) : (BUTTONS[event.button] ?? 'left'),
      buttons: event.buttons & 31,
      clickCount: action === 'move' ? 0 : Math.min(10, Math.max(1, event.detail)),
    });
  };

  canvas.addEventListener('mousedown', (event) => {
    // Otherwise the canvas takes the focus from the text field that receives the keys.
    event.preventDefault();
    isDragging = true;
    onPress();
    flush();
    send('down', event);
  });
  // A drag continues outside of the screen, and ends wherever the button is released.
  addEventListener('mousemove', (event) => {
    if (!isDragging && event.target !== canvas) return;
    move = event;
    flushSoon();
  });
  addEventListener('mouseup', (event) => {
    if (!isDragging) return;
    isDragging = event.buttons !== 0;
    flush();
    send('up', event);
  });
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const unit = event.deltaMode === 1 ? LINE_HEIGHT : event.deltaMode === 2 ? canvas.clientHeight : 1;
      wheel = event;
      delta.x = limit(delta.x + event.deltaX * unit);
      delta.y = limit(delta.y + event.deltaY * unit);
      flushSoon();
    },
    { passive: false },
  );
  for (const type of ['contextmenu', 'auxclick'])
    canvas.addEventListener(type, (event) => event.preventDefault());
}

const limit = (delta: number) => Math.max(-100_000, Math.min(100_000, delta));

/** The button that a drag is made with. @param buttons bits of the pressed ones */
const pressedButton = (buttons: number) =>
  buttons & 1 ? 'left' : buttons & 4 ? 'middle' : buttons & 2 ? 'right' : 'none';
