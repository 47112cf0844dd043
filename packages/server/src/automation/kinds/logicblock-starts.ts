/** The triggers of a block without a caller. */
import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { checkSchema } from '../../lib/check-schema.ts';
import { closedObjectOf, type JsonSchema } from '../../lib/json-schema.ts';
import { Problem } from '../../lib/problem.ts';
import { cronMistake } from '../../lib/scheduling/next-due.ts';
import { readInputSchema } from './input-schema.ts';
import { listOf, someText } from './kind-content.ts';

export interface BlockSchedule {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** By its name in the IANA data base. */
  readonly timezone: string;
  /** The outcome of due times at which no process ran: nothing, or one run for all of them. */
  readonly missed: 'skip' | 'once';
  /** In which workspaces; left out, in `main`. */
  readonly workspaces?: 'main' | 'all';
}

/**
 * The ways in which messages that start a block are signed: by Standard Webhooks, as a provider that many apps use
 * signs, or by HMAC-SHA256 over the body in a header, as many senders do.
 */
export type BlockHook = SignedHook<'standard'> | SignedHook<'stripe' | 'slack'> | HmacHook;

interface SignedHook<Signature> {
  readonly signature: Signature;
  /** The names of its secrets: two while senders go from an old one to a new one. */
  readonly secrets: readonly [string] | readonly [string, string];
  /** The extent to which the time of a message may be off; by default 300. */
  readonly tolerance_seconds?: number;
}

type HmacHook = SignedHook<'hmac'> & HmacForm;

export interface HmacForm {
  readonly header: string;
  /** By default `hex`. */
  readonly encoding?: 'hex' | 'base64';
  /** The text before the signature, as `sha256=`. */
  readonly prefix?: string;
  /** The header is a list as `t=1492774577,v1=5257a8`, and this is the key of signatures. */
  readonly signature_key?: string;
  /** The key of the time in that list. */
  readonly timestamp_key?: string;
  readonly timestamp_header?: string;
  /** By default `{time}.{body}` where there is a time, and `{body}` where there is none. */
  readonly signed?: string;
  /** The header with the id of the message. */
  readonly id_header?: string;
  /** The member of the body with the id of the message. */
  readonly id_field?: string;
}

export interface BlockStarts {
  readonly schedule?: BlockSchedule;
  readonly hook?: BlockHook;
}

type Starting = BlockStarts & {
  readonly run_as?: 'caller' | 'app';
  readonly input_schema?: Readonly<Record<string, unknown>>;
};

const headerName: JsonSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9-]{1,100}$',
  description: 'the name of a header',
};

const listKey: JsonSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{1,20}$',
  description: 'the key of a list as `t=1492774577,v1=5257a8`',
};

const ofHmac = [
  ...['header', 'encoding', 'prefix', 'signature_key', 'timestamp_key', 'timestamp_header'],
  ...['signed', 'id_header', 'id_field'],
];

export const startMembers: Readonly<Record<keyof BlockStarts, JsonSchema>> = {
  schedule: closedObjectOf(
    {
      cron: someText(100),
      timezone: someText(64),
      missed: { type: 'string', enum: ['skip', 'once'] },
      workspaces: { type: 'string', enum: ['main', 'all'] },
    },
    ['workspaces'],
  ),
  hook: closedObjectOf(
    {
      signature: { type: 'string', enum: ['standard', 'hmac', 'stripe', 'slack'] },
      secrets: listOf({ type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' }, 2, 1),
      header: headerName,
      encoding: { type: 'string', enum: ['hex', 'base64'] },
      prefix: { type: 'string', minLength: 1, maxLength: 20, pattern: '^[!-~]*$' },
      signature_key: listKey,
      timestamp_key: listKey,
      timestamp_header: headerName,
      signed: {
        type: 'string',
        pattern: '^[ -z|~]{0,40}(\\{time\\}[ -z|~]{0,40})?\\{body\\}$',
        description: 'a text that ends with `{body}`, as `{time}.{body}`',
      },
      id_header: headerName,
      id_field: { type: 'string', minLength: 1, maxLength: 64 },
      tolerance_seconds: { type: 'integer', minimum: 1, maximum: 3600 },
    },
    [...ofHmac, 'tolerance_seconds'],
  ),
};

export function startErrors(content: Starting): readonly InputError[] {
  return [...scheduleErrors(content), ...hookErrors(content)];
}

function scheduleErrors({ schedule, run_as, input_schema = {} }: Starting): readonly InputError[] {
  if (schedule === undefined) return [];
  const mistake = cronMistake(schedule);
  return [
    ...(run_as === 'app' ? [] : [needsApp('schedule')]),
    ...(mistake === undefined
      ? []
      : [{ pointer: `/schedule/${mistake.member}`, code: `invalid_${mistake.member}`, message: mistake.message }]),
    ...inputErrors(input_schema),
  ];
}

function needsApp(member: keyof BlockStarts): InputError {
  const message = `\`${member}\` needs \`"run_as": "app"\`, since no caller is there whose policies could decide`;
  return { pointer: `/${member}`, code: 'contradiction', message };
}

function hookErrors({ hook, run_as }: Starting): readonly InputError[] {
  if (hook === undefined) return [];
  const [first, second] = hook.secrets;
  const isTwice = first === second;
  return [
    ...(run_as === 'app' ? [] : [needsApp('hook')]),
    ...(isTwice ? [{ pointer: '/hook/secrets/1', code: 'duplicate', message: 'the same secret stands twice' }] : []),
    ...(hook.signature === 'hmac' ? hmacErrors(hook) : presetErrors(hook)),
  ];
}

function presetErrors(hook: Exclude<BlockHook, HmacHook>): readonly InputError[] {
  return ofHmac
    .filter((member) => member in hook)
    .map((member) => {
      const why = `\`"signature": "${hook.signature}"\` says where each part of a message is`;
      return contradiction(member, `\`${member}\` needs \`"signature": "hmac"\`: ${why}`);
    });
}

function hmacErrors(hook: HmacHook): readonly InputError[] {
  const { header, signature_key, timestamp_key, timestamp_header, signed, id_header, id_field } = hook;
  const isTimed = timestamp_key !== undefined || timestamp_header !== undefined;
  const required = '`header` is required beside `"signature": "hmac"`';
  const isInList = timestamp_key !== undefined;
  const isAsSigned = signed === undefined || signed.includes('{time}') === isTimed;
  const ofSigned = isTimed
    ? '`signed` lacks `{time}`: a time that is not signed proves nothing'
    : '`{time}` in `signed` needs `timestamp_header` or `timestamp_key`';
  const oneTime = 'a message has one time: leave out `timestamp_header` or `timestamp_key`';
  const oneId = 'a message has one id: leave out `id_header` or `id_field`';
  const needsTime = '`tolerance_seconds` needs `timestamp_header` or `timestamp_key`';
  const rules: readonly (readonly [isBroken: boolean, member: string, message: string])[] = [
    [isInList && signature_key === undefined, 'timestamp_key', '`timestamp_key` needs `signature_key`'],
    [isInList && timestamp_header !== undefined, 'timestamp_header', oneTime],
    [!isAsSigned, 'signed', ofSigned],
    [id_header !== undefined && id_field !== undefined, 'id_field', oneId],
    [hook.tolerance_seconds !== undefined && !isTimed, 'tolerance_seconds', needsTime],
  ];
  return [
    ...(header === undefined ? [{ pointer: '/hook/header', code: 'required', message: required }] : []),
    ...rules.filter(([isBroken]) => isBroken).map(([, member, message]) => contradiction(member, message)),
  ];
}

function contradiction(member: string, message: string): InputError {
  return { pointer: `/hook/${member}`, code: 'contradiction', message };
}

/** A schedule has nothing to send. A schema that is not checked keeps the block from running in any case. */
function inputErrors(input_schema: Readonly<Record<string, unknown>>): readonly InputError[] {
  const input = readInputSchema(input_schema);
  if ('errors' in input || checkSchema(input.schema, {}).length === 0) return [];
  const message = 'a schedule runs the block with the input `{}`, which does not fit `input_schema`';
  return [{ pointer: '/schedule', code: 'contradiction', message }];
}

/** The number of logic blocks of an org that may be started in the same way. */
const startsMax = 50;
const bounded: Readonly<Record<keyof BlockStarts, string>> = { schedule: 'a schedule', hook: 'a hook' };

/** An org above the bound may change everything else. @throws Problem `conflict`. */
export function refuseTooManyStarts(wanted: readonly BlockStarts[], after: readonly BlockStarts[]): void {
  for (const way of ['schedule', 'hook'] as const) {
    const isStarted = (block: BlockStarts): boolean => block[way] !== undefined;
    if (wanted.some(isStarted) && after.filter(isStarted).length > startsMax)
      throw new Problem('conflict', `an org may have at most ${startsMax} logic blocks with ${bounded[way]}`);
  }
}

export function widenedStarts(before: BlockStarts | undefined, after: BlockStarts | undefined): readonly string[] {
  return [...widenedSchedule(before?.schedule, after?.schedule), ...widenedHook(before?.hook, after?.hook)];
}

function widenedHook(before: BlockHook | undefined, after: BlockHook | undefined): readonly string[] {
  if (after === undefined) return [];
  const { secrets, ...signature } = after;
  const { secrets: known = [], ...was } = before ?? {};
  const further = secrets.filter((name) => !known.some((other) => other === name));
  return [
    ...further.map((name) => `it is started by messages that are signed with the secret \`${name}\``),
    ...(before === undefined || isDeepStrictEqual(was, signature)
      ? []
      : ['messages that start it are signed otherwise']),
  ];
}

function widenedSchedule(before: BlockSchedule | undefined, after: BlockSchedule | undefined): readonly string[] {
  if (after === undefined) return [];
  const { cron, timezone, workspaces } = after;
  const isSame = before !== undefined && before.cron === cron && before.timezone === timezone;
  return [
    ...(isSame ? [] : [`it runs by itself: \`${cron}\` in \`${timezone}\``]),
    ...(workspaces === 'all' && before?.workspaces !== 'all' ? ['it runs by itself in all workspaces'] : []),
    ...(before?.missed === 'skip' && after.missed === 'once' ? ['it makes up for times that it missed'] : []),
  ];
}
