import { reservePort } from '../../src/embedded/ports.ts';

/**
 * Reserves a free port for a server that a test starts, and perhaps starts again. It is below those that the system
 * picks: a connection or a server of another test could take one of these while nothing listens on it.
 */
export const reserveServerPort = () => reservePort(20_000 + Math.floor(Math.random() * 10_000));
