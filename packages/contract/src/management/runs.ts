import { Type } from '@sinclair/typebox';
import { environment, nexttoken, pagesize } from '../parameters.ts';
import { reply, route } from '../route.ts';
import {
  anyObject,
  closed,
  count,
  guid,
  madeByServer,
  named,
  oneOf,
  orNull,
  pageOf,
  text,
  time,
  timeOrDay,
} from '../schema.ts';

const state = oneOf(['running', 'waiting', 'done', 'failed', 'cancelled']);

const trigger = oneOf(['call', 'retry', 'event', 'schedule', 'hook', 'manual']);

const summary = {
  id: guid,
  block: text,
  tenant_code: text,
  trigger: Type.Object({
    kind: trigger,
    id: Type.String({
      description: 'Of the request, the earlier run, the event or the message; for a schedule the due time.',
    }),
    name: Type.Optional(text),
  }),
  state,
  started_at: time,
  ended_at: Type.Optional(time),
  failed_passes: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'How many passes of its loops failed while it went on by their `on_error`. Said once it is over.',
    }),
  ),
};

const error = Type.Object({
  code: text,
  step: Type.Optional(text),
  message: Type.Optional(Type.String({ description: 'In the test environment only.' })),
});

export const RunSummary = named('RunSummary', Type.Object({ ...summary, error: Type.Optional(error) }));

const log = (description: string) =>
  Type.Optional(
    Type.Object(
      {
        lines: Type.Array(text),
        left_out: Type.Optional(Type.Integer({ minimum: 1, description: 'How many further lines were not kept.' })),
      },
      { description },
    ),
  );

const step = Type.Object({
  path: Type.String({
    description:
      'The place of the step in its list, after those of the loops and calls around it, with dots between; behind an `e` stand the steps after an error.',
  }),
  id: text,
  type: text,
  state: oneOf(['done', 'failed', 'waiting']),
  at: time,
  ms: Type.Integer({ minimum: 0, description: 'Milliseconds.' }),
  entity: Type.Optional(text),
  record: Type.Optional(text),
  until: Type.Optional(Type.Integer({ description: 'Milliseconds since the epoch.' })),
  output: Type.Optional(Type.Unknown({ description: 'In the test environment only, once the run is over.' })),
  log: log('What a script wrote by `console`. In the test environment only, once the run is over.'),
  error: Type.Optional(
    Type.Object({
      ...error.properties,
      status: Type.Optional(Type.Integer({ description: 'Of a step whose error was caught.' })),
    }),
  ),
  caught: Type.Optional(
    Type.Literal(true, {
      description: 'It failed, and the run went on by its `on_error`, or by that of a step around it.',
    }),
  ),
});

export const Run = named(
  'Run',
  Type.Object({
    ...summary,
    version: count,
    user: Type.Object({
      id: text,
      kind: oneOf(['person', 'service_key', 'builder', 'app']),
      act: Type.Optional(Type.String({ description: 'The builder who acts for the user.' })),
    }),
    depth: count,
    chain: Type.Array(text, { description: 'What led to the run, the first of it first.' }),
    error: Type.Optional(error),
    input: Type.Optional(Type.Unknown({ description: 'In the test environment only, once the run is over.' })),
    returns: Type.Optional(Type.Unknown({ description: 'In the test environment only.' })),
    retried_as: Type.Optional({ ...guid, description: 'The run that it was retried as: a run is retried once.' }),
    redacted: Type.Optional(
      Type.Literal(true, {
        description: 'Values of encrypted fields were taken out of it, so it cannot be retried. Said once it is over.',
      }),
    ),
    steps: Type.Array(step, {
      description: 'The steps that reached out, and those whose errors were caught, in their order: at most 500.',
    }),
    has_more_steps: Type.Boolean(),
  }),
);

export const BlockTest = named(
  'BlockTest',
  Type.Object({
    returns: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.Object({ code: text, message: text, step: Type.Optional(text) })),
    steps: Type.Array(
      Type.Object({
        path: text,
        id: text,
        type: text,
        ms: Type.Integer({ minimum: 0, description: 'Milliseconds.' }),
        input: Type.Optional(
          Type.Unknown({
            description: 'Of a step that reaches out: its members with their templates evaluated, without its secret.',
          }),
        ),
        output: Type.Optional(Type.Unknown()),
        log: log('What a script wrote by `console`.'),
        error: Type.Optional(
          Type.Object(
            { code: text, message: text },
            { description: 'Why the step was refused: it is the last one, unless its error was caught.' },
          ),
        ),
        skipped: Type.Optional(
          Type.Literal(true, { description: 'Nothing was written, sent or waited for: the value is made up.' }),
        ),
      }),
      { description: 'The steps that were done, in their order, and those that were refused.' },
    ),
    cut: Type.Optional(Type.Literal(true, { description: 'Values are left out: they came to more than 1 MB.' })),
  }),
);

export const ListedLogicBlock = named(
  'ListedLogicBlock',
  Type.Object({
    name: text,
    version: count,
    description: Type.Optional(text),
    run_as: oneOf(['caller', 'app'], { description: 'By whose policies its steps are decided.' }),
    transaction: Type.Boolean(),
    steps: Type.Integer({ minimum: 0, description: 'How many steps it has, without those within others.' }),
    schedule: orNull(
      Type.Object(
        { cron: text, timezone: text, paused: Type.Boolean() },
        { description: 'When it runs by itself; `null` if it does not.' },
      ),
    ),
    hook: Type.Boolean({ description: 'Whether signed messages of other systems start it.' }),
    events: Type.Array(text, { description: 'The names of the enabled events that start it.' }),
    last_run: orNull(
      Type.Object(
        { id: guid, state, started_at: time },
        { description: 'Its latest run among the last 1,000 of the org in the environment; `null` if there is none.' },
      ),
    ),
  }),
);

const byEnvironment = closed({ env: environment });
const tenant_code = Type.String({ minLength: 1, maxLength: 63, description: 'The code of the workspace.' });
const input = anyObject({ description: 'The input, which fits the `input_schema` of the block.' });
const sample = anyObject({ description: 'The fields of a record.' });

export const runsApi = {
  listRuns: route({
    method: 'GET',
    path: '/runs',
    access: 'developer',
    tag: 'automation',
    summary: 'The runs of logic blocks, the latest first',
    query: closed({
      env: environment,
      block: Type.Optional(Type.String({ description: 'Only runs of the logic block of this name.' })),
      tenant_code: Type.Optional(
        Type.String({ minLength: 1, maxLength: 63, description: 'Only runs in the workspace of this code.' }),
      ),
      state: Type.Optional({ ...state, description: 'Only runs in this state.' }),
      trigger: Type.Optional({ ...trigger, description: 'Only runs that were begun so.' }),
      since: Type.Optional(timeOrDay('Only runs that began at this time or later.')),
      pagesize,
      nexttoken,
    }),
    compressed: 'reply',
    replies: {
      200: reply(
        'A page. It may be short, and is marked then; with a `nexttoken` there may be more.',
        Type.Object({
          items: Type.Array(RunSummary),
          nexttoken: orNull(text),
          partial: Type.Optional(
            Type.Literal(true, { description: 'The result is partial: the call reached its scan limit.' }),
          ),
        }),
      ),
    },
    problems: ['invalid_cursor'],
  }),
  readRun: route({
    method: 'GET',
    path: '/runs/:id',
    access: 'developer',
    tag: 'automation',
    summary: 'A run with its steps',
    description: 'Values are shown in the test environment only, without those of encrypted fields.',
    query: byEnvironment,
    replies: { 200: reply('The run.', Run) },
    problems: ['not_found'],
  }),
  cancelRun: route({
    method: 'POST',
    path: '/runs/:id/cancel',
    access: 'developer',
    tag: 'automation',
    summary: 'Ends a run before its next step; what it has done stays done',
    query: byEnvironment,
    replies: { 204: reply('Cancelled.') },
    problems: ['not_found', 'conflict'],
    refusedAs: 'run.cancel_refused',
    production: { refused: 'always' },
  }),
  retryRun: route({
    method: 'POST',
    path: '/runs/:id/retry',
    access: 'developer',
    tag: 'automation',
    summary: 'Begins a run again that failed or was cancelled',
    description:
      'Steps that were done are not done again. The new run has the input, the user and the versions of the blocks of the first one, and the rights that the user has now. From the step `from` on all steps are done again, also those that were done; what they send then has new idempotency keys.',
    query: byEnvironment,
    body: closed({
      from: Type.Optional(
        Type.String({
          maxLength: 300,
          description:
            'The step to begin with: its id, or its `path` in the run, which tells the passes of a loop apart. By default the step that failed.',
        }),
      ),
    }),
    isBodyOptional: true,
    replies: { 202: reply('The new run.', Type.Object({ id: guid })) },
    problems: ['not_found', 'conflict', 'workspace_suspended'],
    refusedAs: 'run.retry_refused',
    production: { refused: 'always' },
  }),
  listLogicBlocks: route({
    method: 'GET',
    path: '/logicblocks',
    access: 'developer',
    tag: 'automation',
    summary: 'The live logic blocks by name',
    description: 'With what starts them and their last runs.',
    query: closed({
      env: environment,
      q: Type.Optional(Type.String({ maxLength: 128, description: 'Only blocks whose name contains this text.' })),
      pagesize,
      nexttoken,
    }),
    compressed: 'reply',
    replies: { 200: reply('A page.', pageOf(ListedLogicBlock)) },
    problems: ['invalid_cursor'],
  }),
  testLogicBlock: route({
    method: 'POST',
    path: '/logicblocks/test',
    access: 'developer',
    tag: 'automation',
    summary: 'Does the steps of a draft of a logic block',
    description:
      'The block is not stored. In the test environment; nothing is written. Steps read records in the name of the builder, or by the policies of the block. What they would write is authorized and read, and what they would send is not sent. Blocks that it calls are the live ones. It ends after 20 seconds.',
    body: closed({
      content: Type.Unsafe<Record<string, unknown>>({ type: 'object', ...madeByServer('LogicblockContent') }),
      tenant_code,
      input: Type.Optional(input),
      record: Type.Optional(sample),
      before: Type.Optional(sample),
    }),
    replies: { 200: reply('What became of it, also where a step was refused.', BlockTest) },
    problems: ['not_found', 'dangling_reference', 'access_denied', 'workspace_suspended'],
    repeats: { notRemembered: 'computes each time, and changes nothing' },
    isRead: true,
  }),
  beginRun: route({
    method: 'POST',
    path: '/logicblocks/:name/run',
    access: 'developer',
    tag: 'automation',
    summary: 'Begins a run of the live logic block',
    description:
      'In the test environment in the name of the builder. Production’s blocks need `run_as: "app"`, since builders have no rights there.',
    query: byEnvironment,
    body: closed({ tenant_code, input: Type.Optional(input) }),
    replies: { 202: reply('The run, which has begun.', Type.Object({ run: guid })) },
    problems: ['not_found', 'conflict', 'block_failed', 'workspace_suspended'],
    refusedAs: 'run.begin_refused',
    production: { refused: 'always' },
  }),
};
