import { Button, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { usePlace } from '../../api/session.ts';
import { ChooseWorkspace } from '../../components/choose-workspace.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { type EntityColumn, EntityTable } from '../../components/entity-table.tsx';
import { SearchIcon } from '../../components/icons.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import { entityWords, foundText } from '../../components/search/found-text.ts';
import { entitiesQuery } from '../entities/queries.ts';
import classes from './grid.module.css';

const figures = new Intl.NumberFormat('en');

/** The entities whose records can be shown, in the workspace that is chosen. */
export function Records() {
  const { env, workspace } = usePlace();
  const entities = useQuery(entitiesQuery(env));
  return (
    <Screen
      title="Records"
      intro={workspace === undefined ? undefined : `Choose an entity to see its records in the workspace ${workspace}.`}
    >
      {workspace === undefined ? (
        <ChooseWorkspace>Each record lies in a workspace, and users see those of their own.</ChooseWorkspace>
      ) : (
        <Loaded query={entities}>
          {({ items }) => (items.length === 0 ? <NoEntities /> : <EntityList names={items} />)}
        </Loaded>
      )}
    </Screen>
  );
}

function NoEntities() {
  const { org, env } = usePlace();
  return (
    <EmptyState
      title="No entities yet"
      action={
        <Button component={Link} to={`/o/${org}/${env}/entities`} variant="default">
          Entities
        </Button>
      }
    >
      {env === 'test'
        ? 'Records are those of an entity: define one first.'
        : 'A deploy brings the entities of test here.'}
    </EmptyState>
  );
}

interface EntityListProps {
  readonly names: readonly Counted[];
}

interface Counted {
  readonly name: string;
  readonly records: number;
}

const columns: readonly EntityColumn<Counted>[] = [
  { name: 'Records in all workspaces', isNumber: true, show: ({ records }) => figures.format(records) },
];

function EntityList({ names }: EntityListProps) {
  const navigate = useNavigate();
  const { q = '' } = useSearch({ from: '/o/$org/$env/records' });
  const found = names.filter(({ name }) => name.includes(q.trim().toLowerCase()));
  return (
    <>
      <Group justify="space-between">
        <TextInput
          aria-label="Search entities"
          placeholder="Search by name"
          leftSection={<SearchIcon />}
          value={q}
          className={classes.words}
          onChange={({ currentTarget: { value } }) =>
            void navigate({
              to: '.',
              search: (kept) => ({ ...kept, q: value === '' ? undefined : value }),
              replace: true,
            })
          }
        />
        <Text size="sm" c="dimmed" role="status">
          {foundText(found.length, names.length, entityWords)}
        </Text>
      </Group>
      {found.length === 0 ? (
        <EmptyState title="No entity has this name">Search for a part of its name, in lower case.</EmptyState>
      ) : (
        <EntityTable entities={found} to="/o/$org/$env/records/$entity" title="Entity" columns={columns} />
      )}
    </>
  );
}
