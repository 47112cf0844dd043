/** The actions of builders: edits of items of test, and requests to promotion. */
import fc from 'fast-check';
import { type ConfigItem, itemKey } from '../../../config/config-set.ts';
import { Problem } from '../../../lib/problem.ts';
import { Crash } from '../../../store/testing/failing-store.ts';
import type { Request } from './model-state.ts';
import { command, type PromotionNode, type TwoSpaces } from './two-spaces.ts';

const entities = ['a', 'b', 'c'];
const items: readonly ConfigItem[] = [
  ...entities.map((name) => ({ kind: 'entity', name }) as const),
  { kind: 'logicblock', name: 'l' },
  { kind: 'logicblock', name: 'm' },
  { kind: 'event', name: 'e' },
  { kind: 'crew', name: 'k' },
  { kind: 'settings', name: 'house.door' },
  { kind: 'settings', name: 'house.frame' },
];

/** Makes an item of test what it is to be, by what it refers to and a number; or takes it away. */
export interface Edit {
  readonly item: ConfigItem;
  readonly refers: readonly ConfigItem[];
  readonly variant: number;
  readonly removes: boolean;
}

const item = fc.constantFrom(...items);

export const edits: fc.Arbitrary<Edit> = fc.record({
  item: fc.oneof(fc.constantFrom(...items.slice(0, 3)), item),
  refers: fc.subarray([...items], { maxLength: 3 }),
  variant: fc.nat({ max: 3 }),
  removes: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
});

export const requests: fc.Arbitrary<Request> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Request>({ does: 'publish', items: 'all' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('publish' as const),
      items: fc.uniqueArray(item, { minLength: 1, maxLength: 3, selector: itemKey }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('withdraw' as const), item: fc.option(item, { nil: undefined }) }),
  },
  { weight: 6, arbitrary: fc.constant<Request>({ does: 'activate' }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('rollback' as const),
      version: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('purge' as const), name: fc.constantFrom(...entities) }) },
  { weight: 1, arbitrary: fc.constant<Request>({ does: 'jobs' }) },
);

/** Does what a builder does in test; what is refused there is not done. */
export async function edit(spaces: TwoSpaces, { item, refers, variant, removes }: Edit): Promise<void> {
  const content = removes ? undefined : contentOf(item, refers, variant);
  const editing = item.kind === 'entity' ? spaces.editEntity(item.name, content) : spaces.editItem(item, content);
  await editing.catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
  });
}

function contentOf({ kind, name }: ConfigItem, refers: readonly ConfigItem[], variant: number): object {
  const named = (one: ConfigItem['kind']): readonly string[] =>
    refers.filter((other) => other.kind === one).map((other) => other.name);
  switch (kind) {
    case 'entity':
      return entityContent(named('entity'), variant);
    case 'logicblock': {
      const calls = named('logicblock').map((logicblock) => ({ id: `call_${logicblock}`, type: 'call', logicblock }));
      const reads = named('entity').map((entity) => ({ id: `get_${entity}`, type: 'get', entity, record: 'x' }));
      return {
        name,
        steps: [{ id: 'go', type: 'http', method: 'GET', url: `https://x.example/${variant}` }, ...calls, ...reads],
      };
    }
    case 'event': {
      const [entity_name = 'user'] = named('entity');
      const [logicblock] = named('logicblock');
      const destination_config = logicblock === undefined ? { crew: 'k' } : { logicblock };
      const event_type = logicblock === undefined ? 'crew' : 'logicblock';
      const when = { event_stage: 'after', event_optype: 'create', enabled: variant > 0 };
      return { entity_name, event_name: name, event_type, ...when, destination_config };
    }
    case 'crew': {
      const tools = [
        ...named('entity').map((one) => ({ kind: 'entity', name: one })),
        ...named('logicblock').map((one) => ({ kind: 'logicblock', name: one })),
      ];
      return { name, status: 'active', agents: [{ name: 'agent', prompt: `p${variant}`, model: 'm', tools }] };
    }
    case 'settings':
      return { value: variant * 3 };
  }
}

function entityContent(lookups: readonly string[], variant: number): object {
  return {
    UpdateParams: [
      { name: 'v', index: variant % 2 === 0 },
      { name: 'w', search: variant > 1 },
      ...lookups.map((entity) => ({ name: `to_${entity}`, colType: 'guid', lookup: { entity, onDelete: 'setnull' } })),
    ],
    UniqueIndexes: variant === 3 ? [{ indexName: 'one', fields: ['v'] }] : [],
    indexes: variant > 1 ? [{ fields: ['v', '-w'] }] : [],
  };
}

/** The code of the refusal, `done`, or `crashed`. */
export async function send(spaces: TwoSpaces, { promotion }: PromotionNode, request: Request): Promise<string> {
  return perform(spaces, promotion, request).then(
    () => 'done',
    (error: unknown) => {
      if (error instanceof Crash) return 'crashed';
      if (error instanceof Problem) return error.code;
      throw error;
    },
  );
}

async function perform(spaces: TwoSpaces, promotion: PromotionNode['promotion'], request: Request): Promise<unknown> {
  switch (request.does) {
    case 'publish':
      return promotion.publish(command, request.items === 'all' ? { all: true } : { items: request.items }, {
        showsRecords: true,
      });
    case 'withdraw':
      return promotion.withdraw(command, request.item);
    case 'activate':
      return promotion.activate(command, { force: true });
    case 'rollback':
      return promotion.rollback(command, request.version === undefined ? {} : { version: request.version });
    case 'purge':
      return promotion.removeRetired(command, { kind: 'entity', name: request.name });
    case 'jobs':
      return spaces.bench.prod.workOff();
  }
}
