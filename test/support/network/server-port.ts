import { reservePort } from '../../../src/run/embedded/ports.ts';

/**
 * Reserves a free port for a server that a test starts, and perhaps starts again. It is random, so that a
 * test never meets those who still look for the server of an earlier one.
 */
export const reserveServerPort = () => reservePort(20_000 + Math.floor(Math.random() * 10_000));
