import { type ErrorCode, messageOf, ServiceError } from '../../errors.ts';

interface ErrorCause {
  code: string;
  syscall: string;
  message: string;
}

/**
 * Codes with which a DNS server or the operating system reports that a name does not exist or has no address.
 */
const NAME_ERRORS = new Set(['ENOTFOUND', 'ENODATA', 'EAI_NONAME', 'EAI_NODATA', 'EBADNAME']);

/**
 * Whether a lookup failed without a statement about the name: SERVFAIL, REFUSED, a timeout, a network that is
 * down.
 */
export const isResolverError = (code: string | undefined) => code === undefined || !NAME_ERRORS.has(code);

/** Codes of certificate checks by OpenSSL (`X509_V_ERR_*` without the prefix) and by Node's `tls`. */
const CERTIFICATE =
  /^(CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_CERT|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH|ERROR_IN_C)/;
const TLS = /^(ERR_SSL_|ERR_TLS_|EPROTO$)/;
const DECODING = /^(Z_|ERR__ERROR_|ERR_BROTLI|ZSTD_)/;

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
  ECONNREFUSED: 'refused the connection. Check the URL and its port',
  ECONNRESET: 'closed the connection before it sent a response. Try again later',
  EPIPE: 'closed the connection before it sent a response. Try again later',
  UND_ERR_SOCKET: 'closed the connection before it sent a response. Try again later',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'sent fewer bytes than announced. Try again later',
  ETIMEDOUT: 'cannot be reached: the connection timed out. Check the URL and its port',
  UND_ERR_CONNECT_TIMEOUT: 'cannot be reached: the connection timed out. Check the URL and its port',
  UND_ERR_HEADERS_TIMEOUT: 'accepted the request but sent no response. Try again later',
  UND_ERR_BODY_TIMEOUT: 'stopped in the middle of its response. Try again later',
  EHOSTUNREACH: 'cannot be reached: there is no route to it. Check the URL',
  ENETUNREACH: 'cannot be reached: there is no route to it. Check the URL',
  UND_ERR_HEADERS_OVERFLOW: 'sent headers that are too large',
};

/** Lists an error, its causes, and the errors of single attempts to connect to several addresses. */
function* listCauses(error: unknown): Generator<ErrorCause | ServiceError> {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ServiceError) yield current;
    const { code, syscall } = current as NodeJS.ErrnoException; // both fields are checked below
    if (typeof code === 'string') {
      yield { code, syscall: typeof syscall === 'string' ? syscall : '', message: current.message };
    } else if (current.name === 'HTTPParserError') {
      // undici throws some parser errors without a code.
      yield { code: 'HPE_INVALID', syscall: '', message: current.message };
    }
    if (current instanceof AggregateError) for (const one of current.errors) yield* listCauses(one);
  }
}

function isDnsFailure({ syscall }: ErrorCause): boolean {
  return syscall === 'getaddrinfo' || syscall.startsWith('query');
}

function describeCause(failure: ErrorCause, host: string): [ErrorCode, string] {
  const { code, message } = failure;
  if (isDnsFailure(failure)) {
    if (!isResolverError(code)) {
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
    const advice = 'Set skipTlsVerification to true to fetch it anyway.';
    return ['SCRAPE_SSL_ERROR', `The certificate of ${host} is not trusted: ${reason}. ${advice}`];
  }
  if (TLS.test(code)) {
    const advice = 'Check scheme and port; skipTlsVerification does not help here.';
    return ['SCRAPE_SSL_ERROR', `No TLS connection to ${host} could be made (${code}). ${advice}`];
  }
  if (DECODING.test(code)) {
    return ['SCRAPE_SITE_ERROR', `${host} sent a body that does not match its Content-Encoding (${code}).`];
  }
  if (code.startsWith('HPE_'))
    return ['SCRAPE_SITE_ERROR', `${host} sent a response that is not HTTP (${code}).`];
  return [
    'SCRAPE_SITE_ERROR',
    `${host} ${SITE_REASONS[code] ?? `could not be fetched: ${message}`} (${code}).`,
  ];
}

/** Codes of errors before there is a connection, which every request to the host would meet. */
const CONNECT_ERRORS: ReadonlySet<string> = new Set([
  ...[
    'SCRAPE_DNS_RESOLUTION_ERROR',
    'SCRAPE_SSL_ERROR',
    'SCRAPE_PROXY_SELECTION_ERROR',
    'unsafe_domain_blocked',
  ],
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'],
]);

/** Whether no request to the host can succeed: it does not exist, does not listen, or is blocked. */
export function isHostUnreachable(error: ServiceError): boolean {
  const [first] = error.code === 'SCRAPE_SITE_ERROR' ? listCauses(error.cause) : [error];
  return first !== undefined && CONNECT_ERRORS.has(first.code);
}

/** Whether a host refused a connection at once, which a restart of its server may explain. */
export const isConnectionRefused = (error: ServiceError): boolean =>
  listCauses(error.cause).next().value?.code === 'ECONNREFUSED';

/** The ways in which there is no connection to a host. */
export type ConnectionFault = 'unresolved' | 'refused' | 'unreachable' | 'timeout' | 'blocked';

const SYSTEM_FAULTS: Record<string, ConnectionFault> = {
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'timeout',
};

/** Why there is no connection to a host; `undefined` if there was one, or only a proxy knows. */
export function connectionFault(error: ServiceError): ConnectionFault | undefined {
  if (error.code === 'unsafe_domain_blocked') return 'blocked';
  if (error.code === 'SCRAPE_DNS_RESOLUTION_ERROR' || error.code === 'SCRAPE_DNS_SERVER_ERROR')
    return 'unresolved';
  return SYSTEM_FAULTS[listCauses(error.cause).next().value?.code ?? ''];
}

/**
 * Converts an error of DNS, sockets, TLS, undici or zlib to a ServiceError that explains it. A ServiceError
 * among the causes is returned as it is.
 * @param host the host that was requested, as the message should name it
 */
export function toFetchError(error: unknown, host: string): ServiceError {
  for (const link of listCauses(error)) {
    if (link instanceof ServiceError) return link;
    const [code, message] = describeCause(link, host);
    return new ServiceError(code, message, { cause: error });
  }
  // An error without a code is a defect of this service rather than of the site.
  return new ServiceError('UNKNOWN_ERROR', `${host} could not be fetched: ${messageOf(error)}`, {
    cause: error,
  });
}
