import { expect, it } from 'vitest';
import { readSchema } from '../../src/cli/run-agent.ts';
import { call } from '../support/api/call.ts';
import { runInProcess } from '../support/service/command-line.ts';
import { useService } from '../support/service/use-service.ts';
import { startPages } from '../support/sites/pages.ts';

/** What the command line says of ordinary mistakes: its own flags and commands, and nothing of the API. */

const service = useService();
const winnow = (args: string[]) =>
  runInProcess(args, { settings: { WINNOW_DATA_DIR: service.dataDir, WINNOW_API_KEY: service.key } });

const PAGE = 'http://a.test';

it.each([
  [
    ['team', 'create', 'x', '--credits', 'abc'],
    /not 'abc'/,
    /--credits/,
    /whole number or the word unlimited/,
  ],
  [['scrape', PAGE, '--timeout', '10'], /must be at least/, /--timeout/, /1000/],
  [['scrape', PAGE, '--formats', 'x'], /unknown format "x"/, /--formats/, /markdown/],
  [['parse', 'package.json', '--max-pages', '0'], /not 0/, /--max-pages/, /at least 1/],
  [['parse', 'package.json', '--mode', 'slow'], /slow/, /--mode/, /fast.*auto.*ocr/],
] as [string[], RegExp, RegExp, RegExp][])(
  '%j says what is wrong, where, and what to do',
  async (args, ...said) => {
    const { exitCode, stdout, stderr } = await winnow(args);
    for (const pattern of said) expect(stderr).toMatch(pattern);
    expect(stderr).not.toMatch(/[{}]|\n\s+at |formats\[|parsers\[/);
    expect([exitCode, stdout]).toEqual([2, '']);
  },
);

it.each([
  [['crawl', PAGE, '--max-pages', '3'], /Unknown option '--max-pages'\. Did you mean --limit=3\?/],
  [['crawl', PAGE, '--depth', '2'], /Unknown option '--depth'\. Did you mean --max-depth=2\?/],
  [['batch', '--urls', 'x.txt'], /Unknown option '--urls'\. Did you mean --file=<file>\?/],
  [
    ['monitor', 'create', PAGE, '--every', '5m'],
    /Unknown option '--every'\. Did you mean --schedule='every 5 minutes'\?/,
  ],
  [['map', PAGE, '--frob'], /Unknown option '--frob'\. Known are URL, --search, --limit, /],
  [['search', 'tea', '--news'], /Unknown option '--news'\. Did you mean --sources=news\?/],
  [
    ['scrape', PAGE, '--timeout', '30s'],
    /--timeout must be a whole number \(in ms\), not '30s'\. Write 30000\./,
  ],
  [['scrape', PAGE, '--json', 'out.json'], /To write the result to a file, use -o out\.json\./],
  [['crawl', PAGE, '--wait'], /Unknown option '--wait'\. Leave it out: the command waits for the end/],
  [['batch', 'package.json'], /package\.json is a file here and no URL\. Write --file package\.json\./],
  [['crawl', '--url', PAGE], /Unknown option '--url'\. It has no name: leave --url out/],
  [['extract', PAGE, '--schema', '{price: 1}'], /--schema is no JSON: .*double quotes: "price"/],
  [['backup', '--to', 'x'], /Unknown option '--to'\. Known are FILE, --without-keys\./],
  [
    ['scrape', PAGE, `${PAGE}/b`],
    /Unexpected argument 'http:\/\/a\.test\/b'\. For several pages, use `winnow batch`\./,
  ],
  [['scrape', PAGE, '--format', 'markdwn'], /Unknown option '--format'\. Did you mean --formats=markdown\?/],
  [['scrape', PAGE, '--wait', '5s'], /Did you mean --wait-for=5000\?/],
  [['scrape', PAGE, '--wait-until', 'networkidle'], /Leave it out: .* use --wait-for, in milliseconds/],
  [['scrape', PAGE, '--cookie', 'a=b'], /Use --header 'Cookie: a=b'\./],
  [
    ['scrape', PAGE, '--proxy', 'enhanced'],
    /has no flag for it, but POST \/v2\/scrape takes \{"proxy":"enhanced"\}/,
  ],
  [['scrape', PAGE, '--full-page'], /takes \{"formats":\[\{"type":"screenshot","fullPage":true\}\]\}/],
  [['monitor', 'create', PAGE, '--every', '1h'], /Did you mean --schedule=hourly\?/],
  [['search', 'tea', '--since', 'week'], /Use --tbs qdr:w\./],
  [[PAGE], /is not a command\. Did you mean scrape http:\/\/a\.test\?/],
  [['report.pdf'], /is not a command\. Did you mean parse report\.pdf\?/],
  [['crawl', PAGE, '--outfile', 'x.jsonl'], /Did you mean --output=<file>\?/],
  [['parse', PAGE], /is a URL\. Use `winnow scrape http:\/\/a\.test`\./],
  [
    ['scrape', PAGE, '--format', 'md', '--wait', '2s', '--format', 'html'],
    /^Unknown option '--format'\. Did you mean --formats=markdown\? Unknown option '--wait'\. Did you mean --wait-for=2000\? `winnow/,
  ],
  [['crawl', PAGE, '--max-pages=5', '-o'], /Did you mean --limit=5\? Option '-o' needs a value\. `winnow/],
  [['search', 'tea', '--country', 'germany'], /POST \/v2\/search takes \{"country":"DE"\}/],
  [['crawl', PAGE, '-n', '5'], /Unknown option '-n'\. Did you mean --limit=5\?/],
  [['crawl', PAGE, '-e', '/blog'], /Unknown option '-e'\. Write the whole name: --exclude, .*--e/],
  [['map', PAGE, '-z'], /Unknown option '-z'\. Known are --search, /],
  [['start'], /`winnow start` is not a command\. Did you mean up\?/],
  [['team', 'ls'], /`winnow team ls` is not a command\. Did you mean list\?/],
] as [string[], RegExp][])('%j, as other programs have it, names what is meant', async (args, said) => {
  const { exitCode, stdout, stderr } = await winnow(args);
  expect(stderr).toMatch(said);
  expect([exitCode, stdout]).toEqual([2, '']);
});

it('a schema may be written on the command line itself', () => {
  expect(readSchema('{"type":"object"}')).toEqual({ type: 'object' });
});

it('a batch prints the warning of its start', async () => {
  await using site = await startPages({ '/': '<h1>Title</h1><p>Text.</p>' });
  const { stderr } = await winnow(['batch', '--detach', `${site.url}/,${site.url}/b`]);
  expect(stderr).toMatch(/Warning: urls\[0\] has a comma and a second URL behind it/);
});

it('a prompt in a service without a language model names the command that takes its place', async () => {
  await using site = await startPages({ '/': '<h1>Title</h1><p>Text.</p>' });
  const { body } = await call('/v2/scrape', { body: { url: `${site.url}/` } });
  const { exitCode, stderr } = await winnow(['browser', 'prompt', body.data.metadata.scrapeId, 'Click']);
  expect(stderr).toMatch(/needs a language model, .* WINNOW_LLM_BASE_URL/);
  expect(stderr).toContain('`winnow browser run ID FILE`');
  expect(stderr).not.toContain('Send code');
  expect(exitCode).not.toBe(0);
});
