import { inKeyProduct } from './rows.ts';

/** A text for the server, prepared once per connection under its name, or sent as it is when it has none. */
export interface SqlStatement {
  readonly name?: string;
  readonly text: string;
}

/** The source of a range read; each combination is a statement of its own. */
export interface RangeShape {
  readonly isOpenEnded: boolean;
  readonly isReverse: boolean;
  readonly isSized: boolean;
}

/**
 * Scopes that ride together wait only for a moment for a scope that another node has, and go on without it. Longer than
 * a transaction should take, shorter than a commit should wait for another scope.
 */
export function shared({ text }: SqlStatement): SqlStatement {
  return { text: `${text}; set local lock_timeout = '250ms'` };
}

export const commit: SqlStatement = { text: 'commit' };
export const rollback: SqlStatement = { text: 'rollback' };

/** Rows that one statement writes: up to sixteen in one, more in steps. */
export const putSizes: readonly number[] = [64, 32, ...Array.from({ length: 16 }, (_, index) => 16 - index)];

/**
 * The statements on one schema. INVARIANT: every one but those of {@link acrossScopes} names one scope, as `$1`, for
 * each table that it touches, so that a server which spreads the tables by scope sends it to one place.
 */
export class SqlStatements {
  readonly #schema: string;
  /** Citus plans statements on one table once for all, and others each time: then they are on one where they can be. */
  readonly isDistributed: boolean;
  readonly #made = new Map<string, SqlStatement>();

  constructor(schema: string, isDistributed: boolean) {
    this.#schema = schema;
    this.isDistributed = isDistributed;
  }

  /** Waits for the group of another node that has the scope, and keeps it to this transaction. */
  takeHead(): SqlStatement {
    return this.#make(
      'take_head',
      ({ heads }) => `update ${heads} set seq = seq + $2 where scope = $1 returning seq, state`,
    );
  }

  /** Of nodes that make the same scope at once, all but one wait here and then find it made. */
  makeHead(): SqlStatement {
    return this.#make(
      'make_head',
      ({ heads }) => `insert into ${heads} (scope, seq, state) values ($1, 0, 'open') on conflict (scope) do nothing`,
    );
  }

  writeHead(): SqlStatement {
    return this.#make('write_head', ({ heads }) => `update ${heads} set seq = $2, state = $3 where scope = $1`);
  }

  /** The current items under some keys, expired or not; values of those only that are asked for as counters. */
  current(): SqlStatement {
    return this.#make(
      'standing',
      ({ items }) => `
        select asked.place, found.version, found.due_queue, found.due_at, found.value
        from unnest($2::text[], $3::text[], $4::boolean[]) with ordinality as asked (pk, sk, counts, place)
        cross join lateral (
          select version, due_queue, due_at, case when asked.counts then value end as value from ${items}
          where scope = $1 and pk = asked.pk and sk = asked.sk limit 1) as found`,
    );
  }

  /** As {@link standing}, by {@link keyProduct}. */
  currentAmong(): SqlStatement {
    return this.#make(
      'standing_among',
      ({ items }) => `
        select sk, pk, version, due_queue, due_at, case when sk = any($5::text[]) then value end as value
        from ${items} where scope = $1 and ${inKeyProduct}`,
    );
  }

  put(rows: number): SqlStatement {
    const row = (index: number) => `($1, ${Array.from({ length: 8 }, (_, column) => `$${2 + 8 * index + column}`)})`;
    return this.#make(
      `put_${rows}`,
      ({ items }) => `
        insert into ${items} (scope, pk, sk, version, due_queue, due_at, target_pk, target_sk, value)
        values ${Array.from({ length: rows }, (_, index) => row(index)).join(', ')}
        on conflict (scope, pk, sk) do update set
          version = excluded.version, due_queue = excluded.due_queue, due_at = excluded.due_at,
          target_pk = excluded.target_pk, target_sk = excluded.target_sk, value = excluded.value`,
    );
  }

  remove(): SqlStatement {
    return this.#make(
      'remove',
      ({ items }) => `delete from ${items} where scope = $1 and pk = $2 and sk = any($3::text[])`,
    );
  }

  getOne(): SqlStatement {
    return this.#make(
      'get_one',
      ({ items }) => `
        select ${itemColumns} from ${items} where scope = $1 and pk = $2 and sk = $3 and ${isLive('', '$4')}`,
    );
  }

  get(): SqlStatement {
    return this.#make(
      'get',
      ({ items }) => `
        select ${itemColumns}, place
        from unnest($2::text[], $3::text[]) with ordinality as asked (asked_pk, asked_sk, place)
        cross join lateral (
          select ${itemColumns} from ${items}
          where scope = $1 and pk = asked_pk and sk = asked_sk and ${isLive('', '$4')} limit 1) as found`,
    );
  }

  /** As {@link get}, by {@link keyProduct}. */
  getAmong(): SqlStatement {
    return this.#make(
      'get_among',
      ({ items }) => `select ${itemColumns} from ${items} where scope = $1 and ${inKeyProduct} and ${isLive('', '$5')}`,
    );
  }

  /** On Citus, rows behind the cut of a sized read come without their value. */
  range(shape: RangeShape): SqlStatement {
    return this.#make(`range${nameOf(shape)}`, ({ items }) => {
      const page = (columns: string) => `
        select ${columns} from ${items}
        where ${bounds(shape, '')} and ${isLive('', '$4')} ${order(shape, '')} limit $5`;
      if (!this.isDistributed) return sized(shape, itemColumns, page(itemColumns));
      return page(itemColumns.replace('value', `${valueWithin(shape, 'value', order(shape, ''))} as value`));
    });
  }

  /** As {@link range}. The two forms join in the same way: other servers know nothing of the planner's settings here. */
  follow(shape: RangeShape): SqlStatement {
    return this.#make(`follow${nameOf(shape)}`, ({ items }) => {
      const entries = bounds(shape, 'entry.');
      const ordered = order(shape, 'entry.');
      const target = 'target.scope = $1 and target.pk = entry.target_pk and target.sk = entry.target_sk';
      const live = isLive('target.', '$4');
      if (this.isDistributed)
        return `
          select found.version, ${valueWithin(shape, 'found.value', ordered)}, entry.sk
          from ${items} as entry
          cross join lateral (
            select target.version, target.value from ${items} as target where ${target} and ${live} limit 1) as found
          where ${entries} ${ordered} limit $5`;
      const page = `
        select target.version, target.value, entry.sk
        from ${items} as entry join ${items} as target on ${target}
        where ${entries} and ${live} ${ordered} limit $5`;
      return sized(shape, 'version, value, sk', page);
    });
  }

  /** As {@link count}, a row for each. */
  counted(shape: Pick<RangeShape, 'isOpenEnded'>): SqlStatement {
    const whole = { ...shape, isReverse: false, isSized: false };
    return this.#make(
      `counted${nameOf(whole)}`,
      ({ items }) => `select 1 from ${items} where ${bounds(whole, '')} and ${isLive('', '$4')} limit $5`,
    );
  }

  count(shape: RangeShape): SqlStatement {
    return this.#make(
      `count${nameOf(shape)}`,
      ({ items }) => `
        select count(*) from (
          select 1 from ${items} where ${bounds(shape, '')} and ${isLive('', '$4')} limit $5) as found`,
    );
  }

  /** The items of a partition that live, from one on; with `isOpenEnded`, to the partition's end. */
  part(shape: Pick<RangeShape, 'isOpenEnded'>): SqlStatement {
    const whole = { ...shape, isReverse: false, isSized: false };
    return this.#make(
      `part${nameOf(whole)}`,
      ({ items }) => `
        select sk, version from ${items} where ${bounds(whole, '')} and ${isLive('', '$4')} order by sk limit $5`,
    );
  }

  scan(): SqlStatement {
    return this.#make('scan', ({ items }) => {
      const page = `
          select ${itemColumns} from ${items} where scope = $1 and (pk, sk) > ($2, $3) order by pk, sk limit $4`;
      return cut(page, { columns: itemColumns, order: 'order by pk, sk', bytesMax: '$5' });
    });
  }

  heads(): SqlStatement {
    return this.#make(
      acrossScopes.heads,
      ({ heads }) => `select scope, seq, state from ${heads} where scope > $1 order by scope limit $2`,
    );
  }

  /**
   * A scope that has items and lies between two names that follow each other, whichever two. One seek for each two; it
   * walks no scope, because names that are known are no part of what lies between them.
   */
  scopeBetween(): SqlStatement {
    return this.#make(
      acrossScopes.scopeBetween,
      ({ items }) => `
        select scope from unnest($1::text[], $2::text[]) as gap (low, high)
        join ${items} on scope > low and scope < high limit 1`,
    );
  }

  due(): SqlStatement {
    return this.#make(
      acrossScopes.due,
      ({ items }) => `
        select ${dueColumns} from ${items} where due_queue = $1 and due_at <= $2 order by due_at limit $3`,
    );
  }

  #make(name: string, write: (tables: { readonly heads: string; readonly items: string }) => string): SqlStatement {
    const made = this.#made.get(name);
    if (made !== undefined) return made;
    const text = write({ heads: `"${this.#schema}".heads`, items: `"${this.#schema}".items` });
    const statement = { name, text: text.replaceAll(/\s+/g, ' ').trim() };
    this.#made.set(name, statement);
    return statement;
  }
}

/** Queries of background jobs and commands over all scopes. */
const acrossScopes = { heads: 'heads', scopeBetween: 'scope-between', due: 'due' } as const;

export function isAcrossScopes({ name }: SqlStatement): boolean {
  return Object.values<string | undefined>(acrossScopes).includes(name);
}

/** The server's role and settings, without a look at the tables. */
/** Whether it takes writes is asked for the next session, such as one for a commit: settings of a user or database reach no other. */
export const serverState: SqlStatement = {
  name: 'server',
  text: `select not pg_is_in_recovery(), current_setting('synchronous_commit') in ('on', 'remote_apply'),
    current_setting('fsync') = 'on' and current_setting('full_page_writes') = 'on',
    not coalesce((
      select split_part(setting, '=', 2)::bool from pg_db_role_setting, unnest(setconfig) as setting
      where setdatabase in (0, (select oid from pg_database where datname = current_database()))
        and setrole in (0, (select oid from pg_roles where rolname = session_user))
        and setting like 'default_transaction_read_only=%'
      order by setrole <> 0 desc, setdatabase <> 0 desc limit 1
    ), (
      select setting = 'on' and source not in ('user', 'database', 'database user')
      from pg_settings where name = 'default_transaction_read_only'
    ))`,
};

export function isOfTheServer({ name }: SqlStatement): boolean {
  return name === serverState.name;
}

const itemColumns = 'version, due_queue, due_at, target_pk, target_sk, value, sk, pk';

/** The columns that {@link Statements.due} gives. */
export const dueColumns = `${itemColumns}, scope`;

export function isLive(table: string, now: string): string {
  return `(${table}due_queue is distinct from 'expire' or ${table}due_at > ${now})`;
}

function bounds({ isOpenEnded }: Pick<RangeShape, 'isOpenEnded'>, table: string): string {
  const upper = isOpenEnded ? '' : ` and ${table}sk < $6`;
  return `${table}scope = $1 and ${table}pk = $2 and ${table}sk >= $3${upper}`;
}

function order({ isReverse }: RangeShape, table: string): string {
  return `order by ${table}sk ${isReverse ? 'desc' : 'asc'}`;
}

/** Empty from the row on that comes after the one with which the values go over a number of bytes. */
function valueWithin(shape: RangeShape, value: string, ordered: string): string {
  if (!shape.isSized) return value;
  return `case when coalesce(sum(octet_length(${value})) over (
    ${ordered} rows between unbounded preceding and 1 preceding), 0) <= ${bytesMaxOf(shape)} then ${value} end`;
}

function bytesMaxOf({ isOpenEnded }: RangeShape): string {
  return isOpenEnded ? '$6' : '$7';
}

function sized(shape: RangeShape, columns: string, page: string): string {
  if (!shape.isSized) return page;
  return cut(page, { columns, order: order(shape, ''), bytesMax: bytesMaxOf(shape) });
}

interface Cut {
  readonly columns: string;
  readonly order: string;
  /** The parameter that says how many. */
  readonly bytesMax: string;
}

/** Leaves the rows away that come after the one with which the values go over a number of bytes. */
function cut(page: string, { columns, order, bytesMax }: Cut): string {
  return `
    select ${columns} from (
      select ${columns}, sum(octet_length(value)) over (
        ${order} rows between unbounded preceding and 1 preceding) as bytes_before
      from (${page}) as page) as sized
    where bytes_before is null or bytes_before <= ${bytesMax} ${order}`;
}

function nameOf({ isOpenEnded, isReverse, isSized }: RangeShape): string {
  return `${isOpenEnded ? '_open' : ''}${isReverse ? '_reverse' : ''}${isSized ? '_sized' : ''}`;
}
