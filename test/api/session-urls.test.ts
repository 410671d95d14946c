import { expect, it } from 'vitest';
import { hideSessionSecret } from '../../src/api/sessions/session-urls.ts';

const ID = '0198f0e4-0000-7000-8000-000000000000';

it.each([
  [`/v2/browser/${ID}/view/s3cret_-?maxFps=5`, `/v2/browser/${ID}/view/[hidden]?maxFps=5`],
  [`/v2/interact/${ID}/cdp/s3cret/json/version`, `/v2/interact/${ID}/cdp/[hidden]/json/version`],
  [`/v2/browser/${ID}/execute`, `/v2/browser/${ID}/execute`],
  ['/v2/scrape', '/v2/scrape'],
])('the log shows %s without the secret of the session', (url, logged) => {
  expect(hideSessionSecret(url)).toBe(logged);
});
