import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import { ServiceError } from '../errors.ts';
import { type Appearance, wearDevice } from './device.ts';
import type { Place } from './isolated-world.ts';
import { type Traffic, watchTraffic } from './traffic.ts';

/** A page that is open, with what is needed to watch and read it. */
export interface Tab extends Place {
  page: Page;
  traffic: Traffic;
  /** Rejects when nothing more can come of the page: it crashed, or sends more than may be read. */
  fault: Promise<never>;
  /** What could not be done as it was asked for, in words for the user. */
  warnings: string[];
}

/** How a tab is opened. */
export interface TabOptions {
  appearance: Appearance;
  /** Whether it matters how the page looks. */
  pictures: boolean;
  /** Of one document, as it is sent. */
  maxBytes: number;
}

/** Opens an empty tab that no dialog holds up and no popup joins. */
export async function openTab(context: BrowserContext, options: TabOptions): Promise<Tab> {
  const page = await context.newPage();
  context.on('page', (popup) => void popup.close().catch(() => undefined));
  // A dialog would hold the page for ever; only the question whether to leave is answered with yes.
  page.on('dialog', (dialog) => {
    const answer = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss();
    void answer.catch(() => undefined);
  });
  const { promise: fault, reject } = Promise.withResolvers<never>();
  // Whoever visits the page races with it; after the visit nobody listens.
  fault.catch(() => undefined);
  page.on('crash', () => reject(new Error('the tab crashed')));
  const traffic = watchTraffic(page, options);
  const session = await context.newCDPSession(page);
  const [{ frameTree }] = await Promise.all([
    session.send('Page.getFrameTree'),
    wearDevice(session, options.appearance),
    boundDocuments(session, options.maxBytes, () =>
      reject(
        new ServiceError(
          'SCRAPE_CONTENT_TOO_LARGE',
          `${page.url()} sends more than ${options.maxBytes} bytes. The operator can raise WINNOW_MAX_BODY_MB.`,
        ),
      ),
    ),
  ]);
  return { page, session, frameId: frameTree.frame.id, traffic, fault, warnings: [] };
}

/** Tells when a document, a frame's too, is larger than may be read: some never end. */
async function boundDocuments(session: CDPSession, maxBytes: number, tell: () => void): Promise<void> {
  const received = new Map<string, number>();
  session.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Document') received.set(requestId, 0);
  });
  session.on('Network.dataReceived', ({ requestId, dataLength }) => {
    const before = received.get(requestId);
    if (before === undefined) return;
    received.set(requestId, before + dataLength);
    if (before + dataLength > maxBytes) tell();
  });
  // Playwright keeps bodies already.
  await session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
}
