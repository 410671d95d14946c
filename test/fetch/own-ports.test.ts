import { describe, expect, inject, it } from 'vitest';
import { scrape } from '../support/api/call.ts';
import { useService } from '../support/service/use-service.ts';

const service = useService();

/** The shared service may fetch from every address of this machine (WINNOW_ALLOW_PRIVATE). */
describe('a service that may fetch from this machine', () => {
  const portOf = (url: string) => /:(\d+)(?!.*:\d)/.exec(url)?.[1];

  it.each([
    ['the plain fetch', { fastMode: true }],
    ['the browser', { waitFor: 1 }],
  ])('refuses its own parts to %s', async (_name, options) => {
    const { api, temporal, temporalUi } = service.readRunFile().urls;
    const ports = [api, temporal, temporalUi].flatMap((url) => (url ? [portOf(url)] : []));
    expect(ports).toContain(portOf(inject('service').url));
    for (const port of ports) {
      const { body } = await scrape({ url: `http://127.0.0.1:${port}/`, maxAge: 0, ...options });
      expect(body, `port ${port}`).toMatchObject({
        success: false,
        code: 'unsafe_domain_blocked',
        error: expect.stringContaining('a part of this service itself'),
      });
    }
  });
});
