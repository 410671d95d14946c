import { readFileSync } from 'node:fs';
import type { TLSConfig } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { TemporalSecurity } from '../config.ts';
import { messageOf, ServiceError } from '../errors.ts';

/**
 * Reads the files of TLS for a connection to the Temporal server.
 * @returns options that both kinds of connection take
 * @throws ServiceError `BAD_REQUEST` that names a file which cannot be read
 */
export function readSecurity(security: TemporalSecurity | undefined): { tls?: TLSConfig; apiKey?: string } {
  if (security === undefined) return {};
  const { serverCaPath, serverName, client } = security.tls;
  return {
    ...(security.apiKey !== undefined && { apiKey: security.apiKey }),
    tls: {
      ...(serverName !== undefined && { serverNameOverride: serverName }),
      ...(serverCaPath !== undefined && { serverRootCACertificate: readPem(serverCaPath) }),
      ...(client && {
        clientCertPair: { crt: readPem(client.certificatePath), key: readPem(client.keyPath) },
      }),
    },
  };
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ServiceError(
      'BAD_REQUEST',
      `Wrong settings: ${path}, which a TEMPORAL_TLS_… setting names, cannot be read (${messageOf(error)}).`,
    );
  }
}
