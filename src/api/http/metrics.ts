import type { Express } from 'express';
import { Histogram, type Registry } from 'prom-client';

/** Measures the duration of every request, by method, route and status. */
export function timeRequests(app: Express, registry: Registry): void {
  const seconds = new Histogram({
    name: 'winnow_http_request_duration_seconds',
    help: 'Duration of API requests',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300],
    registers: [registry],
  });
  app.use((request, response, next) => {
    const stop = seconds.startTimer();
    response.on('finish', () => {
      const route: unknown = request.route?.path;
      stop({
        method: request.method,
        route: typeof route === 'string' ? route : 'none',
        status: response.statusCode,
      });
    });
    next();
  });
}
