import { Breadcrumbs, Group, Paper, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { appAddress } from '../../api/app.ts';
import { meQuery, usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import classes from './api.module.css';
import { Groups } from './groups.tsx';
import { MethodBadge } from './method-badge.tsx';
import { type OpenapiDocument, type Operation, operationsOf } from './openapi.ts';
import { OperationView } from './operation-view.tsx';
import { documentQuery } from './queries.ts';

/** The reference of the app API, from the document that the platform makes of the definitions, with calls to try. */
export function Api() {
  const { env } = usePlace();
  const { entity, group } = useSearch({ from: '/o/$org/$env/api' });
  const document = useQuery(documentQuery(env, entity));
  return (
    <Screen title="API" intro="Every route of the app in this environment, and a way to try it as one of its users.">
      <div className={classes.page}>
        <Groups />
        {entity === undefined && group === undefined ? (
          <Start />
        ) : (
          <Loaded query={document} skeleton={<Skeleton height={360} />}>
            {(data) => <Reference document={data} />}
          </Loaded>
        )}
      </div>
    </Screen>
  );
}

/** What a caller needs before the first call. */
function Start() {
  const { org, env } = usePlace();
  const { data: me } = useQuery(meQuery);
  const clientId = me?.org.environments[env]?.client_id;
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={2}>Call the app</Title>
        <Group gap="xs">
          <Text size="sm">Address</Text>
          <CopyId value={appAddress(org)} what="address of the app" />
        </Group>
        {clientId !== undefined && (
          <Group gap="xs">
            <Text size="sm">Client id</Text>
            <CopyId value={clientId} what="client id" />
          </Group>
        )}
        <Text size="sm">
          A user signs in, exchanges the login token for an app token, and sends that with each call. A server sends a
          service key in its place. Both are good in this environment only.
        </Text>
        <Text size="sm">Choose an entity or a group of routes to see what it takes and what it answers.</Text>
      </Stack>
    </Paper>
  );
}

function Reference({ document }: { readonly document: OpenapiDocument }) {
  const { org, env } = usePlace();
  const { entity, group, op, q } = useSearch({ from: '/o/$org/$env/api' });
  const operations = operationsOf(document).filter(({ tag }) => entity !== undefined || tag === group);
  const shown = operations.find(({ operationId }) => operationId === op);
  const name = entity ?? group ?? '';
  if (operations.length === 0 || (op !== undefined && shown === undefined))
    return <EmptyState title="There is no such route">The app has none by this name in this environment.</EmptyState>;
  if (shown === undefined) return <Operations document={document} name={name} operations={operations} />;
  return (
    <Stack>
      <Breadcrumbs>
        <Link to="/o/$org/$env/api" params={{ org, env }} search={{ entity, group, q }} className={classes.up ?? ''}>
          {name}
        </Link>
        <Text size="sm">{shown.operationId}</Text>
      </Breadcrumbs>
      <OperationView key={`${env} ${shown.operationId}`} document={document} operation={shown} />
    </Stack>
  );
}

interface OperationsProps {
  readonly document: OpenapiDocument;
  readonly name: string;
  readonly operations: readonly Operation[];
}

function Operations({ document, name, operations }: OperationsProps) {
  const { org, env } = usePlace();
  const search = useSearch({ from: '/o/$org/$env/api' });
  const about = document.tags.find((tag) => tag.name === name)?.description ?? '';
  return (
    <Stack>
      <div>
        <Title order={2}>{name}</Title>
        <Text size="sm" c="dimmed">
          {about.replaceAll('`', '')}
        </Text>
      </div>
      <Paper withBorder component="nav" aria-label={`Routes of ${name}`}>
        {operations.map(({ operationId, method, path, summary }) => (
          <Link
            key={operationId}
            to="/o/$org/$env/api"
            params={{ org, env }}
            search={{ ...search, op: operationId }}
            className={classes.row ?? ''}
          >
            <MethodBadge method={method} />
            <span>
              <span className={classes.path}>{path}</span>
              <br />
              <span className={classes.summary}>{summary.replaceAll('`', '')}</span>
            </span>
          </Link>
        ))}
      </Paper>
    </Stack>
  );
}
