import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
  type LiveViewFixture,
  OTHER_SITE,
  startLiveView,
  type Viewer,
} from '../../support/sessions/live-view.ts';

/** Lists, choosers, files and downloads, which no picture of a page contains, in two real browsers. */

const at = (top: number) => `style="position:absolute;left:0;top:${top}px;width:200px;height:30px"`;
const FIELDS = `<!doctype html><body style="margin:0"><script>
    const heard = []; for (const type of ['input', 'change', 'keydown'])
      addEventListener(type, (event) => heard.push(type + ' ' + (event.target.id ?? '')), true);
  </script>
  <select id=list ${at(0)}><option>One<optgroup label="<b>More</b>"><option>Two<option disabled>Three</optgroup><option>Four</select>
  <input id=color type=color value="#000000" ${at(50)}>
  <input id=date type=date value="2026-01-31" min="2026-01-01" ${at(100)}>
  <input id=file type=file ${at(150)}><input id=files type=file multiple ${at(200)}>
  <input id=drink list=drinks ${at(250)}><datalist id=drinks><option value="Green tea"><option value="Black tea">from the hills</option><option value="Coffee"><option value="Tea of mint" disabled></datalist>
  <div id=drop style="position:absolute;left:400px;top:0;width:300px;height:300px"></div>
  <script>
    drop.ondragover = (event) => event.preventDefault();
    drop.ondrop = async (event) => { event.preventDefault(); dropped = await event.dataTransfer.files[0].text(); };
    let dropped;
    file.onchange = () => parent.postMessage(file.files[0].name, '*');
  </script>`;

let session: LiveViewFixture;
let directory: string;
let viewer: Viewer | undefined;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'winnow-live-view-'));
  // Chromium runs as a user who may not enter the directory otherwise.
  await chmod(directory, 0o755);
  session = await startLiveView({
    '/': FIELDS,
    '/framing': (request, response) => {
      const port = String(request.headers.host).split(':')[1];
      response
        .setHeader('Content-Type', 'text/html')
        .end(
          `<!doctype html><body style="margin:0"><script>let chosen; onmessage = ({ data }) => { chosen = data; };</script><iframe src="http://${OTHER_SITE}:${port}/" style="position:absolute;left:100px;top:100px;width:600px;height:400px;border:0">`,
        );
    },
    '/many': `<!doctype html><body style="margin:0"><select id=list ${at(0)}></select><script>
      for (let n = 0; n < 1500; n++) list.append(new Option('x'.repeat(300)));
    </script>`,
  });
});
afterEach(async () => {
  await viewer?.page.context().close();
  viewer = undefined;
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const open = async () => {
  viewer = await session.openViewer('control');
  return viewer.page;
};
const heard = () => session.evaluate('heard.splice(0).join()');

/** A viewer without a browser, and what it is sent. */
async function connect(rights: 'view' | 'control') {
  const socket = new WebSocket(session.urls[rights].replace(/^http/, 'ws'));
  const messages: { type: string; [name: string]: unknown }[] = [];
  socket.on('message', (data, isBinary) => isBinary || messages.push(JSON.parse(String(data))));
  await new Promise((resolve) => socket.once('open', resolve));
  return { socket, messages, send: (message: object) => socket.send(JSON.stringify(message)) };
}

describe('A list that a click opens', () => {
  it('is drawn by the view, and the page gets what the viewer chooses as from a user', async () => {
    await session.goto('/');
    const page = await open();
    await page.mouse.click(50, 15);
    const options = page.getByRole('option');
    await expect.poll(() => options.allTextContents()).toEqual(['One', 'Two', 'Three', 'Four']);
    // What a page says is text.
    expect(await page.locator('#picker .group').textContent()).toBe('<b>More</b>');
    expect(await options.nth(2).getAttribute('aria-disabled')).toBe('true');
    await options.nth(1).click();
    await expect.poll(() => session.evaluate('list.value')).toBe('Two');
    await expect.poll(() => session.evaluate('list.matches(":open")')).toBe(false);
    expect(await heard()).toBe('input list,change list');
    await expect.poll(() => page.locator('#picker').count()).toBe(0);
  });

  it('is used by the keyboard, and closed without a choice', async () => {
    await session.goto('/');
    const page = await open();
    await page.mouse.click(50, 15);
    await page.getByRole('option', { name: 'One' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('f');
    await page.keyboard.press('Enter');
    await expect.poll(() => session.evaluate('list.value')).toBe('Four');
    await page.mouse.click(50, 15);
    await page.getByRole('option', { name: 'Four' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => session.evaluate('list.matches(":open")')).toBe(false);
    expect(await session.evaluate('list.value')).toBe('Four');
    expect(await heard()).toBe('input list,change list');
  });

  it('is drawn in a frame of another site', async () => {
    await session.goto('/framing');
    const page = await open();
    await page.mouse.click(150, 115);
    await page.getByRole('option', { name: 'Four' }).click();
    await expect.poll(() => page.locator('#picker').count()).toBe(0);
    await page.mouse.click(150, 115);
    await expect.poll(() => page.locator('[aria-selected=true]').textContent()).toBe('Four');
  });

  it('of any size is shown in part, and a choice that it does not have changes nothing', async () => {
    await session.goto('/many');
    const { messages, send, socket } = await connect('control');
    const page = await open();
    await page.mouse.click(50, 15);
    const picker = () =>
      messages.find(({ type }) => type === 'picker')?.picker as { id: number; options: { label: string }[] };
    await expect.poll(() => picker()?.options.length).toBe(1_000);
    expect(picker().options[0]?.label).toHaveLength(200);
    send({ type: 'pick', id: picker().id, index: 99_999 });
    await expect.poll(() => session.evaluate('list.matches(":open")')).toBe(false);
    expect(await session.evaluate('list.selectedIndex')).toBe(0);
    socket.close();
  });

  it('is not sent to viewers who only watch', async () => {
    await session.goto('/');
    const watching = await connect('view');
    const controlling = await connect('control');
    const page = await open();
    await page.mouse.click(50, 15);
    await page.getByRole('option', { name: 'Four' }).click();
    await expect.poll(() => controlling.messages.some(({ type }) => type === 'pickerClosed')).toBe(true);
    session.liveView.notify('after it');
    await expect.poll(() => watching.messages.some(({ type }) => type === 'notice')).toBe(true);
    expect(watching.messages.filter(({ type }) => type.startsWith('picker'))).toEqual([]);
    for (const { socket } of [watching, controlling]) socket.close();
  });
});

describe('A field with suggestions', () => {
  it('has those drawn by the view that fit what is typed, and the page gets the one that is chosen', async () => {
    await session.goto('/');
    const page = await open();
    const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
    await page.mouse.click(50, 265);
    await expect
      .poll(() => options.allTextContents())
      .toEqual(['Green tea', 'Black tea – from the hills', 'Coffee']);
    await page.keyboard.type('TEA');
    await expect.poll(() => options.allTextContents()).toEqual(['Green tea', 'Black tea – from the hills']);
    await options.nth(1).click();
    await expect.poll(() => session.evaluate('drink.value')).toBe('Black tea');
    await expect.poll(() => page.locator('#picker').count()).toBe(0);
    expect(await heard()).toMatch(/input drink,change drink$/);
    // The keyboard is still that of the page.
    await page.keyboard.type('s');
    await expect.poll(() => session.evaluate('drink.value')).toBe('Black teas');
  });

  it('is used by the keyboard, and closed without a choice', async () => {
    await session.goto('/');
    const page = await open();
    const options = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
    await page.mouse.click(50, 265);
    await page.keyboard.type('c');
    await expect.poll(() => options.allTextContents()).toEqual(['Black tea – from the hills', 'Coffee']);
    await page.keyboard.press('Escape');
    await expect.poll(() => options.count()).toBe(0);
    await page.keyboard.type('o');
    await expect.poll(() => options.allTextContents()).toEqual(['Coffee']);
    await page.keyboard.press('ArrowDown');
    await options.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => session.evaluate('drink.value')).toBe('Coffee');
  });

  it('takes nothing that the page does not suggest', async () => {
    await session.goto('/');
    const { messages, send, socket } = await connect('control');
    const page = await open();
    await page.mouse.click(50, 265);
    const picker = () => messages.find(({ type }) => type === 'picker')?.picker as { id: number } | undefined;
    await expect.poll(picker).toBeTruthy();
    send({ type: 'pick', id: picker()?.id, value: 'Wine' });
    await expect.poll(() => messages.some(({ type }) => type === 'pickerClosed')).toBe(true);
    await page.keyboard.type('Milk');
    await expect.poll(() => session.evaluate('drink.value')).toBe('Milk');
    socket.close();
  });
});

describe('A field with a chooser', () => {
  it.each([
    ['color', 65, 100, '#00ff00'],
    ['date', 115, 188, '2026-02-03'],
  ])('of the type %s gets what the viewer chooses', async (id, y, x, value) => {
    await session.goto('/');
    const page = await open();
    await page.mouse.click(x, y);
    const field = page.locator('#picker input');
    await expect.poll(() => field.getAttribute('type')).toBe(id);
    await field.fill(value);
    await page.getByRole('button', { name: 'Choose' }).click();
    await expect.poll(() => session.evaluate(`${id}.value`)).toBe(value);
    expect(await heard()).toBe(`input ${id},change ${id}`);
  });
});

describe('Files of a session', () => {
  const addFile = async (name: string, content: string) => {
    const file = path.join(directory, name);
    await writeFile(file, content);
    session.files.set(name, file);
  };

  it('are given to a page that asks for them: one, or several, and only those of the session', async () => {
    await session.goto('/');
    for (const name of ['one.txt', 'two.txt']) await addFile(name, name);
    const { messages, send, socket } = await connect('control');
    const page = await open();
    const chooser = () => messages.filter(({ type }) => type === 'fileChooser').at(-1)?.chooser;
    await page.mouse.click(50, 165);
    await expect.poll(chooser).toEqual({ id: expect.any(Number), multiple: false });
    await page.getByText('The page asks for a file').waitFor();
    const names = ['../../etc/passwd', '/etc/passwd', 'one.txt', 'two.txt'];
    send({ type: 'chooseFiles', id: (chooser() as { id: number }).id, names });
    const chosen = (id: string) => session.evaluate(`[...${id}.files].map(({ name }) => name).join()`);
    await expect.poll(() => chosen('file')).toBe('one.txt');
    await expect.poll(() => page.getByText('The page asks for a file').count()).toBe(0);
    await page.mouse.click(50, 215);
    await expect.poll(chooser).toEqual({ id: expect.any(Number), multiple: true });
    send({ type: 'chooseFiles', id: (chooser() as { id: number }).id, names });
    await expect.poll(() => chosen('files')).toBe('one.txt,two.txt');
    socket.close();
  });

  it('are chosen for a field in a frame of another site', async () => {
    await session.goto('/framing');
    await addFile('framed.txt', 'framed');
    const { messages, send, socket } = await connect('control');
    const page = await open();
    const chooser = () => messages.findLast(({ type }) => type === 'fileChooser')?.chooser as { id: number };
    await expect
      .poll(async () => {
        // The frame may not have been loaded yet.
        if (!chooser()) await page.mouse.click(150, 265);
        return chooser();
      })
      .toBeTruthy();
    send({ type: 'chooseFiles', id: chooser().id, names: ['framed.txt'] });
    await expect.poll(() => page.getByText('The page asks for a file').count()).toBe(0);
    await expect.poll(() => session.evaluate('chosen')).toBe('framed.txt');
    socket.close();
  });

  it('are dropped on a page', async () => {
    await session.goto('/');
    await addFile('dropped.txt', 'its content');
    const { send, socket } = await connect('control');
    send({ type: 'dropFiles', x: 500, y: 100, names: ['dropped.txt', 'absent.txt'] });
    await expect.poll(() => session.evaluate('dropped')).toBe('its content');
    socket.close();
  });
});

describe('Downloads', () => {
  it('are shown to viewers while they run and when they are stored; those with control have a link', async () => {
    await session.goto('/');
    const begin = { guid: 'a', suggestedFilename: '<b>report</b>.pdf' };
    session.liveView.showDownload({ method: 'Browser.downloadWillBegin', params: begin });
    viewer = await session.openViewer('control', { query: '' });
    const { page } = viewer;
    await page.getByTitle('Downloads').click();
    await page.locator('#downloads').getByText('<b>report</b>.pdf').waitFor();
    const ended = {
      guid: 'a',
      state: 'completed',
      receivedBytes: 12_345,
      totalBytes: 12_345,
      filePath: '/downloads/report (1).pdf',
    };
    session.liveView.showDownload({ method: 'Browser.downloadProgress', params: ended });
    const link = page.getByRole('link', { name: 'report (1).pdf' });
    await expect
      .poll(() => link.getAttribute('href'))
      .toMatch(/secret-to-use\/downloads\/report%20\(1\)\.pdf$/);
    await page.getByText('12 KB').waitFor();
    const watching = await session.openViewer('view', { query: '' });
    await watching.page.getByTitle('Downloads').click();
    await watching.page.getByText('report (1).pdf').waitFor();
    expect(await watching.page.getByRole('link').count()).toBe(0);
    await watching.page.context().close();
  });
});
