/** Builders pause the deliveries of an event in one environment. What it would send waits in its outboxes meanwhile. */
import { type AuditContext, auditEntry } from '../../audit/audit-entry.ts';
import type { ConfigReader } from '../../config/port.ts';
import type { Clock } from '../../lib/clock.ts';
import { notFound, Problem } from '../../lib/problem.ts';
import type { Scope, ScopeName, Store } from '../../store/port.ts';
import { asRead, json, table } from '../../store/table.ts';
import { transact } from '../../store/transact.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { LiveEvents, OrgPlace } from '../config/live-events.ts';
import { RestCache } from '../rest-cache.ts';
import type { BringForward } from './bring-forward.ts';

interface StoredPause {
  /** RFC 3339. */
  readonly at: string;
  /** The id of the builder. */
  readonly by: string;
}

/** In the scope of the org, by event. A pause outlives the versions of its event, and its removal. */
export const eventPauses = table(
  (event: string) => ({ pk: 'event-pause', sk: event }),
  json<StoredPause>('pause of an event', { at: 'string', by: 'string' }),
);

export interface PauseCommand extends OrgPlace {
  readonly auditContext: AuditContext;
  readonly event: string;
}

export interface Pauses {
  /** A pause may be a second old before it is seen on other nodes; its end is seen at once. */
  isPaused(place: OrgPlace, event: string): Promise<boolean>;
  /** @throws Problem `not_found`; `conflict` for an event before writes, which has no deliveries. */
  pause(command: PauseCommand): Promise<void>;
  /** @throws Problem `not_found` where there is neither such an event nor a pause of it. */
  resume(command: PauseCommand): Promise<void>;
}

export interface PausesDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly live: LiveEvents;
  readonly clock: Clock;
  /** Another number once this node has heard of a change in the scope, where other nodes commit too. */
  readonly changesOf?: Readonly<Record<Environment, (scope: ScopeName) => number>> | undefined;
  readonly bringForward: BringForward;
}

/** Of an org, in one environment. */
export const pausesMax = 1000;

export function createPauses({ stores, configs, live, clock, bringForward, changesOf }: PausesDeps): Pauses {
  const cache = new RestCache(clock);
  const keyOf = ({ env, orgCode }: OrgPlace, event: string): string => `${env} ${orgCode} ${event}`;
  const scopeOf = ({ env, orgCode }: OrgPlace): Scope => stores[env].scope(orgScopeName(orgCode));
  const stageOf = async ({ env, orgCode, event }: PauseCommand): Promise<'before' | 'after' | undefined> => {
    const found = await live.named(await configs[env].refresh(orgCode), { env, orgCode }, event);
    return found?.content.event_stage;
  };
  return {
    isPaused: (place, event) => {
      const changes = changesOf?.[place.env](orgScopeName(place.orgCode)) ?? 0;
      const read = async () => (await eventPauses.read(scopeOf(place), event)) !== undefined;
      return cache.rests({ key: keyOf(place, event), changes }, read);
    },
    pause: async (command) => {
      const { auditContext, event } = command;
      const stage = await stageOf(command);
      if (stage === undefined) throw notFound();
      if (stage === 'before')
        throw new Problem('conflict', 'an event before writes has no deliveries: it is switched off by `enabled`');
      const scope = scopeOf(command);
      await transact(scope, async () => {
        const row = await eventPauses.read(scope, event);
        if (row !== undefined) return { changes: [] };
        if ((await scope.count(eventPauses.key('').pk, {}, pausesMax)) >= pausesMax)
          throw new Problem('conflict', `at most ${pausesMax} events of an org are paused`);
        const put = eventPauses.put(event, { at: auditContext.at, by: auditContext.actor.id }, { if: asRead(row) });
        return { changes: [put, told(command, 'event.paused')] };
      });
      cache.forget(keyOf(command, event));
    },
    resume: async (command) => {
      const { event } = command;
      const scope = scopeOf(command);
      const { committed } = await transact(scope, async () => {
        const row = await eventPauses.read(scope, event);
        if (row === undefined) return { changes: [] };
        return { changes: [eventPauses.remove(event, { version: row.version }), told(command, 'event.resumed')] };
      });
      if (committed === undefined && (await stageOf(command)) === undefined) throw notFound();
      cache.forget(keyOf(command, event));
      await bringForward(command, [event]);
    },
  };
}

function told({ auditContext, event, env }: PauseCommand, action: string) {
  return auditEntry(auditContext, { action, target: { kind: 'event', id: event }, env });
}
