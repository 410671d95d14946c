/** @import { HostMessage } from '../../../schemas/live-view.ts' */
import { Connection } from './connection.js';
import { takeCopiedText } from './copied-text.js';
import { Dialogs } from './dialogs.js';
import { element } from './elements.js';
import { Keyboard } from './keyboard.js';
import { sendMouse } from './mouse.js';
import { Screen } from './screen.js';
import { showTabs } from './tabs.js';
import { sendTouches } from './touch.js';

const NOTICE_MS = 4_000;
const RESIZE_PAUSE_MS = 200;

const { dataset } = document.documentElement;
const mayControl = dataset.mayControl === 'true';
/** Whether the remote viewport takes the size of this page. */
const followsSize = mayControl && new URLSearchParams(location.search).get('resize') === 'true';
const status = element('status', HTMLElement);
const step = element('step', HTMLElement);
const screen = new Screen();
/** @type {ReturnType<typeof setTimeout> | undefined} */
let noticeTimer;
/**
 * Whether there is no connection. A frame that arrived before may be drawn only now, and must not hide the
 * reason.
 */
let isLost = false;

const connection = new Connection(
  { onFrame, onMessage, onOpen, onLost: () => showLost('The connection was lost. Connecting again…'), onEnd },
  Number(dataset.aliveMs),
);
const dialogs = new Dialogs(connection, mayControl);
if (mayControl) takeControl();

/** @param {ArrayBuffer} data */
async function onFrame(data) {
  const frame = await screen.draw(data);
  if (!noticeTimer && !isLost) status.hidden = true;
  connection.send({ type: 'ack', frame });
}

/** @param {HostMessage} message */
function onMessage(message) {
  if (message.type === 'tabs') {
    showTabs(message, { connection, mayControl });
    const shown = message.tabs.find(({ targetId }) => targetId === message.shownTargetId);
    document.title = shown?.title ? `${shown.title} – live view` : 'Live view';
    if (!shown) screen.clear();
    if (shown?.crashed) showStatus('This tab has crashed.');
  } else if (message.type === 'dialog') dialogs.add(message.dialog);
  else if (message.type === 'dialogClosed') dialogs.remove(message.id);
  else if (message.type === 'notice') showNotice(message.text);
  else if (message.type === 'step') showStep(message.text ?? '');
  else if (message.type === 'clipboard') void takeCopiedText(message.text);
}

function onOpen() {
  isLost = false;
  showStep('');
  screen.setStale(false);
  dialogs.clear();
  showStatus('Waiting for the first picture…');
  if (followsSize) sendSize();
}

/** @param {string} text */
function showLost(text) {
  isLost = true;
  screen.setStale(true);
  showStatus(text);
}

/** @param {string} reason a key of the sentences in the page, or a sentence */
function onEnd(reason) {
  /** @type {Record<string, string>} */
  const sentences = JSON.parse(element('end-sentences', HTMLTemplateElement).content.textContent ?? '{}');
  dialogs.clear();
  showStep('');
  showLost(`The session has ended. ${sentences[reason] ?? reason}`);
}

/** @param {string} text */
function showStatus(text) {
  clearTimeout(noticeTimer);
  noticeTimer = undefined;
  status.textContent = text;
  status.hidden = false;
}

/** @param {string} text it disappears after a while */
function showNotice(text) {
  showStatus(text);
  noticeTimer = setTimeout(() => {
    noticeTimer = undefined;
    status.hidden = true;
  }, NOTICE_MS);
}

/** @param {string} text what a prompt does now; empty if none runs */
function showStep(text) {
  step.textContent = text;
  step.hidden = text === '';
}

function takeControl() {
  const keyboard = new Keyboard(connection, Number(dataset.maxPaste), showNotice);
  sendMouse(screen, connection, () => keyboard.focus());
  sendTouches(screen, connection);
  screen.canvas.addEventListener('pointerdown', (event) => keyboard.moveTo(event));
  if (matchMedia('(pointer: coarse)').matches) {
    const button = element('show-keyboard', HTMLButtonElement);
    button.hidden = false;
    button.onclick = () => keyboard.focus();
  }
  keyboard.focus();
  if (followsSize) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    addEventListener('resize', () => {
      clearTimeout(timer);
      timer = setTimeout(sendSize, RESIZE_PAUSE_MS);
    });
  }
}

/** Asks for a remote viewport of the size of the screen, within the limits of the protocol. */
function sendSize() {
  const { width, height } = screen.canvas.getBoundingClientRect();
  connection.send({
    type: 'resize',
    width: Math.round(Math.min(3_840, Math.max(200, width))),
    height: Math.round(Math.min(2_160, Math.max(150, height))),
  });
}
