import { Button, List, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Actor } from '../../api/app.ts';
import { Loaded } from '../../components/loaded.tsx';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { entitiesQuery } from '../entities/queries.ts';
import { endWords } from '../records/figures/part-words.ts';
import { recordTitle } from '../records/record-title.ts';
import type { RecordValues } from './form/inputs.ts';
import { RecordLink } from './form/record-link.tsx';
import { expandNamesMax, type Page, pagesQuery, relatedQuery } from './record-queries.ts';

interface Props {
  readonly actor: Actor;
  readonly entity: string;
  readonly id: string;
}

export interface Relation {
  readonly entity: string;
  readonly field: string;
}

export const nameOfRelation = ({ entity, field }: Relation): string => `${entity}_via_${field}`;

/** The lookups that may refer to records of the entity. */
export function relationsTo(
  entity: string,
  entities: readonly {
    readonly name: string;
    readonly lookups: readonly { readonly field: string; readonly entity: string }[];
  }[],
): readonly Relation[] {
  return entities.flatMap(({ name, lookups }) =>
    lookups.filter((lookup) => lookup.entity === entity).map(({ field }) => ({ entity: name, field })),
  );
}

/** The records of other entities that refer to this one, a page of each. */
export function RelatedRecords({ actor, entity, id }: Props) {
  const entities = useQuery(entitiesQuery(actor.env));
  return (
    <Loaded query={entities}>
      {({ items }) => {
        const relations = relationsTo(entity, items);
        if (relations.length === 0)
          return <Text size="sm">No entity has a lookup of {entity}, so nothing can refer to this record.</Text>;
        const parts = Array.from({ length: Math.ceil(relations.length / expandNamesMax) }, (_, part) =>
          relations.slice(part * expandNamesMax, (part + 1) * expandNamesMax),
        );
        return (
          <Stack gap="lg">
            {parts.map((part) => (
              <Part key={part.map(nameOfRelation).join()} actor={actor} entity={entity} id={id} relations={part} />
            ))}
          </Stack>
        );
      }}
    </Loaded>
  );
}

function Part({ actor, entity, id, relations }: Props & { readonly relations: readonly Relation[] }) {
  const related = useQuery(relatedQuery(actor, entity, id, relations.map(nameOfRelation)));
  return (
    <Loaded query={related}>
      {(pages) => (
        <Stack gap="lg">
          {relations.map((relation) => (
            <Section
              key={nameOfRelation(relation)}
              actor={actor}
              id={id}
              relation={relation}
              page={pages[nameOfRelation(relation)]}
            />
          ))}
        </Stack>
      )}
    </Loaded>
  );
}

interface SectionProps {
  readonly actor: Actor;
  readonly id: string;
  readonly relation: Relation;
  readonly page: Page | null | undefined;
}

function Section({ actor, id, relation, page }: SectionProps) {
  const { entity, field } = relation;
  const [isMore, setIsMore] = useState(false);
  const first = page?.items ?? [];
  const isList = first.some((record) => Array.isArray(record[field]));
  const query = isList ? { [field]: id, [`${field}_op`]: 'contains' } : { [field]: id };
  const more = useInfiniteQuery({
    ...pagesQuery(actor, entity, query, page?.nexttoken ?? undefined),
    enabled: isMore,
  });
  const items = [...first, ...(more.data?.pages.flatMap((next) => next.items) ?? [])];
  // A page that was not read has no cursor: its list is read from the first page on.
  const hasMore = isMore ? more.hasNextPage : (page?.nexttoken ?? null) !== null || page?.partial === true;
  const cut = (more.data?.pages.at(-1) ?? page)?.partial_reason;
  return (
    <section aria-label={`${entity} by ${field}`}>
      <Title order={3} size="h6" mb={4}>
        {entity}{' '}
        <Text span size="sm" c="dimmed">
          by {field}
        </Text>
      </Title>
      {items.length === 0 && !hasMore ? (
        <Text size="sm" c="dimmed">
          None that this user may list
        </Text>
      ) : (
        <Records entity={entity} items={items} />
      )}
      <ProblemAlert error={more.error} />
      {cut !== undefined && hasMore && <Text size="sm">{endWords[cut]} There may be more.</Text>}
      {hasMore && (
        <Button
          variant="default"
          size="compact-sm"
          mt={6}
          loading={more.isFetching}
          onClick={() => (isMore ? void more.fetchNextPage() : setIsMore(true))}
        >
          Show more
        </Button>
      )}
    </section>
  );
}

function Records({ entity, items }: { readonly entity: string; readonly items: readonly RecordValues[] }) {
  return (
    <List size="sm" listStyleType="none">
      {items.map((record) => (
        <List.Item key={String(record.id)}>
          <RecordLink entity={entity} id={String(record.id)} name={recordTitle(record)} />
        </List.Item>
      ))}
    </List>
  );
}
