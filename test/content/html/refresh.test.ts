import { describe, expect, it } from 'vitest';
import { findRefreshTarget } from '../../../src/content/html/meta-refresh.ts';

const PAGE = 'https://site.test/dir/page';
const meta = (content: string) => `<head><meta http-equiv="refresh" content="${content}"></head>`;

describe('the target of a meta refresh', () => {
  it.each([
    ['0;url=next', 'https://site.test/dir/next'],
    [`5; URL='/next'`, 'https://site.test/next'],
    ['0,https://other.test/a;b', 'https://other.test/a;b'],
    ['0 next', 'https://site.test/dir/next'],
    ['10; url = next?a=1&amp;b=2', 'https://site.test/dir/next?a=1&b=2'],
  ])('of %j is %s', (content, target) => {
    expect(findRefreshTarget(meta(content), PAGE)).toBe(target);
  });

  it('is resolved against the base element', () => {
    expect(findRefreshTarget(`<base href="/b/">${meta('0;url=next')}`, PAGE)).toBe(
      'https://site.test/b/next',
    );
  });

  it.each([
    ['itself', meta('0;url=page')],
    ['no address', meta('5')],
    ['later', meta('11;url=next')],
    ['another scheme', meta('0;url=javascript:alert(1)')],
    ['readers without scripts', `<noscript>${meta('0;url=next')}</noscript>`],
    ['a comment', `<!-- ${meta('0;url=next')} -->`],
    ['a script', `<script>"${meta('0;url=next')}"</script>`],
    ['nothing', '<p>refresh</p>'],
  ])('is nowhere for %s', (_name, html) => {
    expect(findRefreshTarget(html, PAGE)).toBeUndefined();
  });

  it('is searched for in linear time, also in a page of attributes without a value', () => {
    const attributes = `<meta http-equiv=${' '.repeat(300_000)}>`.repeat(10);
    expect(findRefreshTarget(attributes, PAGE)).toBeUndefined();
  });
});
