import { describe, expect, it } from 'vitest';
import { countWork } from './main-content-work.ts';
import { contentOf } from './page.ts';

/** What a page declares to be. */
const THREAD = '<script type="application/ld+json">{"@type":"DiscussionForumPosting"}</script>';
const sentence = (about: string) =>
  `A long sentence about ${about} that says enough to count as a paragraph, and ${about} again.`;

/** The blocks that the filter keeps of a page, one per line, without the URLs of links. */
const left = (html: string, head = THREAD) =>
  contentOf(head + html)
    .markdown.replace(/\]\([^)]*\)/g, ']')
    .split(/\n+/);

describe('the author and date of a post', () => {
  const xenforo = (user: string, text: string) => `<article class="message">
    <section class="message-user"><h4 class="message-name"><a class="username" href="/members/${user}.1/">${user}</a></h4>
    <h5 class="userTitle">Senior Member</h5><dl class="pairs"><dt>Joined</dt><dd>Jan 2, 2001</dd></dl></section>
    <header><ul><li><time>Mar 4, 2026</time></li><li>#1</li></ul></header>
    <div class="message-body">${text}</div><footer>Reply to ${user}</footer></article>`;
  const phpbb = (user: string, text: string) => `<div class="post"><div class="postbody">
    <p class="author"><a href="#p1">Post</a> by <a href="./memberlist.php?u=1">${user}</a> » Sat Mar 04, 2026 1:47 am</p>
    <div class="content">${text}</div></div><div class="postprofile">Joined: Jan 2, 2001</div></div>`;
  const discourse = (user: string, text: string) => `<div class="topic-body"><div class="meta">
    <span itemprop="author"><a href="/u/${user}"><span itemprop="name">${user}</span></a></span>
    <time>March 4, 2026, 1:47am</time><span itemprop="position">1</span></div>
    <div class="post" itemprop="text">${text}</div><div>3 Likes</div></div>`;
  const invision = (
    user: string,
    text: string,
  ) => `<article><aside><h3><a href="/profile/1-${user}">${user}</a></h3>
    <ul><li><a href="/profile/1-${user}"><img src="/face.png" alt="face">1</a></li><li>Members</li></ul></aside>
    <p>Posted <time><span>March 4, 2026</span><span>1 yr</span></time></p>
    <div data-role="commentContent">${text}</div></article>`;

  it.each([
    ['XenForo', xenforo, (user: string) => [`#### [${user}]`, '- Mar 4, 2026']],
    ['phpBB', phpbb, (user: string) => [`[Post] by [${user}] » Sat Mar 04, 2026 1:47 am`]],
    ['Discourse', discourse, (user: string) => [`[${user}] March 4, 2026, 1:47am`]],
    ['Invision', invision, (user: string) => [`### [${user}]`, 'Posted March 4, 2026']],
  ])('stands beside it in a thread of %s', (_name, post, above) => {
    const html = `<h1>Thread</h1><div>${post('jane', sentence('a'))}${post('john', 'Short.')}</div>`;
    expect(left(html)).toEqual([...above('jane'), sentence('a'), ...above('john'), 'Short.']);
  });

  it('are found below the post too', () => {
    const post = (user: string, text: string) => `<li class="entry"><div class="messageText">${text}</div>
      <p><a href="/members/${user}/">${user}</a>, <span>2 days ago</span> <a href="#">Like</a></p></li>`;
    expect(left(`<ol>${post('jane', sentence('a'))}${post('john', sentence('b'))}</ol>`).join()).toMatch(
      /sentence about a .*\[jane\].*2 days ago.*about b .*\[john\].*2 days ago/,
    );
  });

  it('can be in a row above it', () => {
    const post = (user: string, text: string) =>
      `<tr><td>by <a class="user" href="/${user}">${user}</a>: <span>On <b>Mar 04, 2026</b></span></td></tr>
      <tr><td class="text">${text}</td></tr>`;
    const lines = left(
      `<table>${['jane', 'john'].map((user) => post(user, `<p>${sentence(user)}</p>`)).join('')}</table>`,
    );
    expect(lines.join()).toMatch(/\[jane\].*Mar 04, 2026.*about jane.*\[john\].*Mar 04, 2026.*about john/);
  });

  it('are not the date when somebody joined or edited the post', () => {
    const post = (text: string) => `<div><p>Joined: Jan 2, 2001</p><div class="messageText">${text}</div>
      <p>Last edited <time>today</time> by <b>staff</b></p></div>`;
    expect(left(post(sentence('a')) + post(sentence('b')))).toEqual([sentence('a'), sentence('b')]);
  });
});

describe('a quote', () => {
  const thread = (quote: string) =>
    left(`<div class="messageText">${sentence('the one thing')}</div>
      <div class="messageText">${quote}<p>I think so.</p></div>`);

  it.each([
    ['blockquote', `<blockquote><cite>jane wrote:</cite>${sentence('the one thing')}</blockquote>`],
    ['div', `<div class="bbCodeBlock--quote"><a>jane said:</a><p>${sentence('the one thing')}</p></div>`],
    ['aside', `<aside class="quote"><div>jane:</div><p>… thing that says enough to count as …</p></aside>`],
  ])('in a %s is left out when the page says it itself', (_name, quote) => {
    expect(thread(quote)).toEqual([sentence('the one thing'), 'I think so.']);
  });

  it('of a text from elsewhere stays', () => {
    expect(thread(`<blockquote>${sentence('another thing, at length')}</blockquote>`)).toContain(
      `> ${sentence('another thing, at length')}`,
    );
  });
});

describe('the posts of a thread', () => {
  it('are recognised by their class names, whatever the page declares', () => {
    const post = (text: string) =>
      `<div class="post"><div class="inner" id="msg_${text.length}">${text}</div><p>Logged</p></div>`;
    const html = `<div><p>${sentence('the rules')}</p>${post('Short.')}${post(sentence('b'))}</div>`;
    expect(left(html, '')).toEqual(['Short.', sentence('b')]);
  });

  it('are not repeated', () => {
    const post = (text: string) => `<div class="message-body">${text}</div>`;
    const [a, b] = [sentence('a').repeat(2), sentence('b')];
    expect(left(post(a) + post(a) + post(b) + post('Yes.') + post('Yes.'))).toEqual([a, b, 'Yes.', 'Yes.']);
  });

  it.each([
    ['posts', (count: number) => '<div class="message-body"><p>Post</p></div>'.repeat(count)],
    ['nested posts', (count: number) => '<div class="a"><div class="message-body">x</div>'.repeat(count)],
    [
      'what is between them',
      (count: number) => '<p class="author">x</p><p class="messageText">y</p>'.repeat(count),
    ],
    [
      'quotes',
      (count: number) =>
        '<p class="cooked">a b c d e f<blockquote>a b c d e f</blockquote></p>'.repeat(count),
    ],
  ])('take time in proportion to %s', (_name, html) => {
    expect(workFor(html(8000))).toBeLessThan(workFor(html(2000)) * 4.5 + 100);
  });
});

const workFor = (html: string) => countWork(THREAD + html);
