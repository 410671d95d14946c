import { type ErrorCode, messageOf, ServiceError } from '../errors.ts';

interface Failure {
  code: string;
  syscall: string;
  message: string;
}

/** Codes with which a DNS server, or the machine's resolver, says that a name does not exist or has no address. */
const UNRESOLVED = new Set(['ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EAI_NODATA', 'EBADNAME']);

/** Whether a failed lookup says nothing of the name: SERVFAIL, REFUSED, a timeout, a network that is down. */
export const isResolverFault = (code: string | undefined) => code === undefined || !UNRESOLVED.has(code);

/** Codes of OpenSSL's certificate checks and of Node's own (`tls`, `X509_V_ERR_*` without the prefix). */
const CERTIFICATE =
  /^(CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH|ERROR_IN_C)/;
const TLS = /^(ERR_SSL_|ERR_TLS_|EPROTO$)/;
const ENCODING = /^(Z_|ERR__ERROR_|ERR_BROTLI|ZSTD_)/;

const CERTIFICATE_REASONS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain ends in a self-signed certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it was issued for another name',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the server leaves out the certificate of its issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not a known authority',
};

const SITE_REASONS: Record<string, string> = {
  ECONNREFUSED: 'refused the connection. Check the address and its port',
  ECONNRESET: 'closed the connection before it had answered. Try again later',
  EPIPE: 'closed the connection before it had answered. Try again later',
  UND_ERR_SOCKET: 'closed the connection before it had answered. Try again later',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent less than it had announced. Try again later',
  ETIMEDOUT: 'cannot be reached: nothing answers there. Check the address and its port',
  UND_ERR_CONNECT_TIMEOUT: 'cannot be reached: nothing answers there. Check the address and its port',
  UND_ERR_HEADERS_TIMEOUT: 'took the request but never answered. Try again later',
  UND_ERR_BODY_TIMEOUT: 'stopped in the middle of its answer. Try again later',
  EHOSTUNREACH: 'cannot be reached: there is no route to it. Check the address',
  ENETUNREACH: 'cannot be reached: there is no route to it. Check the address',
  UND_ERR_HEADERS_OVERFLOW: 'sent headers that are too large',
};

/** An error, its causes, and the single attempts of a connect to several addresses. */
function* chainOf(error: unknown): Generator<Failure | ServiceError> {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ServiceError) yield current;
    const { code, syscall } = current as NodeJS.ErrnoException; // only as claims: both are checked here
    if (typeof code === 'string') {
      yield { code, syscall: typeof syscall === 'string' ? syscall : '', message: current.message };
    } else if (current.name === 'HTTPParserError') {
      // undici gives some of them no code.
      yield { code: 'HPE_INVALID', syscall: '', message: current.message };
    }
    if (current instanceof AggregateError) for (const one of current.errors) yield* chainOf(one);
  }
}

function isDnsFailure({ syscall }: Failure): boolean {
  return syscall === 'getaddrinfo' || syscall.startsWith('query');
}

function explain(failure: Failure, host: string): [ErrorCode, string] {
  const { code, message } = failure;
  if (isDnsFailure(failure)) {
    if (!isResolverFault(code)) {
      return ['SCRAPE_DNS_RESOLUTION_ERROR', `The name ${host} does not resolve. Check its spelling.`];
    }
    const reason = `the DNS server could not answer (${code})`;
    return [
      'SCRAPE_DNS_SERVER_ERROR',
      `The name ${host} could not be looked up: ${reason}. Try again later.`,
    ];
  }
  if (CERTIFICATE.test(code)) {
    const reason = `${CERTIFICATE_REASONS[code] ?? message} (${code})`;
    const advice = 'Set skipTlsVerification to true to fetch it all the same.';
    return ['SCRAPE_SSL_ERROR', `The certificate of ${host} is not trusted: ${reason}. ${advice}`];
  }
  if (TLS.test(code)) {
    const advice = 'Check scheme and port; skipTlsVerification does not help here.';
    return ['SCRAPE_SSL_ERROR', `No TLS connection to ${host} could be made (${code}). ${advice}`];
  }
  if (ENCODING.test(code)) {
    return ['SCRAPE_SITE_ERROR', `${host} sent a body that its Content-Encoding does not fit (${code}).`];
  }
  if (code.startsWith('HPE_'))
    return ['SCRAPE_SITE_ERROR', `${host} sent an answer that is not HTTP (${code}).`];
  return [
    'SCRAPE_SITE_ERROR',
    `${host} ${SITE_REASONS[code] ?? `could not be fetched: ${message}`} (${code}).`,
  ];
}

/** Failures that every request to a host meets, before there is a connection to it. */
const UNCONNECTED: ReadonlySet<string> = new Set([
  ...[
    'SCRAPE_DNS_RESOLUTION_ERROR',
    'SCRAPE_SSL_ERROR',
    'SCRAPE_PROXY_SELECTION_ERROR',
    'unsafe_domain_blocked',
  ],
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'],
]);

/** Whether nothing can be fetched from the host: it does not exist, does not listen, or may not be connected to. */
export function isUnconnected(error: ServiceError): boolean {
  const [first] = error.code === 'SCRAPE_SITE_ERROR' ? chainOf(error.cause) : [error];
  return first !== undefined && UNCONNECTED.has(first.code);
}

/**
 * Says in our words why a host could not be fetched: translates what DNS, sockets, TLS, undici and zlib throw.
 * @param host what was asked for, as the message should name it
 */
export function toFetchError(error: unknown, host: string): ServiceError {
  for (const link of chainOf(error)) {
    if (link instanceof ServiceError) return link;
    const [code, message] = explain(link, host);
    return new ServiceError(code, message, { cause: error });
  }
  // No code: a fault of ours rather than of the site.
  return new ServiceError('UNKNOWN_ERROR', `${host} could not be fetched: ${messageOf(error)}`, {
    cause: error,
  });
}
