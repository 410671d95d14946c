import type { Session } from '../../fetch/browser/chromium/cdp.ts';
import type { SessionRecorder } from './recorder.ts';

/** Texts and URLs that are longer are cut, because a page may choose any length. */
const MAX_TEXT_LENGTH = 1_000;
/** Values of a call of the console that are recorded. */
const MAX_VALUES = 10;

const cut = (text: string) => text.slice(0, MAX_TEXT_LENGTH);

/** Records navigations, the console and failed requests of a tab, whose domain `Page` is enabled. */
export function recordTab(session: Session, recorder: SessionRecorder): void {
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId === undefined)
      recorder.add({ type: 'navigation', url: cut(frame.unreachableUrl ?? frame.url) });
  });
  session.on('Runtime.consoleAPICalled', ({ type, args }) => {
    const values = args.slice(0, MAX_VALUES).map(({ value, description }) => {
      const text = value === undefined || typeof value === 'object' ? description : value;
      return cut(String(text ?? ''));
    });
    recorder.add({ type: 'console', level: type, text: cut(values.join(' ')) });
  });
  session.on('Runtime.exceptionThrown', ({ exceptionDetails: { text, exception } }) => {
    recorder.add({ type: 'console', level: 'error', text: cut(exception?.description ?? text) });
  });
  // Chromium logs what could not be loaded. The events of all requests would cost far more.
  session.on('Log.entryAdded', ({ entry: { source, text, url, level } }) => {
    if (source === 'network') recorder.add({ type: 'requestfailed', url: cut(url ?? ''), text: cut(text) });
    else recorder.add({ type: 'console', level, text: cut(text) });
  });
  // The tab may have been closed.
  for (const domain of ['Runtime.enable', 'Log.enable'] as const) session.send(domain).catch(() => undefined);
}
