import type { deliveriesApi } from '@freehold/contract/management/deliveries';
import type { ReplyOf } from '@freehold/contract/route';
import { type ConfigReader, itemsOfKind } from '../../config/port.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import { timestamp } from '../../lib/clock.ts';
import { type CallRules, whyNeverCalled } from '../../lib/network/guarded-request.ts';
import type { Cursors } from '../../records/port.ts';
import type { Scope, Store } from '../../store/port.ts';
import { type Environment, orgScopeName, workspaceScopeName, workspaceTable } from '../../tenancy/port.ts';
import type { LiveEvents, OrgPlace } from '../config/live-events.ts';
import type { EventContent } from '../kinds/event.ts';
import type { Circuit } from './circuit.ts';
import { dueLane, heldItems, laneMark, outboxes, retryMark } from './outbox-rows.ts';
import { eventPauses, pausesMax } from './pauses.ts';

export interface EventStatesDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly live: LiveEvents;
  readonly cursors: Cursors;
  readonly visits: { circuitOf(place: OrgPlace, event: string): Circuit | undefined };
  /** Which addresses events may call. */
  readonly rules: CallRules;
}

const workspacesPerPage = 200;
const workspacesAtOnce = 20;
/** A page ends after the workspaces in which it has counted so many outboxes. */
const countsPerPage = 500;
const waitingMax = 1000;

/** The events after writes of an org, and how many deliveries wait in a page of its workspaces. @throws Problem `invalid_cursor`. */
export async function eventStates(
  deps: EventStatesDeps,
  { env, orgCode, nexttoken }: OrgPlace & { readonly nexttoken: string | undefined },
): Promise<ReplyOf<typeof deliveriesApi.listEventStates>> {
  const place = { env, orgCode };
  const orgScope = deps.stores[env].scope(orgScopeName(orgCode));
  const binding = ['event-states', env, orgCode];
  const after = nexttoken === undefined ? undefined : deps.cursors.open(nexttoken, binding);
  const paused = await eventPauses.range(orgScope, eventPauses.key('').pk, { limit: pausesMax });
  const pauses = new Map(paused.map(({ sk, value }) => [sk, value]));
  const events = await afterEvents(deps, place);
  const names = new Set([...events.keys(), ...pauses.keys()]);
  const { waiting, next } = await waitingIn(deps, place, after);
  const items = [...names].sort(compareBytes).map((name) => {
    const paused = pauses.get(name);
    const circuit = deps.visits.circuitOf(place, name);
    const content = events.get(name);
    const never = content === undefined ? undefined : undeliverable(content, deps.rules);
    return {
      name,
      ...(paused === undefined ? {} : { paused }),
      waiting: Math.min(waiting.get(name) ?? 0, waitingMax),
      ...(circuit === undefined ? {} : { circuit: shownCircuit(circuit) }),
      ...(never === undefined ? {} : { undeliverable: never }),
    };
  });
  return { items, nexttoken: next === undefined ? null : deps.cursors.seal(next, binding) };
}

function shownCircuit({ failures, openUntil }: Circuit) {
  return { failures, open_until: openUntil === 0 ? null : timestamp(openUntil) };
}

/** Why all that an event sends is given up; undefined where it may arrive. */
function undeliverable(content: EventContent, rules: CallRules): string | undefined {
  if (content.event_type !== 'webhook' || !content.enabled) return undefined;
  return whyNeverCalled(content.destination_config.url, rules);
}

/** By name. */
async function afterEvents(
  { configs, live }: EventStatesDeps,
  place: OrgPlace,
): Promise<ReadonlyMap<string, EventContent>> {
  const set = await configs[place.env].refresh(place.orgCode);
  const events = new Map<string, EventContent>();
  for (const { name } of itemsOfKind(set, 'event')) {
    const event = await live.named(set, place, name);
    if (event?.content.event_stage === 'after') events.set(name, event.content);
  }
  return events;
}

interface Waiting {
  /** By event. */
  readonly waiting: ReadonlyMap<string, number>;
  /** The last workspace that was looked at, if there are others behind it. */
  readonly next: string | undefined;
}

async function waitingIn(
  { stores }: EventStatesDeps,
  { env, orgCode }: OrgPlace,
  after: string | undefined,
): Promise<Waiting> {
  const store = stores[env];
  const behind = after === undefined ? {} : { after };
  const rows = await workspaceTable.range(store.scope(orgScopeName(orgCode)), workspaceTable.key('').pk, {
    ...behind,
    limit: workspacesPerPage + 1,
  });
  const page = rows.slice(0, workspacesPerPage);
  const waiting = new Map<string, number>();
  let counts = 0;
  for (let start = 0; start < page.length; start += workspacesAtOnce) {
    const some = page.slice(start, start + workspacesAtOnce);
    const scopes = some
      .filter(({ value }) => value.state === 'ready')
      .map(({ sk }) => store.scope(workspaceScopeName(orgCode, sk)));
    const found = (await Promise.all(scopes.map((scope) => countWaiting(scope)))).flat();
    for (const [event, count] of found) waiting.set(event, (waiting.get(event) ?? 0) + count);
    counts += found.length;
    if (counts >= countsPerPage && start + some.length < rows.length) return { waiting, next: some.at(-1)?.sk };
  }
  return { waiting, next: rows.length > page.length ? page.at(-1)?.sk : undefined };
}

/** By the marks of what is due: most workspaces have none. */
async function countWaiting(scope: Scope): Promise<readonly (readonly [string, number])[]> {
  const counts: [string, number][] = [];
  for await (const event of markedEvents(scope, laneMark('')))
    counts.push([event, await scope.count(outboxes.key({ event, sk: '' }).pk, {}, waitingMax)]);
  for await (const event of markedEvents(scope, retryPrefix))
    counts.push([event, await scope.count(heldItems.key({ event, sk: '' }).pk, {}, waitingMax)]);
  return counts;
}

/** Without the record. */
const retryPrefix = { ...retryMark('', ''), sk: retryMark('', '').sk.slice(0, -1) };
/** The character after the semicolon that ends the name of an event. */
const behindEvent = '<';

/** Each event once, however many of its records have a mark. */
async function* markedEvents(
  scope: Scope,
  { pk, sk: prefix }: { readonly pk: string; readonly sk: string },
): AsyncGenerator<string> {
  const end = prefix.slice(0, -1) + behindEvent;
  for (let after = prefix; ; ) {
    const [mark] = await scope.range(pk, { after, before: end, limit: 1 });
    if (mark === undefined) return;
    const { event, recordId } = dueLane(mark.sk);
    yield event;
    after = recordId === undefined ? mark.sk : `${prefix}${event}${behindEvent}`;
  }
}
