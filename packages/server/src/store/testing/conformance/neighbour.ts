import type { Change, Maintenance, OpenedStore, Scope, ScopeHead, ScopeName } from '../../port.ts';
import type { Subject } from './bench.ts';

/**
 * The same adapter, with every scope living next door to another one: whatever a case commits, its neighbour commits
 * under the same keys with other content, before, beside and after. A case that still passes shows that no key, number
 * or condition reaches over.
 */
export function withNeighbour(subject: Subject): Subject {
  return {
    isDurable: subject.isDurable,
    async open(clock) {
      const inner = await subject.open(clock);
      return {
        opened: housed(inner.opened),
        reopen: async () => housed(await inner.reopen()),
        dispose: () => inner.dispose(),
      };
    },
  };
}

/** Sorts directly behind the scope's own name, so that a range or scan that runs over meets it first. */
const suffix = '\u0001';

function housed({ store, maintenance }: OpenedStore): OpenedStore {
  const house = (name: ScopeName) => livingNextDoor(store.scope(name), store.scope(`${name}${suffix}`));
  return { store: { ...store, scope: house }, maintenance: withoutNeighbours(maintenance) };
}

function livingNextDoor(scope: Scope, neighbour: Scope): Scope {
  return {
    ...scope,
    async commit(changes, options) {
      const theirs = changes.flatMap(counterpart);
      const before = neighbour.commit(theirs, options);
      const own = scope.commit(changes, options);
      const after = neighbour.commit(theirs, options);
      await Promise.allSettled([before, own, after]);
      return own;
    },
  };
}

/** The neighbour writes where the case writes, removes or looks, and never waits for a condition. */
function counterpart(change: Change): Change[] {
  const value = 'of the neighbour';
  switch (change.kind) {
    case 'put':
    case 'add':
    case 'tally':
      return [{ kind: 'put', pk: change.pk, sk: change.sk, value, if: 'any' }];
    case 'put-index':
      return [{ ...change, target: { pk: 'neighbour', sk: 'target' } }];
    case 'append':
      return [{ ...change, value }];
    case 'check-reads':
      return [];
    case 'remove':
    case 'check':
    case 'check-empty': {
      const key = { pk: change.pk, sk: 'sk' in change ? change.sk : `${change.prefix}neighbour` };
      return change.pk.startsWith('index#')
        ? [{ kind: 'put-index', ...key, target: { pk: 'neighbour', sk: 'target' } }]
        : [{ kind: 'put', ...key, value, if: 'any' }];
    }
  }
}

function withoutNeighbours(maintenance: Maintenance): Maintenance {
  const isOwn = (name: ScopeName) => !name.endsWith(suffix);
  return {
    ...maintenance,
    async scopes(after, limit) {
      const own: ScopeHead[] = [];
      for (let page = await maintenance.scopes(after, 100); page.length > 0; ) {
        own.push(...page.filter(({ name }) => isOwn(name)));
        page = await maintenance.scopes(page.at(-1)?.name, 100);
      }
      return own.slice(0, limit);
    },
  };
}
