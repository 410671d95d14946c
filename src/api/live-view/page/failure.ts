import { html } from 'htm/preact';
import type { Actions } from './bar.ts';
import { settings, shownTab } from './state.ts';

/** What Chromium's errors (`Network.ErrorReason`) mean, with the host of the page. */
const REASONS: Record<string, (host: string) => string> = {
  NameNotResolved: (host) => `The name ${host} was not found. Is it spelled right?`,
  ConnectionRefused: (host) => `${host} does not accept connections.`,
  ConnectionReset: (host) => `${host} ended the connection.`,
  ConnectionClosed: (host) => `${host} closed the connection without a response.`,
  ConnectionAborted: (host) => `The connection to ${host} was interrupted.`,
  ConnectionFailed: (host) => `No connection to ${host} could be made.`,
  AddressUnreachable: (host) => `${host} cannot be reached.`,
  InternetDisconnected: () => 'The service has no connection to the internet.',
  TimedOut: (host) => `${host} took too long to respond.`,
  AccessDenied: (host) => `Access to ${host} is not allowed.`,
  BlockedByClient: (host) => `This service does not open pages of ${host}.`,
  BlockedByResponse: (host) => `${host} does not allow this page to be shown here.`,
};

/** Says why the page that is shown could not be opened, in place of its white picture. */
export function Failure({ actions }: { actions: Actions }) {
  const { failure, url = '' } = shownTab.value ?? {};
  if (!failure) return null;
  const host = (URL.canParse(url) && new URL(url).host) || 'The site';
  const text = REASONS[failure]?.(host) ?? 'The page could not be loaded.';
  return html`
    <div id="failure" role="status">
      <h1>The page did not open</h1>
      <p>${text}</p>
      <p class="soft">${url}</p>
      ${
        settings.mayControl &&
        html`<p><button type="button" class="primary" onClick=${() => actions.send({ type: 'history', move: 'reload' })}>Try again</button></p>`
      }
    </div>`;
}
