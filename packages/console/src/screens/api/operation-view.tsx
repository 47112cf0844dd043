import { exampleReplyOf, exampleTextOf, textOf } from '@freehold/docs/openapi/example';
import {
  bodyOf,
  isJson,
  type OpenapiDocument,
  type Operation,
  type Parameter,
  type Reaction,
  repliesOf,
} from '@freehold/docs/openapi/openapi';
import { type Filled, keyOf } from '@freehold/docs/openapi/request';
import { Badge, Code, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useActor } from '../../api/app.ts';
import { meQuery, usePlace } from '../../api/session.ts';
import { CopyId } from '../../components/copy-id.tsx';
import { jsonEditorPart } from '../../components/json/json-editor-part.tsx';
import { Sentence } from '../../components/sentence.tsx';
import classes from './api.module.css';
import { CallPanel } from './call-panel.tsx';
import { MethodBadge } from './method-badge.tsx';
import { ParameterInputs } from './parameter-inputs.tsx';
import { someIdQuery } from './queries.ts';
import { SchemaView } from './schema-view.tsx';

const JsonEditor = jsonEditorPart(120);

interface Props {
  readonly document: OpenapiDocument;
  readonly operation: Operation;
}

interface ViewProps extends Props {
  /** The address of the gateway that serves it. */
  readonly gateway: string;
}

/** One route: what it takes, with inputs in place, what it answers, and the call that follows from the inputs. */
export function OperationView({ document, operation, gateway }: ViewProps) {
  const { method, path, summary, description, parameters } = operation;
  const known = useKnownValues(operation);
  const [typed, setTyped] = useTyped();
  const [text, setText] = useState(() => exampleTextOf(document, operation));
  const filled: Filled = { values: { ...known, ...typed }, text };
  return (
    <Stack>
      <div>
        <Title order={2}>{summary.replaceAll('`', '')}</Title>
        <Group gap="xs" mt={4}>
          <MethodBadge method={method} />
          <CopyId value={path} what="path" />
        </Group>
        <Text size="sm" mt="xs">
          <Sentence text={description} />
        </Text>
      </div>
      <div className={classes.operation}>
        <Stack className={classes.inputs ?? ''}>
          {parameters.length > 0 && (
            <Paper withBorder p="md" component="section" aria-label="Parameters">
              <Title order={3} size="h5" mb="sm">
                Parameters
              </Title>
              <ParameterInputs document={document} operation={operation} filled={filled} onChange={setTyped} />
            </Paper>
          )}
          <Body document={document} operation={operation} text={text} onChange={setText} />
        </Stack>
        <CallPanel operation={operation} filled={filled} gateway={gateway} />
        <Stack className={classes.replies ?? ''}>
          <Replies document={document} operation={operation} />
        </Stack>
      </div>
    </Stack>
  );
}

/**
 * What was typed into parameters. Those of the path and the query stand in the address of the screen, so that a link
 * leads to the same call; headers do not, since some are tokens.
 */
function useTyped() {
  const { org, env } = usePlace();
  const search = useSearch({ from: '/o/$org/$env/api' });
  const navigate = useNavigate();
  const [headers, setHeaders] = useState<Filled['values']>({});
  const set = (parameter: Parameter, value: string) => {
    if (parameter.in === 'header') {
      setHeaders((before) => ({ ...before, [keyOf(parameter)]: value }));
      return;
    }
    const v = { ...search.v, [keyOf(parameter)]: value };
    void navigate({ to: '/o/$org/$env/api', params: { org, env }, search: { ...search, v }, replace: true });
  };
  return [{ ...search.v, ...headers }, set] as const;
}

/** Values that lead somewhere: the client id of the app, and the id of a record where the actor may list some. */
function useKnownValues({ parameters, path }: Operation): Filled['values'] {
  const { env } = usePlace();
  const actor = useActor();
  const { data: me } = useQuery(meQuery);
  const entity = /^\/app\/[^/]+\/(?:item|update|delete)\/(\w+)\/\{id\}$/.exec(path)?.[1];
  const mayCall = actor !== undefined && (env === 'test' || actor.user !== undefined);
  const found = useQuery({
    ...someIdQuery(actor ?? { org: '', env, workspace: '', user: undefined }, entity ?? ''),
    enabled: mayCall && entity !== undefined,
  });
  const clientId = me?.org.environments[env]?.client_id;
  const takesClientId = parameters.some(({ name }) => name === 'client_id');
  return {
    ...(takesClientId && clientId !== undefined ? { 'header client_id': clientId } : {}),
    ...(found.data === undefined || found.data === null ? {} : { 'path id': found.data }),
  };
}

interface BodyProps extends Props {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function Body({ document, operation, text, onChange }: BodyProps) {
  const body = bodyOf(operation);
  if (body === undefined) return null;
  const about = body.schema.description ?? '';
  return (
    <Paper withBorder p="md" component="section" aria-label="Body">
      <Group gap="xs" mb="sm">
        <Title order={3} size="h5">
          Body
        </Title>
        <Text size="sm" c="dimmed">
          {Object.keys(operation.requestBody?.content ?? {}).join(' or ')}
          {operation.requestBody?.required === true ? '' : ', may be left out'}
        </Text>
      </Group>
      <Stack gap="sm">
        {isJson(body.type) ? (
          <Paper withBorder>
            <JsonEditor label="Body in JSON" text={text} onChange={onChange} />
          </Paper>
        ) : (
          <Textarea
            label={`Body as ${body.type}`}
            description={<Sentence text={about} />}
            value={text}
            autosize
            minRows={4}
            maxRows={16}
            onChange={({ currentTarget }) => onChange(currentTarget.value)}
          />
        )}
        {isJson(body.type) && <SchemaView document={document} schema={body.schema} />}
      </Stack>
    </Paper>
  );
}

function Replies({ document, operation }: Props) {
  const replies = repliesOf(document, operation);
  const refusals = replies.filter(({ status }) => status >= 400);
  const example = exampleReplyOf(document, operation);
  return (
    <>
      <Paper withBorder p="md" component="section" aria-label="Replies">
        <Title order={3} size="h5" mb="sm">
          Replies
        </Title>
        <Stack gap="sm">
          {replies
            .filter(({ status }) => status < 400)
            .map((reply) => (
              <SuccessView key={reply.status} document={document} reply={reply}>
                {example?.status === reply.status && <ExampleView text={textOf(example.value)} />}
              </SuccessView>
            ))}
        </Stack>
      </Paper>
      <Paper withBorder p="md" component="section" aria-label="Problems">
        <Title order={3} size="h5" mb="sm">
          Problems
        </Title>
        <Stack gap={6}>
          {refusals.map(({ status, codes, description }) => (
            <div key={status}>
              <Group gap="xs" wrap="nowrap" align="baseline">
                <Badge variant="outline" color="gray" radius="sm" className={classes.status ?? ''}>
                  {status}
                </Badge>
                <Text size="sm" className={classes.path ?? ''}>
                  {codes.join(' ')}
                </Text>
              </Group>
              <Text size="xs" c="dimmed">
                {description}
              </Text>
            </div>
          ))}
        </Stack>
      </Paper>
    </>
  );
}

interface SuccessProps {
  readonly document: OpenapiDocument;
  readonly reply: Reaction;
  /** Its example. */
  readonly children: ReactNode;
}

function SuccessView({ document, reply, children }: SuccessProps) {
  const { status, description, headers, content } = reply;
  return (
    <div>
      <Group gap="xs" align="baseline" wrap="nowrap">
        <Badge variant="outline" color="teal" radius="sm" className={classes.status ?? ''}>
          {status}
        </Badge>
        <Text size="sm">
          <Sentence text={description} />
        </Text>
      </Group>
      {headers.length > 0 && (
        <Text size="xs" c="dimmed">
          Headers: {headers.join(', ')}
        </Text>
      )}
      {Object.entries(content).map(([type, { schema }]) => (
        <div key={type}>
          <Text size="xs" c="dimmed">
            {type}
          </Text>
          {schema !== undefined && <SchemaView document={document} schema={schema} />}
        </div>
      ))}
      {children}
    </div>
  );
}

function ExampleView({ text }: { readonly text: string }) {
  return (
    <>
      <Text size="xs" c="dimmed" mt="xs" mb={4}>
        Example
      </Text>
      {/* It scrolls, so the keyboard reaches it. */}
      <Code block className={classes.text ?? ''} tabIndex={0} role="region" aria-label="Example of the reply">
        {text}
      </Code>
    </>
  );
}
