// SPDX-License-Identifier: MIT
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WorkerEvent } from '../queue/index.ts';

/** Milliseconds after which a slow request is closed. */
const TIMEOUT = 5000;

/** Counts what a worker does, in the text format of Prometheus. */
export class WorkerMetrics {
  readonly #ended: Record<Exclude<WorkerEvent['kind'], 'start'>, number> = {
    ...{ done: 0, kept: 0, failed: 0, retried: 0, returned: 0 },
  };
  #running = 0;
  #seconds = 0;

  get ended(): Readonly<Record<string, number>> {
    return this.#ended;
  }

  update(event: WorkerEvent): void {
    if (event.kind === 'start') this.#running++;
    else {
      this.#running--;
      this.#ended[event.kind]++;
      if (event.kind === 'done') this.#seconds += event.record.seconds;
    }
  }

  /** @param counts jobs in the queue by their state */
  format(counts: Readonly<Record<string, number>>): string {
    const lines = [
      '# HELP ossify_jobs_total Jobs of this worker by their end.',
      '# TYPE ossify_jobs_total counter',
      ...Object.entries(this.#ended).map(([status, count]) => `ossify_jobs_total{status="${status}"} ${count}`),
      '# HELP ossify_jobs_running Jobs that this worker runs now.',
      '# TYPE ossify_jobs_running gauge',
      `ossify_jobs_running ${this.#running}`,
      '# HELP ossify_job_seconds_total Time of finished jobs.',
      '# TYPE ossify_job_seconds_total counter',
      `ossify_job_seconds_total ${this.#seconds}`,
      '# HELP ossify_queue_jobs Jobs in the queue by their state.',
      '# TYPE ossify_queue_jobs gauge',
      ...Object.entries(counts).map(([state, count]) => `ossify_queue_jobs{state="${state}"} ${count}`),
      '# HELP process_resident_memory_bytes Memory of the worker, without its processes.',
      '# TYPE process_resident_memory_bytes gauge',
      `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
    ];
    return `${lines.join('\n')}\n`;
  }
}

/** Serves the metrics at /metrics. It tells numbers of jobs and nothing else. */
export async function serveMetrics(
  place: { host?: string; port: number },
  format: () => Promise<string>,
): Promise<{ port: number; close(): void }> {
  const server: Server = createServer({ requestTimeout: TIMEOUT, headersTimeout: TIMEOUT }, (request, response) => {
    const isKnown = request.method === 'GET' && (request.url === '/metrics' || request.url === '/');
    if (!isKnown) {
      response.writeHead(404).end();
      return;
    }
    format().then(
      (text) => response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      () => response.writeHead(503).end(),
    );
  });
  server.setTimeout(TIMEOUT);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(place.port, place.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
