import type { Attack } from './attack.ts';
import { textAt } from './attacker.ts';

/** Attacks by agents and by questions about the service. */

const LANES = 6;

const agents: Attack = {
  name: 'agents',
  aim: 'agents and extracts over pages without an end, and their traces',
  async run(attacker) {
    const { site } = attacker.around;
    await attacker.repeat(LANES, async (turn) => {
      const urls = ['endless', 'nodes', 'trap/1', 'silent', 'links'].map((name) => `${site}/${name}?${turn}`);
      const started = await attacker.call('POST /v2/agent', {
        json: { prompt: 'x '.repeat(5_000), urls, effort: 'high' },
      });
      const path = { id: textAt(started.body, 'id') || 'none', snapshotId: 'x'.repeat(5_000) };
      await attacker.call('GET /v2/agent/{id}', { path });
      await attacker.call('GET /v2/agent/{id}/trace', { path });
      await attacker.call('GET /v2/agent/{id}/snapshots/{snapshotId}', { path });
      await attacker.call('GET /v2/agent/threads/{id}', { path });
      await attacker.call('GET /v2/agent');
      await attacker.call('DELETE /v2/agent/{id}', { path });
      const extract = await attacker.call('POST /v2/extract', {
        json: { urls: urls.map((url) => url.replace(/\?.*/, '/*')), prompt: 'x '.repeat(5_000) },
      });
      await attacker.call('GET /v2/extract/{id}', { path: { id: textAt(extract.body, 'id') || 'none' } });
    });
  },
};

const support: Attack = {
  name: 'support',
  aim: 'the longest questions, whose answers try scrapes',
  async run(attacker) {
    const { site } = attacker.around;
    await attacker.repeat(LANES, async (turn) => {
      const failed = await attacker.call('POST /v2/scrape', {
        json: { url: `${site}/silent?${turn}`, timeout: 1_000 },
      });
      const jobId = /scrape\/([\w-]{36})/.exec(textAt(failed.body, 'error'))?.[1];
      const question = `why does it time out ${'timeout waitFor markdown empty '.repeat(250)}`;
      await attacker.call('POST /v2/support/ask', { json: { question, ...(jobId && { jobId }) } });
      await attacker.call('POST /v2/support/docs-search', { json: { question } });
    });
  },
};

export const AGENT_ATTACKS: Attack[] = [agents, support];
