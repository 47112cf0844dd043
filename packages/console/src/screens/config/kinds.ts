import type { configItemKinds } from '@freehold/contract/config-kinds';

/** The kinds of config items that this screen shows; entities have one of their own. */
export type Kind = Exclude<(typeof configItemKinds)[number], 'entity'>;

interface KindText {
  readonly plural: string;
  readonly singular: string;
  readonly intro: string;
  /** Items of the kind are stored and promoted, and nothing runs them. */
  readonly isIdle: boolean;
  /** The member of the content that repeats the name of the item. */
  readonly nameMember?: string;
}

export const kinds: Readonly<Record<Kind, KindText>> = {
  settings: {
    plural: 'Settings',
    singular: 'setting',
    intro: 'How the app signs users in, founds workspaces and decides. Production uses its own value where one is set.',
    isIdle: false,
  },
  logicblock: {
    plural: 'Logic blocks',
    singular: 'logic block',
    intro: 'Steps on records and values, run in the name of the caller.',
    isIdle: false,
    nameMember: 'name',
  },
  event: {
    plural: 'Events',
    singular: 'event',
    intro: 'What follows when records of an entity are written: a webhook, a logic block or a crew.',
    isIdle: false,
    nameMember: 'event_name',
  },
  crew: {
    plural: 'Crews',
    singular: 'crew',
    intro: 'Agents, their prompts, and the entities and logic blocks that they may use.',
    isIdle: true,
    nameMember: 'name',
  },
};

export const kindNames = Object.keys(kinds) as readonly Kind[];

export function isKind(text: string): text is Kind {
  return Object.hasOwn(kinds, text);
}
