/** The live events of an org as a list shows them, each with its last delivery. */
import type { deliveriesApi } from '@freehold/contract/management/deliveries';
import type { ReplyOf } from '@freehold/contract/route';
import { type ConfigReader, itemsOfKind } from '../../config/port.ts';
import { compareBytes } from '../../lib/byte-order.ts';
import type { Cursors } from '../../records/port.ts';
import type { Scope, Store } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import type { LiveEvents, OrgPlace } from '../config/live-events.ts';
import type { EventContent } from '../kinds/event.ts';
import { listOfEvent, type Receipt, readReceipts, writtenAt } from './receipts.ts';

export interface EventListDeps {
  readonly stores: Readonly<Record<Environment, Store>>;
  readonly configs: Readonly<Record<Environment, ConfigReader>>;
  readonly live: LiveEvents;
  readonly cursors: Cursors;
}

export interface AskedEvents extends OrgPlace {
  readonly pagesize: number;
  readonly nexttoken?: string | undefined;
}

type Page = ReplyOf<typeof deliveriesApi.listEvents>;
type Listed = Page['items'][number];

const readsAtOnce = 20;

/** By name. @throws Problem `invalid_cursor`. */
export async function listEvents(
  { stores, configs, live, cursors }: EventListDeps,
  { env, orgCode, pagesize, nexttoken }: AskedEvents,
): Promise<Page> {
  const place = { env, orgCode };
  const binding = ['events', env, orgCode];
  const after = nexttoken === undefined ? undefined : cursors.open(nexttoken, binding);
  const set = await configs[env].refresh(orgCode);
  const names = itemsOfKind(set, 'event')
    .map(({ name }) => name)
    .filter((name) => after === undefined || compareBytes(name, after) > 0)
    .sort(compareBytes);
  const page = names.slice(0, pagesize);
  const last = await lastDeliveries(stores[env].scope(orgScopeName(orgCode)), page);
  const items: Listed[] = [];
  for (const name of page) {
    const event = await live.named(set, place, name);
    if (event !== undefined) items.push(listed(name, event.content, last.get(name)));
  }
  const end = page.at(-1);
  return { items, nexttoken: end === undefined || names.length === page.length ? null : cursors.seal(end, binding) };
}

/** The receipt of the latest write that has one, by event. */
async function lastDeliveries(scope: Scope, events: readonly string[]): Promise<ReadonlyMap<string, Receipt>> {
  const ids: string[] = [];
  for (let start = 0; start < events.length; start += readsAtOnce) {
    const some = events.slice(start, start + readsAtOnce);
    const found = await Promise.all(some.map((event) => scope.range(listOfEvent(event), { reverse: true, limit: 1 })));
    ids.push(...found.flat().map(({ sk }) => sk));
  }
  const rows = await readReceipts(scope, ids);
  return new Map([...rows.values()].map(({ value }) => [value.event, value]));
}

function listed(name: string, content: EventContent, last: Receipt | undefined): Listed {
  const { entity_name, event_stage, event_optype, event_type, enabled, when, entry_conditions = [] } = content;
  return {
    ...{ name, entity_name, event_stage, event_optype, event_type, enabled },
    ...(when === undefined ? {} : { when }),
    entry_conditions: entry_conditions.length,
    destination: shortened(content),
    ...(last === undefined ? {} : { last_delivery: outcomeOf(last) }),
  };
}

function outcomeOf(receipt: Receipt): NonNullable<Listed['last_delivery']> {
  const { id, state, attempts } = receipt;
  return { id, state, written_at: writtenAt(receipt), attempt: attempts.at(-1) ?? null };
}

/** Without what may be long, or is not for a list. */
function shortened(content: EventContent): Listed['destination'] {
  switch (content.event_type) {
    case 'webhook':
      return { url: content.destination_config.url };
    case 'mail':
      return { to: content.destination_config.to };
    case 'record': {
      const { entity, action } = content.destination_config;
      return { entity, action };
    }
    case 'logicblock':
    case 'crew':
      return content.destination_config;
  }
}
