import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, type TestBrowser } from '../../support/browser/start-browser.ts';
import { startPages } from '../../support/sites/pages.ts';

/** Forms whose controls have the names of properties, and so take the place of these. */

const TEXT = `<h1>Oak flour</h1><p>${'The stone of the mill turns in the loft. '.repeat(20)}</p>`;
const AD = '<p class="banner-ad">Buy now</p>';
const NOTICE = `<form id="onetrust-banner-sdk" style="position:fixed;bottom:0;height:240px" role="dialog">
  <p>We and our partners store information on your device.</p>
  <button type="button" id="onetrust-reject-all-handler" onclick="this.form.style.display = 'none'">Reject</button>
  CONTROLS</form>`;

/** The names of all properties of a form, as the standard of this browser has them. */
const READ_NAMES = `<p id="names"></p><script>
  const names = [];
  for (const name in document.createElement('form')) names.push(name);
  document.getElementById('names').textContent = names.join(' ');
</script>${TEXT}`;

let browser: TestBrowser;
beforeAll(async () => {
  browser = await startBrowser({ hosts: ['shop.example'], lists: '##.banner-ad' });
});
afterAll(() => browser[Symbol.asyncDispose]());

async function read(body: string): Promise<string> {
  await using site = await startPages({ '/': `<!doctype html><title>Shop</title><body>${body}` });
  const url = `http://shop.example:${new URL(site.url).port}/`;
  const { html } = await browser.visit(url, { blockAds: true });
  return html ?? '';
}

const controls = (names: string[]) => names.map((name) => `<input name="${name}">`).join('');

describe('a form with controls that are named as properties', () => {
  it.each(['id', 'localName', 'classList', 'getAttributeNames', 'matches', 'parentElement', 'remove'])(
    'does not end the visit when one is named %s, and the advertisement beside it goes',
    async (name) => {
      const html = await read(`${TEXT}<form>${controls([name])}${AD}</form>`);
      expect(html).toContain('Oak flour');
      expect(html).not.toContain('Buy now');
    },
  );

  it('is read as any other, whatever property of a form they are named as', async () => {
    const listed = /<p id="names">([^<]*)/.exec(await read(READ_NAMES))?.[1]?.split(' ') ?? [];
    expect(listed).toEqual(expect.arrayContaining(['id', 'querySelectorAll', 'nodeType', 'onclick']));
    const html = await read(`${TEXT}${AD}<form>${controls(listed)}</form>`);
    expect(html).toContain('Oak flour');
    expect(html).not.toContain('Buy now');
  });

  it('is removed when it is a cookie notice', async () => {
    const names = ['id', 'classList', 'contains', 'remove', 'parentElement'];
    const html = await read(TEXT + NOTICE.replace('CONTROLS', controls(names)));
    expect(html).toContain('Oak flour');
    expect(html).not.toContain('our partners');
  });
});

it('A page with more and longer names than are read is read with all of its text', async () => {
  const html = await read(`${TEXT}${AD}<p id="last">Flour of rye</p><script>
    const many = document.createElement('div');
    for (let index = 0; index < 60_000; index++) many.append(Object.assign(document.createElement('i'), { id: 'n' + index }));
    document.querySelector('h1').id = 'x'.repeat(2_000_000);
    document.body.append(many);
  </script>`);
  expect(html).toContain('Flour of rye');
  expect(html).not.toContain('Buy now');
});
