import { bodyOf, type Operation } from '@freehold/docs/openapi/openapi';
import { type Filled, headersOf, missingOf, targetOf } from '@freehold/docs/openapi/request';
import { sdkOf } from '@freehold/docs/openapi/sdk-snippets';
import { curlOf, fetchOf, type Request } from '@freehold/docs/openapi/snippets';
import { Button, Code, CopyButton, Group, Modal, Paper, Stack, Tabs, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Actor, tryApp, useActor } from '../../api/app.ts';
import { meQuery, usePlace } from '../../api/session.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import { Answer } from './answer.tsx';
import { type Answered, readAnswer } from './answered.ts';
import classes from './api.module.css';
import { RunAs } from './run-as.tsx';

interface Props {
  readonly operation: Operation;
  readonly filled: Filled;
}

interface PanelProps extends Props {
  /** The address of the gateway that serves it. */
  readonly gateway: string;
}

/** The call that follows from the inputs: to copy, and to run. */
export function CallPanel({ operation, filled, gateway }: PanelProps) {
  const { org, env } = usePlace();
  const { data: me } = useQuery(meQuery);
  const clientId = me?.org.environments[env]?.client_id;
  const program = sdkOf({ operation, filled, gateway, clientId });
  const request = requestOf(gateway, operation, filled);
  const isOfApp = operation.path.startsWith(`/app/${org}/`);
  return (
    <Stack className={classes.call ?? ''}>
      <Paper withBorder p="md" component="section" aria-label="Call">
        <Title order={3} size="h5" mb="sm">
          Call
        </Title>
        <Tabs defaultValue="curl" keepMounted={false}>
          <Tabs.List mb="xs">
            <Tabs.Tab value="curl">curl</Tabs.Tab>
            <Tabs.Tab value="fetch">fetch</Tabs.Tab>
            {program !== undefined && <Tabs.Tab value="sdk">@freehold/client</Tabs.Tab>}
          </Tabs.List>
          <Tabs.Panel value="curl">
            <Snippet text={curlOf(request)} />
          </Tabs.Panel>
          <Tabs.Panel value="fetch">
            <Snippet text={fetchOf(request)} />
          </Tabs.Panel>
          {program !== undefined && (
            <Tabs.Panel value="sdk">
              <Snippet text={program} />
            </Tabs.Panel>
          )}
        </Tabs>
        {operation.takesToken && (
          <Text size="xs" c="dimmed" mt="xs">
            {isOfApp
              ? 'TOKEN is an app token of a user, or a service key.'
              : 'TOKEN is that of a builder’s session, or a deploy key where the route takes one.'}
          </Text>
        )}
      </Paper>
      {isOfApp && operation.takesToken ? (
        <Run operation={operation} filled={filled} />
      ) : (
        <Text size="sm" c="dimmed">
          {isOfApp || !operation.takesToken
            ? 'This route takes no token, so it is not run as a user here.'
            : 'Routes of the management API are for builders, so they are not run as a user here.'}
        </Text>
      )}
    </Stack>
  );
}

function Snippet({ text }: { readonly text: string }) {
  return (
    <Stack gap="xs">
      {/* It scrolls, so the keyboard reaches it. */}
      <Code block className={classes.text ?? ''} tabIndex={0} role="region" aria-label="Snippet">
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button variant="default" size="compact-sm" w="fit-content" onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
}

function requestOf(gateway: string, operation: Operation, filled: Filled): Request {
  const body = bodyOf(operation);
  const isSent = body !== undefined && filled.text.trim() !== '';
  return {
    method: operation.method,
    url: `${gateway}${targetOf(operation, filled)}`,
    headers: headersOf(operation, filled),
    takesToken: operation.takesToken,
    ...(isSent ? { body: { type: body.type, text: filled.text } } : {}),
  };
}

function Run({ operation, filled }: Props) {
  const actor = useActor();
  const run = useMutation({ mutationFn: (as: Actor) => send(as, operation, filled) });
  const reason = useWhyNot(operation, filled);
  const [isConfirming, setIsConfirming] = useState(false);
  const start = () => {
    setIsConfirming(false);
    if (actor !== undefined) run.mutate(actor);
  };
  const destroys = operation.method === 'DELETE';
  return (
    <Paper withBorder p="md" component="section" aria-label="Run">
      <Title order={3} size="h5" mb="sm">
        Run
      </Title>
      <Stack gap="sm">
        <RunAs />
        <Group>
          <ReasonedButton
            reason={reason}
            loading={run.isPending}
            onClick={destroys ? () => setIsConfirming(true) : start}
          >
            Run
          </ReasonedButton>
          {operation.method !== 'GET' && (
            <Text size="xs" c="dimmed">
              It changes data of the test environment.
            </Text>
          )}
        </Group>
        <Modal opened={isConfirming} onClose={() => setIsConfirming(false)} title="Run a call that removes?">
          <Text size="sm">There is no way back from it:</Text>
          <Code block className={classes.text ?? ''}>
            {operation.method} {targetOf(operation, filled)}
          </Code>
          <Group justify="flex-end" mt="md">
            <Button variant="default" onClick={() => setIsConfirming(false)} data-autofocus>
              Cancel
            </Button>
            <Button color="red" onClick={start}>
              Run it
            </Button>
          </Group>
        </Modal>
        <ProblemAlert error={run.error} />
        {run.data !== undefined && <Answer key={run.data.id} answered={run.data} />}
      </Stack>
    </Paper>
  );
}

/** Why the call cannot be run here and now. */
function useWhyNot(operation: Operation, filled: Filled): string | undefined {
  const { env } = usePlace();
  const actor = useActor();
  if (env === 'prod' && operation.method !== 'GET')
    return 'In production a builder only reads as a user. Run it in test.';
  if (actor === undefined) return 'Choose a workspace to run it in.';
  if (env === 'prod' && actor.user === undefined) return 'In production choose a user to run it as.';
  const missing = missingOf(operation, filled);
  return missing === undefined ? undefined : `It needs a value of ${missing}.`;
}

async function send(actor: Actor, operation: Operation, filled: Filled): Promise<Answered> {
  const target = targetOf(operation, filled).slice(`/app/${actor.org}`.length) as `/${string}`;
  const body = bodyOf(operation);
  const isSent = body !== undefined && filled.text.trim() !== '';
  const tried = await tryApp(actor, operation.method, target, {
    headers: headersOf(operation, filled),
    ...(isSent ? { content: { type: body.type, data: filled.text } } : {}),
  });
  return await readAnswer(tried, {
    actor,
    method: operation.method,
    target,
    recordId: target.includes('{') ? undefined : filled.values['path id'],
    text: isSent && body.type === 'application/json' ? filled.text : undefined,
  });
}
