import { describe, expect, it } from 'vitest';
import { scrape } from '../../support/api/call.ts';
import { startPages } from '../../support/sites/pages.ts';
import { itInFullRun } from '../../support/suite/corpus.ts';

/** Pages whose scripts make something so large that a function that runs there could choke on it. */

const STORY = `<h1>Oak flour</h1><p>${'The stone of the mill turns in the loft. '.repeat(12)}</p>`;
/** A shell, which only the browser can read. */
const shell = (script: string) => `<!doctype html><html><head><title>Mill</title></head>
  <body><div id="app"></div><script>
    document.getElementById('app').outerHTML = ${JSON.stringify(`<form><main>${STORY}</main></form>`)};
    const [form, heading] = document.querySelectorAll('form, h1');
    ${script}
  </script></body></html>`;

async function read(script: string, options: Record<string, unknown> = {}) {
  await using site = await startPages({ '/': shell(script) });
  const { body } = await scrape({ url: `${site.url}/`, maxAge: 0, ...options });
  return body;
}

describe('a page is read as a whole, although it has', () => {
  it.each([
    ['100,000 elements', `form.insertAdjacentHTML('beforeend', '<i></i>'.repeat(1e5))`],
    ['an id of 10 MB', `heading.id = 'x'.repeat(1e7)`],
    ['a control with a name of 10 MB', `form.innerHTML += '<input name="' + 'n'.repeat(1e7) + '">'`],
    ['an attribute with a name of 10 MB', `heading.setAttribute('a'.repeat(1e7), '')`],
    ['a million classes', `heading.className = Array.from({ length: 1e6 }, (_, at) => 'c' + at).join(' ')`],
    ['a title of 10 MB', `document.title = 't'.repeat(1e7)`],
    [
      'an announced navigation of 10 MB',
      `document.head.innerHTML += '<meta http-equiv="refresh" content="99;url=/' + 'r'.repeat(1e7) + '">'`,
    ],
    [
      'a base URL of 10 MB',
      `document.head.innerHTML += '<base href="/' + 'b'.repeat(1e7) + '"><meta http-equiv="refresh" content="99;url=x">'`,
    ],
  ])('%s', async (_what, script) => {
    const body = await read(script);
    expect(body.success, JSON.stringify(body).slice(0, 500)).toBe(true);
    expect(body.data.markdown.slice(0, 1_000)).toContain('# Oak flour\n\nThe stone of the mill');
  });
});

describe('the brand of a page is bounded, although it has', () => {
  it.each([
    [
      'styles of megabytes',
      `document.body.style.fontFamily = 'f'.repeat(2e6);
       document.body.style.transition = '1s linear(' + '0.1, '.repeat(2e5) + '1)';
       document.documentElement.style.setProperty('--primary-' + 'x'.repeat(2e6), 'red');`,
    ],
    [
      'icons and a logo of megabytes',
      `document.head.innerHTML += '<link rel="icon" sizes="' + 'y'.repeat(2e6) + '" href="data:,' + 'z'.repeat(2e6) + '">';
       form.innerHTML = '<header><a href="#"><svg class="logo" width="80" height="30"><path d="M0 0' +
         'L1 1'.repeat(5e5) + '"/></svg></a></header>' + form.innerHTML;`,
    ],
  ])('%s', async (_what, script) => {
    const body = await read(script, { formats: ['branding'] });
    expect(body.success, JSON.stringify(body).slice(0, 500)).toBe(true);
    expect(JSON.stringify(body.data.branding).length).toBeLessThan(20_000);
  });
});

itInFullRun('A page with a million elements is refused as too large', async () => {
  const body = await read(`form.insertAdjacentHTML('beforeend', '<i></i>'.repeat(1e6))`);
  expect(body).toMatchObject({ success: false, code: 'SCRAPE_CONTENT_TOO_LARGE' });
});

it('A page whose names would not fit into a message of the browser is refused, and no other page of the browser', async () => {
  // The browser is needed for `waitFor`, so that no other engine takes its place.
  const others = Array.from({ length: 3 }, () => read('', { waitFor: 5_000 }));
  const body = await read(
    `for (let at = 0; at < 60_000; at++) {
      const element = form.appendChild(document.createElement('i'));
      element.id = at + '\\u0001'.repeat(990);
      element.className = at + 'c' + '\\u0001'.repeat(980);
    }`,
    { waitFor: 1 },
  );
  expect(body).toMatchObject({ success: false, code: 'SCRAPE_CONTENT_TOO_LARGE' });
  for (const other of await Promise.all(others)) expect(other).toMatchObject({ success: true });
});
