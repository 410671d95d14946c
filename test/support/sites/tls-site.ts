import { once } from 'node:events';
import { createServer } from 'node:https';
import { listenOnNewPort } from '../network/listen.ts';
import { EXPIRED, SELF_SIGNED, tlsOptions } from '../network/tls.ts';

/** Serves one page behind a certificate that nobody should trust. */
export async function startTlsSite(certificate: 'expired' | 'self-signed') {
  const server = createServer(
    tlsOptions(certificate === 'expired' ? EXPIRED : SELF_SIGNED),
    (_request, response) => {
      response
        .setHeader('Content-Type', 'text/html')
        .end('<title>TLS</title><main><p>A page behind TLS.</p></main>');
    },
  );
  const port = await listenOnNewPort(server);
  return {
    url: `https://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
