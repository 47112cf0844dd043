import type { configItemKinds } from '@freehold/contract/config-kinds';

/** The kinds of config items beside entities, which have screens of their own. */
export type Kind = Exclude<(typeof configItemKinds)[number], 'entity'>;

/** The kinds that the screen of the configuration lists. Logic blocks have a screen of their own. */
export type ListedKind = Exclude<Kind, 'logicblock'>;

interface KindText {
  readonly singular: string;
  /** The member of the content that repeats the name of the item. */
  readonly nameMember?: string;
}

interface ListedText extends KindText {
  readonly plural: string;
  readonly intro: string;
  /** Items of the kind are stored and promoted, and nothing runs them. */
  readonly isIdle: boolean;
}

export const listedKinds: Readonly<Record<ListedKind, ListedText>> = {
  settings: {
    plural: 'Settings',
    singular: 'setting',
    intro: 'How the app signs users in, founds workspaces and decides. Production uses its own value where one is set.',
    isIdle: false,
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

export const kinds: Readonly<Record<Kind, KindText>> = {
  ...listedKinds,
  logicblock: { singular: 'logic block', nameMember: 'name' },
};

export const listedNames = Object.keys(listedKinds) as readonly ListedKind[];

export function isListed(kind: string): kind is ListedKind {
  return Object.hasOwn(listedKinds, kind);
}
