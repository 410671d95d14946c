import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/call.ts';
import { findFaults, useConsole } from '../support/browser/console.ts';
import { useService } from '../support/service/use-service.ts';
import { type Pages, startPages } from '../support/sites/pages.ts';
import { makeTeam, type TestTeam, useDatabase } from '../support/storage/database.ts';
import { pollUntil } from '../support/suite/poll.ts';

/** Screenshots that monitors compare, in the console as its users have it. */

const service = useService();
const db = useDatabase();
const User = useConsole(service);

let site: Pages;
let colour = 'navy';
let team: TestTeam;
let monitorId = '';
beforeAll(async () => {
  site = await startPages({
    '/lamp': (_, response) =>
      response
        .setHeader('Content-Type', 'text/html')
        .end(`<!doctype html><title>Lamp</title><main><p>The lamp.</p>
        <div style="width: 400px; height: 400px; background: ${colour}"></div></main>`),
  });
  team = await makeTeam(db);
});
afterAll(() => site?.[Symbol.asyncDispose]());

const api = async (path: string, request: object = {}) =>
  (await call(path, { url: service.url, key: team.key, ...request })).body;

it('are compared by a monitor that the form creates', async () => {
  await using user = await User.open('/monitors', { key: team.key });
  const { page } = user;
  await page.getByLabel('Name', { exact: true }).fill('Lamp');
  await page.getByLabel('Schedule').fill('daily');
  await page.getByLabel('URLs of pages, one a line').fill(`${site.url}/lamp`);
  await page.getByLabel('Not these parts').fill('footer');
  await page.getByLabel('Compare how the pages look, too').check();
  expect(await findFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create the monitor' }).click();
  await page.getByRole('button', { name: 'Run now' }).waitFor();
  const { data } = await api('/v2/monitor');
  expect(data[0].targets).toEqual([
    {
      id: 'target-1',
      type: 'scrape',
      urls: [`${site.url}/lamp`],
      scrapeOptions: {
        excludeTags: ['footer'],
        formats: ['markdown', { type: 'screenshot', fullPage: true }],
      },
      changeDetection: { screenshot: {} },
    },
  ]);
  monitorId = data[0].id;
});

describe('of a page that looks different', () => {
  let checkId = '';
  beforeAll(async () => {
    for (colour of ['navy', 'orange']) {
      checkId = (await api(`/v2/monitor/${monitorId}/run`, { body: {} })).id;
      await pollUntil(
        async () => (await api(`/v2/monitor/${monitorId}/checks/${checkId}`)).data.status !== 'running',
      );
    }
  });

  it.each(['light', 'dark'] as const)('are shown with a slider, in the theme %s', async (theme) => {
    await using user = await User.open(`/monitors/${monitorId}/checks/${checkId}`, { theme, key: team.key });
    const { page } = user;
    await page.setViewportSize({ width: 360, height: 800 });
    const isWhole = async () => {
      expect(await findFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      const pictures = page.getByRole('region', { name: `${site.url}/lamp` }).locator('img');
      const areLoaded = () =>
        pictures.evaluateAll((all: HTMLImageElement[]) =>
          all.every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
        );
      await expect.poll(areLoaded).toBe(true);
    };
    await page
      .getByText(/^\d+ % of the screenshot differs\.$|^\d\.\d % of the screenshot differs\.$/)
      .waitFor();
    const slider = page.getByRole('slider', { name: 'How much is shown of the page before' });
    expect(await slider.inputValue()).toBe('50');
    const region = page.getByRole('region', { name: `The page before and after: ${site.url}/lamp` });
    const clips = () =>
      region.locator('img').evaluateAll((all) => all.map((each) => getComputedStyle(each).clipPath));
    await isWhole();
    await slider.focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    expect(await slider.getAttribute('aria-valuetext')).toBe('53 % before, 47 % after');
    expect(await clips()).toEqual(['inset(0px 47% 0px 0px)', 'inset(0px 0px 0px 53%)']);
    await page.keyboard.press('Home');
    expect(await clips()).toEqual(['inset(0px 100% 0px 0px)', 'inset(0px 0px 0px 0%)']);
    for (const [tab, alt] of [
      ['Before', 'The page before'],
      ['After', 'The page after'],
      ['Difference', 'What differs, in red'],
    ] as const) {
      await page.getByRole('tab', { name: tab, exact: true }).click();
      await page.getByRole('img', { name: alt }).waitFor();
      await isWhole();
    }
    expect(await page.getByRole('link', { name: 'Screenshot' }).getAttribute('href')).toContain('/v2/files/');
    expect(user.errors).toEqual([]);
  });
});
