import { plainName } from '../json/similar-name.ts';

/** Code of sessions for what other APIs have paths for. */
const SESSION_CODE: Readonly<Record<string, string>> = {
  screenshot: "(await page.screenshot()).toString('base64')",
  pdf: "(await page.pdf()).toString('base64')",
  content: 'await page.content()',
  html: 'await page.content()',
  text: "await page.innerText('body')",
  title: 'await page.title()',
  url: 'page.url()',
  cookies: 'await context.cookies()',
  click: "await page.click('#more')",
  type: "await page.fill('#q', 'tea')",
  fill: "await page.fill('#q', 'tea')",
  press: "await page.keyboard.press('Enter')",
  scroll: 'await page.mouse.wheel(0, 800)',
  wait: "await page.waitForSelector('#content')",
  reload: 'await page.reload()',
  back: 'await page.goBack()',
  evaluate: 'await page.evaluate(() => document.title)',
};
/** How a page is opened, which stands for all other actions. */
const GOTO = "await page.goto('https://example.com')";
/** Says how something is done in a session that other APIs have a path for: by code. */
export function adviseOnSession(resource: string, action: string): string {
  const verb = plainName(action);
  if (/^(recordings?|videos?)$/.test(verb)) return `Use GET /v2/${resource}/:id/replay.`;
  if (/^(live|liveview|debug|view|stream)$/.test(verb))
    return `GET /v2/${resource}/:id has the URL of the live view.`;
  if (/^(connect|ws|cdp|devtools|websocket|playwright|puppeteer)$/.test(verb))
    return `GET /v2/${resource}/:id has the cdpUrl, to which Playwright and Puppeteer connect.`;
  const code = Object.hasOwn(SESSION_CODE, verb) ? SESSION_CODE[verb] : GOTO;
  return `What a page does in a session is code: POST /v2/${resource}/:id/execute with ${JSON.stringify({ code })}.`;
}
