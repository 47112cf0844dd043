import { NavLink, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { usePlace } from '../../api/session.ts';
import { SearchIcon } from '../../components/icons.tsx';
import { LineSkeletons, Loaded } from '../../components/loaded.tsx';
import classes from './api.module.css';
import { type OpenapiDocument, operationsOf } from './openapi.ts';
import { documentQuery } from './queries.ts';

/** Of what was found, this much is shown; the rest is found by more letters. */
const shownMax = 40;

/** What there are routes of: entities, and the groups that every app has. A search also finds single routes of these. */
export function Groups() {
  const { org, env } = usePlace();
  const search = useSearch({ from: '/o/$org/$env/api' });
  const { q = '' } = search;
  const navigate = useNavigate();
  const entities = useQuery({
    queryKey: ['entities', env],
    queryFn: ({ signal }) => call('listEntities', { query: { env }, signal }),
  });
  const ofEveryApp = useQuery(documentQuery(env, undefined));
  const words = q.trim().toLowerCase();
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
      <Loaded query={ofEveryApp} skeleton={<LineSkeletons />}>
        {(document) => <EveryApp document={document} words={words} />}
      </Loaded>
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

function EveryApp({ document, words }: { readonly document: OpenapiDocument; readonly words: string }) {
  const { group, op } = useSearch({ from: '/o/$org/$env/api' });
  const operations = operationsOf(document);
  const tags = [...new Set(operations.map(({ tag }) => tag))].filter((tag) => tag.includes(words));
  const found = words === '' ? [] : operations.filter((one) => textOf(one).includes(words)).slice(0, shownMax);
  return (
    <div>
      <Text size="xs" c="dimmed" fw={500}>
        Every app
      </Text>
      {tags.map((tag) => (
        <GroupLink key={tag} label={tag} isActive={group === tag && op === undefined} to={{ group: tag }} />
      ))}
      {found.map(({ operationId, method, path, tag }) => (
        <GroupLink
          key={operationId}
          label={`${method} ${path}`}
          isActive={op === operationId}
          to={{ group: tag, op: operationId }}
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
