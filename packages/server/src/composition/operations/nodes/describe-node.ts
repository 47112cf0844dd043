import { hostname } from 'node:os';
import type { Config } from '../../../config.ts';
import { timestamp } from '../../../lib/clock.ts';
import { releaseVersion } from '../../../lib/installation.ts';
import { dataVersion } from '../../../store/data-version.ts';
import type { Measurement } from '../../../telemetry/measurement.ts';
import type { WorkFact } from '../../../telemetry/work-metrics.ts';
import type { NodeRow } from './node-rows.ts';

/** The addresses of a platform on this machine. */
export interface ServedUrls {
  readonly app: string | undefined;
  readonly management: string | undefined;
  readonly metrics: string | undefined;
}

export interface NodeState {
  readonly now: number;
  readonly isDraining: boolean;
  readonly listens: NodeRow['listens'];
  readonly work: readonly WorkFact[];
  readonly servers: ReturnType<Measurement['storeFacts']['servers']>;
  readonly eventLoopDelay: ReturnType<Measurement['loopDelay']>;
}

export const startedAt = timestamp(performance.timeOrigin);
export const version = releaseVersion();
const host = hostname().slice(0, 253).toWellFormed();

export const listensNowhere: NodeRow['listens'] = { app: null, management: null, metrics: null };

/** The addresses of the node's listeners, with the ports that they got. */
export function listensAt(
  { host: own, metricsListen }: Pick<Config, 'host' | 'metricsListen'>,
  { app, management, metrics }: ServedUrls,
): NodeRow['listens'] {
  const at = (name: string, url: string | undefined) =>
    url === undefined ? null : `${name.includes(':') ? `[${name}]` : name}:${new URL(url).port || '80'}`;
  return { app: at(own, app), management: at(own, management), metrics: at(metricsListen?.host ?? own, metrics) };
}

/** The node as it is now, in a few hundred bytes. Reads nothing. */
export function describeNode({ now, isDraining, listens, work, servers, eventLoopDelay }: NodeState): NodeRow {
  const sum = (of: (fact: WorkFact) => number) => work.reduce((total, fact) => total + of(fact), 0);
  return {
    ...{ host, listens, version, node_version: process.versions.node, data_version: dataVersion },
    ...{ started_at: startedAt, heard_at: timestamp(now), draining: isDraining },
    // Earlier releases read it in the rows of other nodes.
    workers: { all: 1, serving: 1 },
    resident_bytes: process.memoryUsage.rss(),
    event_loop_delay: eventLoopDelay,
    jobs_running: sum(({ running }) => running),
    job_failures: sum(({ failures }) => failures),
    servers_not_well: servers.length,
  };
}
