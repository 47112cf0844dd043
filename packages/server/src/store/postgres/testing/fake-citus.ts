/**
 * Has a database look like one with Citus, for its owner, a superuser: the facts that the platform reads, and a function
 * that notes in `public.spread` and in the facts what it was asked to distribute. The rows stay where they are.
 */
export const fakeCitus = `
  set allow_system_table_mods = on;
  insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    values (99, 'citus', 10, 11, false, '13.0-1');
  create table pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char");
  create table pg_catalog.pg_dist_node (nodename text, nodeport int, groupid int, noderole text, isactive bool,
    shouldhaveshards bool);
  insert into pg_catalog.pg_dist_node values ('127.0.0.1', 1, 0, 'primary', true, true);
  create table public.spread (name text, by text, beside text);
  create function pg_catalog.create_distributed_table(regclass, text, colocate_with text default 'default')
    returns void language sql as $$
      insert into pg_catalog.pg_dist_partition values ($1, 'h');
      insert into public.spread values ($1::text, $2, $3) $$;
  create table pg_catalog.pg_dist_placement (shardid bigint, groupid int);
  insert into pg_catalog.pg_dist_placement values (1, 0);
  create function pg_catalog.get_shard_id_for_distribution_column(regclass, text) returns bigint language sql
    as 'select 1::bigint';
  create table pg_catalog.pg_dist_local_group (groupid int);
  insert into pg_catalog.pg_dist_local_group values (0);
  create function pg_catalog.create_reference_table(regclass) returns void language sql as $$
      insert into pg_catalog.pg_dist_partition values ($1, 'n');
      insert into public.spread values ($1::text, null, null) $$;
  create function pg_catalog.citus_add_local_table_to_metadata(regclass) returns void language sql as $$
      insert into pg_catalog.pg_dist_partition values ($1, 'n');
      insert into public.spread values ($1::text, 'here', null) $$;
  create function pg_catalog.truncate_local_data_after_distributing_table(regclass) returns void language sql
    as 'select';
  grant select on pg_catalog.pg_dist_local_group, pg_catalog.pg_dist_partition, pg_catalog.pg_dist_node, pg_catalog.pg_dist_placement to public;`;
