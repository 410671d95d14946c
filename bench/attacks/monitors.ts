import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsOf } from '../../src/json/json-object.ts';
import type { Attack } from './attack.ts';
import { type Attacker, textAt } from './attacker.ts';

/**
 * Attacks by monitors: as many as possible, with patterns that backtrack, changed pages that are slow to
 * compare, and checks at the same moment.
 */

const LANES = 4;
const CATASTROPHE = '^(a|aa)+(a*)*$';
const IS_OPEN: ReadonlySet<string> = new Set(['queued', 'running']);
const LOOK_MS = 250;
const MAX_LOOKS = 40;
const HOURLY = { cron: '0 * * * *' };

async function create(attacker: Attacker, json: object): Promise<string> {
  const { body } = await attacker.call('POST /v2/monitor', {
    json: { name: 'x', schedule: HOURLY, ...json },
  });
  return textAt(fieldsOf(body).data, 'id') || 'none';
}

const monitors: Attack = {
  name: 'monitors',
  aim: 'monitors with the most targets and patterns, and many checks at once',
  async run(attacker) {
    const { site } = attacker.around;
    const changeDetection = { ignore: ['order', 'dates'], ignorePatterns: Array(20).fill(CATASTROPHE) };
    const scrapeOptions = { timeout: attacker.timeoutMs, fastMode: true };
    await attacker.repeat(LANES, async (turn) => {
      const target = { type: 'scrape', urls: [`${site}/text?${turn}`], scrapeOptions, changeDetection };
      const id = await create(attacker, { targets: Array(50).fill(target), retentionDays: 365 });
      await create(attacker, { targets: Array(100_000).fill(target) });
      await create(attacker, { targets: [target], schedule: { cron: `${'1,'.repeat(90)}1 * * * *` } });
      const path = { id };
      const runs = Array.from({ length: 5 }, () =>
        attacker.call('POST /v2/monitor/{id}/run', { path, json: {} }),
      );
      const [first] = await Promise.all(runs);
      const checkId = textAt(first?.body, 'id') || id;
      await attacker.call('GET /v2/monitor', {});
      await attacker.call('GET /v2/monitor/{id}', { path });
      await attacker.call('GET /v2/monitor/{id}/checks', { path });
      await attacker.call('GET /v2/monitor/{id}/checks/{checkId}', { path: { id, checkId } });
      await attacker.call('POST /v2/monitor/{id}/judge', { path, json: { goal: 'x'.repeat(2_000) } });
      await attacker.call('POST /v2/monitor/{id}/ask', {
        path,
        json: { question: 'x', url: `${site}/text` },
      });
      const query = `url=${encodeURIComponent(`${site}/text?${turn}`)}`;
      await attacker.call('GET /v2/monitor/{id}/history', { path, query });
      await attacker.call('GET /v2/monitor/{id}/series', { path, query: `${query}&limit=1000` });
      await attacker.call('GET /v2/monitor/{id}/compare', {
        path,
        query: `${query}&from=${checkId}&to=${checkId}`,
      });
      await attacker.call('POST /v2/monitor/{id}/feed/rotate', { path, json: {} });
      await attacker.call('PATCH /v2/monitor/{id}', {
        path,
        json: { targets: [target], name: 'x'.repeat(1_000_000) },
      });
      await attacker.call('DELETE /v2/monitor/{id}', { path });
    });
  },
};

/** Runs a check and waits for its end, so that the next one has a version to compare with. */
async function check(attacker: Attacker, id: string): Promise<void> {
  const { body } = await attacker.call('POST /v2/monitor/{id}/run', { path: { id }, json: {} });
  const path = { id, checkId: textAt(body, 'id') };
  for (let look = 0; look < MAX_LOOKS && path.checkId; look++) {
    const found = await attacker.call('GET /v2/monitor/{id}/checks/{checkId}', { path });
    if (!IS_OPEN.has(textAt(found.body, 'data', 'status'))) return;
    await sleep(LOOK_MS);
  }
}

const changes: Attack = {
  name: 'changed pages',
  aim: 'monitors that leave out the links and images of lines in which each character may begin one',
  async run(attacker) {
    const changeDetection = { ignore: ['links', 'images', 'dates', 'numbers'] };
    const scrapeOptions = { fastMode: true };
    await attacker.repeat(2, async (turn) => {
      const urls = [`${attacker.around.site}/brackets?${turn}`];
      const id = await create(attacker, {
        targets: [{ type: 'scrape', urls, scrapeOptions, changeDetection }],
      });
      await check(attacker, id);
      await check(attacker, id);
      await attacker.call('DELETE /v2/monitor/{id}', { path: { id } });
    });
  },
};

/** The attacks by monitors. */
export const MONITOR_ATTACKS: readonly Attack[] = [monitors, changes];
