import { type OpenapiDocument, operationsOf } from '@freehold/docs/openapi/openapi';
import { NavLink, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { SearchIcon } from '../../components/icons.tsx';
import { LineSkeletons, Loaded } from '../../components/loaded.tsx';
import classes from './api.module.css';
import { documentQuery, managementQuery } from './queries.ts';

/** Of what was found, this much is shown; the rest is found by more letters. */
const shownMax = 40;

/** What there are routes of: entities, the groups that every app has, and those of the management API. A search also finds single routes of the groups. */
export function Groups() {
  const { org, env } = usePlace();
  const search = useSearch({ from: '/o/$org/$env/api' });
  const { q = '' } = search;
  const navigate = useNavigate();
  const entities = useQuery({
    queryKey: ['entities', env],
    queryFn: ({ signal }) => call('listEntities', { query: { env }, signal }),
  });
  const words = q.trim().toLowerCase();
  // Beside an entity and the management API these are read for a search only.
  const isOpen = (search.entity === undefined && search.api === undefined) || words !== '';
  const ofEveryApp = useQuery({ ...documentQuery(env, undefined), enabled: isOpen });
  return (
    <Stack component="nav" gap="xs" aria-label="Entities and groups of routes" className={classes.groups ?? ''}>
      <TextInput
        aria-label="Search entities and routes"
        placeholder="Search"
        leftSection={<SearchIcon />}
        value={q}
        onChange={({ currentTarget: { value } }) =>
          void navigate({
            to: '/o/$org/$env/api',
            params: { org, env },
            search: { ...search, q: value === '' ? undefined : value },
            replace: true,
          })
        }
      />
      <Loaded query={entities} skeleton={<LineSkeletons />}>
        {({ items }) => <Entities names={items.map(({ name }) => name).filter((name) => name.includes(words))} />}
      </Loaded>
      {isOpen ? (
        <Loaded query={ofEveryApp} skeleton={<LineSkeletons />}>
          {(document) => <Tagged title="Every app" document={document} words={words} api={undefined} />}
        </Loaded>
      ) : (
        <Closed title="Every app" label="Users, sign-in and more" to={{}} />
      )}
      <Management words={words} />
    </Stack>
  );
}

function Entities({ names }: { readonly names: readonly string[] }) {
  const { entity } = useSearch({ from: '/o/$org/$env/api' });
  const more = names.length - shownMax;
  return (
    <div>
      <Text size="xs" c="dimmed" fw={500}>
        Entities
      </Text>
      {names.slice(0, shownMax).map((name) => (
        <GroupLink key={name} label={name} isActive={entity === name} to={{ entity: name }} />
      ))}
      {names.length === 0 && <Text size="sm">None</Text>}
      {more > 0 && (
        <Text size="xs" c="dimmed">
          {more} more: search for them
        </Text>
      )}
    </div>
  );
}

/** Its groups are read and shown once it is asked for. */
function Management({ words }: { readonly words: string }) {
  const { api } = useSearch({ from: '/o/$org/$env/api' });
  const isOpen = api === 'management';
  const document = useQuery({ ...managementQuery, enabled: isOpen });
  const title = 'Management API';
  if (!isOpen) return <Closed title={title} label="For builders and pipelines" to={{ api: 'management' }} />;
  return (
    <Loaded query={document} skeleton={<LineSkeletons />}>
      {(data) => <Tagged title={title} document={data} words={words} api="management" />}
    </Loaded>
  );
}

interface ClosedProps {
  readonly title: string;
  readonly label: string;
  readonly to: Target;
}

/** Groups that are read once they are asked for. */
function Closed({ title, label, to }: ClosedProps) {
  return (
    <div>
      <Text size="xs" c="dimmed" fw={500}>
        {title}
      </Text>
      <GroupLink label={label} isActive={false} to={to} />
    </div>
  );
}

interface TaggedProps {
  readonly title: string;
  readonly document: OpenapiDocument;
  readonly words: string;
  readonly api: 'management' | undefined;
}

function Tagged({ title, document, words, api }: TaggedProps) {
  const { group, op, api: opened } = useSearch({ from: '/o/$org/$env/api' });
  const isOpened = opened === api;
  const operations = operationsOf(document);
  const tags = [...new Set(operations.map(({ tag }) => tag))].filter((tag) => tag.includes(words));
  const found = words === '' ? [] : operations.filter((one) => textOf(one).includes(words)).slice(0, shownMax);
  return (
    <div>
      <Text size="xs" c="dimmed" fw={500}>
        {title}
      </Text>
      {tags.map((tag) => (
        <GroupLink
          key={tag}
          label={tag}
          isActive={isOpened && group === tag && (op === undefined || words === '')}
          to={{ api, group: tag }}
        />
      ))}
      {found.map(({ operationId, method, path, tag }) => (
        <GroupLink
          key={operationId}
          label={`${method} ${path}`}
          isActive={isOpened && op === operationId}
          to={{ api, group: tag, op: operationId }}
        />
      ))}
      {tags.length + found.length === 0 && <Text size="sm">None</Text>}
    </div>
  );
}

function textOf({ path, summary }: { readonly path: string; readonly summary: string }): string {
  return `${path} ${summary}`.toLowerCase();
}

interface Target {
  readonly api?: 'management' | undefined;
  readonly entity?: string;
  readonly group?: string;
  readonly op?: string;
}

interface GroupLinkProps {
  readonly label: string;
  readonly isActive: boolean;
  readonly to: Target;
}

function GroupLink({ label, isActive, to }: GroupLinkProps) {
  const { org, env } = usePlace();
  const { q } = useSearch({ from: '/o/$org/$env/api' });
  return (
    <Link
      to="/o/$org/$env/api"
      params={{ org, env }}
      search={{ q, ...to }}
      className={classes.group ?? ''}
      aria-current={isActive ? 'true' : undefined}
    >
      <NavLink component="span" label={label} active={isActive} py={4} />
    </Link>
  );
}
