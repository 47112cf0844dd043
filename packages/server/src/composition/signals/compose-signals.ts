/** Registers every cache that a commit of another node may make wrong. */
import { createHash } from 'node:crypto';
import type { Config } from '../../config.ts';
import { engineOf } from '../../engines/registry.ts';
import { createAccessEpochs, type NodeEpochs } from '../../iam/port.ts';
import { platformIssuer } from '../../people/app-tokens.ts';
import { SignalLine } from '../../signals/signal-line.ts';
import type { SignalledCache } from '../../signals/signal-set.ts';
import { interceptStore } from '../../store/intercepted-store.ts';
import type { Scope, ScopeName, Store } from '../../store/port.ts';
import { type Environment, orgScopeName } from '../../tenancy/port.ts';
import { signalsOf } from './signalled-keys.ts';

export interface NodeSignals {
  /** Numbers that move with what this node or another changes. */
  readonly epochs: Readonly<Record<'access' | 'revocations', NodeEpochs>> & {
    readonly plans: { current(orgCode: string): number; bump(orgCode: string): void };
  };
  readonly changesOf: Readonly<Record<Environment, (scope: ScopeName) => number>>;
  /** A store that signals its commits to the other nodes. */
  watch(space: 'platform' | Environment, store: Store): Store;
  /** Whether this node hears what it tells. */
  isHeard(): boolean;
  /** From now on other nodes are heard, and hear. @param learnKeys reads the keys that sign tokens again. */
  begin(platform: Scope, learnKeys: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export interface SignalsDeps {
  readonly config: Pick<Config, 'store' | 'publicUrl'>;
  readonly nodeId: string;
  readonly onError: (error: unknown) => void;
}

/** Undefined where one process has the store. */
export function createNodeSignals({ config, nodeId, onError }: SignalsDeps): NodeSignals | undefined {
  const { store: address } = config;
  const { openSignals } = engineOf(address);
  if (openSignals === undefined) return undefined;
  const [access, revocations] = [createAccessEpochs(), createAccessEpochs()];
  const [plans, configs] = [createAccessEpochs(), createAccessEpochs()];
  let learnKeys: () => Promise<void> = async () => undefined;
  const learn = () => void learnKeys().catch(onError);
  const keys: SignalledCache = { bump: learn, bumpOwner: () => undefined, bumpAll: learn };
  let channel = '';
  const line = new SignalLine({
    node: nodeId,
    caches: {
      tokens: [revocations],
      sessions: [revocations],
      rights: [access],
      config: [configs],
      plan: [plans],
      keys: [keys],
    },
    now: () => performance.now(),
    open: (ears) => openSignals(address, channel, ears),
    onError,
  });
  const changesOf = (scope: ScopeName) => configs.current(scope);
  return {
    epochs: {
      ...{ access, revocations },
      plans: {
        current: (orgCode) => plans.current(orgScopeName(orgCode)),
        bump: (orgCode) => plans.bump(orgScopeName(orgCode)),
      },
    },
    changesOf: { test: changesOf, prod: changesOf },
    watch: (space, store) =>
      interceptStore(store, async ({ scope, changes = [] }, call) => {
        const signals = signalsOf({ space, scope }, changes);
        if (signals.length === 0) return call();
        try {
          return await call();
        } finally {
          // Also where it failed: the commit may be stored.
          for (const signal of signals) line.raise(signal);
        }
      }),
    isHeard: () => line.isHeard,
    begin: async (platform, learnAgain) => {
      learnKeys = learnAgain;
      // The issuer may be a long address.
      channel = createHash('sha256')
        .update(await platformIssuer(platform, config.publicUrl))
        .digest('hex')
        .slice(0, 20);
      await line.begin();
    },
    close: () => line.close(),
  };
}
