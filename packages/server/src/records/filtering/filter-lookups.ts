/** The values of records that lookups point to, for filters, as far as the caller may get these. */
import { createYielder } from '../../lib/scheduling/event-loop.ts';
import { type CompiledEntity, fieldName, fieldNamed } from '../../schema/port.ts';
import { shareKeyOf } from '../../tenancy/port.ts';
import type { AuthorizedCall } from '../caller-access.ts';
import { findItems, mayBeId } from '../listing/find-record.ts';
import type { ScanLeft } from '../listing/walking/record-walk.ts';
import { dataOf, type RecordData } from '../record.ts';
import { isReadable, type RecordPolicy } from '../record-policy.ts';
import { recordPlace } from '../views/show-records.ts';
import { countedGrantOn } from '../writing/record-checks.ts';
import {
  type FilterLookups,
  type FollowedLookup,
  filterLanguage,
  type ReadValues,
  readValues,
} from './filter-language.ts';

/** The entities to which the lookups of an entity point, by the names that a filter has for the fields, and the call that reads their records. */
export interface FilterTargets {
  readonly entities: ReadonlyMap<string, CompiledEntity>;
  readonly call: Pick<AuthorizedCall, 'workspace' | 'access' | 'entity'>;
}

/** As many as one filter could read. */
const targetsMax = 20;
/** A longer filter is refused. */
const charactersMax = 1000;

/** Of the lookups that a filter reads members of. */
export async function filterTargets(call: AuthorizedCall, filter: string): Promise<FilterTargets> {
  const entities = new Map<string, CompiledEntity>();
  for (const [, name = ''] of filter.slice(0, charactersMax).matchAll(/([A-Za-z_]\w*)\s*\./g)) {
    const { lookup } = fieldNamed(call.entity, name)?.definition ?? {};
    if (lookup === undefined || entities.has(name) || entities.size >= targetsMax) continue;
    const target = await call.config.entity(lookup.entity);
    if (target !== undefined) entities.set(name, target);
  }
  return { entities, call };
}

/** Then the number of records with some value is none that the caller may not know. */
function mayListAll({ access }: FilterTargets['call'], entity: CompiledEntity): boolean {
  return entity.scopedBy === undefined && access.rows({ verb: 'list', entity, isHint: true }) === undefined;
}

/** A lookup that a filter follows, as the filter has it. */
export interface FollowedField extends Omit<FollowedLookup, 'mayListAll'> {
  /** The name by which the filter reads it, which may be an alias. */
  readonly name: string;
  /** The fields that it reads of the records there. */
  readonly members: ReadonlySet<string>;
}

const readAtOnce = 10;

/** The records that lookups point to in the records at hand, each read once for those that follow one another. */
export class FollowedRecords implements FilterLookups {
  readonly followed: readonly FollowedLookup[];
  readonly entity: CompiledEntity;
  steps = 0;
  readonly #call: FilterTargets['call'];
  readonly #followed: readonly FollowedField[];
  readonly pause: () => Promise<void> | undefined;
  /** Undefined for a record that is not there, or that the caller may not get. */
  #found: ReadonlyMap<string, ReadValues | undefined> = new Map();

  constructor(call: FilterTargets['call'], followed: readonly FollowedField[]) {
    this.#call = call;
    this.entity = call.entity;
    this.#followed = followed;
    this.pause = createYielder(shareKeyOf(call.workspace), () => this.steps);
    this.followed = followed.map((one) => ({ ...one, mayListAll: () => mayListAll(call, one.entity) }));
  }

  async load(records: readonly RecordData[], left: ScanLeft, isSpent: () => boolean): Promise<number> {
    const wanted = records.map((data) => this.#namesIn(data));
    const found = new Map<string, ReadValues | undefined>();
    const missing = new Map<string, WantedLookup>();
    for (const one of wanted.flat()) {
      if (this.#found.has(one.place)) found.set(one.place, this.#found.get(one.place));
      else missing.set(one.place, one);
    }
    this.#found = found;
    left.items -= missing.size;
    const isLoaded = (names: readonly WantedLookup[]): boolean => names.every(({ place }) => found.has(place));
    const isEnough = (): boolean => isSpent() && isLoaded(wanted[0] ?? []);
    const requests = [...missing.values()];
    for (let start = 0; start < requests.length && !isEnough(); start += readAtOnce)
      await this.#read(requests.slice(start, start + readAtOnce), { left, found, isEnough });
    const unread = wanted.findIndex((names) => !isLoaded(names));
    return unread === -1 ? records.length : unread;
  }

  /** Of the record that the field of a name points to. @param data of a record for which they were loaded. */
  of(data: RecordData, name: string): ReadValues | undefined {
    const wanted = this.#namesIn(data).find(({ followed }) => followed.name === name);
    if (wanted === undefined) return undefined;
    if (!this.#found.has(wanted.place)) throw new TypeError('the record of a lookup is not loaded');
    return this.#found.get(wanted.place);
  }

  #namesIn(data: RecordData): readonly WantedLookup[] {
    return this.#followed.flatMap((followed): readonly WantedLookup[] => {
      const id = Object.hasOwn(data, followed.field) ? data[followed.field] : undefined;
      if (typeof id !== 'string' || !mayBeId(id)) return [];
      return [{ followed, id, place: recordPlace({ entity: followed.entity.name, id }) }];
    });
  }

  async #read(requests: readonly WantedLookup[], { left, found, isEnough }: LookupReading): Promise<void> {
    const policies = new Map<string, RecordPolicy | undefined>();
    for (const { followed, id, place } of requests) {
      await this.pause();
      policies.set(place, this.#call.access.rows({ verb: 'get', entity: followed.entity, id }));
    }
    const allowed = requests.filter(({ place }) => policies.get(place)?.isNone !== true);
    const records = await this.#recordsOf(allowed, left);
    for (const { followed, place } of requests) {
      if (isEnough()) return;
      const data = records.get(place);
      found.set(place, data && this.#granted(followed.entity, data, policies.get(place)));
      await this.pause();
    }
  }

  async #recordsOf(requests: readonly WantedLookup[], left: ScanLeft): Promise<ReadonlyMap<string, RecordData>> {
    const records = new Map<string, RecordData>();
    for (const entity of new Set(requests.map(({ followed }) => followed.entity))) {
      const ids = requests.filter(({ followed }) => followed.entity === entity).map(({ id }) => id);
      for (const item of await findItems({ workspace: this.#call.workspace, entity }, ids)) {
        await this.pause();
        left.bytes -= 3 * item.value.length;
        const data = dataOf(entity, item);
        records.set(recordPlace({ entity: entity.name, id: data.id }), data);
      }
    }
    return records;
  }

  #granted(entity: CompiledEntity, data: RecordData, rows: RecordPolicy | undefined): ReadValues | undefined {
    const grant = countedGrantOn(rows, entity, { data, effort: this });
    if (grant === undefined) return undefined;
    const members = this.#followed.flatMap((one) => (one.entity === entity ? [...one.members] : []));
    const readable = members.filter((name) => isReadable(grant.fields, fieldName(entity, name)));
    return readValues(filterLanguage(entity).values, data, readable);
  }
}

interface LookupReading {
  readonly left: ScanLeft;
  readonly found: Map<string, ReadValues | undefined>;
  readonly isEnough: () => boolean;
}

/** A record that is to be read, for the lookup of another. */
interface WantedLookup {
  readonly followed: FollowedField;
  readonly id: string;
  readonly place: string;
}
