import { type OpenapiDocument, type Operation, operationsOf } from '@freehold/docs/openapi/openapi';
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
import { OperationView } from './operation-view.tsx';
import { documentQuery, managementQuery } from './queries.ts';

/** The reference of the app API, from the document that the platform makes of the definitions, with calls to try. */
export function Api() {
  const { env } = usePlace();
  const { api, entity, group, v } = useSearch({ from: '/o/$org/$env/api' });
  const isOfApp = api === undefined;
  const ofApp = useQuery({ ...documentQuery(env, entity, entity && v?.['query view']), enabled: isOfApp });
  const ofManagement = useQuery({ ...managementQuery, enabled: !isOfApp });
  return (
    <Screen
      title="API"
      intro="Every route of the app in this environment, as a call to copy and to run as one of its users."
    >
      <div className={classes.page}>
        <Groups />
        {entity === undefined && group === undefined ? (
          <Start isOfApp={isOfApp} />
        ) : (
          <Loaded query={isOfApp ? ofApp : ofManagement} skeleton={<Skeleton height={360} />}>
            {(data) => <Reference document={data} />}
          </Loaded>
        )}
      </div>
    </Screen>
  );
}

/** What a caller needs before the first call. */
function Start({ isOfApp }: { readonly isOfApp: boolean }) {
  const { org, env } = usePlace();
  const { data: me } = useQuery(meQuery);
  if (!isOfApp) return <StartOfManagement />;
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

function StartOfManagement() {
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Title order={2}>Call the management API</Title>
        <Group gap="xs">
          <Text size="sm">Address</Text>
          <CopyId value={managementAddress()} what="address of the management API" />
        </Group>
        <Text size="sm">
          It is what this console calls. A script sends the token of a builder’s session, which it gets by logging in; a
          pipeline sends a deploy key.
        </Text>
        <Text size="sm">Choose a group of routes to see what it takes and what it answers.</Text>
      </Stack>
    </Paper>
  );
}

function managementAddress(): string {
  return new URL('.', document.baseURI).href.replace(/\/$/, '');
}

function Reference({ document }: { readonly document: OpenapiDocument }) {
  const { org, env } = usePlace();
  const { api, entity, group, op, q } = useSearch({ from: '/o/$org/$env/api' });
  const operations = operationsOf(document).filter(({ tag }) => entity !== undefined || tag === group);
  const shown = operations.find(({ operationId }) => operationId === op);
  const name = entity ?? group ?? '';
  // The paths of both documents lie below their gateways.
  const gateway = api === undefined ? appAddress(org).slice(0, -`/app/${org}`.length) : managementAddress();
  if (operations.length === 0 || (op !== undefined && shown === undefined))
    return <EmptyState title="There is no such route">There is none by this name in this environment.</EmptyState>;
  if (shown === undefined) return <Operations document={document} name={name} operations={operations} />;
  return (
    <Stack>
      <Breadcrumbs>
        <Link
          to="/o/$org/$env/api"
          params={{ org, env }}
          search={{ api, entity, group, q }}
          className={classes.up ?? ''}
        >
          {name}
        </Link>
        <Text size="sm">{shown.operationId}</Text>
      </Breadcrumbs>
      <OperationView
        key={`${env} ${api} ${shown.operationId}`}
        document={document}
        operation={shown}
        gateway={gateway}
      />
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
            search={{ ...search, op: operationId, v: undefined }}
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
