import { html } from 'htm/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Actions, Bar } from './bar.ts';
import { Connection } from './connection.ts';
import { CopiedText } from './copied-text.ts';
import { Failure } from './failure.ts';
import { FileChooser } from './file-chooser.ts';
import { Icon } from './icons.ts';
import { Keyboard } from './keyboard.ts';
import { listenTo } from './messages.ts';
import { sendMouse } from './mouse.ts';
import { PageDialog } from './page-dialog.ts';
import { Picker } from './picker.ts';
import { Screen } from './screen.ts';
import { followsSize, lastPress, settings, step } from './state.ts';
import { showNotice, status } from './status.ts';
import { TabStrip } from './tab-strip.ts';
import { sendTouches } from './touch.ts';
import { storeFiles } from './uploads.ts';

const RESIZE_PAUSE_MS = 200;
const { mayControl, hasToolbar, maxPasteLength, aliveMs } = settings;

/** The parts of the page that are no components. */
interface Parts {
  screen: Screen;
  actions: Actions;
}

/** The page of a live view. */
export function LiveView() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const [parts, setParts] = useState<Parts | undefined>(undefined);
  useEffect(() => {
    if (canvas.current && field.current) setParts(start(canvas.current, field.current));
  }, []);
  const hasTouch = matchMedia('(pointer: coarse)').matches;
  return html`
    ${parts && html`<${TabStrip} actions=${parts.actions} />`}
    ${parts && hasToolbar && html`<${Bar} actions=${parts.actions} />`}
    <main>
      <h1 class="hidden">Live view</h1>
      <canvas ref=${canvas} id="screen" role="img" aria-label="The remote browser" width="1" height="1" />
      <textarea ref=${field} id="keyboard" aria-label="Keyboard input for the remote browser" autocapitalize="off" autocomplete="off" spellcheck="false" disabled=${!mayControl} />
      ${parts && html`<${Failure} actions=${parts.actions} />`}
      <p id="status" role="status" hidden=${!status.value}>${status.value}</p>
      <p id="step" role="status" hidden=${!step.value}>${step.value}</p>
      ${parts && html`<${Picker} actions=${parts.actions} screen=${parts.screen} />`}
    </main>
    ${mayControl && hasTouch && html`<button id="show-keyboard" type="button" onClick=${() => parts?.actions.focusPage()}><${Icon} name="keyboard" />Keyboard</button>`}
    ${parts && html`<${PageDialog} actions=${parts.actions} />`}
    ${parts && html`<${FileChooser} actions=${parts.actions} />`}
    <${CopiedText} />
  `;
}

/** Connects with the session and, with control, sends what the viewer does. */
function start(canvas: HTMLCanvasElement, field: HTMLTextAreaElement): Parts {
  const screen = new Screen(canvas);
  const connection: Connection = new Connection(
    listenTo(screen, {
      send: (message) => connection.send(message),
      onOpen: () => followsSize.value && sendSize(screen, connection),
    }),
    aliveMs,
  );
  const send: Actions['send'] = (message) => connection.send(message);
  if (!mayControl) return { screen, actions: { send, focusPage: () => undefined } };
  const keyboard = new Keyboard(field, connection, {
    maxPasteLength,
    onNotice: showNotice,
    onAddress: () => document.querySelector<HTMLElement>('#address input')?.focus(),
  });
  const focusPage = () => keyboard.focus();
  takeControl(screen, connection, keyboard);
  return { screen, actions: { send, focusPage } };
}

function takeControl(screen: Screen, connection: Connection, keyboard: Keyboard): void {
  const { canvas } = screen;
  sendMouse(screen, connection, () => keyboard.focus());
  sendTouches(screen, connection);
  canvas.addEventListener('pointerdown', (event) => {
    lastPress.value = { x: event.clientX, y: event.clientY };
    keyboard.moveTo(event);
  });
  canvas.addEventListener('dragover', (event) => event.preventDefault());
  canvas.addEventListener('drop', async (event) => {
    event.preventDefault();
    const point = screen.toRemote(event);
    const names = await storeFiles([...(event.dataTransfer?.files ?? [])]);
    if (names.length) connection.send({ type: 'dropFiles', ...point, names });
  });
  keyboard.focus();
  followsSize.subscribe((isFollowing) => isFollowing && sendSize(screen, connection));
  let timer: ReturnType<typeof setTimeout> | undefined;
  addEventListener('resize', () => {
    clearTimeout(timer);
    timer = setTimeout(() => followsSize.value && sendSize(screen, connection), RESIZE_PAUSE_MS);
  });
}

/** Asks for a remote viewport of the size of the screen, within the limits of the protocol. */
function sendSize(screen: Screen, connection: Connection): void {
  const { width, height } = screen.canvas.getBoundingClientRect();
  connection.send({
    type: 'resize',
    width: Math.round(Math.min(3_840, Math.max(200, width))),
    height: Math.round(Math.min(2_160, Math.max(150, height))),
  });
}
