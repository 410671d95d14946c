import nodemailer from 'nodemailer';
import type { MailText } from './compose-mail.ts';

/** The mail server of the operator. */
export interface MailServer {
  /** `smtp://` or `smtps://`, with user and password. */
  url: string;
  /** The sender, as the header From has it. */
  from: string;
}

/** A mail to one recipient. */
export interface OutgoingMail extends MailText {
  /** The local part of its Message-ID, the same in each attempt. */
  id: string;
  to: string;
  /** By which the recipient unsubscribes; absent in a mail that only asks. */
  unsubscribeUrl?: string | undefined;
}

/** Mails that a process sends at once, and those of one team. A mail beyond them waits. */
const MAX_AT_ONCE = 8;
const MAX_OF_TEAM = 2;
const TIMEOUT_MS = 20_000;

/** Sends mails by the mail server of the operator. */
export class Mailer {
  readonly #from: string;
  readonly #domain: string;
  readonly #transport;
  readonly #open: string[] = [];

  constructor({ url, from }: MailServer) {
    this.#from = from;
    this.#domain = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
    this.#transport = nodemailer.createTransport({
      url,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      // Nothing of a mail is read from a file or a URL, whatever a tenant writes.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /** Takes the turn of a team to send mails, until it is disposed of; `undefined` if there is no room for it now. */
  takeTurn(teamId: string): Disposable | undefined {
    const own = this.#open.filter((each) => each === teamId);
    if (this.#open.length >= MAX_AT_ONCE || own.length >= MAX_OF_TEAM) return undefined;
    this.#open.push(teamId);
    return { [Symbol.dispose]: () => void this.#open.splice(this.#open.indexOf(teamId), 1) };
  }

  /** Sends a mail. @throws Error of nodemailer, with the code of the server's response in `responseCode` */
  async send(mail: OutgoingMail): Promise<void> {
    await this.#transport.sendMail({
      from: this.#from,
      to: { name: '', address: mail.to },
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      messageId: `<${mail.id}@${this.#domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated', ...listHeaders(mail.unsubscribeUrl) },
    });
  }
}

/** How a recipient unsubscribes (RFC 2369), by one click where the service has TLS, which RFC 8058 requires. */
function listHeaders(url: string | undefined): Record<string, string> {
  if (url === undefined) return {};
  return {
    'List-Unsubscribe': `<${url}>`,
    ...(url.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  };
}
