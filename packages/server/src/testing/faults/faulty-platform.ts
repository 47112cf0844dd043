/** A platform in this process, over HTTP, on stores in memory of whose calls one can be made to fail. */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { type Chain, verifyChains } from '../../audit/verify-chains.ts';
import { compose } from '../../composition/compose.ts';
import { openVault } from '../../composition/open-spaces.ts';
import { type Config, readConfig } from '../../config.ts';
import { drain, listen } from '../../gateway/listener.ts';
import { patient as limits } from '../../gateway/testing/patient.ts';
import { groupEntries } from '../../iam/policies/held-policies.ts';
import { systemClock } from '../../lib/clock.ts';
import { fastPasswordCost } from '../../people/testing/fast-passwords.ts';
import { verifyStore } from '../../records/verify-store.ts';
import { createSealer } from '../../records/writing/sealed-values.ts';
import { interceptOpened } from '../../store/intercepted-store.ts';
import type { Change, OpenedStore, ScopeName } from '../../store/port.ts';
import { PassingFault } from '../../store/testing/failing-store.ts';
import { openStore } from '../../store/testing/open-store.ts';
import type { WorkFacts } from '../../telemetry/work-metrics.ts';

export const operatorKey = 'g7Vt2kQx9LmZp4RwYb6NsHc3JdFe8TuA';

interface Stores {
  readonly platform: OpenedStore;
  readonly test: OpenedStore;
  readonly prod: OpenedStore;
}

export interface FaultyPlatform {
  readonly app: string;
  readonly management: string;
  readonly fault: PassingFault;
  readonly stores: Stores;
  /** Has it write what it tells other nodes about itself, which a start does. */
  register(): Promise<void>;
  /** Ends when no job is under way. */
  rest(): Promise<void>;
  /** Ends when every mail is written and every job is done, those too that wait for their time. */
  settle(): Promise<void>;
  /** Its clock, in milliseconds since the epoch. */
  now(): number;
  /** What is not as the records ask for, and chains of the audit log that are not whole. */
  drift(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

/** Is held between two leaps, so that nothing runs out while a busy machine makes a call. */
class LeapingClock {
  #now = systemClock.now();

  now(): number {
    return this.#now;
  }

  leapTo(time: number): void {
    this.#now = Math.max(time, this.#now);
  }
}

/** The position of a commit. */
export interface Committed {
  readonly space: keyof Stores;
  readonly scope: ScopeName;
}

/** @param onCommit gets the changes of each stored commit. */
export async function startFaultyPlatform(
  onCommit: (changes: readonly Change[], place: Committed) => void = () => undefined,
): Promise<FaultyPlatform> {
  // The turns of the background work are given by `settle`, and none of it pauses since a busy machine took long for it.
  mock.timers.enable({ apis: ['setInterval'] });
  const stopped = mock.method(performance, 'now', () => 0);
  const clock = new LeapingClock();
  const open = () => openStore({ kind: 'memory', clock });
  const stores: Stores = { platform: await open(), test: await open(), prod: await open() };
  const fault = new PassingFault();
  const config = readSettings();
  const platform = await compose({
    config,
    clock,
    passwordCost: fastPasswordCost,
    onFault: () => undefined,
    onFatal: (error) => assert.fail(String(error)),
    openSpace: async (space) =>
      fault.store(
        interceptOpened(stores[space], async ({ name, scope, changes }, call) => {
          const answer = await call();
          if (name === 'commit' && changes !== undefined) onCommit(changes, { space, scope });
          return answer;
        }),
      ),
  });
  const rest = () => restOf(platform.measurement.workFacts);
  const errors = platform.errors(() => 'http://127.0.0.1');
  const app = await listen({ host: '127.0.0.1', port: 0, gateway: platform.app, errors, limits });
  const management = await listen({ host: '127.0.0.1', port: 0, gateway: platform.management, errors, limits });
  return {
    app: app.url,
    management: management.url,
    fault,
    stores,
    register: () => platform.listening({ app: app.url, management: management.url, metrics: undefined }),
    rest,
    settle: () => settle({ managementUrl: management.url, stores, clock, rest }),
    now: () => clock.now(),
    drift: () => findDrift(config, stores, clock),
    close: async () => {
      await drain([app, management], 0);
      await platform.close();
      stopped.mock.restore();
      mock.timers.reset();
    },
  };
}

/** The address is that of no server: it has the secrets lie in the store, where writing them can fail too. */
function readSettings(): Config {
  const read = readConfig({
    FREEHOLD_STORE: 'postgres://absent:nothing@127.0.0.1/nowhere',
    FREEHOLD_MASTER_KEY: randomBytes(32).toString('hex'),
    FREEHOLD_OPERATOR_KEY: operatorKey,
    FREEHOLD_TRUSTED_PROXIES: '127.0.0.1',
  });
  assert.ok('config' in read, JSON.stringify(read));
  return read.config;
}

const turnMilliseconds = 1000;
const turnsMax = 200;
const never = Number.MAX_SAFE_INTEGER;
/** Longer than any lease; what waits for longer does so on purpose. */
const automationMilliseconds = 120_000;

interface Settling {
  readonly managementUrl: string;
  readonly stores: Stores;
  readonly clock: LeapingClock;
  rest(): Promise<void>;
}

async function settle({ managementUrl, stores, clock, rest }: Settling): Promise<void> {
  // It is answered when no mail waits.
  await (await fetch(`${managementUrl}/inbox`)).text();
  for (let turn = 0; turn < turnsMax; turn++) {
    await rest();
    const soon = clock.now() + automationMilliseconds;
    const looks = Object.values(stores).flatMap(({ maintenance }: OpenedStore) => [
      maintenance.due('work', never, 1),
      maintenance.due('automation', soon, 1),
    ]);
    const waiting = await Promise.all(looks);
    const [next] = waiting.flat();
    if (next === undefined) return;
    clock.leapTo(next.item.due?.at ?? 0);
    mock.timers.tick(turnMilliseconds);
  }
  throw new Error('a job never ends');
}

/** Ends when no job is under way: its lease does not run out since it waits for a thread or for an answer. */
async function restOf(workFacts: WorkFacts): Promise<void> {
  do for (let breath = 0; breath < 3; breath++) await new Promise((resolve) => setImmediate(resolve));
  while (workFacts.all().some(({ running }) => running > 0));
}

async function findDrift(config: Config, stores: Stores, clock: LeapingClock): Promise<readonly unknown[]> {
  const { secrets } = await openVault(config, stores.platform.store).read();
  const sealer = createSealer(secrets.field_keys ?? []);
  const further = new Map([['group', groupEntries]]);
  const looks = [stores.test, stores.prod].map((opened) => verifyStore({ opened, clock, sealer, further }));
  const chains = Object.values(stores).map((opened: OpenedStore) => brokenChains(opened));
  const broken = (await Promise.all(chains)).flat();
  return [...(await Promise.all(looks)).flatMap(({ drift }) => drift), ...broken];
}

async function brokenChains(opened: OpenedStore): Promise<readonly Chain[]> {
  const chains: Chain[] = [];
  for await (const chain of verifyChains(opened, { owed: new Map(), seen: () => undefined })) chains.push(chain);
  return chains.filter(({ broken }) => broken !== undefined);
}
