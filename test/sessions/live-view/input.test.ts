import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type LiveViewFixture, OTHER_SITE, startLiveView, type Viewer } from '../../support/live-view.ts';

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
    addEventListener('mousemove', () => { moves++; const end = Date.now() + 50; while (Date.now() < end); });
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
  await eventually(() => session.evaluate('document.activeElement.id')).toBe(id);
};

describe('The mouse of a viewer', () => {
  it('clicks, with the button and the modifier keys that are pressed', async () => {
    await viewer.page.keyboard.down('Shift');
    await viewer.page.mouse.click(50, 60);
    await viewer.page.keyboard.up('Shift');
    await eventually(types).toMatch(/^(mousemove,)+mousedown,mouseup,click$/);
    const click =
      '(({ isTrusted, clientX, clientY, shiftKey, button }) => [isTrusted, clientX, clientY, shiftKey, button])';
    expect(await session.evaluate(`${click}(log.at(-1))`)).toEqual([true, 50, 60, true, 0]);
    await viewer.page.mouse.click(50, 60, { button: 'right' });
    await eventually(() =>
      session.evaluate('log.filter(({ button }) => button === 2).map(({ type }) => type).join()'),
    ).toContain('contextmenu');
  });

  it('clicks twice, which selects a word', async () => {
    await viewer.page.mouse.dblclick(100, 10);
    await eventually(types).toContain('dblclick');
    expect(await session.evaluate('String(getSelection()).trim()')).toBe('click');
  });

  it('drags, which selects text, also beyond the edge of the picture', async () => {
    await viewer.page.mouse.move(1, 10);
    await viewer.page.mouse.down();
    await viewer.page.mouse.move(70, 10, { steps: 4 });
    await eventually(() => session.evaluate('String(getSelection())')).toBe('double');
    await viewer.page.mouse.move(900, 10, { steps: 4 });
    await eventually(() => session.evaluate('String(getSelection()).trim()')).toBe('double click here');
    await viewer.page.mouse.up();
  });

  it('drags and drops elements', async () => {
    await session.goto('/drag');
    await viewer.page.mouse.move(60, 60);
    await viewer.page.mouse.down();
    await viewer.page.mouse.move(400, 100, { steps: 10 });
    await viewer.page.mouse.up();
    await eventually(() => session.evaluate('dropped')).toBe('the box');
  });

  it('scrolls by its wheel in both directions', async () => {
    await viewer.page.mouse.move(500, 300);
    await viewer.page.mouse.wheel(120, 250);
    await eventually(() => session.evaluate('[scrollX, scrollY]')).toEqual([120, 250]);
  });

  it('clicks at once, although the page is slow to handle many movements before it', async () => {
    await session.goto('/busy');
    // As from a viewer whose messages were held up on their way.
    await viewer.page.evaluate(async () => {
      const socket = new WebSocket(location.href.replace(/^http/, 'ws'));
      await new Promise((resolve) => {
        socket.onopen = resolve;
      });
      const mouse = { type: 'mouse', clickCount: 0, modifiers: 0 };
      for (let x = 0; x < 300; x++)
        socket.send(JSON.stringify({ ...mouse, action: 'move', x, y: 200, button: 'none', buttons: 0 }));
      const click = { ...mouse, x: 300, y: 200, button: 'left', clickCount: 1 };
      socket.send(JSON.stringify({ ...click, action: 'down', buttons: 1 }));
      socket.send(JSON.stringify({ ...click, action: 'up', buttons: 0 }));
    });
    await eventually(() => session.evaluate('clicked')).toBe(true);
    expect(await session.evaluate('moves')).toBeLessThan(30);
  });
});

describe('The keyboard of a viewer', () => {
  it('types text, deletes and selects', async () => {
    await clickInto('field');
    await viewer.page.keyboard.type('Hello, World! 1');
    await viewer.page.keyboard.press('Backspace');
    await viewer.page.keyboard.type('äß€');
    await eventually(() => value()).toBe('Hello, World! äß€');
    await viewer.page.keyboard.press('Shift+Home');
    await viewer.page.keyboard.type('x');
    await eventually(() => value()).toBe('x');
  });

  it('types line breaks, tabs between fields, and reports which keys are pressed', async () => {
    await clickInto('field');
    await viewer.page.keyboard.press('Tab');
    await eventually(() => session.evaluate('document.activeElement.id')).toBe('area');
    await viewer.page.keyboard.type('a\nb');
    await eventually(() => value('area')).toBe('a\nb');
    const keys =
      'log.filter(({ type }) => type.startsWith("key")).map(({ type, code }) => type + code).join()';
    expect(await session.evaluate(keys)).toContain('keydownKeyA,keyupKeyA,keydownEnter,keyupEnter');
  });

  it('has the shortcuts of the remote system', async () => {
    await clickInto('field');
    await viewer.page.keyboard.type('one two');
    await viewer.page.keyboard.press('Control+Backspace');
    await eventually(() => value()).toBe('one ');
    await viewer.page.keyboard.press('Control+z');
    await eventually(() => value()).toBe('one two');
    await viewer.page.keyboard.press('Control+a');
    await viewer.page.keyboard.press('Delete');
    await eventually(() => value()).toBe('');
  });

  it('releases keys when the viewer leaves the page', async () => {
    await clickInto('field');
    await viewer.page.keyboard.down('Shift');
    await viewer.page.locator('#keyboard').blur();
    await eventually(() => session.evaluate('log.at(-1).type + log.at(-1).key')).toBe('keyupShift');
    await viewer.page.keyboard.up('Shift');
  });

  it('composes text by an input method, and cancels it', async () => {
    await clickInto('field');
    const cdp = await viewer.page.context().newCDPSession(viewer.page);
    await cdp.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await cdp.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
    await eventually(() => value()).toBe('にほん');
    await cdp.send('Input.insertText', { text: '日本' });
    await eventually(() => value()).toBe('日本');
    expect(await types()).toMatch(/compositionstart,(compositionupdate,)+compositionend$/);
    await cdp.send('Input.imeSetComposition', { text: 'x', selectionStart: 1, selectionEnd: 1 });
    await eventually(() => value()).toBe('日本x');
    await cdp.send('Input.imeSetComposition', { text: '', selectionStart: 0, selectionEnd: 0 });
    await eventually(() => value()).toBe('日本');
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
    await eventually(() => value()).toBe('one two');
    await mac.page.keyboard.press(shortcut);
    await mac.page.keyboard.type('x');
    await eventually(() => value()).toBe(expected);
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
    await eventually(() => value()).toBe('å');
    await mac.page.keyboard.press('Meta+a');
    await mac.page.keyboard.press('Meta+c');
    await eventually(() => mac.page.evaluate('navigator.clipboard.readText()')).toBe('å');
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
    await eventually(types).toMatch(/touchstart,touchend.*click/);
    expect(await session.evaluate('log.filter(({ type }) => type === "click").length')).toBe(1);
  });

  it('scroll', async () => {
    const cdp = await phone.page.context().newCDPSession(phone.page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number) =>
      cdp.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x: 500, y }] });
    await touch('touchStart', 500);
    for (let y = 480; y >= 200; y -= 20) await touch('touchMove', y);
    await touch('touchEnd');
    await eventually(() => session.evaluate('scrollY')).toBeGreaterThan(150);
  });

  it('open the keyboard of the phone, whose text arrives', async () => {
    await phone.page.touchscreen.tap(100, 140);
    await eventually(() => session.evaluate('document.activeElement.id')).toBe('field');
    await phone.page.getByRole('button', { name: 'Keyboard' }).tap();
    await phone.page.keyboard.insertText('from a phone');
    await eventually(() => value()).toBe('from a phone');
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
    await eventually(() => value('area')).toBe('1pasted\ntext — 日本2');
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
    await eventually(() => value()).toBe('SHOUT');
  });

  it('gets the text that is copied and cut, of the page and of fields', async () => {
    await viewer.page.mouse.click(100, 10, { clickCount: 3 });
    await viewer.page.keyboard.press('Control+c');
    await eventually(readClipboard).toBe('double click here');
    await clickInto('field');
    await viewer.page.keyboard.type('secret plans');
    await viewer.page.keyboard.press('Control+Shift+ArrowLeft');
    await viewer.page.keyboard.press('Control+x');
    await eventually(readClipboard).toBe('plans');
    await eventually(() => value()).toBe('secret ');
  });

  it('gets what a page makes of the selection, and nothing from password fields', async () => {
    await session.evaluate(`document.addEventListener('copy', (event) => {
      event.preventDefault();
      event.clipboardData.setData('text/plain', 'changed by the page');
    }, { once: true })`);
    await viewer.page.mouse.click(100, 10, { clickCount: 3 });
    await viewer.page.keyboard.press('Control+c');
    await eventually(readClipboard).toBe('changed by the page');
    await session.evaluate("field.type = 'password'; field.value = 'hunter2'");
    await clickInto('field');
    await viewer.page.keyboard.press('Control+a');
    await viewer.page.keyboard.press('Control+c');
    await viewer.page.keyboard.type('x');
    await eventually(() => value()).toBe('x');
    expect(await readClipboard()).toBe('changed by the page');
  });

  it('gets copied text by a button where the browser allows nothing else', async () => {
    const restricted = await session.openViewer('control', {
      initScript: "navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))",
    });
    await restricted.page.mouse.click(100, 10, { clickCount: 3 });
    await restricted.page.keyboard.press('Control+c');
    await restricted.page.getByRole('button', { name: 'Copy' }).click();
    await eventually(() => restricted.page.getByRole('button', { name: 'Copy' }).isVisible()).toBe(false);
    await restricted.page.context().close();
    await clickInto('area');
    await viewer.page.keyboard.press('Control+v');
    await eventually(() => value('area')).toBe('double click here');
  });
});

describe('A viewer', () => {
  it.each([
    ['in the process of the page', false],
    ['in a process of their own', true],
  ])('uses frames of other sites %s like the page itself', async (_where, isolatesSites) => {
    const { viewerBrowser } = session;
    await using isolated = await startLiveView(PAGES, { isolatesSites, viewerBrowser });
    const { page, colorAt } = await isolated.openViewer('control', {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await isolated.goto('/frame');
    const { targetInfos } = await isolated.connection.browser.send('Target.getTargets', {
      filter: [{ type: 'iframe' }],
    });
    expect(targetInfos.length).toBe(isolatesSites ? 1 : 0);
    // Chromium passes a click to the frame that it has drawn there: here the grey box in it.
    await eventually(() => colorAt(350, 90)).toMatch(/^22\d,22\d,22\d$/);
    const readClipboard = () => page.evaluate('navigator.clipboard.readText()');
    await page.mouse.click(100, 140);
    await page.keyboard.type('in a frame');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    await eventually(readClipboard).toBe('in a frame');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+v');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+c');
    await eventually(readClipboard).toBe('in a framein a frame');
  });
});
