/** Runs decision cases through the simulation of the platform, some at a time. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { memberByEmail } from '../app/members.ts';
import { onlyWorkspace } from '../app/only-workspace.ts';
import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';
import { isObject } from '../json-object.ts';
import { knownError } from '../management/known-error.ts';
import { failedCase, judgeCase, type Outcome } from './judge-case.ts';
import type { PolicyCase } from './read-cases.ts';

const atOnce = 4;

/** @throws CommandError where the platform cannot be asked at all; a case that it refuses fails. */
export async function runCases(context: Context, cases: readonly PolicyCase[]): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  const ask = createCaseRunner(context);
  const queue = cases.entries();
  const work = async () => {
    for (const [index, policyCase] of queue) {
      outcomes[index] = await ask(policyCase).catch((error: unknown) => refused(policyCase, error));
      context.out.progress(`${outcomes.filter(Boolean).length} of ${cases.length} cases`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return outcomes;
}

/** Refusals that would be the same for every case. */
const general = [
  'unreachable',
  'network',
  'redirected',
  'unexpected_reply',
  'token_missing',
  'token_invalid',
  'token_expired',
  'org_mismatch',
];

function refused(policyCase: PolicyCase, error: unknown): Outcome {
  const known = knownError(error);
  if (known === undefined || general.includes(known.details.code ?? '')) throw error;
  return failedCase(policyCase, [known.message, ...(known.details.lines ?? [])].join('; '));
}

function createCaseRunner(context: Context): (policyCase: PolicyCase) => Promise<Outcome> {
  const workspaces = keeper<string>();
  const users = keeper<string>();
  const policies = keeper<readonly unknown[]>();
  return async (policyCase) => {
    const { env, user, record, context: given, call } = policyCase;
    const names = policyCase.policies ?? [];
    const isStored = record !== undefined && Object.keys(record).join() === 'id';
    const needsWorkspace = user !== undefined || names.length > 0 || isStored;
    const workspace = needsWorkspace
      ? (policyCase.workspace ?? (await workspaces([env], () => onlyWorkspace(context, env))))
      : undefined;
    const place = { env, workspace: workspace ?? '' };
    const stored = names.map((name) => policies([place, name], () => policyByName(context, place, name)));
    const who =
      user === undefined
        ? { statements: [...(await Promise.all(stored)).flat(), ...drafted(context.cwd, policyCase)] }
        : { user_id: await users([place, user], () => memberByEmail(context, place, user)) };
    const reply = await context.management().call('simulateAccess', {
      body: {
        ...{ env, ...who, ...call },
        ...(workspace === undefined ? {} : { tenant_code: workspace }),
        ...(record === undefined ? {} : { record }),
        ...(given === undefined ? {} : { context: given }),
      } as never,
    });
    return judgeCase(policyCase, reply as Parameters<typeof judgeCase>[1]);
  };
}

/** Asks once for each key, however many cases wait for the answer. */
function keeper<T>(): (key: readonly unknown[], make: () => Promise<T>) => Promise<T> {
  const kept = new Map<string, Promise<T>>();
  return (key, make) => {
    const text = JSON.stringify(key);
    const found = kept.get(text) ?? make();
    kept.set(text, found);
    return found;
  };
}

/** The statements that a case has itself, or in a file beside its own. @throws CommandError */
function drafted(cwd: string, { statements, place }: PolicyCase): readonly unknown[] {
  if (statements === undefined || typeof statements !== 'string') return statements ?? [];
  const path = resolve(cwd, dirname(place), statements);
  try {
    const content: unknown = parse(readFileSync(path, 'utf8'));
    const found = isObject(content) ? content.statements : content;
    if (Array.isArray(found)) return found;
  } catch (error) {
    throw new CommandError(
      `${path} cannot be read: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
    );
  }
  throw new CommandError(`${path} has no list of statements`);
}

async function policyByName(
  context: Context,
  { env, workspace }: { readonly env: 'test' | 'prod'; readonly workspace: string },
  name: string,
): Promise<readonly unknown[]> {
  const query = { env, tenant_code: workspace };
  let nexttoken: string | undefined;
  do {
    const more = nexttoken === undefined ? {} : { nexttoken };
    const page = await context.management().call('listWorkspacePolicies', { query: { ...query, q: name, ...more } });
    const found = page.items.find((policy) => policy.name === name);
    if (found !== undefined) {
      const policy = await context.management().call('readWorkspacePolicy', { params: { id: found.id }, query });
      if (policy.statements === undefined)
        throw new CommandError('the statements of policies of production are for org admins alone', {
          code: 'role_required',
        });
      return policy.statements;
    }
    nexttoken = page.nexttoken ?? undefined;
  } while (nexttoken !== undefined);
  throw new CommandError(`workspace \`${workspace}\` has no policy \`${name}\` in ${env}`);
}
