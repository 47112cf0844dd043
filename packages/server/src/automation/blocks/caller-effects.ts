import type { CompiledAccess } from '../../access/port.ts';
import { notFound } from '../../lib/problem.ts';
import type { Actor, AuthorizedCall, NamedPolicyRequest, RecordRuntime } from '../../records/port.ts';
import { mayBeId, presentationOf, presentRecords, scopeToCaller } from '../../records/port.ts';
import type { CompiledEntity } from '../../schema/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { blockFailure } from './block-failure.ts';
import { runLimits } from './block-run.ts';
import type { EntityStep } from './effects.ts';

/** In whose name a block works with records: each step is decided as the request would be that does it alone. */
export interface BlockCaller {
  readonly workspace: Workspace;
  readonly actor: Actor;
  readonly user: { readonly id: string; readonly email: string };
  /** Undefined where there is none of that name. Says nothing of what the user may do. */
  entity(name: string): Promise<CompiledEntity | undefined>;
  /** @throws Problem `access_denied`, `not_found`. */
  authorize(request: NamedPolicyRequest): Promise<AuthorizedCall>;
  /** The same user, whose steps are decided by other policies than the own ones. */
  asApp(access: CompiledAccess): BlockCaller;
}

type ReadStep = Extract<EntityStep, { readonly type: 'get' | 'list' }>;

/** What a step on records gives: what a reply to its caller would show. @throws Problem as the call by the API. */
export async function readAs(
  runtime: Pick<RecordRuntime, 'get' | 'query' | 'list'>,
  caller: BlockCaller,
  step: ReadStep,
): Promise<unknown> {
  switch (step.type) {
    case 'get': {
      const { entity: entityName, record: id } = step;
      const call = await caller.authorize({ verb: 'get', entityName, id: mayBeId(id) ? id : '-' });
      const found = mayBeId(id) ? await runtime.get(call, id) : undefined;
      if (found === undefined) throw notFound();
      const [text = 'null'] = await presentRecords(call, presentationOf(call, 'get'), [found]);
      return read(text);
    }
    case 'list': {
      const { items, hasMore } = await listed(runtime, caller, step);
      return { items, count: items.length, has_more: hasMore };
    }
  }
}

async function listed(
  runtime: Pick<RecordRuntime, 'query' | 'list'>,
  caller: BlockCaller,
  { entity: entityName, parameters, isWhole }: Extract<ReadStep, { readonly type: 'list' }>,
): Promise<{ readonly items: readonly unknown[]; readonly hasMore: boolean }> {
  const query = new URLSearchParams([...parameters]).toString();
  const call = await caller.authorize({ verb: 'list', entityName, query });
  const items: unknown[] = [];
  let characters = 0;
  let token: string | null = null;
  for (let pages = isWhole ? pagesMax : 1; pages > 0; pages -= 1) {
    const placed = token === null ? parameters : new Map([...parameters, ['nexttoken', token]]);
    const asked = await runtime.query(call, placed);
    const page = await runtime.list(call, scopeToCaller(call, asked));
    const presentation = presentationOf(call, 'list', { fields: asked.fields, isExact: true });
    const text = `[${(await presentRecords(call, presentation, page.items)).join(',')}]`;
    characters += text.length;
    items.push(...(read(text, characters) as readonly unknown[]));
    token = page.nexttoken;
    if (token === null) break;
  }
  return { items, hasMore: token !== null };
}

/** Of a whole list. A page may hold fewer records than it has room for. */
const pagesMax = 20;

/** @throws Problem `block_failed` for what is more than a run may keep. @param characters those of the text, and of what was kept before it. */
function read(text: string, characters = text.length): unknown {
  if (characters > runLimits.characters)
    throw blockFailure(`a step keeps at most ${runLimits.characters} characters of records`);
  return JSON.parse(text);
}
