import { Anchor, Button, Code, CopyButton, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ApiProblem } from '../../api/problem.ts';
import { usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Screen } from '../../components/screen.tsx';
import classes from '../events/events.module.css';
import { ChangeWorkspace, PauseHook } from './change-hook.tsx';
import { exampleOf } from './hook-example.ts';
import { addressOf, HookState } from './hooks.tsx';
import { LastCalls } from './last-calls.tsx';
import { type HookDetails, hookQuery } from './queries.ts';
import { schemeWords } from './words.ts';

/** One hook: where its messages are sent, how they are signed, and what became of the last ones. */
export function HookScreen() {
  const { env } = usePlace();
  const { hook: name } = useParams({ from: '/o/$org/$env/hooks/$hook' });
  const hook = useQuery(hookQuery(env, name));
  const isGone = hook.error instanceof ApiProblem && hook.error.code === 'not_found';
  return (
    <Screen
      title={name}
      intro={hook.data && `A hook of the logic block ${name}.`}
      actions={hook.data && <PauseHook hook={hook.data} />}
    >
      {isGone ? (
        <EmptyState title="There is no such hook here">
          No live logic block of this name has a hook in this environment.
        </EmptyState>
      ) : (
        <Loaded query={hook} skeleton={<Skeleton height={420} />}>
          {(data) => (
            <Stack gap="lg">
              <Facts hook={data} />
              <LastCalls name={name} calls={data.calls} />
              <Example hook={data} />
            </Stack>
          )}
        </Loaded>
      )}
    </Screen>
  );
}

function Facts({ hook }: { readonly hook: HookDetails }) {
  const { org, env } = usePlace();
  const { name, signature, secrets, header, encoding = 'hex', prefix, id_header, id_field, url_path } = hook;
  const time = timeOf(hook);
  return (
    <dl className={classes.facts}>
      <dt>State</dt>
      <dd>
        <HookState hook={hook} />
      </dd>
      <dt>Address</dt>
      <dd>
        <CopyId value={addressOf(org, url_path)} what="address of the hook" />
      </dd>
      <dt>Logic block</dt>
      <dd>
        <Anchor component={Link} to={`/o/${org}/${env}/logic-blocks/${name}`} size="sm">
          {name}
        </Anchor>
      </dd>
      <dt>Workspace</dt>
      <dd>
        {hook.tenant_code} <ChangeWorkspace hook={hook} />
      </dd>
      <dt>Signature</dt>
      <dd>
        {schemeWords[signature]}
        {header !== undefined && (
          <>
            , in {encoding}, in the header <Code>{header}</Code>
            {prefix !== undefined && (
              <>
                {' '}
                after <Code>{prefix}</Code>
              </>
            )}
            {hook.signature_key !== undefined && (
              <>
                {' '}
                under the key <Code>{hook.signature_key}</Code>
              </>
            )}
          </>
        )}
      </dd>
      {time !== undefined && (
        <>
          <dt>Time</dt>
          <dd>
            {time.place} <Code>{time.name}</Code>, signed with the body
            {hook.tolerance_seconds !== undefined && <>, at most {hook.tolerance_seconds} s off</>}
          </dd>
        </>
      )}
      {(id_header ?? id_field) !== undefined && (
        <>
          <dt>Id of a message</dt>
          <dd>
            {id_header === undefined ? 'in the member of the body' : 'in the header'}{' '}
            <Code>{id_header ?? id_field}</Code>
          </dd>
        </>
      )}
      <dt>{secrets.length === 1 ? 'Secret' : 'Secrets'}</dt>
      <dd>
        {secrets.join(' or ')},{' '}
        <Anchor component={Link} to={`/o/${org}/${env}/secrets`} size="sm" underline="always">
          set among the secrets
        </Anchor>
      </dd>
    </dl>
  );
}

/** The position of a message's time. */
function timeOf({ timestamp_header, timestamp_key }: HookDetails) {
  if (timestamp_header !== undefined) return { place: 'in the header', name: timestamp_header };
  return timestamp_key === undefined ? undefined : { place: 'under the key', name: timestamp_key };
}

function Example({ hook }: { readonly hook: HookDetails }) {
  const { org } = usePlace();
  const text = exampleOf(addressOf(org, hook.url_path), hook);
  return (
    <Stack gap="xs" component="section" aria-label="Example call">
      <Group justify="space-between">
        <Title order={2}>Example call</Title>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button variant="default" size="compact-sm" onClick={copy}>
              {copied ? 'Copied' : 'Copy the call'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Text size="sm" c="dimmed">
        For a shell with openssl. Put in the value of the secret, which the console does not know.
      </Text>
      <Code block tabIndex={0} role="region" aria-label="Example call with curl">
        {text}
      </Code>
    </Stack>
  );
}
