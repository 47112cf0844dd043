/** The workspaces of the user. */
import type { Caller, CallOptions } from './caller.ts';
import { objectOf } from './reply.ts';
import type { Session } from './session.ts';

export interface Workspace {
  readonly id: string;
  readonly code: string;
  readonly name: string;
  /** A label for the app's own use. */
  readonly role: string;
  /** Whether the session is in it. */
  readonly current: boolean;
  readonly joined_at: string;
}

export interface Workspaces {
  /** Those of the user, the one joined last first. */
  list(options?: CallOptions): Promise<readonly Workspace[]>;
  /** Makes a workspace with the user as its admin. The session stays where it is until `switchTo`. */
  create(
    workspace: { readonly name: string; readonly code?: string },
    options?: CallOptions,
  ): Promise<Pick<Workspace, 'id' | 'code' | 'name'>>;
  /** Moves the session, and makes the workspace the one of the user's next sign-in. */
  switchTo(code: string, options?: CallOptions): Promise<Session>;
}

/** @param enter moves the session into a workspace. */
export function workspacesOf(
  caller: Caller,
  enter: (code: string, signal: AbortSignal | undefined) => Promise<Session>,
): Workspaces {
  let switching: Promise<unknown> = Promise.resolve();
  return {
    list: async (options) => {
      const answer = await caller.call('GET', '/user/tenants', options);
      const isList = { has: ({ items }: { readonly items?: unknown }) => Array.isArray(items) };
      return objectOf<{ readonly items: readonly Workspace[] }>(answer, isList).items;
    },
    create: async (workspace, options) => {
      const answer = await caller.call('POST', '/user/workspace', { ...options, body: workspace });
      const { id, code, name } = objectOf<Workspace>(answer, { isChange: true });
      return { id, code, name };
    },
    switchTo: (code, { signal } = {}) => {
      // One after the other, so that the session and the choice that the platform keeps are those of the last call.
      const next = switching.then(async () => {
        await caller.call('POST', '/user/switch-tenant', { body: { tenant_code: code }, signal });
        return enter(code, signal);
      });
      switching = next.catch(() => undefined);
      return next;
    },
  };
}
