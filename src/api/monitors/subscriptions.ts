import express, { type Express, type Response } from 'express';
import { escapeHtml } from '../../content/html/parse/escape-html.ts';
import { ServiceError } from '../../errors.ts';
import {
  readSubscriptionToken,
  SUBSCRIPTIONS_PATH,
  type SubscriptionLink,
} from '../../jobs/monitors/signed-links.ts';
import { changeSubscription, findSubscribedMonitor } from '../../storage/db/monitors/subscriptions.ts';
import { OWN_PAGE_POLICY } from '../http/browser-protection.ts';
import type { ApiDeps } from '../http/route.ts';

/** A mail program sends `List-Unsubscribe=One-Click`, and the page of the link nothing. */
const MAX_BODY = '1kb';

/**
 * Serves the pages by which recipients of mails confirm and unsubscribe, without a key. To open one changes nothing,
 * because programs that look for dangerous links in mails open each. Its button does, and so does the request by
 * which mail programs unsubscribe with one click (RFC 8058).
 */
export function mountSubscriptions(
  app: Express,
  { db, config: { secretKey } }: Pick<ApiDeps, 'db' | 'config'>,
): void {
  const path = `${SUBSCRIPTIONS_PATH}/:token`;
  app.get(path, async (request, response) => {
    const link = readSubscriptionToken(request.params.token, secretKey);
    const name = requireName(await findSubscribedMonitor(db, link));
    const { question, button } = WORDS[link.action];
    sendPage(
      response,
      `<p>${describe(question, name, link)}</p><form method="post"><button>${button}</button></form>`,
    );
  });
  app.post(path, express.text({ type: () => true, limit: MAX_BODY }), async (request, response) => {
    const link = readSubscriptionToken(request.params.token, secretKey);
    const status = link.action === 'confirm' ? 'confirmed' : 'unsubscribed';
    const name = requireName(await changeSubscription(db, link, status));
    sendPage(response, `<p>${describe(WORDS[link.action].done, name, link)}</p>`);
  });
}

const WORDS = {
  confirm: {
    question: 'Do you want mails to EMAIL when the monitor NAME finds changes?',
    button: 'Confirm',
    done: 'EMAIL gets mails of the monitor NAME from now on.',
  },
  unsubscribe: {
    question: 'Do you want no more mails of the monitor NAME to EMAIL?',
    button: 'Unsubscribe',
    done: 'EMAIL gets no more mails of the monitor NAME.',
  },
};

const describe = (text: string, name: string, { email }: SubscriptionLink) =>
  text.replace(/EMAIL|NAME/g, (word) => `<b dir="auto">${escapeHtml(word === 'NAME' ? name : email)}</b>`);

function requireName(name: string | undefined): string {
  if (name !== undefined) return name;
  throw new ServiceError('NOT_FOUND', 'The monitor of this mail was deleted, and sends no more mails.');
}

function sendPage(response: Response, body: string): void {
  response
    .set({
      'Content-Security-Policy': OWN_PAGE_POLICY,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    })
    .type('html')
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mails of a monitor</title><style>:root{color-scheme:light dark}body{font:16px/1.5 sans-serif;max-width:36em;margin:4em auto;padding:0 1em}button{font:inherit;padding:.4em 1.2em}</style></head><body><main><h1>Mails of a monitor</h1>${body}</main></body></html>`,
    );
}
