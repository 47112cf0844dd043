/** What a commit may change that nodes keep in memory, and under which name. */
export const signalKinds = ['tokens', 'sessions', 'rights', 'config', 'plan', 'keys'] as const;

export type SignalKind = (typeof signalKinds)[number];

/** Ids alone, never what was written. The owner of a name is the text before its first hyphen. */
export type Signal = NamedSignal | { readonly owner: string };

export interface NamedSignal {
  readonly kind: SignalKind;
  readonly name: string;
}

/** What keeps something by such names. */
export interface SignalledCache {
  bump(name: string): void;
  /** Drops all that is kept under names of an owner. */
  bumpOwner(owner: string): void;
  bumpAll(): void;
}

/** Each kind has what it drops, so that no kind is sent in vain. */
export type SignalledCaches = Readonly<Record<SignalKind, readonly SignalledCache[]>>;
