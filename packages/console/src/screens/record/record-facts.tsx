import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { Actor } from '../../api/app.ts';
import { memberQuery } from '../../api/members.ts';
import { meQuery } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { When } from '../../components/when.tsx';
import type { Entity } from '../entities/queries.ts';
import type { RecordValues } from './form/inputs.ts';
import classes from './record.module.css';

interface Props {
  readonly actor: Actor;
  readonly entity: Entity;
  readonly record: RecordValues;
}

/** The facts that the platform has about a record beside its fields. */
export function RecordFacts({ actor, entity, record }: Props) {
  const owners = entity.indexes.filter(({ kind }) => kind === 'owner').map(({ name }) => name);
  const people = [...new Set([...owners, 'created_by', 'updated_by'])];
  return (
    <section aria-label="About the record">
      <Title order={3} size="h6" mt="lg" mb="xs">
        About the record
      </Title>
      <dl className={classes.facts}>
        {(['created_at', 'updated_at'] as const).map((name) =>
          typeof record[name] === 'string' ? (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <When at={record[name]} />
              </dd>
            </Fragment>
          ) : null,
        )}
        {people.map((name) =>
          typeof record[name] === 'string' ? (
            <Fragment key={name}>
              <dt>{owners.includes(name) ? `owner, ${name}` : name}</dt>
              <dd>
                <PersonName actor={actor} id={record[name]} />
                <CopyId value={record[name]} what={`id in ${name}`} />
              </dd>
            </Fragment>
          ) : null,
        )}
        <dt>version</dt>
        <dd>{String(record.version ?? 'not shown')}</dd>
      </dl>
    </section>
  );
}

/** Who has an id, above it: the builder or a member of the workspace; nothing where it is another one. */
function PersonName({ actor, id }: { readonly actor: Actor; readonly id: string }) {
  const { data: me } = useQuery(meQuery);
  const isOwn = me?.user.id === id;
  const member = useQuery({ ...memberQuery(actor, id), retry: false, enabled: me !== undefined && !isOwn });
  const email = isOwn ? me.user.email : member.data?.email;
  return email === undefined || email === id ? null : <Text size="sm">{email}</Text>;
}
