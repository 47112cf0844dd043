import { List, Stack, Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import type { Actor } from '../../api/app.ts';
import { LineSkeletons, Loaded } from '../../components/loaded.tsx';
import { entitiesQuery, entityQuery } from '../entities/queries.ts';
import { countQuery, expandNamesMax, fieldsOf, type Page, relatedQuery } from './record-queries.ts';
import { nameOfRelation, type Relation, relationsTo } from './related-records.tsx';

interface Props {
  readonly actor: Actor;
  readonly entity: string;
  readonly id: string;
}

/** What a delete of the record does to those that refer to it. */
export function Dependents({ actor, entity, id }: Props) {
  const entities = useQuery(entitiesQuery(actor.env));
  const relations = relationsTo(entity, entities.data?.items ?? []);
  const requested = relations.slice(0, expandNamesMax);
  const related = useQuery(relatedQuery(actor, entity, id, requested.map(nameOfRelation)));
  if (entities.isSuccess && relations.length === 0)
    return <Text size="sm">No entity has a lookup of {entity}: nothing refers to it.</Text>;
  return (
    <Loaded query={related} skeleton={<LineSkeletons lines={2} />}>
      {(pages) => {
        const referring = requested.filter((relation) => isThere(pages[nameOfRelation(relation)]));
        return (
          <Stack gap={4}>
            <Text size="sm">
              {referring.length === 0 ? 'Nothing that this user may list refers to it.' : 'These refer to it:'}
            </Text>
            <List size="sm">
              {referring.map((relation) => (
                <Consequence
                  key={nameOfRelation(relation)}
                  actor={actor}
                  id={id}
                  relation={relation}
                  page={pages[nameOfRelation(relation)]}
                />
              ))}
            </List>
            {relations.length > requested.length && (
              <Text size="sm" c="dimmed">
                {relations.length - requested.length} other lookups were not looked at.
              </Text>
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}

/** The entities of which records are seen that forbid a delete of this one, by their lookups. */
export function useForbidding({ actor, entity, id }: Props): readonly string[] {
  const entities = useQuery(entitiesQuery(actor.env));
  const requested = relationsTo(entity, entities.data?.items ?? []).slice(0, expandNamesMax);
  const { data: pages } = useQuery(relatedQuery(actor, entity, id, requested.map(nameOfRelation)));
  const referring = requested.filter((relation) => (pages?.[nameOfRelation(relation)]?.items.length ?? 0) > 0);
  const definitions = useQueries({ queries: referring.map((relation) => entityQuery(actor.env, relation.entity)) });
  const isForbidding = ({ field }: Relation, index: number): boolean => {
    const create = definitions[index]?.data?.create;
    return create !== undefined && ruleOf(create, field) === 'restrict';
  };
  return [...new Set(referring.filter(isForbidding).map((relation) => relation.entity))];
}

/** What the lookup says of a delete of the record that it names. */
function ruleOf(create: Parameters<typeof fieldsOf>[0], field: string): string {
  const found = fieldsOf(create).find(({ name }) => name === field);
  return (found?.lookup ?? found?.items?.lookup)?.onDelete ?? 'restrict';
}

function isThere(page: Page | null | undefined): page is Page {
  return page !== null && page !== undefined && (page.items.length > 0 || page.partial === true);
}

const consequences: Readonly<Record<string, string>> = {
  restrict: 'they forbid the delete',
  cascade: 'they are deleted too',
  setnull: 'they stay, without it',
};

interface ConsequenceProps {
  readonly actor: Actor;
  readonly id: string;
  readonly relation: Relation;
  readonly page: Page | null | undefined;
}

function Consequence({ actor, id, relation, page }: ConsequenceProps) {
  const { entity, field } = relation;
  const { data } = useQuery(entityQuery(actor.env, entity));
  const rule = ruleOf(data?.create, field);
  const shown = page?.items.length ?? 0;
  const isWhole = (page?.nexttoken ?? null) === null && page?.partial !== true;
  const isList = fieldsOf(data?.create).some(({ name, items }) => name === field && items?.lookup !== undefined);
  const all = useQuery({
    ...countQuery(actor, entity, isList ? { [field]: id, [`${field}_op`]: 'contains' } : { [field]: id }),
    enabled: !isWhole && data !== undefined,
  });
  const count = Math.max(shown, all.data?.count ?? 0);
  const isCounted = isWhole || (all.data !== undefined && all.data.partial !== true);
  return (
    <List.Item>
      {count.toLocaleString('en')}
      {!isCounted && ' or more'} {entity} by {field}
      {data === undefined ? '' : `: ${consequences[rule] ?? rule}`}
    </List.Item>
  );
}
