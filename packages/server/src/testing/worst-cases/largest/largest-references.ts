/** The most that operations of a batch may refer to each other. */
import type { Largest } from '../worst-case.ts';
import { fullLinks } from './largest-definitions.ts';

/** Half of the operations make what the others refer to, as often as they may. */
export const references: Largest = {
  what: 'references',
  ask: () => {
    const made = Array.from({ length: 50 }, (_, index) => ({
      action: 'create',
      entity: 'linked',
      data: {},
      ref: `r${index}`,
    }));
    const data = fullLinks(made.map(({ ref }) => ref));
    const named = Object.entries(data).map(([name, refs]) => [name, refs.map(($ref) => ({ $ref }))]);
    const referring = made.map(() => ({ action: 'create', entity: 'linked', data: Object.fromEntries(named) }));
    return { body: JSON.stringify({ mode: 'independent', operations: [...made, ...referring] }) };
  },
};

export const referencesToNothing: Largest = {
  what: 'references to nothing',
  status: 400,
  ask: () => {
    const l0 = Array.from({ length: 45_000 }, () => ({ $ref: 'x' }));
    return {
      body: JSON.stringify({ mode: 'atomic', operations: [{ action: 'create', entity: 'linked', data: { l0 } }] }),
    };
  },
};
