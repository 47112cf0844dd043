import { Button, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { type EntityColumn, EntityTable } from '../../components/entity-table.tsx';
import { SearchIcon } from '../../components/icons.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Screen } from '../../components/screen.tsx';
import { entityWords, foundText } from '../../components/search/found-text.ts';
import { When } from '../../components/when.tsx';
import classes from './entities.module.css';
import { ModelDiagram } from './model-diagram.tsx';
import type { Modelled } from './model-layout.ts';
import { entitiesQuery } from './queries.ts';

const figures = new Intl.NumberFormat('en');

/** The entities of the environment, and a field that narrows them by name. */
export function Entities() {
  const { env } = usePlace();
  const entities = useQuery(entitiesQuery(env));
  return (
    <Screen
      title="Entities"
      intro="What the app stores. The API of an entity is served as soon as it is saved."
      actions={<NewEntity />}
    >
      <Loaded query={entities}>
        {({ items }) => (items.length === 0 ? <NoEntities /> : <EntityViews entities={items} />)}
      </Loaded>
    </Screen>
  );
}

function NewEntity() {
  const { org, env, readOnlyReason } = usePlace();
  const navigate = useNavigate();
  return (
    <ReasonedButton
      reason={readOnlyReason}
      onClick={() => void navigate({ to: '/o/$org/$env/new-entity', params: { org, env } })}
    >
      New entity
    </ReasonedButton>
  );
}

function NoEntities() {
  const { org, env } = usePlace();
  if (env === 'prod')
    return (
      <EmptyState
        title="Production has no entities yet"
        action={
          <Button component={Link} to={`/o/${org}/test/entities`} variant="default">
            Entities in test
          </Button>
        }
      >
        Define entities in test. A deploy brings them here, all at once.
      </EmptyState>
    );
  return (
    <EmptyState title="No entities yet" action={<NewEntity />}>
      An entity describes records, such as an order with a title and an amount. There is no table to make and no code to
      deploy.
    </EmptyState>
  );
}

interface Row extends Modelled {
  readonly records: number;
  readonly updated_at: string;
}

const views = [
  { value: 'list', label: 'List' },
  { value: 'model', label: 'Model' },
];

/** The entities as a list or as a diagram of their lookups. */
function EntityViews({ entities }: { readonly entities: readonly Row[] }) {
  const { view = 'list' } = useSearch({ from: '/o/$org/$env/entities' });
  const navigate = useNavigate();
  return (
    <Stack>
      <SegmentedControl
        aria-label="How entities are shown"
        data={views}
        value={view}
        w="fit-content"
        onChange={(chosen) => void navigate({ to: '.', search: chosen === 'model' ? { view: chosen } : {} })}
      />
      {view === 'model' ? <ModelDiagram entities={entities} /> : <EntityList entities={entities} />}
    </Stack>
  );
}

const columns: readonly EntityColumn<Row>[] = [
  { name: 'Records', isNumber: true, show: ({ records }) => figures.format(records) },
  { name: 'Looks up', show: ({ lookups }) => [...new Set(lookups.map(({ entity }) => entity))].join(', ') },
  { name: 'Changed', show: ({ updated_at }) => <When at={updated_at} /> },
];

function EntityList({ entities }: { readonly entities: readonly Row[] }) {
  const navigate = useNavigate();
  const { q = '' } = useSearch({ from: '/o/$org/$env/entities' });
  const found = entities.filter(({ name }) => name.includes(q.trim().toLowerCase()));
  return (
    <>
      <Group justify="space-between">
        <TextInput
          aria-label="Search entities"
          placeholder="Search by name"
          leftSection={<SearchIcon />}
          value={q}
          onChange={({ currentTarget: { value } }) =>
            void navigate({ to: '.', search: value === '' ? {} : { q: value }, replace: true })
          }
          className={classes.search}
        />
        <Text size="sm" c="dimmed" role="status">
          {foundText(found.length, entities.length, entityWords)}
        </Text>
      </Group>
      {found.length === 0 ? (
        <EmptyState title="No entity has this name">Search for a part of its name, in lower case.</EmptyState>
      ) : (
        <EntityTable entities={found} to="/o/$org/$env/entities/$entity" title="Name" columns={columns} />
      )}
    </>
  );
}
