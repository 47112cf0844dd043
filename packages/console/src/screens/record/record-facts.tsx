import { Title } from '@mantine/core';
import { Fragment } from 'react';
import { CopyId } from '../../components/copy-id.tsx';
import { When } from '../../components/when.tsx';
import type { Entity } from '../entities/queries.ts';
import type { RecordValues } from './form/inputs.ts';
import classes from './record.module.css';

interface Props {
  readonly entity: Entity;
  readonly record: RecordValues;
}

/** The facts that the platform has about a record beside its fields. */
export function RecordFacts({ entity, record }: Props) {
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
