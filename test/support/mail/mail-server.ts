import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { listenOnNewPort } from '../network/listen.ts';
import { pollUntil } from '../suite/poll.ts';

/** A mail server on this machine, which keeps what it accepts. */
export interface MailServer extends AsyncDisposable {
  /** A value of `WINNOW_SMTP_URL`. */
  url: string;
  /** The accepted mails in the order of their arrival. */
  mails: Email[];
  /** Resolves when as many mails to an address were accepted. @returns those mails */
  until(address: string, count: number): Promise<Email[]>;
}

/** The address that a mail is to. */
const addressOf = ({ to }: Email) => (to?.[0] && 'address' in to[0] ? to[0].address : undefined);

/** The value of a header of a mail. @param name in lower case */
export const headerOf = ({ headers }: Email, name: string): string | undefined =>
  headers.find(({ key }) => key === name)?.value;

/**
 * Starts a real SMTP server, to which clients log in.
 * @param refuse the response code by which it refuses a mail to an address; none if it accepts it
 */
export async function startMailServer(
  refuse: (address: string) => number | undefined = () => undefined,
): Promise<MailServer> {
  const mails: Email[] = [];
  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    authMethods: ['PLAIN'],
    onAuth: ({ username, password }, _session, callback) =>
      username === 'winnow' && password === 'p w'
        ? callback(null, { user: username })
        : callback(new Error('wrong password')),
    onRcptTo({ address }, _session, callback) {
      const code = refuse(address);
      callback(code === undefined ? null : Object.assign(new Error('refused'), { responseCode: code }));
    },
    onData(stream, _session, callback) {
      stream
        .toArray()
        .then((chunks) => PostalMime.parse(Buffer.concat(chunks)))
        .then((mail) => {
          mails.push(mail);
          callback();
        }, callback);
    },
  });
  const port = await listenOnNewPort(smtp.server);
  return {
    url: `smtp://winnow:p%20w@127.0.0.1:${port}`,
    mails,
    until: (address, count) =>
      pollUntil(() => {
        const own = mails.filter((mail) => addressOf(mail) === address);
        return own.length >= count && own;
      }),
    [Symbol.asyncDispose]: () => new Promise((resolve) => smtp.close(() => resolve())),
  };
}
