import { dueColumns, type Statement } from '../statements.ts';

export type ServerRow = readonly [
  group: number,
  scope: string,
  name: string,
  host: string,
  port: number,
  isEntry: boolean,
];

/** So many names come to lie on every server, however few of the shards it keeps. */
const namesTried = 1000;

/**
 * The servers that keep scopes, each with a name that a scope there could have, and whether it is the server that is
 * asked. Asks no worker.
 */
export function serversStatement(schema: string): Statement {
  return named(
    'servers',
    `select groupid, min(scope), min(nodename || ':' || nodeport), min(nodename), min(nodeport)::int,
       groupid = (select groupid from pg_dist_local_group)
     from (select 'probe-' || n as scope from generate_series(1, ${namesTried}) as n) as tried
     join pg_dist_placement on shardid = get_shard_id_for_distribution_column('"${schema}".heads', scope)
     join pg_dist_node using (groupid) where noderole = 'primary' group by groupid order by groupid`,
  );
}

/** Asked of the server that would keep the scope, whether there is such a scope or not. */
export function probeStatement(schema: string): Statement {
  return named(
    'probe',
    `select current_setting('synchronous_commit'), current_setting('fsync'), current_setting('full_page_writes'),
     pg_is_in_recovery() from (select max(seq) from "${schema}".heads where scope = $1) as asked`,
  );
}

/** The system identifier of the server that keeps the scope, or would: a copy of its files has the same identifier. */
export function identityStatement(schema: string): Statement {
  return named(
    'identity',
    `select (pg_control_system()).system_identifier::text from (select max(seq) from "${schema}".heads where scope = $1) as asked`,
  );
}

/**
 * What is due on some servers alone, `$1`, each asked by itself over a connection of its own, and without those that do
 * not answer: what is `$2` at or before `$3`, at most `$4` of it, the earliest first.
 */
export function dueOnServersSql(schema: string): Statement {
  return named(
    'due-on-servers',
    `with shards as (
       select nodename, nodeport::int as nodeport, string_agg(
         format('(select ${dueColumns} from %s where due_queue = %L and due_at <= %s order by due_at limit %s)',
           shard_name(logicalrelid, shardid), $2::text, $3::bigint, $4::int), ' union all ') as asked
       from pg_dist_shard join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
       where logicalrelid = '"${schema}".items'::regclass and groupid = any($1::int[]) and noderole = 'primary'
       group by nodename, nodeport)
     select ${dueTypes.map((type, place) => `(due ->> ${place})::${type}`).join(', ')} from shards cross join lateral master_run_on_worker(
       array[nodename], array[nodeport], array[format(
         'select coalesce(json_agg(json_build_array(${dueColumns})), ''[]'') from (select * from (%s) as due order by due_at limit %s) as due',
         asked, $4::int)], false) as answer
     cross join lateral json_array_elements(case when success then result::json else '[]' end) as due
     order by (due ->> 2)::bigint limit $4::int`,
  );
}

/** Of {@link dueColumns}. */
const dueTypes = ['bigint', 'text', 'bigint', 'text', 'text', 'text', 'text', 'text', 'text'];

function named(name: string, text: string): Statement {
  return { name, text: text.replaceAll(/\s+/g, ' ') };
}
