import { call } from '../api/call.ts';
import { type BrokenRequest, type CauseSite, pageOf as of } from './broken-request.ts';

/** Scrapes a page, so that the cache has it. */
const scraped = (path: string) => (site: CauseSite, key: string) =>
  call('/v2/scrape', { body: of(path)(site), key });

/** Scrapes whose result is not what was expected. */
export const BROKEN_SCRAPES: BrokenRequest[] = [
  {
    name: 'includeTags that match nothing',
    question: 'Why is the markdown empty?',
    body: of('/article', { includeTags: ['.article-body'] }),
    cause: [/includeTags/],
    fix: { includeTags: [] },
  },
  {
    name: 'includeTags that match nothing on a page from the cache',
    question: 'Why is the markdown empty?',
    before: scraped('/cached-article'),
    body: of('/cached-article', { includeTags: ['.article-body'] }),
    cause: [/includeTags/],
    wrong: /as good as/,
    fix: { includeTags: [] },
  },
  {
    name: 'includeTags that match nothing on a short page',
    question: 'Why do I get no text?',
    body: of('/short', { includeTags: ['#content'] }),
    cause: [/includeTags/],
    fix: { includeTags: [] },
  },
  {
    name: 'includeTags of which one matches nothing',
    question: 'The price of 49 EUR is missing, why?',
    body: of('/product', { includeTags: ['h1', '.price'] }),
    cause: [/includeTags/, /\.price/],
  },
  {
    name: 'excludeTags that match nothing',
    question: 'Why is the navigation still in the markdown?',
    body: of('/article', { excludeTags: ['.sidebar'], onlyMainContent: false }),
    cause: [/excludeTags/, /match/],
  },
  {
    name: 'excludeTags that match everything',
    question: 'The content is empty.',
    body: of('/product', { excludeTags: ['main'] }),
    cause: [/excludeTags/],
    fix: { excludeTags: [] },
  },
  {
    name: 'excludeTags that match everything, without markdown',
    question: 'Why is the HTML empty?',
    body: of('/product', { excludeTags: ['main'], formats: ['html'] }),
    cause: [/excludeTags/],
    fix: { excludeTags: [] },
  },
  {
    name: 'a footer that is no main content',
    question: 'Why is the phone number 0800-555-4711 missing?',
    body: of('/shop'),
    cause: [/onlyMainContent/],
    fix: { onlyMainContent: false },
  },
  {
    name: 'markdown that was not requested',
    question: 'Why is there no markdown in the response?',
    body: of('/article', { formats: ['links'] }),
    cause: [/formats/, /markdown/],
    wrong: /waitFor|late/,
  },
  {
    name: 'no formats at all',
    question: 'Why is there no text?',
    body: of('/article', { formats: [] }),
    cause: [/formats/],
    wrong: /waitFor|late/,
  },
  {
    name: 'content that a timer adds',
    question: 'The page has a timetable, but the markdown is empty.',
    body: of('/late', { maxAge: 0 }),
    held: '/late',
    cause: [/waitFor|later?\b/],
    fix: { waitFor: 5000 },
  },
  {
    name: 'a wait that is too short',
    question: 'I wait half a second, but the content is still missing.',
    body: of('/later', { maxAge: 0, waitFor: 500 }),
    held: '/later',
    cause: [/waitFor|later?\b/],
    fix: { waitFor: 5000 },
  },
  {
    name: 'a page of scripts in fast mode',
    question: 'Why is the page empty?',
    body: of('/app', { fastMode: true }),
    cause: [/fastMode/],
    fix: { fastMode: false },
  },
  {
    name: 'an old copy in the cache',
    question: 'The site says that the ticket costs 12 EUR, but the markdown says 10 EUR. Why is it outdated?',
    before: scraped('/price'),
    body: of('/price'),
    cause: [/cache|copy/],
    fix: { maxAge: 0 },
  },
  {
    name: 'a page that is gone',
    question: 'Why is the article missing?',
    body: of('/gone'),
    cause: [/404/],
    fix: null,
  },
  {
    name: 'a site that refuses',
    question: 'Why do I not get the article?',
    body: of('/forbidden'),
    cause: [/403/],
  },
  { name: 'a site with a limit', question: 'Why is the content wrong?', body: of('/busy'), cause: [/429/] },
  {
    name: 'a site that is down',
    question: 'Where is the text?',
    body: of('/down'),
    cause: [/503/],
    fix: null,
  },
  {
    name: 'a page for members',
    question: 'Where is the text?',
    body: of('/members'),
    cause: [/401|log ?in/],
  },
  {
    name: 'a page that leads to a login',
    question: 'I asked for my account and got something else. Why?',
    body: of('/account'),
    cause: [/log ?in|sign ?in/i],
  },
  {
    name: 'a page that is slower than the timeout',
    question: 'Why did it fail?',
    body: of('/slow', { timeout: 1_000 }),
    cause: [/timeout|too (slow|long)/],
  },
  {
    name: 'a page that never responds',
    question: 'Why did it fail?',
    body: of('/silent', { timeout: 1_000 }),
    cause: [/timeout|respond/],
  },
];
