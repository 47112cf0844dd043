/** Two requests at once, and what one of them, and then the other, would come to. */
import assert from 'node:assert/strict';
import type { ConfigSet } from '../../../config/config-set.ts';
import type { Store } from '../../../store/port.ts';
import { liveItems, readContents } from '../../items/read-items.ts';
import { after, type Contents, type ModelState, type Request } from './model-state.ts';
import { observe, textOf } from './observe.ts';
import { send } from './requests.ts';
import { kinds, org, type TwoSpaces } from './two-spaces.ts';

export interface Race {
  readonly spaces: TwoSpaces;
  readonly requests: readonly [Request, Request];
  /** Production's store, as each of the two gets it. */
  readonly prod: readonly [Store, Store];
}

/** The two requests, ready to be started. */
export function starters({ spaces, requests, prod }: Race): readonly [() => Promise<string>, () => Promise<string>] {
  const { test } = spaces.stores;
  const starter = (index: 0 | 1) => {
    const node = spaces.node({ test, prod: prod[index] });
    return () => send(spaces, node, requests[index]);
  };
  return [starter(0), starter(1)];
}

interface Order {
  readonly outcomes: readonly [string, string];
  readonly model: ModelState;
  /** All that production was on the way. */
  readonly live: readonly Contents[];
}

export function serialOrders(model: ModelState, [one, other]: Race['requests']): readonly Order[] {
  const first = after(model, one);
  const then = after(first.model, other);
  const second = after(model, other);
  const last = after(second.model, one);
  return [
    {
      outcomes: [first.outcome, then.outcome],
      model: then.model,
      live: [model.prod, first.model.prod, then.model.prod],
    },
    {
      outcomes: [last.outcome, second.outcome],
      model: last.model,
      live: [model.prod, second.model.prod, last.model.prod],
    },
  ];
}

/** The results of both are those of one after the other. */
export async function assertSerial(
  { spaces, requests }: Race,
  model: ModelState,
  outcomes: readonly [string, string],
): Promise<void> {
  const is = { outcomes, model: await observe(spaces) };
  const orders = serialOrders(model, requests).map(({ live: _, ...order }) => order);
  if (orders.some((order) => isSame(is, order))) return;
  assert.deepEqual(is, orders[0], `${JSON.stringify(requests)} came to what comes of no order of them`);
}

export function isSame(left: unknown, right: unknown): boolean {
  try {
    assert.deepEqual(left, right);
    return true;
  } catch {
    return false;
  }
}

/** All that a reader of one configuration sees, whatever happens to production meanwhile. */
export async function seenBy(store: Store, set: ConfigSet): Promise<Contents> {
  const place = { store, orgCode: org, set, kinds };
  const bodies = await readContents(place, liveItems(place));
  const seen = new Map<string, string>();
  for (const { kind, name, content } of bodies) {
    const entity = kind === 'entity' ? await set.entity(name) : undefined;
    seen.set(`${kind}#${name}`, textOf(entity === undefined ? content : entity.definition));
  }
  return seen;
}

/** The same of a set of contents: of an entity its definition. */
export function seenOf(contents: Contents): Contents {
  const seen = [...contents].map(([key, content]) => {
    const isEntity = key.startsWith('entity#');
    return [key, isEntity ? textOf((JSON.parse(content) as readonly unknown[])[0]) : content] as const;
  });
  return new Map(seen);
}
