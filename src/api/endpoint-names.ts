/** The kinds of jobs that are read by their id. */
const READABLE = ['scrape', 'batch/scrape', 'crawl', 'extract', 'agent'];
const READ_ADVICE = `A job is read at the path of its kind: ${READABLE.map((kind) => `GET /v2/${kind}/{id}`).join(', ')}. GET /v2/jobs lists the jobs with their kinds.`;

/** The first parts of paths in other APIs, by what they are here. */
export const RESOURCES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    browser: 'session sessions browsers devtools',
    scrape: 'scraper fetch render read reader page content html markdown url',
    crawl: 'spider spiders website site',
    search: 'serp google',
    map: 'sitemap links urls',
    agent: 'research deepresearch',
    monitor: 'watch watches alert alerts schedule schedules tracker',
    parse: 'document documents convert ocr pdf',
  }).flatMap(([resource, names]) => names.split(' ').map((name) => [name, resource])),
);

/** Names of endpoints in other APIs and older versions, by the path without its version and with `:id`. */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  '/webhooks':
    'A webhook belongs to a job: send webhook: {"url": …} in the body of POST /v2/crawl or POST /v2/batch/scrape. GET /v2/webhooks/deliveries lists the events that were sent.',
  '/sessions': 'Use POST /v2/browser to start a session, and GET /v2/browser to list them.',
  '/deep-research': 'Use POST /v2/agent with {"prompt": …}.',
  ...Object.fromEntries(
    ['/upload', '/uploads', '/files'].map((path) => [
      path,
      'Send a file to POST /v2/parse, or get a URL for it from POST /v2/parse/upload-url.',
    ]),
  ),
  '/parse/url': 'POST /v2/parse takes a file. Send a URL to POST /v2/scrape.',
  '/export/:id': 'Use GET /v2/crawl/{id}/export or GET /v2/batch/scrape/{id}/export.',
  '/keys': 'Use GET /v2/team/keys. The operator makes and revokes keys (winnow key).',
  '/api-keys': 'Use GET /v2/team/keys. The operator makes and revokes keys (winnow key).',
  '/status': 'Use GET /ready, which says whether the service and its parts work.',
  '/health': 'Use GET /ready, which says whether the service and its parts work.',
  '/screenshot': 'Use POST /v2/scrape with {"url": …, "formats": ["screenshot"]}.',
  '/markdown': 'Use POST /v2/scrape with {"url": …}.',
  '/credits': 'Use GET /v2/team/credit-usage.',
  '/usage': 'Use GET /v2/team/credit-usage.',
  '/team/usage': 'Use GET /v2/team/credit-usage, or /v2/team/token-usage.',
  '/account': 'Use GET /v2/team/credit-usage.',
  '/balance': 'Use GET /v2/team/credit-usage.',
  ...Object.fromEntries(
    ['/jobs/:id', '/job/:id', '/tasks/:id', '/task/:id', '/runs/:id', '/status/:id', '/results/:id'].map(
      (path) => [path, READ_ADVICE],
    ),
  ),
  '/team': 'Use GET /v2/team/credit-usage, /v2/team/queue-status, /v2/team/activity or /v2/team/keys.',
};

/** Paths of other APIs for all pages of a job as a file. */
export const EXPORT_PATH =
  /^\/v2\/(crawl|batch\/scrape)\/:id\/(download|file|archive|dump|csv|zip|jsonl|warc)$/;

/** The endpoint of the Model Context Protocol, and its paths in other services. */
export const MCP_PATH = /\/(mcp|sse)$/;

/** What is done with a monitor under a name of its own in other APIs. */
export const MONITOR_VERBS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['pause', 'stop', 'disable', 'deactivate'].map((verb) => [
      verb,
      'PATCH {path} with {"status": "paused"}',
    ]),
  ),
  ...Object.fromEntries(
    ['resume', 'start', 'enable', 'activate', 'unpause'].map((verb) => [
      verb,
      'PATCH {path} with {"status": "active"}',
    ]),
  ),
  ...Object.fromEntries(['trigger', 'execute', 'check', 'scan'].map((verb) => [verb, 'POST {path}/run'])),
  ...Object.fromEntries(
    ['runs', 'results', 'changes', 'diffs', 'executions', 'events'].map((noun) => [
      noun,
      'GET {path}/checks',
    ]),
  ),
};

/** What a name at the end of a path, before or after an id, means: the method for the resource itself. */
export const VERBS: Readonly<Record<string, 'get' | 'delete' | 'post'>> = {
  cancel: 'delete',
  stop: 'delete',
  delete: 'delete',
  close: 'delete',
  destroy: 'delete',
  status: 'get',
  result: 'get',
  results: 'get',
  data: 'get',
  documents: 'get',
  pages: 'get',
  output: 'get',
  get: 'get',
  create: 'post',
  start: 'post',
  new: 'post',
  open: 'post',
  list: 'get',
};
