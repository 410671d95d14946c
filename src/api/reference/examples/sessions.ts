import { type Examples, JOB_ID, LATER, SERVICE, SITE, TIME } from './example.ts';

const urlsAt = (base: string) => {
  const session = `${base}/${JOB_ID}`;
  return {
    cdpUrl: `${SERVICE.replace('http', 'ws')}${session}/cdp/Zm9vYmFy`,
    liveViewUrl: `${SERVICE}${session}/view/Zm9vYmFy`,
    interactiveLiveViewUrl: `${SERVICE}${session}/view/YmFyZm9v`,
  };
};

const itemAt = (base: string) => ({
  id: JOB_ID,
  status: 'active',
  ...urlsAt(base),
  streamWebView: true,
  recordSession: false,
  createdAt: TIME,
  lastActivity: TIME,
  expiresAt: LATER,
});

const done = (result: string) => ({
  stdout: '',
  result,
  stderr: '',
  exitCode: 0,
  killed: false,
  truncated: false,
});
const ended = { success: true, sessionDurationMs: 61_000, creditsBilled: 3, cleanupQueued: false };

const sessionsAt = (base: '/v2/browser' | '/v2/interact'): Examples => ({
  [`post ${base}`]: {
    requests: [
      { summary: 'Start a session for five minutes', body: { ttl: 300, activityTtl: 120 } },
      {
        summary: 'Start a session with the cookies of a profile, as a visitor from Germany',
        body: { profile: { name: 'shop' }, location: { country: 'DE', languages: ['de'] } },
      },
    ],
    response: { success: true, id: JOB_ID, ...urlsAt(base), expiresAt: LATER },
  },
  [`get ${base}`]: { response: { success: true, sessions: [itemAt(base)] } },
  [`get ${base}/:id`]: { response: { success: true, ...itemAt(base) } },
  [`post ${base}/:id/execute`]: {
    requests: [
      {
        summary: 'Open a page and return its title',
        body: { code: `await page.goto('${SITE}'); await page.title()`, language: 'node', timeout: 60 },
      },
    ],
    response: { success: true, ...done('Example Domain') },
  },
  [`post ${base}/:id/extend`]: {
    requests: [{ summary: 'Let the session live for half an hour', body: { ttl: 1800 } }],
    response: { success: true, id: JOB_ID, expiresAt: LATER },
  },
  [`post ${base}/:id/files`]: {
    response: { success: true, name: 'report.pdf', path: '/uploads/report.pdf', size: 48_000 },
  },
  [`get ${base}/:id/downloads`]: {
    response: {
      success: true,
      files: [{ name: 'report.pdf', size: 48_000, modifiedAt: TIME }],
      canceled: [{ name: 'movie.mp4', reason: 'The file is larger than a session may store.' }],
    },
  },
  [`delete ${base}/:id`]: { response: ended },
});

/** Examples of browser sessions. */
export const SESSION_EXAMPLES: Examples = {
  ...sessionsAt('/v2/browser'),
  ...sessionsAt('/v2/interact'),
  'post /v2/scrape/:id/interact': {
    requests: [{ summary: 'Return the title of the scraped page', body: { code: 'await page.title()' } }],
    response: { success: true, sessionId: JOB_ID, ...urlsAt('/v2/browser'), ...done('Example Domain') },
  },
  'delete /v2/scrape/:id/interact': { response: ended },
};
