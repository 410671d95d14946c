import { describe, expect, it } from 'vitest';
import { hasLittleText, hasLostText } from '../../../src/fetch/engines/page-checks/lost-text.ts';

const STORY = `<p>${'The story that the page tells to everybody who asks. '.repeat(20)}</p>`;
const page = (body: string) =>
  `<!doctype html><html><body>${body}<script src="/app.js"></script></body></html>`;
const lost = (html: string, source: string, hasEnded = true) => hasLostText({ html, source, hasEnded });

describe('a rendered page has lost its text', () => {
  it('when its scripts have removed most of it', () => {
    expect(lost(page(''), page(STORY))).toBe(true);
    expect(lost(page('<p>Application error</p>'), page(STORY))).toBe(true);
  });

  it('when its response has the text for visitors without scripts', () => {
    const source = page(`<noscript>${STORY}</noscript>`);
    expect(lost(source, source)).toBe(true);
    expect(lost(page(STORY), source)).toBe(false);
  });

  it('although it has a field for a password, if its response had one too', () => {
    const login = '<input type="password">';
    expect(lost(page(login), page(login + STORY))).toBe(true);
  });

  it('when it had not ended and a part is missing', () => {
    const half = STORY.slice(0, STORY.length / 2);
    expect(lost(page(half), page(STORY), false)).toBe(true);
    expect(lost(page(half), page(STORY))).toBe(false);
    expect(lost(page(STORY), page(STORY), false)).toBe(false);
  });
});

describe('a rendered page has not lost its text', () => {
  it('when its response had hardly any', () => {
    expect(lost(page(''), page('<p>A few words that are no loss.</p>'))).toBe(false);
  });

  it('when its response was a shell with other text', () => {
    const notice = `<div class="notice">${STORY}</div>`;
    expect(lost(page('<div id="root">A short page</div>'), page(`<div id="root"></div>${notice}`))).toBe(
      false,
    );
  });

  it('when it asks for a password or tests the visitor instead', () => {
    expect(lost(page('<form><input name="p" type="password"></form>'), page(STORY))).toBe(false);
    const challenge = page('<div id="px-captcha"></div><p>Press and hold</p>');
    expect(lost(challenge, page(STORY))).toBe(false);
  });

  it('when scripts or styles come before its text', () => {
    const styles = `<style>${'a{color:red}'.repeat(20_000)}</style>`;
    expect(hasLittleText(page(styles + STORY.repeat(4)))).toBe(false);
    expect(hasLittleText(page(styles + STORY))).toBe(true);
    expect(lost(page(styles + STORY), page(STORY))).toBe(false);
  });
});
