import type { ConsoleSite } from '../api/headers/console-cookie.ts';
import type { RoutesOfModule } from '../api/route.ts';
import type { OpenedStore } from '../store/port.ts';
import { type Job, working } from '../work/job.ts';
import { WorkQueue } from '../work/work-queue.ts';
import { type AlertWebhook, type AlertWebhookDeps, createAlertWebhook } from './alert-webhook.ts';
import { alertRoutes } from './routes.ts';

export interface AlertsDeps extends Omit<AlertWebhookDeps, 'wake'> {
  /** The store of the platform. */
  readonly space: OpenedStore;
  readonly site: ConsoleSite;
  readonly nodeId: string;
  /** Sees each job. */
  readonly watch: (jobs: readonly Job[]) => readonly Job[];
  readonly onError: (error: unknown) => void;
}

export interface Alerts extends Pick<AlertWebhook, 'announce' | 'show'> {
  readonly routes: RoutesOfModule;
  close(): Promise<void>;
}

/** Alerts to orgs. Sending waits for receivers most of its time, so it has a queue of its own. */
export function openAlerts({ space, site, watch, onError, ...deps }: AlertsDeps): Alerts {
  const queue = new WorkQueue({ queue: 'work', spaces: [space], clock: deps.clock, onError, atOnce: 10 });
  const webhook = createAlertWebhook({ ...deps, wake: queue.wake.bind(queue) });
  queue.begin(working(watch([webhook.job]), deps));
  return {
    announce: webhook.announce,
    show: webhook.show,
    routes: { management: alertRoutes({ alertWebhook: webhook, site }) },
    close: async () => {
      const closed = queue.close();
      webhook.close();
      await closed;
    },
  };
}
