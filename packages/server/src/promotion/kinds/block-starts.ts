/** What starts a block without a caller. */
import type { InputError } from '@freehold/contract/problem';
import { checkSchema } from '../../lib/check-schema.ts';
import { closedObjectOf, type JsonSchema } from '../../lib/json-schema.ts';
import { cronMistake } from '../../lib/scheduling/next-due.ts';
import { someText } from '../items/config-content.ts';
import type { BlockRights } from './block-policies.ts';
import { readInputSchema } from './input-schema.ts';

/** When a block runs by itself. */
export interface BlockSchedule {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string;
  /** By its name in the IANA data base. */
  readonly timezone: string;
  /** What becomes of due times at which no process ran: nothing, or one run for all of them. */
  readonly missed: 'skip' | 'once';
  /** In which workspaces; left out, in `main`. */
  readonly workspaces?: 'main' | 'all';
}

export interface BlockStarts {
  readonly schedule?: BlockSchedule;
}

type Starting = BlockStarts & BlockRights & { readonly input_schema?: Readonly<Record<string, unknown>> };

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
};

export function startErrors({ schedule, run_as, input_schema = {} }: Starting): readonly InputError[] {
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

/** A schedule has nothing to send. A schema that is not checked keeps the block from running in any case. */
function inputErrors(input_schema: Readonly<Record<string, unknown>>): readonly InputError[] {
  const input = readInputSchema(input_schema);
  if ('errors' in input || checkSchema(input.schema, {}).length === 0) return [];
  const message = 'a schedule runs the block with the input `{}`, which does not fit `input_schema`';
  return [{ pointer: '/schedule', code: 'contradiction', message }];
}

/** What starts a block that did not start it before. */
export function widenedStarts(before: BlockStarts | undefined, after: BlockStarts | undefined): readonly string[] {
  return widenedSchedule(before?.schedule, after?.schedule);
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
