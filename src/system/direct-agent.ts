import { Agent } from 'node:http';

/**
 * Connects to other parts of the service. Node's own agent, which is the same otherwise, uses the proxy of
 * the environment (`HTTP_PROXY` with `NODE_USE_ENV_PROXY`): that proxy would get passwords, and what users
 * send to their sessions.
 */
export const DIRECT_AGENT = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: 5_000 });
