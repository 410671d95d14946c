import { describe, expect, it } from 'vitest';
import { contentOf } from '../page.ts';
import { type Post, SOFTWARE } from './software.ts';

const POSTS: Post[] = [
  {
    author: 'adaline',
    day: 1,
    text: 'Since last week the upper stone runs hot after an hour, and the flour smells of it. What do you do then?',
    replies: [
      {
        author: 'bentham',
        day: 2,
        text: 'Pour less at once. The stone needs air between two sacks, or it will warm the flour.',
        replies: [
          {
            author: 'cleopha',
            day: 3,
            text: 'Thanks, that helped.',
            replies: [
              {
                author: 'dovidas',
                day: 4,
                text: 'Good to hear, and measure it with the back of your hand now and then.',
              },
            ],
          },
        ],
      },
      { author: 'ethelin', day: 5, text: 'Me too!' },
    ],
  },
  {
    author: 'fredrik',
    day: 6,
    text: 'That is true for rye, but wheat wants a steady stream and a stone that was dressed in spring.',
    replies: [
      { author: 'gwendol', day: 7, text: 'Which dressing do you use for it, and how long does it take you?' },
    ],
  },
];

const inOrder = (posts: Post[]): Post[] => posts.flatMap((post) => [post, ...inOrder(post.replies ?? [])]);

/** A page without its generator, where class names and ids are words that say nothing. */
function rename(html: string): string {
  const names = new Map<string, string>();
  const renamed = (name: string) => {
    if (!names.has(name)) names.set(name, `x${names.size}q`);
    return names.get(name);
  };
  return html
    .replace(/<meta name="generator"[^>]*>/g, '')
    .replace(/\b(class|id)="([^"]*)"/g, (_, attribute, list: string) => {
      return `${attribute}="${list.split(/\s+/).filter(Boolean).map(renamed).join(' ')}"`;
    });
}

/** The markdown without the targets of links, at a URL that says nothing. */
const markdownOf = (html: string) =>
  contentOf(html, {}, { url: 'https://site.test/x' })
    .markdown.replace(/\]\([^)]*\)/g, ']')
    .replaceAll('\\', '')
    .replaceAll('\u00a0', ' ');

/** How many quotes and lists the line with a text is inside of. */
function depthOf(text: string, markdown: string): number {
  const line = markdown.split('\n').find((one) => one.includes(text)) ?? '';
  const [before = ''] = /^(?:[\s>*+-]|\d+\.\s)*/.exec(line) ?? [];
  return before.includes('>') ? before.split('>').length : before.length;
}

const pages = Object.entries(SOFTWARE).flatMap(([name, software]) => [
  { name, software, html: software.page(POSTS) },
  { name: `${name} under other names`, software, html: rename(software.page(POSTS)) },
]);

describe.each(pages)('a thread of $name', ({ software, html }) => {
  const markdown = markdownOf(html);

  it('keeps each post with its author and date, in order', () => {
    const places = inOrder(POSTS).map(({ text }) => markdown.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    const lost = inOrder(POSTS).filter(
      ({ author, day }) => !markdown.includes(author) || !markdown.includes(software.date(day)),
    );
    expect(lost.map(({ author }) => author)).toEqual([]);
  });

  it('leaves out what is beside the posts', () => {
    for (const other of ['Log in', 'Privacy', 'Quote', 'permalink']) expect(markdown).not.toContain(other);
  });

  it.runIf(software.isNested)('shows what a post answers', () => {
    const depths = inOrder(POSTS).map(({ text }) => depthOf(text, markdown));
    const [, second = 0, third = 0, , fifth, sixth] = depths;
    expect(third).toBeGreaterThan(second);
    expect(depths[3]).toBeGreaterThan(third);
    expect(fifth).toBe(second);
    expect(depths[6]).toBeGreaterThan(sixth ?? 0);
  });
});

describe('comments below an article', () => {
  it.each(['Disqus', 'comments of WordPress'])('of %s are left out', (name) => {
    const paragraph =
      'A miller who wants cool flour has to know the stone, the grain and the weather of the day. ';
    const article = `<article><h1>Cool flour</h1>${`<p>${paragraph.repeat(4)}</p>`.repeat(8)}</article>`;
    const comments = SOFTWARE[name]!.page(POSTS)
      .replace(/^.*?<body[^>]*>/s, '')
      .replace(/<\/body>.*/s, '');
    const markdown = markdownOf(`<body>${article}<div id="comments">${comments}</div></body>`);
    expect(markdown).toContain(paragraph.trim());
    expect(markdown).not.toContain('Pour less at once');
  });
});
