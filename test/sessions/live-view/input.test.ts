import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type LiveViewFixture,
  OTHER_SITE,
  startLiveView,
  type Viewer,
} from '../../support/sessions/live-view.ts';

/** What viewers with control do in a session, in two real browsers. */

const page = (body: string) => `<!doctype html><meta charset=utf-8><body style="margin:0">${body}`;
/** Elements at known places, which log what happens to them. */
const PAGES = {
  '/': page(`<style>#box, #field, #area { position: absolute; left: 0; width: 400px; font: 20px monospace }</style>
    <div id=box style="top:0;height:100px;background:#ddd">double click here</div>
    <input id=field style="top:120px;height:40px">
    <textarea id=area style="top:180px;height:100px"></textarea>
    <div style="width:3000px;height:3000px"></div>
    <script>
      const log = [];
      const types = ['mousedown', 'mouseup', 'mousemove', 'click', 'dblclick', 'contextmenu', 'touchstart', 'touchmove', 'touchend'];
      for (const type of types) box.addEventListener(type, (event) => log.push(event));
      for (const element of [field, area])
        for (const type of ['keydown', 'keyup', 'compositionstart', 'compositionupdate', 'compositionend', 'copy', 'paste'])
          element.addEventListener(type, (event) => log.push(event));
      const typesOf = () => log.map(({ type }) => type).join();
    </script>`),
  '/frame': page(`<script>
    document.write('<iframe src="http://${OTHER_SITE}:' + location.port + '/" width=600 height=400 style="border:0">');
  </script>`),
  '/drag':
    page(`<div id=from draggable=true style="position:absolute;left:20px;top:20px;width:80px;height:80px;background:red"></div>
    <div id=to style="position:absolute;left:300px;top:20px;width:200px;height:200px;background:#eee"></div>
    <script>
      let dropped = '';
      from.ondragstart = (event) => event.dataTransfer.setData('text/plain', 'the box');
      to.ondragover = (event) => event.preventDefault();
      to.ondrop = (event) => { dropped = event.dataTransfer.getData('text/plain'); };
    </script>`),
  '/busy': page(`<button style="position:absolute;inset:0" onclick="clicked = true"></button><script>
    let clicked = false, moves = 0;
    addEventListener('mousemove', () => { moves++; const end = Date.now() + 200; while (Date.now() < end); });
  </script>`),
};

let session: LiveViewFixture;
let viewer: Viewer;
beforeAll(async () => {
  session = await startLiveView(PAGES);
  viewer = await session.openViewer('control', { permissions: ['clipboard-read', 'clipboard-write'] });
});
beforeEach(() => session.goto('/'));
afterAll(() => session[Symbol.asyncDispose]());

const types = () => session.evaluate('typesOf()');
const value = (id = 'field') => session.evaluate(`${id}.value`);
const clickInto = async (id: 'field' | 'area') => {
  await viewer.page.mouse.click(100, id === 'field' ? 140 : 230);
  await expect.poll(() => session.evaluate('document.activeElement.id')).toBe(id);
};

interface MouseMessage {
  action: 'move' | 'down' | 'up';
  x: number;
  y: number;
  /** Buttons that are pressed. */
  buttons?: 0 | 1;
}

/** Sends messages of a mouse as a viewer does whose messages were held up on their way. */
const sendAtOnce = (messages: MouseMessage[]) =>
  viewer.page.evaluate(async (each) => {
    const socket = new WebSocket(location.href.replace(/^http/, 'ws'));
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    for (const { action, x, y, buttons = action === 'down' ? 1 : 0 } of each) {
      const clickCount = action === 'move' ? 0 : 1;
      const button = clickCount || buttons ? 'left' : 'none';
      const message = { type: 'mouse', action, x, y, button, buttons, clickCount, modifiers: 0 };
      socket.send(JSON.stringify(message));
    }
    socket.close();
  }, messages);

describe('The mouse of a viewer', () => {
  it('clicks, with the button and the modifier keys that are pressed', async () => {
    await viewer.page.keyboard.down('Shift');
    await viewer.page.mouse.click(50, 60);
    await viewer.page.keyboard.up('Shift');
    await expect.poll(types).toMatch(/^(mousemove,)+mousedown,mouseup,click$/);
    const click =
      '(({ isTrusted, clientX, clientY, shiftKey, button }) => [isTrusted, clientX, clientY, shiftKey, button])';
    expect(await session.evaluate(`${click}(log.at(-1))`)).toEqual([true, 50, 60, true, 0]);
    await viewer.page.mouse.click(50, 60, { button: 'right' });
    await expect
      .poll(() => session.evaluate('log.filter(({ button }) => button === 2).map(({ type }) => type).join()'))
      .toContain('contextmenu');
  });

  it('clicks twice, which selects a word', async () => {
    await viewer.page.mouse.dblclick(100, 10);
    await expect.poll(types).toContain('dblclick');
    expect(await session.evaluate('String(getSelection()).trim()')).toBe('click');
  });

  it('drags, which selects text, also beyond the edge of the picture', async () => {
    await viewer.page.mouse.move(1, 10);
    await viewer.page.mouse.down();
    await viewer.page.mouse.move(70, 10, { steps: 4 });
    await expect.poll(() => session.evaluate('String(getSelection())')).toBe('double');
    await viewer.page.mouse.move(900, 10, { steps: 4 });
    await expect.poll(() => session.evaluate('String(getSelection()).trim()')).toBe('double click here');
    await viewer.page.mouse.up();
  });

  it('drags and drops elements', async () => {
    await session.goto('/drag');
    await viewer.page.mouse.move(60, 60);
    await viewer.page.mouse.down();
    await viewer.page.mouse.move(400, 100, { steps: 10 });
    await viewer.page.mouse.up();
    await expect.poll(() => session.evaluate('dropped')).toBe('the box');
  });

  it('drags and drops elements, although all messages of it arrive at once', async () => {
    await session.goto('/drag');
    await sendAtOnce([
      { action: 'move', x: 60, y: 60 },
      { action: 'down', x: 60, y: 60 },
      { action: 'move', x: 200, y: 80, buttons: 1 },
      { action: 'move', x: 400, y: 100, buttons: 1 },
      { action: 'up', x: 400, y: 100 },
    ]);
    await expect.poll(() => session.evaluate('dropped')).toBe('the box');
  });

  it('scrolls by its wheel in both directions', async () => {
    await viewer.page.mouse.move(500, 300);
    await viewer.page.mouse.wheel(120, 250);
    await expect.poll(() => session.evaluate('[scrollX, scrollY]')).toEqual([120, 250]);
  });

  it('clicks at once, although the page is slow to handle many movements before it', async () => {
    await session.goto('/busy');
    await sendAtOnce([
      ...Array.from({ length: 300 }, (_, x) => ({ action: 'move', x, y: 200 }) as const),
      { action: 'down', x: 300, y: 200 },
      { action: 'up', x: 300, y: 200 },
    ]);
    await expect.poll(() => session.evaluate('clicked')).toBe(true);
    expect(await session.evaluate('moves')).toBeLessThan(30);
  });
});

describe('The keyboard of a viewer', () => {
  it('types text, deletes and selects', async () => {
    await clickInto('field');
    await viewer.page.keyboard.type('Hello, World! 1');
    await viewer.page.keyboard.press('Backspace');
    await viewer.page.keyboard.type('äß€');
    await expect.poll(() => value()).toBe('Hello, World! äß€');
    await viewer.page.keyboard.press('Shift+Home');
    await viewer.page.keyboard.type('x');
    await expect.poll(() => value()).toBe('x');
  });

  it('types line breaks, tabs between fields, and reports which keys are pressed', async () => {
    await clickInto('field');
    await viewer.page.keyboard.press('Tab');
    await expect.poll(() => session.evaluate('document.activeElement.id')).toBe('area');
    await viewer.page.keyboard.type('a\nb');
    await expect.poll(() => value('area')).toBe('a\nb');
    const keys =
      'log.filter(({ type }) => type.startsWith("key")).map(({ type, code }) => type + code).join()';
    expect(await session.evaluate(keys)).toContain('keydownKeyA,keyupKeyA,keydownEnter,keyupEnter');
  });

  it('has the shortcuts of the remote system', async () => {
    await clickInto('field');
    await viewer.page.keyboard.type('one two');
    await viewer.page.keyboard.press('Control+Backspace');
    await expect.poll(() => value()).toBe('one ');
    await viewer.page.keyboard.press('Control+z');
    await expect.poll(() => value()).toBe('one two');
    await viewer.page.keyboard.press('Control+a');
    await viewer.page.keyboard.press('Delete');
    await expect.poll(() => value()).toBe('');
  });

  it('releases keys when the viewer leaves the page', async () => {
    await clickInto('field');
    await viewer.page.keyboard.down('Shift');
    await viewer.page.locator('#keyboard').blur();
    await expect.poll(() => session.evaluate('log.at(-1).type + log.at(-1).key')).toBe('keyupShift');
    await viewer.page.keyboard.up('Shift');
  });

  it('composes text by an input method, and cancels it', async () => {
    await clickInto('field');
    const cdp = await viewer.page.context().newCDPSession(viewer.page);
    await cdp.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await cdp.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await expect.poll(() => value()).toBe('にほん');
    await cdp.send('Input.insertText', { text: '日本' });
    await expect.poll(() => value()).toBe('日本');
    expect(await types()).toMatch(/compositionstart,(compositionupdate,)+compositionend$/);
    await cdp.send('Input.imeSetComposition', { text: 'x', selectionStart: 1, selectionEnd: 1 });
    await expect.poll(() => value()).toBe('日本x');
    await cdp.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 });
    await expect.poll(() => value()).toBe('日本');
  });
});

describe('The keyboard of a viewer with a Mac', () => {
  let mac: Viewer;
  beforeAll(async () => {
    mac = await session.openViewer('control', {
      initScript: "Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' })",
      permissions: ['clipboard-read', 'clipboard-write'],
    });
  });
  afterAll(() => mac.page.context().close());

  it.each([
    ['Meta+ArrowLeft', 'xone two'],
    ['Alt+ArrowLeft', 'one xtwo'],
    ['Control+a', 'xone two'],
    ['Meta+Shift+ArrowLeft', 'x'],
    ['Alt+Shift+ArrowLeft', 'one x'],
    ['Meta+a', 'x'],
    ['Alt+Backspace', 'one x'],
    ['Meta+Backspace', 'x'],
    ['Control+h', 'one twx'],
    ['Meta+z', 'x'],
  ])('has the shortcut %s', async (shortcut, expected) => {
    await mac.page.mouse.click(100, 140);
    await mac.page.keyboard.type('one two');
    await expect.poll(() => value()).toBe('one two');
    await mac.page.keyboard.press(shortcut);
    await mac.page.keyboard.type('x');
    await expect.poll(() => value()).toBe(expected);
  });

  it('types characters with Option, and copies with Command', async () => {
    await mac.page.mouse.click(100, 140);
    await mac.page.locator('#keyboard').evaluate((element) =>
      element.dispatchEvent(
        new KeyboardEvent('keydown', {
          key: 'å',
          code: 'KeyA',
          keyCode: 65,
          altKey: true,
          bubbles: true,
          cancelable: true,
        }),
      ),
    );
    await expect.poll(() => value()).toBe('å');
    await mac.page.keyboard.press('Meta+a');
    await mac.page.keyboard.press('Meta+c');
    await expect.poll(() => mac.page.evaluate('navigator.clipboard.readText()')).toBe('å');
  });
});

describe('The fingers of a viewer', () => {
  let phone: Viewer;
  beforeAll(async () => {
    phone = await session.openViewer('control', { hasTouch: true, isMobile: true });
  });
  afterAll(() => phone.page.context().close());

  it('tap', async () => {
    await phone.page.touchscreen.tap(50, 60);
    await expect.poll(types).toMatch(/touchstart,touchend.*click/);
    expect(await session.evaluate('log.filter(({ type }) => type === "click").length')).toBe(1);
  });

  it('scroll', async () => {
    const cdp = await phone.page.context().newCDPSession(phone.page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: 500, y }] });
    await touch('touchStart', 500);
    for (let y = 480; y >= 200; y -= 20) await touch('touchMove', y);
    await touch('touchEnd');
    await expect.poll(() => session.evaluate('scrollY')).toBeGreaterThan(150);
  });

  it('open the keyboard of the phone, whose text arrives', async () => {
    await phone.page.touchscreen.tap(100, 140);
    await expect.poll(() => session.evaluate('document.activeElement.id')).toBe('field');
    await phone.page.getByRole('button', { name: 'Keyboard' }).tap();
    await phone.page.keyboard.insertText('from a phone');
    await expect.poll(() => value()).toBe('from a phone');
  });
});

describe('The clipboard of a viewer', () => {
  const readClipboard = () => viewer.page.evaluate('navigator.clipboard.readText()');
  const writeClipboard = (text: string) =>
    viewer.page.evaluate((each) => navigator.clipboard.writeText(each), text);

  it('is pasted where the cursor is, in order with what is typed', async () => {
    await writeClipboard('pasted\ntext — 日本');
    await clickInto('area');
    await viewer.page.keyboard.type('1');
    await viewer.page.keyboard.press('Control+v');
    await viewer.page.keyboard.type('2');
    await expect.poll(() => value('area')).toBe('1pasted\ntext — 日本2');
    expect(await types()).toContain('paste');
    await viewer.page.keyboard.press('Control+z');
  });

  it('is left to a page that handles pasting itself', async () => {
    await session.evaluate(`field.onpaste = (event) => {
      event.preventDefault();
      field.value = event.clipboardData.getData('text/plain').toUpperCase();
    }`);
    await writeClipboard('shout');
    await clickInto('field');
    await viewer.page.keyboard.press('Control+v');
    await expect.poll(() => value()).toBe('SHOUT');
  });

  it('is used by a page whose controls and scripts take the place of what that needs', async () => {
    await session.evaluate(`(() => {
      const form = document.createElement('form');
      const names = new Set();
      for (let owner = form; owner; owner = Object.getPrototypeOf(owner))
        for (const name of Object.getOwnPropertyNames(owner)) names.add(name);
      form.tabIndex = 0;
      form.addEventListener('paste', (event) => { globalThis.pasted = event.clipboardData.getData('text/plain') });
      document.body.append(form);
      form.focus({ preventScroll: true });
      form.append(...[...names].map((name) => Object.assign(document.createElement('input'), { name, hidden: true })));
      const bad = () => { throw new Error('the page does not allow it') };
      document.execCommand = document.getSelection = EventTarget.prototype.dispatchEvent = bad;
      globalThis.getSelection = globalThis.addEventListener = globalThis.ClipboardEvent = globalThis.DataTransfer = bad;
    })()`);
    await writeClipboard('five sacks');
    await viewer.page.keyboard.press('Control+v');
    await expect.poll(() => session.evaluate('globalThis.pasted')).toBe('five sacks');
    await viewer.page.mouse.click(100, 10, { clickCount: 3 });
    await viewer.page.keyboard.press('Control+c');
    await expect.poll(readClipboard).toBe('double click here');
  });

  it('gets the text that is copied and cut, of the page and of fields', async () => {
    await viewer.page.mouse.click(100, 10, { clickCount: 3 });
    await viewer.page.keyboard.press('Control+c');
    await expect.poll(readClipboard).toBe('double click here');
    await clickInto('field');
    await viewer.page.keyboard.type('secret plans');
    await viewer.page.keyboard.press('Control+Shift+ArrowLeft');
    await viewer.page.keyboard.press('Control+x');
    await expect.poll(readClipboard).toBe('plans');
    await expect.poll(() => value()).toBe('secret ');
  });

  it('gets what a page makes of the selection, and nothing from password fields', async () => {
    await session.evaluate(`document.addEventListener('copy', (event) => {
      event.preventDefault();
      event.clipboardData.setData('text/plain', 'changed by the page');
    }, { once: true })`);
    await viewer.page.mouse.click(100, 10, { clickCount: 3 });
    await viewer.page.keyboard.press('Control+c');
    await expect.poll(readClipboard).toBe('changed by the page');
    await session.evaluate("field.type = 'password'; field.value = 'hunter2'");
    await clickInto('field');
    await viewer.page.keyboard.press('Control+a');
    await viewer.page.keyboard.press('Control+c');
    await viewer.page.keyboard.type('x');
    await expect.poll(() => value()).toBe('x');
    expect(await readClipboard()).toBe('changed by the page');
  });

  it('gets copied text by a button where the browser allows nothing else', async () => {
    const restricted = await session.openViewer('control', {
      initScript: "navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))",
    });
    await restricted.page.mouse.click(100, 10, { clickCount: 3 });
    await restricted.page.keyboard.press('Control+c');
    await restricted.page.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => restricted.page.getByRole('button', { name: 'Copy' }).isVisible()).toBe(false);
    await restricted.page.context().close();
    await clickInto('area');
    await viewer.page.keyboard.press('Control+v');
    await expect.poll(() => value('area')).toBe('double click here');
  });
});

describe('A viewer', () => {
  it.each([
    ['in the process of the page', false],
    ['in a process of their own', true],
  ])('uses frames of other sites %s like the page itself', async (_where, isolatesSites) => {
    const { viewerBrowser } = session;
    // It is the default where Chromium has much memory.
    const flag = isolatesSites ? '--site-per-process' : undefined;
    await using isolated = await startLiveView(PAGES, { flag, viewerBrowser });
    const { page, colorAt } = await isolated.openViewer('control', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await isolated.goto('/frame');
    const { targetInfos } = await isolated.connection.browser.send('Target.getTargets', {
      filter: [{ type: 'iframe' }],
    });
    expect(targetInfos.length).toBe(isolatesSites ? 1 : 0);
    // Chromium passes a click to the frame that it has drawn there: here the grey box in it.
    await expect.poll(() => colorAt(350, 90)).toMatch(/^22\d,22\d,22\d$/);
    const readClipboard = () => page.evaluate('navigator.clipboard.readText()');
    await page.mouse.click(100, 140);
    // Chromium passes keys to the process that has the focus.
    await expect.poll(() => isolated.evaluate('document.activeElement.tagName')).toBe('IFRAME');
    await page.keyboard.type('in a frame');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    await expect.poll(readClipboard).toBe('in a frame');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+v');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    await expect.poll(readClipboard).toBe('in a framein a frame');
  });
});
