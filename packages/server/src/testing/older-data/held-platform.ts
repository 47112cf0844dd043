/** A platform whose work in the background waits until it is let go. Only tests, and what makes their data, may use it. */
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { interceptOpened } from '../../store/intercepted-store.ts';
import type { Maintenance, OpenedStore } from '../../store/port.ts';
import { openStore } from '../../store/testing/open-store.ts';
import { type OlderPlatform, startOn } from './older-platform.ts';

const spaces = ['platform', 'test', 'prod'] as const;
const queues = ['work', 'automation', 'expire'] as const;

export interface HeldPlatform extends OlderPlatform {
  /** By space. */
  readonly stores: ReadonlyMap<string, OpenedStore>;
  /** What is due by a time, in all queues, by its job; what expires has none. */
  jobsBy(time: number): Promise<readonly string[]>;
}

/** @param isHeld asked for each piece of work that is due, by its job; `expiry` for what expires. */
export async function startHeld(
  dataDir: string,
  clock: Clock,
  isHeld: (job: string) => boolean,
): Promise<HeldPlatform> {
  const stores = new Map<string, OpenedStore>();
  const onFatal = (error: unknown): never => {
    throw error;
  };
  const platform = await startOn({ FREEHOLD_DATA_DIR: dataDir, FREEHOLD_DEMO: 'off' }, clock, async (space) => {
    const path = join(dataDir, `${space}.db`);
    const opened = interceptOpened(await openStore({ kind: 'sqlite', path, clock, onFatal }), (_operation, call) =>
      call(),
    );
    stores.set(space, opened);
    const due: Maintenance['due'] = async (queue, before, limit) => {
      const found = await opened.maintenance.due(queue, before, limit);
      return found.filter(({ item }) => !isHeld(jobOf(queue, item.value)));
    };
    return { ...opened, maintenance: { ...opened.maintenance, due } };
  });
  const jobsBy = async (time: number): Promise<readonly string[]> => {
    const found = await Promise.all(
      spaces.flatMap((space) =>
        queues.map(async (queue) => {
          const due = (await stores.get(space)?.maintenance.due(queue, time, 1000)) ?? [];
          return due.map(({ item }) => jobOf(queue, item.value));
        }),
      ),
    );
    return [...new Set(found.flat())].sort();
  };
  return { ...platform, stores, jobsBy };
}

function jobOf(queue: (typeof queues)[number], value: string): string {
  return queue === 'expire' ? 'expiry' : JSON.parse(value).job;
}
